"""Modified Bessel functions of the first kind of orders 0 and 1, for float32, by way of doubles.

Up to 16 their power series (Abramowitz and Stegun, 9.6.10), whose terms have one sign, and beyond
it the asymptotic one (9.7.1). Both are right to 1e-10.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from dataflow.kernels.native.exponentials import exp
from dataflow.kernels.native.vector import Vector

_NEAR: Final = 16.0
_MOST: Final = 200.0
"""Exponentials of this are infinite as float32, and finite as doubles, as what is made of them."""


def _series(order: int) -> tuple[float, ...]:
    """By x^2 / 4, the highest power first."""
    return tuple(1 / (math.factorial(k) * math.factorial(k + order)) for k in reversed(range(26)))


def _asymptotic(order: int) -> tuple[float, ...]:
    """By 1 / x, the highest power first."""
    found = [1.0]
    for k in range(1, 12):
        found.append(-found[-1] * (4 * order**2 - (2 * k - 1) ** 2) / (8 * k))
    return tuple(reversed(found))


def _function(order: int, is_scaled: bool) -> Callable[[Vector], Vector]:
    """The function, or what it is times the exponential of minus the size of its argument."""
    series, asymptotic = _series(order), _asymptotic(order)

    def write(given: Vector) -> Vector:
        x = given.cast("d")
        size = x.size() if is_scaled else x.size().at_most(_MOST)
        quarter = size.times(size).times(0.25)
        near = quarter.polynomial(series)
        if order:
            near = near.times(size).times(0.5)
        far = x.of(1.0).over(size).polynomial(asymptotic)
        far = far.over(size.times(2 * math.pi).root())
        if is_scaled:
            near = near.times(exp(x.of(0.0).minus(size)))
        else:
            # NaN of infinities, as in TensorFlow: an infinite exponential times 0.
            far = far.times(exp(size)).plus(x.minus(x))
        found = far.where(size.is_above(_NEAR), near)
        if order:
            found = found.times(-1.0).where(x.is_below(0.0), found)
        return found.cast("f")

    return write


i0: Final = _function(0, is_scaled=False)
i1: Final = _function(1, is_scaled=False)
i0e: Final = _function(0, is_scaled=True)
i1e: Final = _function(1, is_scaled=True)
