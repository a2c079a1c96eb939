"""The divisions and their remainders, element by element."""

from __future__ import annotations

from typing import Any

import dataflow.ops.math_broadcast as math_broadcast
import dataflow.ops.math_cast as math_cast
import dataflow.ops.math_complex as math_complex
import dataflow.ops.math_unary as math_unary
from dataflow import dtypes
from dataflow.convert import convert_to_tensor
from dataflow.dtypes import DType
from dataflow.opdef import GradientFunction, define_op
from dataflow.operation import Operation
from dataflow.ops.math_types import BINARY, REAL
from dataflow.ops.single import single
from dataflow.scopes import name_scope
from dataflow.shape_functions import broadcast
from dataflow.tensor import Tensor

__all__ = [
    "div",
    "div_no_nan",
    "divide",
    "floor_div",
    "floordiv",
    "floormod",
    "mod",
    "realdiv",
    "truediv",
    "truncatediv",
    "truncatemod",
]


def _div_gradient(op: Operation, grad: Any) -> Any:
    x: Any
    x, y = map(math_complex.conj, op.inputs)
    grad_x = divide(grad, y)
    grad_y = grad * divide(divide(-x, y), y)
    return math_broadcast.reduce_gradients(*op.inputs, grad_x, grad_y)


def _real_div_gradient(op: Operation, grad: Any) -> Any:
    x: Any
    x, y = map(math_complex.conj, op.inputs)
    grad_x = realdiv(grad, y)
    grad_y = grad * realdiv(realdiv(-x, y), y)
    return math_broadcast.reduce_gradients(*op.inputs, grad_x, grad_y)


def _div_no_nan_gradient(op: Operation, grad: Any) -> Any:
    x: Any
    x, y = map(math_complex.conj, op.inputs)
    grad_x = div_no_nan(grad, y)
    grad_y = grad * div_no_nan(div_no_nan(-x, y), y)
    return math_broadcast.reduce_gradients(x, y, grad_x, grad_y)


def _floor_mod_gradient(op: Operation, grad: Any) -> Any:
    x, y = op.inputs
    quotient = floor_div(x, y)
    grad_y = grad * math_unary.negative(quotient)
    return math_broadcast.reduce_gradients(x, y, grad, grad_y)


def _no_gradient(op: Operation, grad: Any) -> Any:
    """Steps: the gradient is None rather than zeros."""
    return None, None


def _define(op_type: str, types: str, gradient: GradientFunction | None, doc: str) -> None:
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
_define("FloorMod", REAL, _floor_mod_gradient, "The remainder of FloorDiv: it has the sign of y.")
