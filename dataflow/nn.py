"""tf.nn: neural network functions under TensorFlow's names."""

from __future__ import annotations

from dataflow.ops.math_sigmoid import log_sigmoid, sigmoid
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
from dataflow.ops.nn_bias import bias_add, relu_layer, xw_plus_b
import dataflow.ops.nn_conv  # noqa: F401
import dataflow.ops.nn_depthwise  # noqa: F401
import dataflow.ops.nn_pool  # noqa: F401
from dataflow.ops.nn_losses import (
    log_poisson_loss,
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits_v2,
    sparse_softmax_cross_entropy_with_logits,
    weighted_cross_entropy_with_logits,
)
from dataflow.ops.nn_softmax import log_softmax, softmax

__all__ = [
    "bias_add",
    "crelu",
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
    "sparse_softmax_cross_entropy_with_logits",
    "tanh",
    "weighted_cross_entropy_with_logits",
    "xw_plus_b",
]
