"""tf.nn: neural network functions under TensorFlow's names."""

from __future__ import annotations

import dataflow.ops.nn_conv
import dataflow.ops.nn_depthwise
import dataflow.ops.nn_pool  # noqa: F401
from dataflow.ops.array import depth_to_space, space_to_batch, space_to_depth
from dataflow.ops.math_sigmoid import log_sigmoid, sigmoid
from dataflow.ops.math_statistics import l2_loss
from dataflow.ops.math_trig import tanh
from dataflow.ops.nn_activation import (
    crelu,
    elu,
    leaky_relu,
    relu,
    relu6,
    selu,
    softplus,
    softsign,
)
from dataflow.ops.nn_batch_norm import fused_batch_norm
from dataflow.ops.nn_bias import bias_add, relu_layer, xw_plus_b
from dataflow.ops.nn_losses import (
    log_poisson_loss,
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits_v2,
    sparse_softmax_cross_entropy_with_logits,
    weighted_cross_entropy_with_logits,
)
from dataflow.ops.nn_lrn import local_response_normalization, lrn
from dataflow.ops.nn_softmax import log_softmax, softmax
from dataflow.ops.nn_topk import in_top_k, top_k

__all__ = [
    "fused_batch_norm",
    "in_top_k",
    "l2_loss",
    "local_response_normalization",
    "lrn",
    "top_k",
    "bias_add",
    "crelu",
    "depth_to_space",
    "elu",
    "leaky_relu",
    "log_poisson_loss",
    "log_sigmoid",
    "log_softmax",
    "relu",
    "relu6",
    "relu_layer",
    "selu",
    "sigmoid",
    "sigmoid_cross_entropy_with_logits",
    "softmax",
    "softmax_cross_entropy_with_logits",
    "softmax_cross_entropy_with_logits_v2",
    "softplus",
    "softsign",
    "space_to_batch",
    "space_to_depth",
    "sparse_softmax_cross_entropy_with_logits",
    "tanh",
    "weighted_cross_entropy_with_logits",
    "xw_plus_b",
]
