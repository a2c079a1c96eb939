"""The logarithm of the gamma function's size, and its slope, for float32, by way of doubles.

Stirling's series holds for z = x + 8, and the eight factors of gamma(z) / gamma(x) are taken off
again (Abramowitz and Stegun, 6.1.15 and 6.1.41): of the largest float32 number their product is a
double. Below 0 the value is that of 1 - x by the reflection formula (6.1.17). Doubles keep enough
digits beside the places where it is 0.

The slope is that of the series (6.3.18), less the reciprocals of the factors (6.3.6), and below 0
reflected, too (6.3.7).
"""

from __future__ import annotations

import math
from typing import Final

from dataflow.kernels.native.exponentials import log
from dataflow.kernels.native.vector import Vector

_SHIFT: Final = 8
_SERIES: Final = (1 / 156, -691 / 360360, 1 / 1188, -1 / 1680, 1 / 1260, -1 / 360, 1 / 12)
"""By 1 / z^2, over z: right to 2e-16."""
_SINE: Final = tuple((-1) ** k / math.factorial(2 * k + 1) for k in reversed(range(9)))
"""By the square of an angle, over it: to a right angle, it is right to 1e-13."""


_SINES: Final = tuple((-1) ** k / math.factorial(2 * k + 1) for k in reversed(range(11)))
"""The same to 1e-18,"""
_COSINES: Final = tuple((-1) ** k / math.factorial(2 * k) for k in reversed(range(12)))
"""and those of cosines."""
_SLOPES: Final = (-1 / 12, 691 / 32760, -1 / 132, 1 / 240, -1 / 252, 1 / 120, -1 / 12)
"""By 1 / z^2, over z^2."""


def gammaln(given: Vector) -> Vector:
    """The logarithm; infinity where the function has a pole."""
    return log_gamma(given.cast("d")).cast("f")


def digamma(given: Vector) -> Vector:
    """The slope; NaN where the function has a pole."""
    x = given.cast("d")
    is_negative = x.is_below(0.0)
    start = x.of(1.0).minus(x).where(is_negative, x)
    z = start.plus(float(_SHIFT))
    upside = z.of(1.0).over(z)
    square = upside.times(upside)
    made = log(z).minus(upside.times(0.5)).plus(square.times(square.polynomial(_SLOPES)))
    for summand in range(_SHIFT):
        made = made.minus(x.of(1.0).over(start.plus(float(summand))))
    angle = x.minus(x.whole()).times(math.pi)
    turned = angle.times(angle)
    cotangent = turned.polynomial(_COSINES).over(angle.times(turned.polynomial(_SINES)))
    made = made.minus(cotangent.times(math.pi).where(is_negative, 0.0))
    at_whole = made.where(x.is_above(0.0), math.nan)
    return at_whole.where(x.equals(x.whole()), made).cast("f")


def log_gamma(x: Vector) -> Vector:
    """The same for doubles, with the digits of float32."""
    is_negative = x.is_below(0.0)
    start = x.of(1.0).minus(x).where(is_negative, x)
    factors = start
    for summand in range(1, _SHIFT):
        factors = factors.times(start.plus(float(summand)))
    factors = factors.size()
    z = start.plus(float(_SHIFT))
    upside = z.of(1.0).over(z)
    series = upside.times(upside.times(upside).polynomial(_SERIES))
    stirling = z.minus(0.5).times_plus(log(z), series.plus(math.log(2 * math.pi) / 2).minus(z))
    stirling = x.of(0.0).minus(stirling).where(is_negative, stirling)
    angle = x.minus(x.whole()).times(math.pi)
    sine = angle.times(angle.times(angle).polynomial(_SINE)).size()
    reflected = factors.times(math.pi).over(sine)
    made = stirling.plus(log(reflected.where(is_negative, x.of(1.0).over(factors))))
    for place, value in ((1.0, 0.0), (2.0, 0.0), (math.inf, math.inf), (-math.inf, math.inf)):
        made = x.of(value).where(x.equals(place), made)
    return made
