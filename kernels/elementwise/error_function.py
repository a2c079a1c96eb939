"""The error function and its complement for float32, as formulas of elementwise arithmetic.

Between -4.1 and 4.1 the error function is x * P(x * x) / Q(x * x), with polynomials of degree 5:
the minimax fit of the relative error (2.5e-8, by weighted least squares). Beyond, float32 has no
number between it and 1. Rounding makes the error at most 8 units in the last place.

The complement is exp(-x * x) R(x) / (1 + 2 x) for positive x, where R is a polynomial of degree 10
in (x - 3.75) / (x + 3.75) (Shepherd and Laframboise, Chebyshev approximation of (1 + 2x) exp(x^2)
erfc x, Mathematics of Computation 36, 1981); this is the minimax fit of the relative error (7e-9).
x * x is taken apart, so that what exp is given is not rounded; the exponential of the small part is
a polynomial. Up to 0.5 it is 1 - x P(x * x), with a polynomial of degree 4 (4e-10). The error is at
most 8 units in the last place, too.
"""

from __future__ import annotations

from typing import Any, Final

_NUMERATOR: Final = (
    1.9867950413754443e-06,
    0.00028456575819291174,
    0.0038833122234791517,
    0.05310164391994476,
    0.19354423880577087,
    1.1283791065216064,
)
_DENOMINATOR: Final = (
    3.742030094144866e-05,
    0.0011855646735057235,
    0.015207185409963131,
    0.1153496652841568,
    0.5048566460609436,
    1.0,
)
_SCALED: Final = (
    0.0010614844485426938,
    0.002206321329129901,
    -0.010016011448133575,
    0.028046295961401898,
    -0.058692036266492574,
    0.09237015403595598,
    -0.10879719952944268,
    0.0822715092763171,
    0.0035849232907390095,
    -0.1402404782189789,
    1.237512634907174,
)
_NEAR_ZERO: Final = (
    0.004671830908753707,
    -0.026731127431628532,
    0.11282331921646543,
    -0.376125742554028,
    1.1283791590676675,
)
_EXPONENTIAL: Final = (1 / 24, 1 / 6, 1 / 2, 1.0, 1.0)
"""The coefficient of the highest power comes first."""
_SMALL: Final = 0.5
_END_SQUARE: Final = 16.809999465942383
"""The square of 4.1, from where on rounding gives 1."""
_NOTHING: Final = 11.0
"""From here on float32 has no number between the complement and 0."""
_CENTRE: Final = 3.75
_HALVES: Final = 4097.0
"""Splits a float32 number's digits into two halves, each of whose squares is exact (Dekker)."""


def erf(xp: Any, x: Any) -> Any:
    """The error function."""
    square = xp.minimum(xp.square(x), _END_SQUARE)
    quotient = _horner(_NUMERATOR, square) * x / _horner(_DENOMINATOR, square)
    return xp.minimum(xp.maximum(quotient, -1.0), 1.0)


def erfc(xp: Any, x: Any) -> Any:
    """The complementary error function, 1 - erf(x)."""
    size = xp.minimum(xp.absolute(x), _NOTHING)
    scaled = size * _HALVES
    upper = scaled - (scaled - size)
    rest = (upper - size) * (upper + size)
    place = (size - _CENTRE) / (size + _CENTRE)
    tail = xp.exp(-xp.square(upper)) * _horner(_EXPONENTIAL, rest)
    tail = tail * _horner(_SCALED, place) / (1.0 + 2.0 * size)
    far = xp.where(x < 0.0, 2.0 - tail, tail)
    near = 1.0 - _horner(_NEAR_ZERO, xp.square(size)) * x
    return xp.where(size <= _SMALL, near, far)


def _horner(coefficients: tuple[float, ...], x: Any) -> Any:
    value = x * coefficients[0]
    for coefficient in coefficients[1:-1]:
        value = (value + coefficient) * x
    return value + coefficients[-1]
