"""The divisions and their remainders, element by element."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.broadcast_gradient as array_broadcast_gradient
import dataflow.ops.math.complex as math_complex
import dataflow.ops.math.unary as math_unary
from dataflow.graph.convert import convert_to_tensor, is_dense_tensor_like
from dataflow.graph.dispatch import binary
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.single import single
from dataflow.ops.math.types import BINARY
from dataflow.schema.opdef import MISSING_GRADIENT, Gradient, define_op
from dataflow.schema.shape_functions import broadcast
from dataflow.values import dtypes
from dataflow.values.dtypes import DType


def _conjugates(op: Operation) -> tuple[Any, Any]:
    return math_complex.conj(op.inputs[0]), math_complex.conj(op.inputs[1])


def _div_gradient(op: Operation, grad: Any) -> Any:
    x, y = _conjugates(op)
    grad_x = divide(grad, y)
    grad_y = grad * divide(divide(-x, y), y)
    return array_broadcast_gradient.reduce_gradients(op.inputs[0], op.inputs[1], grad_x, grad_y)


def _real_div_gradient(op: Operation, grad: Any) -> Any:
    x, y = _conjugates(op)
    grad_x = realdiv(grad, y)
    grad_y = grad * realdiv(realdiv(-x, y), y)
    return array_broadcast_gradient.reduce_gradients(op.inputs[0], op.inputs[1], grad_x, grad_y)


def _div_no_nan_gradient(op: Operation, grad: Any) -> Any:
    x, y = _conjugates(op)
    grad_x = div_no_nan(grad, y)
    grad_y = grad * div_no_nan(div_no_nan(-x, y), y)
    return array_broadcast_gradient.reduce_gradients(x, y, grad_x, grad_y)


def _floor_mod_gradient(op: Operation, grad: Any) -> Any:
    x, y = op.inputs
    quotient = floor_div(x, y)
    grad_y = grad * math_unary.negative(quotient)
    return array_broadcast_gradient.reduce_gradients(x, y, grad, grad_y)


def _no_gradient(op: Operation, grad: Any) -> Any:
    """Steps: the gradient is None rather than zeros."""
    return None, None


def _define(op_type: str, types: str, gradient: Gradient, doc: str) -> None:
    define_op(
        op_type,
        inputs="x: T, y: T",
        outputs="z: T",
        attrs=[types],
        shape=broadcast,
        gradient=gradient,
        doc=doc,
    )


_define("RealDiv", BINARY, _real_div_gradient, "x / y.")
_define("Div", BINARY, _div_gradient, "x / y; of integers cut towards zero.")
_define(
    "DivNoNan",
    "T: {half, float32, bfloat16, float64, complex64, complex128}",
    _div_no_nan_gradient,
    "x / y, and 0 where y is 0.",
)
_define("FloorDiv", BINARY, _no_gradient, "x / y, rounded towards minus infinity.")
_define("TruncateDiv", BINARY, _no_gradient, "x / y of integers, cut towards zero.")
_define(
    "FloorMod",
    "T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64, bfloat16, half, float32,"
    " float64}",
    _floor_mod_gradient,
    "The remainder of FloorDiv: it has the sign of y.",
)
_define(
    "Mod",
    "T: {int32, int64, half, half, bfloat16, float32, float64}",
    MISSING_GRADIENT,
    "The remainder of a division cut towards zero: it has the sign of x.",
)
_define(
    "TruncateMod",
    "T: {int32, int64, bfloat16, half, float32, float64}",
    MISSING_GRADIENT,
    "The remainder of TruncateDiv: it has the sign of x.",
)

_QUOTIENT_TYPES: dict[DType, DType | None] = {
    dtypes.uint8: dtypes.float32,
    dtypes.int8: dtypes.float32,
    dtypes.uint16: dtypes.float32,
    dtypes.int16: dtypes.float32,
    dtypes.uint32: dtypes.float64,
    dtypes.int32: dtypes.float64,
    dtypes.uint64: dtypes.float64,
    dtypes.int64: dtypes.float64,
    dtypes.bfloat16: None,
    dtypes.float16: None,
    dtypes.float32: None,
    dtypes.float64: None,
    dtypes.complex64: None,
    dtypes.complex128: None,
}
"""Type that operands of true division are cast to; None for types that divide as they are."""


@binary
def realdiv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x / y of floating or complex tensors, element by element."""
    return single("RealDiv", x, y, name=name)


@binary
def truncatediv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x / y of integers, cut towards zero as in C."""
    return single("TruncateDiv", x, y, name=name)


@binary
def floor_div(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x / y, rounded towards minus infinity."""
    return single("FloorDiv", x, y, name=name)


@binary
def floordiv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x // y as in Python: rounded towards minus infinity."""
    with name_scope(name, "floordiv", [x, y]) as scope:
        return single("FloorDiv", x, y, name=scope)


@binary
def truncatemod(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The remainder of `truncatediv`; it has the sign of `x`."""
    return single("TruncateMod", x, y, name=name)


@binary
def floormod(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The remainder of `floor_div`, x % y as in Python; it has the sign of `y`."""
    return single("FloorMod", x, y, name=name)


mod = floormod


@binary
def truediv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x / y as in Python 3: integers are cast to float32 or, from 32 bits, float64 first.

    Raises:
      TypeError: The dtypes differ, or do not divide.
    """
    with name_scope(name, "truediv", [x, y]) as scope:
        first = convert_to_tensor(x, name="x")
        second = convert_to_tensor(y, dtype_hint=first.dtype.base_dtype, name="y")
        first, second = as_quotient_types(first, second, "__truediv__")
        return single("RealDiv", first, second, name=scope)


@binary
def div(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x / y as in Python 2: floor division of integers, true division of other types.

    Raises:
      TypeError: The dtypes differ.
    """
    with name_scope(name, "div", [x, y]) as scope:
        first = convert_to_tensor(x, name="x")
        dtype = first.dtype.base_dtype
        second = convert_to_tensor(y, name="y", dtype=dtype)
        real = dtype.is_floating or dtype.is_complex
        return single("RealDiv" if real else "FloorDiv", first, second, name=scope)


@binary
def divide(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x / y as in Python 3; see `truediv`."""
    if name is not None:
        return truediv(x, y, name)
    if not is_dense_tensor_like(x):
        x = convert_to_tensor(x, dtype=y.dtype.base_dtype if is_dense_tensor_like(y) else None)
    quotient: Tensor = x / y
    return quotient


@binary
def div_no_nan(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x / y, and 0 where y is 0; integers are cast as in `truediv`.

    Raises:
      TypeError: The dtypes differ, or do not divide.
    """
    with name_scope(name, "div_no_nan", [x, y]) as scope:
        if not is_dense_tensor_like(x) and is_dense_tensor_like(y):
            second = convert_to_tensor(y, name="y")
            first = convert_to_tensor(x, dtype=second.dtype.base_dtype, name="x")
        else:
            first = convert_to_tensor(x, name="x")
            second = convert_to_tensor(y, dtype_hint=first.dtype.base_dtype, name="y")
        first, second = as_quotient_types(first, second, "tf.math.divide_no_nan")
        return single("DivNoNan", first, second, name=scope)


def as_quotient_types(x: Tensor, y: Tensor, function: str) -> tuple[Tensor, Tensor]:
    """Both operands, integers cast to what their quotient is.

    Raises:
      TypeError: The dtypes differ, or do not divide.
    """
    dtype, other = x.dtype.base_dtype, y.dtype.base_dtype
    if dtype is not other:
        raise TypeError(f"x and y must have the same dtype, got {dtype!r} != {other!r}")
    if dtype not in _QUOTIENT_TYPES:
        raise TypeError(
            f"Invalid dtype {dtype!r} in {function}. Expected one of "
            f"{{{', '.join(map(repr, _QUOTIENT_TYPES))}}}."
        )
    wanted = _QUOTIENT_TYPES[dtype]
    if wanted is None:
        return x, y
    return cast(x, wanted), cast(y, wanted)
