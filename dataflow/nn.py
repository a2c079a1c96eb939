"""tf.nn: neural network functions under TensorFlow's names."""

from __future__ import annotations

from dataflow.library.embedding import embedding_lookup
from dataflow.library.sparsity import zero_fraction
from dataflow.library.swish import silu, swish
from dataflow.ops.array.space import depth_to_space, space_to_batch, space_to_depth
from dataflow.ops.math.sigmoid import sigmoid
from dataflow.ops.math.trig import tanh
from dataflow.ops.nn.activation import crelu, elu, leaky_relu, relu, relu6, selu, softplus, softsign
from dataflow.ops.nn.batch_norm import fused_batch_norm
from dataflow.ops.nn.bias import bias_add, relu_layer, xw_plus_b
from dataflow.ops.nn.convolution import atrous_conv2d, conv1d, conv2d, conv3d, convolution
from dataflow.ops.nn.convolution_gradient import (
    conv2d_backprop_filter,
    conv2d_backprop_input,
    conv3d_backprop_filter,
    conv3d_backprop_filter_v2,
)
from dataflow.ops.nn.convolution_transpose import (
    atrous_conv2d_transpose,
    conv1d_transpose,
    conv2d_transpose,
    conv3d_transpose,
    conv_transpose,
)
from dataflow.ops.nn.dilation import dilation2d, erosion2d
from dataflow.ops.nn.losses import (
    log_poisson_loss,
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits_v2,
    sparse_softmax_cross_entropy_with_logits,
    weighted_cross_entropy_with_logits,
)
from dataflow.ops.nn.lrn import local_response_normalization, lrn
from dataflow.ops.nn.moments import (
    batch_norm_with_global_normalization,
    batch_normalization,
    l2_normalize,
    moments,
    normalize_moments,
    sufficient_statistics,
    weighted_moments,
)
from dataflow.ops.nn.pooling import (
    avg_pool,
    avg_pool1d,
    avg_pool2d,
    avg_pool3d,
    max_pool,
    max_pool1d,
    max_pool2d,
    max_pool3d,
    max_pool_with_argmax,
)
from dataflow.ops.nn.pooling_nd import avg_pool_v2, max_pool_v2, pool
from dataflow.ops.nn.separable import (
    depthwise_conv2d,
    depthwise_conv2d_backprop_filter,
    depthwise_conv2d_backprop_input,
    depthwise_conv2d_native,
    depthwise_conv2d_native_backprop_filter,
    depthwise_conv2d_native_backprop_input,
    separable_conv2d,
)
from dataflow.ops.nn.softmax import log_softmax, softmax
from dataflow.ops.nn.space_to_batch import with_space_to_batch
from dataflow.ops.nn.sparsity import dropout
from dataflow.ops.nn.topk import in_top_k, top_k
from dataflow.ops.reductions.statistics import l2_loss

__all__ = [
    "atrous_conv2d",
    "atrous_conv2d_transpose",
    "avg_pool",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "avg_pool_v2",
    "batch_norm_with_global_normalization",
    "batch_normalization",
    "bias_add",
    "conv1d",
    "conv1d_transpose",
    "conv2d",
    "conv2d_backprop_filter",
    "conv2d_backprop_input",
    "conv2d_transpose",
    "conv3d",
    "conv3d_backprop_filter",
    "conv3d_backprop_filter_v2",
    "conv3d_transpose",
    "conv_transpose",
    "convolution",
    "crelu",
    "depth_to_space",
    "depthwise_conv2d",
    "depthwise_conv2d_backprop_filter",
    "depthwise_conv2d_backprop_input",
    "depthwise_conv2d_native",
    "depthwise_conv2d_native_backprop_filter",
    "depthwise_conv2d_native_backprop_input",
    "dilation2d",
    "dropout",
    "elu",
    "embedding_lookup",
    "erosion2d",
    "fused_batch_norm",
    "in_top_k",
    "l2_loss",
    "l2_normalize",
    "leaky_relu",
    "local_response_normalization",
    "log_poisson_loss",
    "log_softmax",
    "lrn",
    "max_pool",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "max_pool_v2",
    "max_pool_with_argmax",
    "moments",
    "normalize_moments",
    "pool",
    "relu",
    "relu6",
    "relu_layer",
    "selu",
    "separable_conv2d",
    "sigmoid",
    "sigmoid_cross_entropy_with_logits",
    "silu",
    "softmax",
    "softmax_cross_entropy_with_logits",
    "softmax_cross_entropy_with_logits_v2",
    "softplus",
    "softsign",
    "space_to_batch",
    "space_to_depth",
    "sparse_softmax_cross_entropy_with_logits",
    "sufficient_statistics",
    "swish",
    "tanh",
    "top_k",
    "weighted_cross_entropy_with_logits",
    "weighted_moments",
    "with_space_to_batch",
    "xw_plus_b",
    "zero_fraction",
]
