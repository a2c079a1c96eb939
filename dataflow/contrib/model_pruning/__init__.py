"""tf.contrib.model_pruning: weights of which the smallest become zero while a model trains (Zhu and
Gupta, To prune, or not to prune, 2017)."""

from dataflow.contrib.model_pruning.cells import MaskedBasicLSTMCell as MaskedBasicLSTMCell
from dataflow.contrib.model_pruning.cells import MaskedLSTMCell as MaskedLSTMCell
from dataflow.contrib.model_pruning.learning import train as train
from dataflow.contrib.model_pruning.masked_layers import masked_conv2d as masked_conv2d
from dataflow.contrib.model_pruning.masked_layers import masked_convolution as masked_convolution
from dataflow.contrib.model_pruning.masked_layers import (
    masked_fully_connected as masked_fully_connected,
)
from dataflow.contrib.model_pruning.masks import apply_mask as apply_mask
from dataflow.contrib.model_pruning.masks import get_masked_weights as get_masked_weights
from dataflow.contrib.model_pruning.masks import get_masks as get_masks
from dataflow.contrib.model_pruning.masks import get_thresholds as get_thresholds
from dataflow.contrib.model_pruning.masks import get_weight_sparsity as get_weight_sparsity
from dataflow.contrib.model_pruning.masks import get_weights as get_weights
from dataflow.contrib.model_pruning.pruning import Pruning as Pruning
from dataflow.contrib.model_pruning.pruning import get_pruning_hparams as get_pruning_hparams
from dataflow.contrib.model_pruning.stripping import (
    graph_def_from_checkpoint as graph_def_from_checkpoint,
)
from dataflow.contrib.model_pruning.stripping import strip_pruning_vars_fn as strip_pruning_vars_fn
