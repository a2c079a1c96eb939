"""Sums, differences, products and extremes of two tensors, element by element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dataflow.ops.array.broadcast_gradient as array_broadcast_gradient
import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.select as array_select
import dataflow.ops.math.compare as math_compare
import dataflow.ops.math.complex as math_complex
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.dispatch import binary
from dataflow.graph.indexed_slices import IndexedSlices
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import control_dependencies, name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.ops.math.types import BINARY, FLOAT_COMPLEX
from dataflow.schema.opdef import GradientFunction, define_op
from dataflow.schema.shape_functions import broadcast
from dataflow.values import dtypes


def _add_gradient(op: Operation, grad: Any) -> Any:
    x, y = op.inputs
    if array_broadcast_gradient.same_known_shape(x, y, grad):
        return grad, grad
    return array_broadcast_gradient.reduce_gradients(x, y, grad, grad)


def _sub_gradient(op: Operation, grad: Any) -> Any:
    x, y = op.inputs
    if array_broadcast_gradient.same_known_shape(x, y, grad):
        return grad, -grad
    return array_broadcast_gradient.reduce_gradients(x, y, grad, -grad)


def _mul_gradient(op: Operation, grad: Any) -> Any:
    x, y = op.inputs
    if array_broadcast_gradient.same_known_shape(x, y, grad) and grad.dtype.base_dtype in (
        dtypes.int32,
        dtypes.float32,
    ):
        return multiply(grad, y), multiply(grad, x)
    grad_x = multiply(grad, math_complex.conj(y))
    grad_y = multiply(math_complex.conj(x), grad)
    return array_broadcast_gradient.reduce_gradients(x, y, grad_x, grad_y)


def _mul_no_nan_gradient(op: Operation, grad: Any) -> Any:
    x, y = op.inputs
    grad_x = single("MulNoNan", grad, y)
    grad_y = single("MulNoNan", x, grad)
    if array_broadcast_gradient.same_known_shape(x, y, grad):
        return grad_x, grad_y
    return array_broadcast_gradient.reduce_gradients(x, y, grad_x, grad_y)


def _squared_difference_gradient(op: Operation, grad: Any) -> Any:
    x: Any
    x, y = op.inputs
    with control_dependencies([grad]):
        doubled: Any = scalar_mul(2.0, grad)
        grad_x = doubled * (x - y)
    if array_broadcast_gradient.same_known_shape(x, y, grad):
        return grad_x, -grad_x
    return array_broadcast_gradient.reduce_gradients(x, y, grad_x, -grad_x)


def _extreme_gradient(chooses_first: Callable[..., Tensor]) -> GradientFunction:
    """The gradient goes to the operand that was chosen, to the first where they are equal."""

    def gradient(op: Operation, grad: Any) -> Any:
        x, y = op.inputs
        zeros = array_fill.zeros_like(grad)
        mask = chooses_first(x, y)
        grad_x = array_select.where_v2(mask, grad, zeros)
        grad_y = array_select.where_v2(mask, zeros, grad)
        return array_broadcast_gradient.reduce_gradients(x, y, grad_x, grad_y)

    return gradient


def _define(
    op_type: str,
    types: str,
    gradient: GradientFunction,
    doc: str,
    commutative: bool = False,
    aggregate: bool = False,
) -> None:
    define_op(
        op_type,
        inputs="x: T, y: T",
        outputs="z: T",
        attrs=[types],
        shape=broadcast,
        gradient=gradient,
        doc=doc,
        commutative=commutative,
        aggregate=aggregate,
    )


_define(
    "Add",
    "T: {bfloat16, half, float32, float64, uint8, int8, int16, int32, int64, complex64, complex128,"
    " string}",
    _add_gradient,
    "x + y; strings are joined.",
)
_define(
    "AddV2",
    "T: {bfloat16, half, float32, float64, uint8, uint16, uint32, uint64, int8, int16, int32,"
    " int64, complex64, complex128}",
    _add_gradient,
    "x + y.",
    commutative=True,
    aggregate=True,
)
_define(
    "Sub",
    "T: {bfloat16, half, float32, float64, uint8, int8, uint16, int16, int32, int64, complex64,"
    " complex128, uint32, uint64}",
    _sub_gradient,
    "x - y.",
)
_define("Mul", BINARY, _mul_gradient, "x * y.", commutative=True)
_define("MulNoNan", FLOAT_COMPLEX, _mul_no_nan_gradient, "x * y, and 0 where y is 0.")
_define(
    "SquaredDifference",
    "T: {bfloat16, half, float32, float64, int32, int64, complex64, complex128}",
    _squared_difference_gradient,
    "conj(x - y) * (x - y).",
    commutative=True,
)
_EXTREME = (
    "T: {bfloat16, half, float32, float64, int8, uint8, int16, uint16, int32, uint32, int64,"
    " uint64}"
)
_define(
    "Maximum",
    _EXTREME,
    _extreme_gradient(lambda x, y: math_compare.greater_equal(x, y)),
    "The greater of x and y.",
)
_define(
    "Minimum",
    _EXTREME,
    _extreme_gradient(lambda x, y: math_compare.less_equal(x, y)),
    "The lesser of x and y.",
)


@binary
def add(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x + y, element by element, with broadcasting; strings are joined."""
    with name_scope(name, "Add", [x]) as scope:
        first = convert_to_tensor(x, name="x")
        second = convert_to_tensor(y, dtype_hint=first.dtype.base_dtype, name="y")
        op_type = "Add" if first.dtype.base_dtype is dtypes.string else "AddV2"
        return single(op_type, first, second, name=scope)


@binary
def subtract(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x - y, element by element, with broadcasting."""
    return single("Sub", x, y, name=name)


@binary
def multiply(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x * y, element by element, with broadcasting."""
    return single("Mul", x, y, name=name)


@binary
def multiply_no_nan(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x * y, and 0 where y is 0, even if x is infinite or NaN.

    Raises:
      TypeError: `x` and `y` have different dtypes.
    """
    with name_scope(name, "multiply_no_nan", [x, y]) as scope:
        first = convert_to_tensor(x, name="x")
        second = convert_to_tensor(y, name="y", dtype=first.dtype.base_dtype)
        return single("MulNoNan", first, second, name=scope)


@binary
def scalar_mul(scalar: Any, x: Any, name: str | None = None) -> Any:
    """A scalar times a tensor or `IndexedSlices`.

    Raises:
      ValueError: `scalar` is not 0-dimensional.
    """
    factor = convert_to_tensor(scalar, dtype=dtypes.as_dtype(x.dtype).base_dtype, name="scalar")
    if factor.shape.rank != 0:
        raise ValueError(f"Only scalar multiply works, got shape {factor.shape}")
    if isinstance(x, IndexedSlices):
        return IndexedSlices(multiply(factor, x.values, name), x.indices, x.dense_shape)
    return multiply(factor, x, name)


@binary
def squared_difference(x: Any, y: Any, name: str | None = None) -> Tensor:
    """conj(x - y) * (x - y), element by element, with broadcasting."""
    return single("SquaredDifference", x, y, name=name)


@binary
def maximum(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The greater of x and y, element by element, with broadcasting."""
    return single("Maximum", x, y, name=name)


@binary
def minimum(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The lesser of x and y, element by element, with broadcasting."""
    return single("Minimum", x, y, name=name)
