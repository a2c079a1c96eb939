"""Powers, roots, exponentials and logarithms, element by element."""

from __future__ import annotations

from typing import Any

import dataflow.ops.math.complex as math_complex
import dataflow.ops.math.rounding as math_rounding
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.dispatch import unary, unary_of_sparse
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import control_dependencies, name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.single import single
from dataflow.ops.math.types import FLOAT_COMPLEX, SIGNED
from dataflow.schema.opdef import GradientFunction, define_op
from dataflow.schema.shape_functions import unchanged


def _define(op_type: str, types: str, gradient: GradientFunction, doc: str) -> None:
    define_op(
        op_type,
        inputs="x: T",
        outputs="y: T",
        attrs=[types],
        shape=unchanged,
        gradient=gradient,
        doc=doc,
    )


def _define_grad(op_type: str, gradient: GradientFunction, doc: str) -> None:
    define_op(
        op_type,
        inputs="y: T, dy: T",
        outputs="z: T",
        attrs=[FLOAT_COMPLEX],
        shape=unchanged,
        gradient=gradient,
        doc=doc,
    )


def _neg_gradient(op: Operation, grad: Any) -> Any:
    return -grad


def _abs_gradient(op: Operation, grad: Any) -> Any:
    return grad * math_rounding.sign(op.inputs[0])


def _square_gradient(op: Operation, grad: Any) -> Any:
    x: Any = op.inputs[0]
    with control_dependencies([grad]):
        x = math_complex.conj(x)
        two = constant(2.0, dtype=x.dtype)
        return single("Mul", grad, single("Mul", x, two))


def _sqrt_gradient(op: Operation, grad: Any) -> Any:
    return single("SqrtGrad", op.outputs[0], grad)


def _sqrt_grad_gradient(op: Operation, grad: Any) -> Any:
    y = op.outputs[0]
    with control_dependencies([grad]):
        ratio = grad / op.inputs[0]
        ratio_conj: Any = math_complex.conj(ratio)
        return -ratio_conj * y, 0.5 * ratio


def _rsqrt_gradient(op: Operation, grad: Any) -> Any:
    return single("RsqrtGrad", op.outputs[0], grad)


def _rsqrt_grad_gradient(op: Operation, grad: Any) -> Any:
    y, dy = op.inputs
    with control_dependencies([grad]):
        y_conj = math_complex.conj(y)
        grad_conj: Any = math_complex.conj(grad)
        grad_y = -1.5 * grad_conj * dy * square(y_conj)
        return grad_y, single("RsqrtGrad", y_conj, grad)


def _exp_gradient(op: Operation, grad: Any) -> Any:
    with control_dependencies([grad]):
        return grad * math_complex.conj(op.outputs[0])


def _expm1_gradient(op: Operation, grad: Any) -> Any:
    with control_dependencies([grad]):
        return grad * exp(math_complex.conj(op.inputs[0]))


def _log_gradient(op: Operation, grad: Any) -> Any:
    with control_dependencies([grad]):
        return grad * reciprocal(math_complex.conj(op.inputs[0]))


def _log1p_gradient(op: Operation, grad: Any) -> Any:
    with control_dependencies([grad]):
        x: Any = math_complex.conj(op.inputs[0])
        return grad * reciprocal(1 + x)


def _reciprocal_gradient(op: Operation, grad: Any) -> Any:
    return single("ReciprocalGrad", op.outputs[0], grad)


def _reciprocal_grad_gradient(op: Operation, grad: Any) -> Any:
    y, dy = op.inputs
    with control_dependencies([grad]):
        y_conj = math_complex.conj(y)
        grad_conj: Any = math_complex.conj(grad)
        return grad_conj * -2.0 * dy * y_conj, single("ReciprocalGrad", y_conj, grad)


_define("Neg", SIGNED, _neg_gradient, "-x.")
_define(
    "Abs",
    "T: {bfloat16, half, float32, float64, int8, int16, int32, int64}",
    _abs_gradient,
    "The absolute value of a real tensor.",
)
_define(
    "Square",
    "T: {bfloat16, half, float32, float64, int8, int16, int32, int64, uint8, uint16, uint32,"
    " uint64, complex64, complex128}",
    _square_gradient,
    "x * x.",
)
_define("Sqrt", FLOAT_COMPLEX, _sqrt_gradient, "The square root.")
_define("Rsqrt", FLOAT_COMPLEX, _rsqrt_gradient, "One over the square root.")
_define("Exp", FLOAT_COMPLEX, _exp_gradient, "e to the power x.")
_define("Expm1", FLOAT_COMPLEX, _expm1_gradient, "e to the power x minus one, exact near zero.")
_define("Log", FLOAT_COMPLEX, _log_gradient, "The natural logarithm.")
_define("Log1p", FLOAT_COMPLEX, _log1p_gradient, "The natural logarithm of 1 + x, exact near zero.")
for _name in ("Reciprocal", "Inv"):
    _define(_name, SIGNED, _reciprocal_gradient, "1 / x.")
_define_grad("SqrtGrad", _sqrt_grad_gradient, "dy * 0.5 / y, where y is a square root.")
_define_grad("RsqrtGrad", _rsqrt_grad_gradient, "dy * -0.5 * y**3, where y is a reciprocal root.")
for _name in ("ReciprocalGrad", "InvGrad"):
    _define_grad(_name, _reciprocal_grad_gradient, "-dy * y * y, where y is a reciprocal.")


@unary_of_sparse
def negative(x: Any, name: str | None = None) -> Tensor:
    """-x, element by element."""
    return single("Neg", x, name=name)


@unary_of_sparse
def abs(x: Any, name: str | None = None) -> Tensor:
    """The absolute value of each element; of a complex tensor its modulus, a real tensor."""
    with name_scope(name, "Abs", [x]) as scope:
        tensor = convert_to_tensor(x, name="x")
        if tensor.dtype.is_complex:
            return single("ComplexAbs", tensor, Tout=tensor.dtype.real_dtype, name=scope)
        return single("Abs", tensor, name=scope)


@unary_of_sparse
def square(x: Any, name: str | None = None) -> Tensor:
    """x * x, element by element."""
    return single("Square", x, name=name)


@unary_of_sparse
def sqrt(x: Any, name: str | None = None) -> Tensor:
    """The square root of each element; NaN for a negative one."""
    return single("Sqrt", x, name=name)


@unary
def rsqrt(x: Any, name: str | None = None) -> Tensor:
    """One over the square root of each element."""
    return single("Rsqrt", x, name=name)


@unary
def exp(x: Any, name: str | None = None) -> Tensor:
    """e to the power of each element."""
    return single("Exp", x, name=name)


@unary
def expm1(x: Any, name: str | None = None) -> Tensor:
    """exp(x) - 1, without loss of digits near zero."""
    return single("Expm1", x, name=name)


@unary
def log(x: Any, name: str | None = None) -> Tensor:
    """The natural logarithm of each element."""
    return single("Log", x, name=name)


@unary
def log1p(x: Any, name: str | None = None) -> Tensor:
    """log(1 + x), without loss of digits near zero."""
    return single("Log1p", x, name=name)


@unary
def reciprocal(x: Any, name: str | None = None) -> Tensor:
    """1 / x, element by element."""
    return single("Reciprocal", x, name=name)


@unary
def reciprocal_no_nan(x: Any, name: str | None = None) -> Tensor:
    """1 / x, element by element, and 0 where x is 0.

    Raises:
      TypeError: `x` is neither floating nor complex.
    """
    with name_scope(name, "reciprocal_no_nan", [x]) as scope:
        tensor = convert_to_tensor(x, name="x")
        one = constant(1, dtype=tensor.dtype.base_dtype, name="one")
        return single("DivNoNan", one, tensor, name=scope)
