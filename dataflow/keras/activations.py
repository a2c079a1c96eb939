"""tf.keras.activations: functions of tensors, element by element."""

from __future__ import annotations

from typing import Any

from dataflow.keras.backend.elementwise import exp as exponential
from dataflow.keras.backend.elementwise import selu as selu
from dataflow.keras.backend.elementwise import sigmoid as sigmoid
from dataflow.keras.backend.elementwise import softplus as softplus
from dataflow.keras.backend.elementwise import softsign as softsign
from dataflow.keras.backend.elementwise import tanh as tanh
from dataflow.keras.backend.nets import elu as elu
from dataflow.keras.backend.nets import hard_sigmoid as hard_sigmoid
from dataflow.keras.backend.nets import relu as _relu
from dataflow.keras.backend.nets import softmax as _softmax
from dataflow.keras.backend.tensors import ndim
from dataflow.keras.objects import deserialize_keras_object
from dataflow.library.swish import swish as swish


def linear(x: Any) -> Any:
    """The tensor as it is."""
    return x


def relu(x: Any, alpha: float = 0.0, max_value: float | None = None, threshold: float = 0) -> Any:
    """Zero below a threshold, or a slope there; no more than a greatest value."""
    return _relu(x, alpha, max_value, threshold)


def softmax(x: Any, axis: int = -1) -> Any:
    """Exponentials over their sum along a dimension.

    Raises:
      ValueError: There is only one dimension.
    """
    if ndim(x) == 1:
        raise ValueError(f"Cannot apply softmax to a tensor that is 1D. Received input: {x}")
    return _softmax(x, axis)


def get(identifier: Any) -> Any:
    """A function as it is, or by its name; `linear` for None.

    Raises:
      TypeError: It is no name, configuration or function.
      ValueError: If there is none of this name.
    """
    if identifier is None:
        return linear
    if not (callable(identifier) or isinstance(identifier, (str, dict))):
        raise TypeError(f"Could not interpret activation function identifier: {identifier}")
    return identifier if callable(identifier) else deserialize(identifier)


def deserialize(name: Any, custom_objects: Any = None) -> Any:
    """The function of a name."""
    named = {**globals(), "exponential": exponential, "exp": exponential}
    return deserialize_keras_object(name, named, custom_objects, "activation function")


def serialize(activation: Any) -> Any:
    """The name of a function, or the class and configuration of a layer."""
    if hasattr(activation, "get_config"):
        return {"class_name": type(activation).__name__, "config": activation.get_config()}
    name = getattr(activation, "__name__", str(activation))
    return {"exp": "exponential"}.get(name, name)
