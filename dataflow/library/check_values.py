"""Checks of values in the graph: `assert_equal` and its like fail a step if they do not hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import dataflow.ops.array.shape as array_shape
import dataflow.ops.array.slice as array_slice
import dataflow.ops.math.compare as math_compare
import dataflow.ops.math.unary as math_unary
import dataflow.ops.reductions.reduce as reductions
from dataflow.control_flow.assertion import Assert
from dataflow.control_flow.cond import cond
from dataflow.errors import InvalidArgumentError
from dataflow.graph import constant_value as constants
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.dispatch import dispatched
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.identity import no_op
from dataflow.values import dtypes

Data = Sequence[Any] | None


@dispatched
def assert_equal(
    x: Any,
    y: Any,
    data: Data = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """An operation that fails unless `x == y` for all pairs of elements.

    Args:
      x: A numeric tensor.
      y: A tensor of the same type that broadcasts with it.
      data: What to print when it fails; by default a text and some elements.
      summarize: How many elements of each tensor to print.
      message: A text to print in front.
      name: Name scope of the operations.

    Raises:
      InvalidArgumentError: The values are known already, and it does not hold.
    """
    with name_scope(name, "assert_equal", [x, y, data]):
        if x is y:
            return no_op()
    return _compare(
        "==", "assert_equal", math_compare.equal, np.equal, x, y, data, summarize, message, name
    )


@dispatched
def assert_none_equal(
    x: Any,
    y: Any,
    data: Data = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """An operation that fails unless `x != y` for all pairs; see `assert_equal`."""
    function = math_compare.not_equal
    return _compare(
        "!=", "assert_none_equal", function, np.not_equal, x, y, data, summarize, message, name
    )


@dispatched
def assert_less(
    x: Any,
    y: Any,
    data: Data = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """An operation that fails unless `x < y` for all pairs; see `assert_equal`."""
    return _compare(
        "<", "assert_less", math_compare.less, np.less, x, y, data, summarize, message, name
    )


@dispatched
def assert_less_equal(
    x: Any,
    y: Any,
    data: Data = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """An operation that fails unless `x <= y` for all pairs; see `assert_equal`."""
    function = math_compare.less_equal
    return _compare(
        "<=", "assert_less_equal", function, np.less_equal, x, y, data, summarize, message, name
    )


@dispatched
def assert_greater(
    x: Any,
    y: Any,
    data: Data = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """An operation that fails unless `x > y` for all pairs; see `assert_equal`."""
    function = math_compare.greater
    return _compare(
        ">", "assert_greater", function, np.greater, x, y, data, summarize, message, name
    )


@dispatched
def assert_greater_equal(
    x: Any,
    y: Any,
    data: Data = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """An operation that fails unless `x >= y` for all pairs; see `assert_equal`."""
    function, known, label = math_compare.greater_equal, np.greater_equal, "assert_greater_equal"
    return _compare(">=", label, function, known, x, y, data, summarize, message, name)


def assert_negative(
    x: Any,
    data: Data = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """An operation that fails unless `x < 0` for all elements; see `assert_equal`."""
    with name_scope(name, "assert_negative", [x, data]):
        x, zero, data = _against_zero(x, "x < 0", data, message)
        return assert_less(x, zero, data=data, summarize=summarize)


def assert_positive(
    x: Any,
    data: Data = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """An operation that fails unless `x > 0` for all elements; see `assert_equal`."""
    with name_scope(name, "assert_positive", [x, data]):
        x, zero, data = _against_zero(x, "x > 0", data, message)
        return assert_less(zero, x, data=data, summarize=summarize)


def assert_non_negative(
    x: Any,
    data: Data = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """An operation that fails unless `x >= 0` for all elements; see `assert_equal`."""
    with name_scope(name, "assert_non_negative", [x, data]):
        x, zero, data = _against_zero(x, "x >= 0", data, message)
        return assert_less_equal(zero, x, data=data, summarize=summarize)


def assert_non_positive(
    x: Any,
    data: Data = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """An operation that fails unless `x <= 0` for all elements; see `assert_equal`."""
    with name_scope(name, "assert_non_positive", [x, data]):
        given = data
        x, zero, data = _against_zero(x, "x <= 0", data, message)
        if given is None:
            # TensorFlow prints these two texts as one.
            prefix, condition, label, value = data
            data = [prefix, condition + label, value]
        return assert_less_equal(x, zero, data=data, summarize=summarize)


@dispatched
def assert_near(
    x: Any,
    y: Any,
    rtol: Any = None,
    atol: Any = None,
    data: Data = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """An operation that fails unless `|x - y| < atol + rtol * |y|` for all pairs of elements.

    Args:
      x: A floating or complex tensor.
      y: A tensor of the same type that broadcasts with it.
      rtol: Tolerance as a share of `y`; ten times the precision of the type by default.
      atol: Tolerance added to that; as large by default.
      data: What to print when it fails.
      summarize: How many elements of each tensor to print.
      message: A text to print in front.
      name: Name scope of the operations.
    """
    with name_scope(name, "assert_near", [x, y, rtol, atol, data]):
        x = convert_to_tensor(x, name="x")
        y = convert_to_tensor(y, name="y", dtype=x.dtype)
        dtype = x.dtype.real_dtype if x.dtype.is_complex else x.dtype
        precision = 10 * np.finfo(dtype.as_numpy_dtype).eps
        share: Any = convert_to_tensor(
            precision if rtol is None else rtol, name="rtol", dtype=dtype
        )
        least: Any = convert_to_tensor(
            precision if atol is None else atol, name="atol", dtype=dtype
        )
        if data is None:
            data = [
                message_prefix(message),
                f"x and y not equal to tolerance rtol = {share}, atol = {least}",
                f"x ({x.name}) = ",
                x,
                f"y ({y.name}) = ",
                y,
            ]
        allowed = least + share * math_unary.abs(y)
        difference = math_unary.abs(x - y)
        condition = reductions.reduce_all(math_compare.less(difference, allowed))
        return Assert(condition, data, summarize=summarize)


def is_numeric_tensor(tensor: Any) -> bool:
    """True for a tensor of numbers."""
    if not isinstance(tensor, Tensor):
        return False
    dtype = tensor.dtype
    return dtype.is_floating or dtype.is_integer or dtype.is_complex or dtype.is_quantized


def is_non_decreasing(x: Any, name: str | None = None) -> Tensor:
    """Whether each element, in row-major order, is at least the one before it.

    Args:
      x: A numeric tensor.
      name: Name scope of the operations.

    Raises:
      TypeError: `x` is not numeric.
    """
    with name_scope(name, "is_non_decreasing", [x]):
        result: Tensor = reductions.reduce_all(_neighbours(x, math_compare.greater_equal))
        return result


def is_strictly_increasing(x: Any, name: str | None = None) -> Tensor:
    """Whether each element, in row-major order, is greater than the one before it.

    Args:
      x: A numeric tensor.
      name: Name scope of the operations.

    Raises:
      TypeError: `x` is not numeric.
    """
    with name_scope(name, "is_strictly_increasing", [x]):
        result: Tensor = reductions.reduce_all(_neighbours(x, math_compare.greater))
        return result


def message_prefix(message: str | None) -> str:
    """A message as it stands in front of what is printed."""
    return f"{message}.  " if message else ""


def _compare(
    sign: str,
    label: str,
    function: Callable[..., Any],
    known_function: Callable[..., Any],
    x: Any,
    y: Any,
    data: Data,
    summarize: int | None,
    message: str | None,
    name: str | None,
) -> Operation:
    with name_scope(name, label, [x, y, data]):
        x = convert_to_tensor(x, name="x")
        y = convert_to_tensor(y, name="y")
        if data is None:
            data = [
                f"Condition x {sign} y did not hold element-wise:",
                f"x ({x.name}) = ",
                x,
                f"y ({y.name}) = ",
                y,
            ]
        if message is not None:
            data = [message, *data]
        condition = reductions.reduce_all(function(x, y))
        known_x, known_y = constants.written_value(x), constants.written_value(y)
        known = known_x is not None and known_y is not None
        if known and not np.all(known_function(known_x, known_y)):
            raise InvalidArgumentError(None, None, "\n".join(map(_known_text, data)))
        return Assert(condition, data, summarize=summarize)


def _known_text(item: Any) -> str:
    known = constants.written_value(item) if isinstance(item, Tensor) else None
    return str(item if known is None else known)


def _against_zero(
    x: Any, condition: str, data: Data, message: str | None
) -> tuple[Tensor, Tensor, list[Any]]:
    x = convert_to_tensor(x, name="x")
    shown = data
    if shown is None:
        text = f"Condition {condition} did not hold element-wise:"
        shown = [message_prefix(message), text, f"x ({x.name}) = ", x]
    return x, convert_to_tensor(0, dtype=x.dtype), list(shown)


def _neighbours(x: Any, compare: Callable[..., Any]) -> Any:
    """Compares each element with the one before it; nothing is left of less than two."""
    flat = array_shape.reshape(x, [-1])
    if not is_numeric_tensor(flat):
        raise TypeError(f"Expected x to be numeric, instead found: {flat}")
    too_short = math_compare.less(array_shape.size(flat), 2)
    shape: Any = array_shape.shape(flat)
    length = shape - 1

    def compared() -> Any:
        second: Any = [1]
        following = array_slice.strided_slice(flat, second, second + length)
        return compare(following, array_slice.strided_slice(flat, [0], length))

    return cond(too_short, lambda: convert_to_tensor([], dtype=dtypes.bool), compared)
