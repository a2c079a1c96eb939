"""Bessel functions, exponential and Fresnel integrals, element by element."""

from __future__ import annotations

import math
from typing import Any

import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.select as array_select
import dataflow.ops.math.compare as math_compare
import dataflow.ops.math.division as math_division
import dataflow.ops.math.rounding as math_rounding
import dataflow.ops.math.trig as math_trig
import dataflow.ops.math.unary as math_unary
from dataflow.graph.dispatch import unary, unary_of_sparse
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import control_dependencies, name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.single import single
from dataflow.ops.math.types import FLOAT
from dataflow.schema.opdef import GradientFunction, define_op
from dataflow.schema.shape_functions import unchanged


def _by_i0(x: Any, y: Any) -> Any:
    return bessel_i1(x)


def _by_i0e(x: Any, y: Any) -> Any:
    decayed: Any = bessel_i1e(x)
    sign: Any = math_rounding.sign(x)
    return decayed - sign * y


def _by_i1(x: Any, y: Any) -> Any:
    is_zero = math_compare.equal(x, 0.0)
    limit = cast(1.0, x.dtype)
    even: Any = bessel_i0(x)
    return array_select.where_v2(is_zero, limit, even - math_division.div(y, x))


def _by_i1e(x: Any, y: Any) -> Any:
    is_zero = math_compare.equal(x, 0.0)
    limit = cast(0.5, x.dtype)
    even: Any = bessel_i0e(x)
    sign: Any = math_rounding.sign(x)
    return array_select.where_v2(is_zero, limit, even - y * (sign + math_unary.reciprocal(x)))


def _by_k0(x: Any, y: Any) -> Any:
    odd: Any = bessel_k1(x)
    return -odd


def _by_k0e(x: Any, y: Any) -> Any:
    return y - bessel_k1e(x)


def _by_k1(x: Any, y: Any) -> Any:
    even: Any = bessel_k0(x)
    return -even - math_division.div(y, x)


def _by_k1e(x: Any, y: Any) -> Any:
    inverse: Any = math_unary.reciprocal(x)
    return y * (1.0 - inverse) - bessel_k0e(x)


def _by_j0(x: Any, y: Any) -> Any:
    odd: Any = bessel_j1(x)
    return -odd


def _by_j1(x: Any, y: Any) -> Any:
    is_zero = math_compare.equal(x, 0.0)
    limit = cast(0.5, x.dtype)
    even: Any = bessel_j0(x)
    return array_select.where_v2(is_zero, limit, even - math_division.div(y, x))


def _by_y0(x: Any, y: Any) -> Any:
    odd: Any = bessel_y1(x)
    return -odd


def _by_y1(x: Any, y: Any) -> Any:
    even: Any = bessel_y0(x)
    return even - math_division.div(y, x)


def _by_dawsn(x: Any, y: Any) -> Any:
    return 1.0 - 2 * x * y


def _by_fresnel_cos(x: Any, y: Any) -> Any:
    squared: Any = math_unary.square(x)
    return math_trig.cos(math.pi / 2.0 * squared)


def _by_fresnel_sin(x: Any, y: Any) -> Any:
    squared: Any = math_unary.square(x)
    return math_trig.sin(math.pi / 2.0 * squared)


def _by_spence(x: Any, y: Any) -> Any:
    log: Any = math_unary.log(x)
    slope = log / (1 - x)
    is_one = math_compare.equal(x, 1.0)
    ones: Any = array_fill.ones_like(x)
    return array_select.where(is_one, -ones, slope)


def _chain(derivative: Any) -> GradientFunction:
    """The gradient from the derivative as a function of x and y."""

    def gradient(op: Operation, grad: Any) -> Any:
        with control_dependencies([grad]):
            return grad * derivative(op.inputs[0], op.outputs[0])

    return gradient


def _expint_gradient(op: Operation, grad: Any) -> Any:
    x = op.inputs[0]
    with control_dependencies([grad]):
        return grad * math_unary.exp(x) / x


for _name, _gradient, _doc in (
    ("BesselI0", _chain(_by_i0), "The modified Bessel function of the first kind, of order 0."),
    ("BesselI1", _chain(_by_i1), "The modified Bessel function of the first kind, of order 1."),
    ("BesselI0e", _chain(_by_i0e), "exp(-|x|) times BesselI0."),
    ("BesselI1e", _chain(_by_i1e), "exp(-|x|) times BesselI1."),
    ("BesselK0", _chain(_by_k0), "The modified Bessel function of the second kind, of order 0."),
    ("BesselK1", _chain(_by_k1), "The modified Bessel function of the second kind, of order 1."),
    ("BesselK0e", _chain(_by_k0e), "exp(x) times BesselK0."),
    ("BesselK1e", _chain(_by_k1e), "exp(x) times BesselK1."),
    ("BesselJ0", _chain(_by_j0), "The Bessel function of the first kind, of order 0."),
    ("BesselJ1", _chain(_by_j1), "The Bessel function of the first kind, of order 1."),
    ("BesselY0", _chain(_by_y0), "The Bessel function of the second kind, of order 0."),
    ("BesselY1", _chain(_by_y1), "The Bessel function of the second kind, of order 1."),
    ("Dawsn", _chain(_by_dawsn), "Dawson's integral: exp(-x**2) times that of exp(t**2)."),
    ("Expint", _expint_gradient, "The exponential integral Ei."),
    ("FresnelCos", _chain(_by_fresnel_cos), "The integral of cos(pi t**2 / 2)."),
    ("FresnelSin", _chain(_by_fresnel_sin), "The integral of sin(pi t**2 / 2)."),
    ("Spence", _chain(_by_spence), "The integral of log(t) / (1 - t) from 1."),
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


def _apply(op_type: str, scope: str, x: Any, name: str | None) -> Tensor:
    with name_scope(name, scope, [x]):
        return single(op_type, x)


@unary
def bessel_i0(x: Any, name: str | None = None) -> Tensor:
    """The modified Bessel function of the first kind, of order 0."""
    return _apply("BesselI0", "bessel_i0", x, name)


@unary
def bessel_i1(x: Any, name: str | None = None) -> Tensor:
    """The modified Bessel function of the first kind, of order 1."""
    return _apply("BesselI1", "bessel_i1", x, name)


@unary_of_sparse
def bessel_i0e(x: Any, name: str | None = None) -> Tensor:
    """exp(-|x|) times `bessel_i0`."""
    return _apply("BesselI0e", "bessel_i0e", x, name)


@unary_of_sparse
def bessel_i1e(x: Any, name: str | None = None) -> Tensor:
    """exp(-|x|) times `bessel_i1`."""
    return _apply("BesselI1e", "bessel_i1e", x, name)


@unary
def bessel_k0(x: Any, name: str | None = None) -> Tensor:
    """The modified Bessel function of the second kind, of order 0."""
    return _apply("BesselK0", "bessel_k0", x, name)


@unary
def bessel_k1(x: Any, name: str | None = None) -> Tensor:
    """The modified Bessel function of the second kind, of order 1."""
    return _apply("BesselK1", "bessel_k1", x, name)


@unary
def bessel_k0e(x: Any, name: str | None = None) -> Tensor:
    """exp(x) times `bessel_k0`."""
    return _apply("BesselK0e", "bessel_k0e", x, name)


@unary
def bessel_k1e(x: Any, name: str | None = None) -> Tensor:
    """exp(x) times `bessel_k1`."""
    return _apply("BesselK1e", "bessel_k1e", x, name)


@unary
def bessel_j0(x: Any, name: str | None = None) -> Tensor:
    """The Bessel function of the first kind, of order 0."""
    return _apply("BesselJ0", "bessel_j0", x, name)


@unary
def bessel_j1(x: Any, name: str | None = None) -> Tensor:
    """The Bessel function of the first kind, of order 1."""
    return _apply("BesselJ1", "bessel_j1", x, name)


@unary
def bessel_y0(x: Any, name: str | None = None) -> Tensor:
    """The Bessel function of the second kind, of order 0."""
    return _apply("BesselY0", "bessel_y0", x, name)


@unary
def bessel_y1(x: Any, name: str | None = None) -> Tensor:
    """The Bessel function of the second kind, of order 1."""
    return _apply("BesselY1", "bessel_y1", x, name)


@unary
def dawsn(x: Any, name: str | None = None) -> Tensor:
    """Dawson's integral: exp(-x**2) times that of exp(t**2)."""
    return _apply("Dawsn", "dawsn", x, name)


@unary
def expint(x: Any, name: str | None = None) -> Tensor:
    """The exponential integral Ei."""
    return _apply("Expint", "expint", x, name)


@unary
def fresnel_cos(x: Any, name: str | None = None) -> Tensor:
    """The integral of cos(pi t**2 / 2)."""
    return _apply("FresnelCos", "fresnel_cos", x, name)


@unary
def fresnel_sin(x: Any, name: str | None = None) -> Tensor:
    """The integral of sin(pi t**2 / 2)."""
    return _apply("FresnelSin", "fresnel_sin", x, name)


@unary
def spence(x: Any, name: str | None = None) -> Tensor:
    """The integral of log(t) / (1 - t) from 1."""
    return _apply("Spence", "spence", x, name)
