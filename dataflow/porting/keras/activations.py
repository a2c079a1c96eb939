"""tf.keras.activations: functions of tensors, element by element."""

from __future__ import annotations

from typing import Any

import dataflow.library.layers.arguments as _arguments
import dataflow.ops.nn.activation as _activation
from dataflow.library.clipping import clip_by_value
from dataflow.ops.math.sigmoid import sigmoid as sigmoid
from dataflow.ops.math.trig import tanh as tanh
from dataflow.ops.math.unary import exp
from dataflow.ops.nn.activation import selu as selu
from dataflow.ops.nn.activation import softplus as softplus
from dataflow.ops.nn.activation import softsign as softsign
from dataflow.ops.nn.softmax import softmax as _softmax
from dataflow.porting.keras.layers import ReLU as _ReLU

exponential = exp


def linear(x: Any) -> Any:
    """The tensor as it is."""
    return x


def relu(x: Any, alpha: float = 0.0, max_value: float | None = None, threshold: float = 0) -> Any:
    """Zero below a threshold, or a slope there; no more than a greatest value."""
    return _ReLU(max_value, alpha, threshold).call(x)


def elu(x: Any, alpha: float = 1.0) -> Any:
    """`alpha * (exp(x) - 1)` below zero."""
    result = _activation.elu(x)
    if alpha == 1:
        return result
    above = _activation.relu(result)
    return above + alpha * (result - above)


def softmax(x: Any, axis: int = -1) -> Any:
    """Exponentials over their sum along a dimension."""
    return _softmax(x, axis)


def hard_sigmoid(x: Any) -> Any:
    """`0.2 * x + 0.5`, between 0 and 1."""
    return clip_by_value(0.2 * x + 0.5, 0.0, 1.0)


def get(identifier: Any) -> Any:
    """A function as it is, or by its name; `linear` for None.

    Raises:
      ValueError: If there is none of this name.
    """
    if identifier == "hard_sigmoid":
        return hard_sigmoid
    return _arguments.activation_of(identifier) or linear


deserialize = get


def serialize(activation: Any) -> str:
    """The name of a function."""
    return str(activation.__name__)
