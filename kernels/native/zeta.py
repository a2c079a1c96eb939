"""Hurwitz's zeta function and what is made of it, for float32, by way of doubles.

The first four terms are summed up; the sum of the others is that of Euler and Maclaurin
(https://dlmf.nist.gov/25.11.E28), right to 1e-9.
"""

from __future__ import annotations

import math
from typing import Final

from dataflow.kernels.native.exponentials import exp, log
from dataflow.kernels.native.gamma import log_gamma
from dataflow.kernels.native.vector import Vector

_TERMS: Final = 4
_BERNOULLI: Final = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)
_MOST: Final = 1000.0
"""From here on the sum of the others is 0 beside the first term."""


def _power(base: Vector, exponent: Vector) -> Vector:
    return exp(exponent.times(log(base)))


def _zeta(x: Vector, q: Vector) -> Vector:
    minus = x.of(0.0).minus(x)
    found = _power(q, minus)
    for summand in range(1, _TERMS):
        found = found.plus(_power(q.plus(float(summand)), minus))
    w = q.plus(float(_TERMS))
    last = _power(w, minus)
    upside = w.of(1.0).over(w)
    square = upside.times(upside)
    bounded = x.at_most(_MOST)
    rising, rest = bounded.times(upside), x.of(0.5)
    for j, number in enumerate(_BERNOULLI, 1):
        rest = rest.plus(rising.times(number / math.factorial(2 * j)))
        more = bounded.plus(float(2 * j - 1)).times(bounded.plus(float(2 * j)))
        rising = rising.times(more).times(square)
    rest = rest.plus(w.over(x.minus(1.0)))
    return found.plus(last.times(rest))


def zeta(x: Vector, q: Vector) -> Vector:
    """The sum of (q + k)^-x, for x above 1 and positive q."""
    return _zeta(x.cast("d"), q.cast("d")).cast("f")


def polygamma(n: Vector, x: Vector) -> Vector:
    """(-1)^(n + 1) n! zeta(n + 1, x), for whole n from 1 on and positive x."""
    order = n.cast("d")
    above = order.plus(1.0)
    size = exp(log_gamma(above)).cast("f").times(_zeta(above, x.cast("d")).cast("f"))
    half = order.times(0.5)
    return size.of(0.0).minus(size).where(half.equals(half.whole()), size)
