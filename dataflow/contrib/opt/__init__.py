"""tf.contrib.opt: further optimizers, and some around others."""

from dataflow.contrib.opt.adam_variants import AdaMaxOptimizer as AdaMaxOptimizer
from dataflow.contrib.opt.adam_variants import LazyAdamOptimizer as LazyAdamOptimizer
from dataflow.contrib.opt.adam_variants import NadamOptimizer as NadamOptimizer
from dataflow.contrib.opt.external import ExternalOptimizerInterface as ExternalOptimizerInterface
from dataflow.contrib.opt.external import ScipyOptimizerInterface as ScipyOptimizerInterface
from dataflow.contrib.opt.full_matrix import GGTOptimizer as GGTOptimizer
from dataflow.contrib.opt.global_step_adam import AdamGSOptimizer as AdamGSOptimizer
from dataflow.contrib.opt.global_step_adam import LazyAdamGSOptimizer as LazyAdamGSOptimizer
from dataflow.contrib.opt.layerwise import LARSOptimizer as LARSOptimizer
from dataflow.contrib.opt.layerwise import RegAdagradOptimizer as RegAdagradOptimizer
from dataflow.contrib.opt.replicas import AGNCustomGetter as AGNCustomGetter
from dataflow.contrib.opt.replicas import AGNOptimizer as AGNOptimizer
from dataflow.contrib.opt.replicas import ElasticAverageCustomGetter as ElasticAverageCustomGetter
from dataflow.contrib.opt.replicas import ElasticAverageOptimizer as ElasticAverageOptimizer
from dataflow.contrib.opt.replicas import ModelAverageCustomGetter as ModelAverageCustomGetter
from dataflow.contrib.opt.replicas import ModelAverageOptimizer as ModelAverageOptimizer
from dataflow.contrib.opt.shampoo import ShampooOptimizer as ShampooOptimizer
from dataflow.contrib.opt.sign_methods import AddSignOptimizer as AddSignOptimizer
from dataflow.contrib.opt.sign_methods import PowerSignOptimizer as PowerSignOptimizer
from dataflow.contrib.opt.sign_methods import get_cosine_decay_fn as get_cosine_decay_fn
from dataflow.contrib.opt.sign_methods import get_linear_decay_fn as get_linear_decay_fn
from dataflow.contrib.opt.sign_methods import get_restart_decay_fn as get_restart_decay_fn
from dataflow.contrib.opt.weight_decay import AdamWOptimizer as AdamWOptimizer
from dataflow.contrib.opt.weight_decay import (
    DecoupledWeightDecayExtension as DecoupledWeightDecayExtension,
)
from dataflow.contrib.opt.weight_decay import MomentumWOptimizer as MomentumWOptimizer
from dataflow.contrib.opt.weight_decay import (
    extend_with_decoupled_weight_decay as extend_with_decoupled_weight_decay,
)
from dataflow.contrib.opt.wrappers import DropStaleGradientOptimizer as DropStaleGradientOptimizer
from dataflow.contrib.opt.wrappers import MovingAverageOptimizer as MovingAverageOptimizer
from dataflow.contrib.opt.wrappers import MultitaskOptimizerWrapper as MultitaskOptimizerWrapper
from dataflow.contrib.opt.wrappers import VariableClippingOptimizer as VariableClippingOptimizer
from dataflow.contrib.opt.wrappers import (
    clip_gradients_by_global_norm as clip_gradients_by_global_norm,
)
