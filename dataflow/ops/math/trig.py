"""Trigonometric and hyperbolic functions, element by element."""

from __future__ import annotations

from typing import Any

import dataflow.ops.math.binary as math_binary
import dataflow.ops.math.complex as math_complex
import dataflow.ops.math.unary as math_unary
from dataflow.graph.dispatch import unary, unary_of_sparse
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import control_dependencies
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.single import single
from dataflow.ops.math.types import FLOAT_COMPLEX
from dataflow.schema.opdef import GradientFunction, define_op
from dataflow.schema.shape_functions import unchanged


def _sin_gradient(op: Operation, grad: Any) -> Any:
    with control_dependencies([grad]):
        return grad * cos(math_complex.conj(op.inputs[0]))


def _cos_gradient(op: Operation, grad: Any) -> Any:
    with control_dependencies([grad]):
        x = math_complex.conj(op.inputs[0])
        return -grad * sin(x)


def _tan_gradient(op: Operation, grad: Any) -> Any:
    with control_dependencies([grad]):
        x = math_complex.conj(op.inputs[0])
        secant = math_unary.reciprocal(cos(x))
        squared: Any = math_unary.square(secant)
        return squared * grad


def _inverse_root(op: Operation, grad: Any) -> Any:
    """1 / sqrt(1 - x**2)."""
    x = math_complex.conj(op.inputs[0])
    squared = math_unary.square(x)
    one = constant(1, dtype=grad.dtype)
    root = math_unary.sqrt(math_binary.subtract(one, squared))
    return math_unary.reciprocal(root)


def _asin_gradient(op: Operation, grad: Any) -> Any:
    with control_dependencies([grad]):
        return grad * _inverse_root(op, grad)


def _acos_gradient(op: Operation, grad: Any) -> Any:
    with control_dependencies([grad]):
        factor = _inverse_root(op, grad)
        return -grad * factor


def _atan_gradient(op: Operation, grad: Any) -> Any:
    with control_dependencies([grad]):
        x = math_complex.conj(op.inputs[0])
        squared = math_unary.square(x)
        one = constant(1, dtype=grad.dtype)
        return grad * math_unary.reciprocal(math_binary.add(one, squared))


def _sinh_gradient(op: Operation, grad: Any) -> Any:
    with control_dependencies([grad]):
        return grad * cosh(math_complex.conj(op.inputs[0]))


def _cosh_gradient(op: Operation, grad: Any) -> Any:
    with control_dependencies([grad]):
        return grad * sinh(math_complex.conj(op.inputs[0]))


def _tanh_gradient(op: Operation, grad: Any) -> Any:
    with control_dependencies([grad]):
        return single("TanhGrad", math_complex.conj(op.outputs[0]), grad)


def _tanh_grad_gradient(op: Operation, grad: Any) -> Any:
    with control_dependencies([grad]):
        y = math_complex.conj(op.inputs[0])
        dy = math_complex.conj(op.inputs[1])
        return grad * -2.0 * dy * y, single("TanhGrad", y, grad)


def _asinh_gradient(op: Operation, grad: Any) -> Any:
    with control_dependencies([grad]):
        return grad / cosh(math_complex.conj(op.outputs[0]))


def _acosh_gradient(op: Operation, grad: Any) -> Any:
    with control_dependencies([grad]):
        return grad / sinh(math_complex.conj(op.outputs[0]))


def _atanh_gradient(op: Operation, grad: Any) -> Any:
    with control_dependencies([grad]):
        x = math_complex.conj(op.inputs[0])
        squared = math_unary.square(x)
        one = constant(1, dtype=grad.dtype)
        return grad * math_unary.reciprocal(math_binary.subtract(one, squared))


def _define(op_type: str, gradient: GradientFunction, doc: str) -> None:
    define_op(
        op_type,
        inputs="x: T",
        outputs="y: T",
        attrs=[FLOAT_COMPLEX],
        shape=unchanged,
        gradient=gradient,
        doc=doc,
    )


_define("Sin", _sin_gradient, "The sine.")
_define("Cos", _cos_gradient, "The cosine.")
_define("Tan", _tan_gradient, "The tangent.")
_define("Asin", _asin_gradient, "The angle, from -pi/2 to pi/2, with this sine.")
_define("Acos", _acos_gradient, "The angle, from 0 to pi, with this cosine.")
_define("Atan", _atan_gradient, "The angle, from -pi/2 to pi/2, with this tangent.")
_define("Sinh", _sinh_gradient, "The hyperbolic sine.")
_define("Cosh", _cosh_gradient, "The hyperbolic cosine.")
_define("Tanh", _tanh_gradient, "The hyperbolic tangent.")
_define("Asinh", _asinh_gradient, "The inverse hyperbolic sine.")
_define("Acosh", _acosh_gradient, "The inverse hyperbolic cosine.")
_define("Atanh", _atanh_gradient, "The inverse hyperbolic tangent.")
define_op(
    "TanhGrad",
    inputs="y: T, dy: T",
    outputs="z: T",
    attrs=[FLOAT_COMPLEX],
    shape=unchanged,
    gradient=_tanh_grad_gradient,
    doc="dy * (1 - y * y), where y is a hyperbolic tangent.",
)


@unary_of_sparse
def sin(x: Any, name: str | None = None) -> Tensor:
    """The sine of each element, an angle in radians."""
    return single("Sin", x, name=name)


@unary
def cos(x: Any, name: str | None = None) -> Tensor:
    """The cosine of each element, an angle in radians."""
    return single("Cos", x, name=name)


@unary_of_sparse
def tan(x: Any, name: str | None = None) -> Tensor:
    """The tangent of each element, an angle in radians."""
    return single("Tan", x, name=name)


@unary_of_sparse
def asin(x: Any, name: str | None = None) -> Tensor:
    """The angle, from -pi/2 to pi/2, with each element as its sine."""
    return single("Asin", x, name=name)


@unary
def acos(x: Any, name: str | None = None) -> Tensor:
    """The angle, from 0 to pi, with each element as its cosine."""
    return single("Acos", x, name=name)


@unary_of_sparse
def atan(x: Any, name: str | None = None) -> Tensor:
    """The angle, from -pi/2 to pi/2, with each element as its tangent."""
    return single("Atan", x, name=name)


@unary
def sinh(x: Any, name: str | None = None) -> Tensor:
    """The hyperbolic sine of each element."""
    return single("Sinh", x, name=name)


@unary
def cosh(x: Any, name: str | None = None) -> Tensor:
    """The hyperbolic cosine of each element."""
    return single("Cosh", x, name=name)


@unary_of_sparse
def tanh(x: Any, name: str | None = None) -> Tensor:
    """The hyperbolic tangent of each element."""
    return single("Tanh", x, name=name)


@unary_of_sparse
def asinh(x: Any, name: str | None = None) -> Tensor:
    """The inverse hyperbolic sine of each element."""
    return single("Asinh", x, name=name)


@unary
def acosh(x: Any, name: str | None = None) -> Tensor:
    """The inverse hyperbolic cosine of each element."""
    return single("Acosh", x, name=name)


@unary_of_sparse
def atanh(x: Any, name: str | None = None) -> Tensor:
    """The inverse hyperbolic tangent of each element."""
    return single("Atanh", x, name=name)
