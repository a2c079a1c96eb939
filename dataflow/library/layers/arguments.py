"""Arguments that layers share: sizes, paddings, orders of dimensions, functions by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import dataflow.ops.math.unary as math_unary
from dataflow.library.swish import swish
from dataflow.ops.math.sigmoid import sigmoid
from dataflow.ops.math.trig import tanh
from dataflow.ops.nn import activation as activations
from dataflow.ops.nn.softmax import softmax
from dataflow.variables import initializers, scaled_initializers

ONES = initializers.Ones()
"""What factors start at."""

ZEROS = initializers.Zeros()
"""What biases start at."""

_ACTIVATIONS: dict[str, Callable[[Any], Any] | None] = {
    "elu": activations.elu,
    "exponential": math_unary.exp,
    "linear": None,
    "relu": activations.relu,
    "selu": activations.selu,
    "sigmoid": sigmoid,
    "softmax": softmax,
    "softplus": activations.softplus,
    "softsign": activations.softsign,
    "swish": swish,
    "tanh": tanh,
}
_INITIALIZERS: dict[str, Callable[[], Any]] = {
    "glorot_normal": scaled_initializers.GlorotNormal,
    "glorot_uniform": scaled_initializers.GlorotUniform,
    "he_normal": scaled_initializers.he_normal,
    "he_uniform": scaled_initializers.he_uniform,
    "lecun_normal": scaled_initializers.lecun_normal,
    "lecun_uniform": scaled_initializers.lecun_uniform,
    "ones": initializers.Ones,
    "orthogonal": initializers.Orthogonal,
    "zeros": initializers.Zeros,
}


def activation_of(given: Any) -> Any:
    """The function that an activation, or the name of one, stands for; None for none."""
    if given is None or callable(given):
        return given
    if given in _ACTIVATIONS:
        return _ACTIVATIONS[given]
    raise ValueError(f"Unknown activation function: {given}")


def initializer_of(given: Any) -> Any:
    """The initializer that an initializer, its class, its name or what `told` gives stands for."""
    if isinstance(given, str):
        if given not in _INITIALIZERS:
            raise ValueError(f"Unknown initializer: {given}")
        return _INITIALIZERS[given]()
    if isinstance(given, dict):
        name = given["class_name"]
        cls = getattr(initializers, name, None) or getattr(scaled_initializers, name)
        return cls.from_config(given["config"])
    return given() if inspect.isclass(given) else given


def told(value: Any) -> Any:
    """An argument as plain data: the name of a function, an initializer's class and arguments."""
    if hasattr(value, "get_config"):
        return {"class_name": type(value).__name__, "config": value.get_config()}
    return value.__name__ if callable(value) else value


def sizes(value: Any, count: int, name: str) -> tuple[int, ...]:
    """One number for each of the spatial dimensions; a single number is meant for all."""
    if isinstance(value, int):
        return (value,) * count
    refusal = f"The `{name}` argument must be a tuple of {count} integers. Received: {value}"
    try:
        given = tuple(value)
    except TypeError:
        raise ValueError(refusal) from None
    if len(given) != count:
        raise ValueError(refusal)
    numbers = []
    for each in given:
        try:
            numbers.append(int(each))
        except (ValueError, TypeError):
            raise ValueError(f"{refusal} including element {each} of type {type(each)}") from None
    return tuple(numbers)


def padding_of(value: Any) -> str:
    """ "valid", "same" or "causal"."""
    padding = str(value).lower()
    if padding not in ("valid", "same", "causal"):
        raise ValueError(
            'The `padding` argument must be a list/tuple or one of "valid", "same" (or "causal", '
            f"only for `Conv1D). Received: {padding}"
        )
    return padding


def data_format_of(value: Any) -> str:
    """ "channels_first" or "channels_last"; None means the latter."""
    data_format = "channels_last" if value is None else str(value).lower()
    if data_format not in ("channels_first", "channels_last"):
        raise ValueError(
            'The `data_format` argument must be one of "channels_first", "channels_last". '
            f"Received: {value}"
        )
    return data_format


def op_format(data_format: str, rank: int) -> str:
    """What operations call an order of dimensions, with `rank` spatial ones."""
    spatial = {1: "W", 2: "HW", 3: "DHW"}[rank]
    return f"NC{spatial}" if data_format == "channels_first" else f"N{spatial}C"


def window_count(
    length: int | None, window: int, padding: str, stride: int, dilation: int = 1
) -> int | None:
    """How many windows of a convolution or pooling there are along a dimension."""
    if length is None:
        return None
    if padding == "valid":
        length -= (window - 1) * dilation
    return -(-length // stride)


def transposed_length(length: Any, window: int, padding: str, stride: int) -> Any:
    """The length, a number or tensor, of which a convolution makes a given one."""
    if length is None:
        return None
    length = length * stride
    return length + max(window - stride, 0) if padding == "valid" else length
