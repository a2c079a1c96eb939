"""tf.contrib.gan.features: what nets of such models are built with."""

from dataflow.contrib.gan.features.clipping import (
    clip_discriminator_weights as clip_discriminator_weights,
)
from dataflow.contrib.gan.features.clipping import clip_variables as clip_variables
from dataflow.contrib.gan.features.conditioning import condition_tensor as condition_tensor
from dataflow.contrib.gan.features.conditioning import (
    condition_tensor_from_onehot as condition_tensor_from_onehot,
)
from dataflow.contrib.gan.features.pool import tensor_pool as tensor_pool
from dataflow.contrib.gan.features.virtual_batch_norm import VBN as VBN
from dataflow.contrib.opt.wrappers import VariableClippingOptimizer as VariableClippingOptimizer
