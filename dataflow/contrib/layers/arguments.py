"""What layers take in several forms: conditions, shapes, sizes of windows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.control_flow.cond import cond
from dataflow.graph import constant_value as _constant_value
from dataflow.graph.tensor import Tensor
from dataflow.values.shapes import TensorShape
from dataflow.variables.variable import Variable


def constant_value(value_or_tensor_or_var: Any, dtype: Any = None) -> Any:
    """The value of a constant tensor, None of other tensors and of variables; all else as it is.

    Raises:
      ValueError: For None, or if a tensor or variable has another dtype than `dtype`.
    """
    value = value_or_tensor_or_var
    if value is None:
        raise ValueError("value_or_tensor_or_var cannot be None")
    if not isinstance(value, Tensor | Variable):
        return value
    if dtype and value.dtype != dtype:
        raise ValueError(f"It has the wrong type {value.dtype} instead of {dtype}")
    return _constant_value.constant_value(value) if isinstance(value, Tensor) else None


def static_cond(pred: Any, fn1: Callable[[], Any], fn2: Callable[[], Any]) -> Any:
    """What `fn1` makes if Python takes `pred` for true, else what `fn2` makes.

    Raises:
      TypeError: A function is not callable.
    """
    for name, function in (("fn1", fn1), ("fn2", fn2)):
        if not callable(function):
            raise TypeError(f"{name} must be callable.")
    return fn1() if pred else fn2()


def smart_cond(
    pred: Any, fn1: Callable[[], Any], fn2: Callable[[], Any], name: str | None = None
) -> Any:
    """`static_cond` of a condition whose value is known, else `tf.cond`: strict if a name is given.

    Raises:
      TypeError: A function is not callable.
      ValueError: `pred` is None.
    """
    value = constant_value(pred)
    if value is not None:
        return static_cond(value, fn1, fn2)
    # TensorFlow 1 hands the name over in the place of `strict`.
    return cond(pred, fn1, fn2, strict=bool(name))


def _dimension(shape: TensorShape, axis: int, min_rank: int) -> int:
    dimensions = shape.dims
    if dimensions is None:
        raise ValueError("dims of shape must be known but is None")
    if len(dimensions) < min_rank:
        raise ValueError(f"rank of shape must be at least {min_rank} not: {len(dimensions)}")
    size = dimensions[axis].value
    if size is None:
        raise ValueError(f"dimension {axis} of shape must be known but is None: {shape}")
    return int(size)


def channel_dimension(shape: TensorShape, data_format: str, min_rank: int = 1) -> int:
    """How many channels a shape has: dimension 1 of "channels_first", otherwise the last one.

    Raises:
      ValueError: The rank is unknown or less than `min_rank`, or the dimension is unknown.
    """
    return _dimension(shape, 1 if data_format == "channels_first" else -1, min_rank)


def last_dimension(shape: TensorShape, min_rank: int = 1) -> int:
    """The last dimension of a shape.

    Raises:
      ValueError: The rank is unknown or less than `min_rank`, or the dimension is unknown.
    """
    return _dimension(shape, -1, min_rank)


def two_element_tuple(int_or_tuple: Any) -> tuple[Any, Any]:
    """One integer twice; a pair, or a shape of rank 2, as two.

    Raises:
      ValueError: For all else.
    """
    if isinstance(int_or_tuple, list | tuple):
        if len(int_or_tuple) != 2:
            raise ValueError(f"Must be a list with 2 elements: {int_or_tuple}")
        return int(int_or_tuple[0]), int(int_or_tuple[1])
    if isinstance(int_or_tuple, int):
        return int_or_tuple, int_or_tuple
    if isinstance(int_or_tuple, TensorShape) and int_or_tuple.ndims == 2:
        return int_or_tuple[0], int_or_tuple[1]
    raise ValueError("Must be an int, a list with 2 elements or a TensorShape of length 2")


def n_positive_integers(n: int, value: Any) -> tuple[int, ...]:
    """One positive integer n times, or the n of a sequence or shape.

    Raises:
      ValueError: `n` or a number is no positive integer, or there are not n.
    """
    if int(n) < 1 or int(n) != n:
        raise ValueError("n must be a positive integer")
    try:
        values = (int(value),) * int(n)
    except (TypeError, ValueError):
        wrong = f"Expected sequence of {int(n)} positive integers, but received {value!r}"
        if len(value) != n:
            raise ValueError(wrong) from None
        try:
            values = tuple(int(each) for each in value)
        except (TypeError, ValueError):
            raise ValueError(wrong) from None
    for each in values:
        if each < 1:
            raise ValueError(f"expected positive integer, but received {each}")
    return values
