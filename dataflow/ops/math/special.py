"""The error function, the gamma function and their relatives, element by element."""

from __future__ import annotations

import functools
import math
from typing import Any

import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.complex as math_complex
import dataflow.ops.math.power as math_power
import dataflow.ops.math.unary as math_unary
from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.dispatch import binary, unary, unary_of_sparse
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import control_dependencies, name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.reduction import reduction
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.single import single
from dataflow.ops.math.types import FLOAT
from dataflow.schema.opdef import MISSING_GRADIENT, GradientFunction, InferenceContext, define_op
from dataflow.schema.shape_functions import SCALAR, broadcast, merge, unchanged
from dataflow.values.shapes import TensorShape


def _gaussian_gradient(factor: float) -> GradientFunction:
    """grad * factor * exp(-x**2)."""

    def gradient(op: Operation, grad: Any) -> Any:
        scale = constant(factor, dtype=grad.dtype)
        with control_dependencies([grad]):
            scaled = grad * scale
            squared: Any = math_unary.square(math_complex.conj(op.inputs[0]))
            return scaled * math_unary.exp(-squared)

    return gradient


def _erfinv_gradient(op: Operation, grad: Any) -> Any:
    scale = constant(math.sqrt(math.pi) / 2, dtype=grad.dtype)
    with control_dependencies([grad]):
        return grad * scale * math_unary.exp(math_unary.square(op.outputs[0]))


def _ndtri_gradient(op: Operation, grad: Any) -> Any:
    scale = constant(math.sqrt(2 * math.pi), dtype=grad.dtype)
    with control_dependencies([grad]):
        scaled = grad * scale
        squared: Any = math_unary.square(op.outputs[0])
        return scaled * math_unary.exp(squared / 2.0)


def _lgamma_gradient(op: Operation, grad: Any) -> Any:
    with control_dependencies([grad]):
        return grad * digamma(math_complex.conj(op.inputs[0]))


def _digamma_gradient(op: Operation, grad: Any) -> Any:
    with control_dependencies([grad]):
        x = math_complex.conj(op.inputs[0])
        return grad * polygamma(constant(1, dtype=x.dtype), x)


def _summed(partial: Any, grad: Any, axes: Any, shape: Tensor) -> Tensor:
    """A gradient from a partial derivative, summed over what was broadcast."""
    return array_shape.reshape(reduction("Sum", partial * grad, axes), shape)


def _polygamma_gradient(op: Operation, grad: Any) -> Any:
    n: Any
    n, x = op.inputs
    shape_n, shape_x = array_shape.shape(n), array_shape.shape(x)
    _, axes_x = apply_op("BroadcastGradientArgs", shape_n, shape_x)
    with control_dependencies([grad]):
        return None, _summed(polygamma(n + 1, x), grad, axes_x, shape_x)


def _zeta_gradient(op: Operation, grad: Any) -> Any:
    x: Any
    x, q = op.inputs
    shape_x, shape_q = array_shape.shape(x), array_shape.shape(q)
    _, axes_q = apply_op("BroadcastGradientArgs", shape_x, shape_q)
    with control_dependencies([grad]):
        return None, _summed(-x * zeta(x + 1, q), grad, axes_q, shape_q)


def _igamma_gradient(op: Operation, grad: Any) -> Any:
    a: Any
    x: Any
    a, x = op.inputs
    shape_a, shape_x = array_shape.shape(a), array_shape.shape(x)
    axes_a, axes_x = apply_op("BroadcastGradientArgs", shape_a, shape_x)
    with control_dependencies([grad]):
        by_a = single("IgammaGradA", a, x)
        by_x = math_unary.exp(-x + (a - 1) * math_unary.log(x) - lgamma(a))
        return _summed(by_a, grad, axes_a, shape_a), _summed(by_x, grad, axes_x, shape_x)


def _igammac_gradient(op: Operation, grad: Any) -> Any:
    by_a, by_x = _igamma_gradient(op, grad)
    return -by_a, -by_x


def _betainc_gradient(op: Operation, grad: Any) -> Any:
    a: Any
    b: Any
    x: Any
    a, b, x = op.inputs
    shape_a, shape_x = array_shape.shape(a), array_shape.shape(x)
    _, axes_x = apply_op("BroadcastGradientArgs", shape_a, shape_x)
    log_beta: Any = single("Lgamma", a)
    log_beta = log_beta + single("Lgamma", b) - single("Lgamma", a + b)
    first: Any = math_power.xlog1py(b - 1, -x)
    by_x = math_unary.exp(first + math_power.xlogy(a - 1, x) - log_beta)
    return None, None, _summed(by_x, grad, axes_x, shape_x)


def _betainc_shape(c: InferenceContext) -> TensorShape:
    """One shape, with which only scalars are mixed."""
    shapes = [c.input(i) for i in range(3) if c.input(i).rank != 0]
    return functools.reduce(merge, shapes) if shapes else SCALAR


for _name, _gradient, _doc in (
    ("Erf", _gaussian_gradient(2 / math.sqrt(math.pi)), "The error function."),
    ("Erfc", _gaussian_gradient(-2 / math.sqrt(math.pi)), "One minus the error function."),
    ("Erfinv", _erfinv_gradient, "The inverse of the error function."),
    ("Ndtri", _ndtri_gradient, "The quantile function of the standard normal distribution."),
    ("Lgamma", _lgamma_gradient, "The logarithm of the absolute value of the gamma function."),
    ("Digamma", _digamma_gradient, "The derivative of lgamma."),
):
    define_op(
        _name,
        inputs="x: T",
        outputs="y: T",
        attrs=[FLOAT],
        shape=unchanged,
        gradient=_gradient,
        doc=_doc,
    )
_WIDE = "T: {float32, float64}"
for _name, _inputs, _types, _gradient, _doc in (
    ("Polygamma", "a: T, x: T", _WIDE, _polygamma_gradient, "The a-th derivative of digamma."),
    ("Zeta", "x: T, q: T", _WIDE, _zeta_gradient, "The Hurwitz zeta function."),
    ("Igamma", "a: T, x: T", FLOAT, _igamma_gradient, "The regularized lower incomplete gamma."),
    ("Igammac", "a: T, x: T", FLOAT, _igammac_gradient, "The regularized upper incomplete gamma."),
):
    define_op(
        _name,
        inputs=_inputs,
        outputs="z: T",
        attrs=[_types],
        shape=broadcast,
        gradient=_gradient,
        doc=_doc,
    )
define_op(
    "IgammaGradA",
    inputs="a: T, x: T",
    outputs="z: T",
    attrs=[_WIDE],
    shape=broadcast,
    gradient=MISSING_GRADIENT,
    doc="The derivative of igamma by a.",
)
define_op(
    "Betainc",
    inputs="a: T, b: T, x: T",
    outputs="z: T",
    attrs=[_WIDE],
    shape=_betainc_shape,
    gradient=_betainc_gradient,
    doc="The regularized incomplete beta function.",
)


@unary_of_sparse
def erf(x: Any, name: str | None = None) -> Tensor:
    """The error function of each element."""
    return single("Erf", x, name=name)


@unary
def erfc(x: Any, name: str | None = None) -> Tensor:
    """One minus the error function of each element, without loss of digits."""
    return single("Erfc", x, name=name)


@unary
def erfinv(x: Any, name: str | None = None) -> Tensor:
    """The inverse of the error function."""
    with name_scope(name, "erfinv", [x]):
        return single("Erfinv", x)


@unary
def ndtri(x: Any, name: str | None = None) -> Tensor:
    """The quantile function of the standard normal distribution."""
    with name_scope(name, "ndtri", [x]):
        return single("Ndtri", x)


@unary
def erfcinv(x: Any, name: str | None = None) -> Tensor:
    """The inverse of `erfc`: -ndtri(x / 2) / sqrt(2)."""
    with name_scope(name, "erfcinv", [x]):
        tensor: Any = convert_to_tensor(x, name="start")
        quantile: Any = ndtri(0.5 * tensor)
        result: Tensor = -quantile * math.sqrt(0.5)
        return result


@unary
def lgamma(x: Any, name: str | None = None) -> Tensor:
    """The logarithm of the absolute value of the gamma function."""
    return single("Lgamma", x, name=name)


@unary
def digamma(x: Any, name: str | None = None) -> Tensor:
    """The derivative of `lgamma`; NaN at 0 and the negative integers."""
    return single("Digamma", x, name=name)


def polygamma(a: Any, x: Any, name: str | None = None) -> Tensor:
    """The a-th derivative of `digamma` at x, with broadcasting; `a` holds whole numbers."""
    return single("Polygamma", a, x, name=name)


@binary
def zeta(x: Any, q: Any, name: str | None = None) -> Tensor:
    """The Hurwitz zeta function: the sum of (q + n)**-x over n from 0, with broadcasting."""
    return single("Zeta", x, q, name=name)


def igamma(a: Any, x: Any, name: str | None = None) -> Tensor:
    """The regularized lower incomplete gamma function P(a, x), with broadcasting."""
    return single("Igamma", a, x, name=name)


def igammac(a: Any, x: Any, name: str | None = None) -> Tensor:
    """The regularized upper incomplete gamma function Q(a, x), with broadcasting."""
    return single("Igammac", a, x, name=name)


def betainc(a: Any, b: Any, x: Any, name: str | None = None) -> Tensor:
    """The regularized incomplete beta function; the shapes are equal, or scalars."""
    return single("Betainc", a, b, x, name=name)


def lbeta(x: Any, name: str | None = None) -> Tensor:
    """The logarithm of the multivariate beta function, over the last axis."""
    with name_scope(name, "lbeta", [x]):
        tensor = convert_to_tensor(x, name="x")
        log_product: Any = reduction("Sum", lgamma(tensor), axis=[-1])
        log_of_sum = lgamma(reduction("Sum", tensor, axis=[-1]))
        result: Tensor = log_product - log_of_sum
        return result
