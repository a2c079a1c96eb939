"""The normal distribution function, its logarithm and its inverse."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import dataflow.ops.math.special as special
import dataflow.ops.math.unary as math_unary
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.select import where_v2
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.single import single
from dataflow.ops.math.binary import maximum, minimum
from dataflow.values import dtypes

_ROOT = math.sqrt(0.5)
# What is far below and far above for `log_ndtr`.
LOGNDTR_FLOAT64_LOWER, LOGNDTR_FLOAT64_UPPER = np.array([-20.0, 8.0], np.float64)
LOGNDTR_FLOAT32_LOWER, LOGNDTR_FLOAT32_UPPER = np.array([-10.0, 5.0], np.float32)


def _real(x: Any, name: str) -> Any:
    x = convert_to_tensor(x, name=name)
    if x.dtype not in (dtypes.float32, dtypes.float64):
        raise TypeError(
            f"{name}.dtype={x.dtype} is not handled, see docstring for supported types."
        )
    return x


def ndtr(x: Any) -> Tensor:
    """The standard normal distribution function: the tail is told by erfc, so that it keeps its
    digits."""
    x = _real(x, "x")
    scaled: Any = x * _ROOT
    size = math_unary.abs(scaled)
    tail: Any = special.erfc(size)
    near: Any = special.erf(scaled)
    found: Any = where_v2(size < _ROOT, 1.0 + near, where_v2(scaled > 0.0, 2.0 - tail, tail))
    result: Tensor = 0.5 * found
    return result


def log_ndtr(x: Any, series_order: int = 3) -> Tensor:
    """The logarithm of `ndtr`: far below by an asymptotic series, far above by that of 1 + x.

    See Abramowitz and Stegun, 26.2.12.

    Raises:
      TypeError: `x` is of another type than float32 and float64, or `series_order` is no integer.
      ValueError: `series_order` is negative or greater than 30.
    """
    if not isinstance(series_order, int):
        raise TypeError("series_order must be a Python integer.")
    if series_order < 0:
        raise ValueError("series_order must be non-negative.")
    if series_order > 30:
        raise ValueError("series_order must be <= 30.")
    x = _real(x, "x")
    lower, upper = float(LOGNDTR_FLOAT32_LOWER), float(LOGNDTR_FLOAT32_UPPER)
    if x.dtype == dtypes.float64:
        lower, upper = float(LOGNDTR_FLOAT64_LOWER), float(LOGNDTR_FLOAT64_UPPER)
    middle = math_unary.log(ndtr(maximum(x, lower)))
    far: Any = minimum(x, lower)
    square: Any = math_unary.square(far)
    series: Any = 1.0
    factor = 1.0
    power: Any = square
    for order in range(1, series_order + 1):
        factor *= 2 * order - 1
        series = series + (-1) ** order * factor / power
        power = power * square
    tail = -0.5 * square - math_unary.log(-far) - 0.5 * math.log(2.0 * math.pi)
    below: Any = tail + math_unary.log(series)
    above: Any = -ndtr(-x)
    return where_v2(x > upper, above, where_v2(x > lower, middle, below))


def log_cdf_laplace(x: Any, name: str = "log_cdf_laplace") -> Tensor:
    """The logarithm of the distribution function of the standard Laplace distribution."""
    with name_scope(name, values=[x]):
        x = convert_to_tensor(x, name="x")
        below: Any = x - math.log(2.0)
        tail: Any = math_unary.exp(-math_unary.abs(x))
        return where_v2(x < 0.0, below, math_unary.log1p(-0.5 * tail))


def ndtri(p: Any) -> Tensor:
    """The inverse of `ndtr`; infinite for what is no probability."""
    p = _real(p, "p")
    return single("Ndtri", minimum(maximum(p, cast(0.0, p.dtype)), cast(1.0, p.dtype)))
