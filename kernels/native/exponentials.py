"""Exponentials, logarithms and hyperbolic functions, for float32 and float64.

An exponential is 2^n e^r with n the nearest integer to x / ln 2, so that |r| is at most half of
ln 2 (Cody and Waite, Software Manual for the Elementary Functions, 1980, chapter 6). A logarithm is
k ln 2 + log(1 + f), where 1 + f lies between the roots of 1/2 and of 2 (chapter 5); in float64
log(1 + f) is taken from the series of s = f / (2 + f). The polynomials are Chebyshev's
interpolations, whose errors are below those of rounding.

What is 1 below (`expm1`) or above (`log1p` and the inverse functions) the others is made of the
same parts, before digits are lost; `tanh` and `sinh` near 0 have polynomials. The errors are at
most 2.5 units in the last place.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

from dataflow.kernels.native.vector import Vector

_BENT: Final = 0.625
"""Up to here a polynomial has more digits of `tanh` than what an exponential is taken from."""


class _Format(NamedTuple):
    """What depends on the element type."""

    digits: int
    """Bits behind the point,"""
    bias: int
    """and what is added to exponents."""
    most: float
    """From here on an exponential is infinite, and half of it,"""
    most_once: float
    """and the first is from here on, where it is not yet more than a power of 2 more;"""
    least: float
    """up to here it is 0."""
    ln2: tuple[float, float]
    """The logarithm of 2, in digits that an integer can be multiplied with, and the rest."""
    exponential: tuple[float, ...]
    """Of (e^r - 1 - r) / r^2."""
    logarithm: tuple[float, ...]
    """Of (log(1 + f) - f + f^2 / 2) / f^3; in float64 of log(1 + f) / s - 2 over s^2, by s^2."""
    least_whole: float
    """The least number with all its digits."""
    far: float
    """From here on 1 + x^2 is x^2."""
    flat: float
    """From here on `tanh` is 1."""
    sinh: tuple[float, ...]
    """Of (sinh(x) - x) / x^3 by x^2, up to 1."""
    tanh: tuple[float, ...]
    """Of (tanh(x) - x) / x^3 by x^2, up to `_BENT`."""


_OF: Final = {
    "f": _Format(
        23,
        127,
        90.0,
        89.0,
        -104.0,
        (0.693359375, math.log(2) - 0.693359375),
        (
            0.0013926183587713494,
            0.008363179052722578,
            0.041666554617204574,
            0.16666576989698775,
            0.5,
        ),
        (
            0.06971611471451178,
            -0.11479733846637635,
            0.1168541992348674,
            -0.12425687331451106,
            0.1424905764569748,
            -0.16667802319501254,
            0.200007157488921,
            -0.24999996957950882,
            0.33333331180030046,
        ),
        2.0**-126,
        2.0**28,
        9.5,
        (2.806331253637132e-06, 0.00019838095593111222, 0.008333339695044161, 0.16666666646762462),
        (
            0.002291770456256263,
            -0.008343085218832483,
            0.021768655803763217,
            -0.05395922726196833,
            0.13333303420387607,
            -0.333333331712397,
        ),
    ),
    "d": _Format(
        52,
        1023,
        711.0,
        710.0,
        -746.0,
        (float.fromhex("0x1.62e42feep-1"), 1.9082149292705877e-10),
        (
            2.510038549551032e-08,
            2.7620088445409746e-07,
            2.7557268459997064e-06,
            2.4801521295954376e-05,
            0.00019841269863053618,
            0.0013888888917213717,
            0.008333333333330062,
            0.04166666666662413,
            0.16666666666666669,
            0.5000000000000001,
        ),
        (
            0.14617807153417325,
            0.15331611722055008,
            0.1818289243253687,
            0.22222211089379496,
            0.28571428626253836,
            0.3999999999989889,
            0.666666666666667,
        ),
        2.0**-1022,
        2.0**56,
        20.0,
        (
            7.746278224810715e-13,
            1.6057676882739475e-10,
            2.50521177239532e-08,
            2.7557319191250885e-06,
            0.00019841269841324471,
            0.008333333333333299,
            0.16666666666666666,
        ),
        (
            6.479652583909459e-06,
            -3.118977434431334e-05,
            9.256112886604006e-05,
            -0.00023758563980884253,
            0.0005896591083635056,
            -0.0014557751050964238,
            0.0035921217122266407,
            -0.008863235100174033,
            0.02186948851886792,
            -0.05396825396789371,
            0.1333333333333304,
            -0.3333333333333333,
        ),
    ),
}


class _Power(NamedTuple):
    """An exponential as 2^n (1 + rest)."""

    exponent: Vector
    """n, as integers."""
    rest: Vector


def _power(x: Vector, most: float | None = None) -> _Power:
    of = _OF[x.letter]
    x = x.at_most(most or of.most).at_least(of.least)
    # Adding so much rounds to an integer, which the last bits are then.
    shift = 1.5 * 2.0**of.digits
    shifted = x.times_plus(1 / math.log(2), shift)
    n = shifted.minus(shift)
    r = n.times_plus(-of.ln2[0], x)
    r = n.times_plus(-of.ln2[1], r)
    rest = r.times(r).times_plus(r.polynomial(of.exponential), r)
    return _Power(shifted.bits().minus(x.of(shift).bits()), rest)


def _scaled(value: Vector, exponent: Vector) -> Vector:
    """A value times a power of 2, in two steps: it may be too large or too small for a number."""
    of = _OF[value.letter]
    even = 4 * of.bias
    half = exponent.plus(even).shifted("lshr", 1).minus(even // 2)
    for part in (half, exponent.minus(half)):
        value = value.times(part.plus(of.bias).shifted("shl", of.digits).floats())
    return value


def exp(x: Vector) -> Vector:
    """The exponential."""
    power = _power(x)
    return _scaled(power.rest.plus(1.0), power.exponent)


def expm1(x: Vector) -> Vector:
    """The exponential less 1."""
    of = _OF[x.letter]
    power = _power(x, of.most_once)
    # Half of it, so that the largest one has a power of 2.
    exponent = power.exponent.plus(of.bias - 1)
    no_less = exponent.of(0).where(exponent.is_below(0), exponent)
    scale = no_less.shifted("shl", of.digits).floats()
    made = scale.times_plus(power.rest, scale.minus(0.5)).times(2.0)
    return x.where(x.size().is_below(2.0 ** -(of.digits + 2)), made)


class _Digits(NamedTuple):
    """A number as 2^exponent (1 + fraction)."""

    exponent: Vector
    fraction: Vector


def _digits(x: Vector) -> _Digits:
    of = _OF[x.letter]
    is_small = x.is_below(of.least_whole)
    # What is too small to have all its digits has them when it is so much larger.
    up = of.digits + 2
    bits = x.times(2.0**up).where(is_small, x).bits()
    root = x.of(math.sqrt(0.5)).bits()
    biased = bits.plus(x.of(1.0).bits().minus(root)).shifted("lshr", of.digits)
    mantissa = bits.minus(biased.minus(of.bias).shifted("shl", of.digits)).floats()
    # The bits of a number whose last digit is 1: integers are its last bits.
    whole = 2.0**of.digits
    exponent = biased.plus(x.of(whole).bits()).floats().minus(whole + of.bias)
    exponent = exponent.minus(x.of(up).where(is_small, 0.0))
    return _Digits(exponent, mantissa.minus(1.0))


def _log_of(x: Vector, summand: Vector | None = None) -> Vector:
    """The logarithm of a number that has one, and something small."""
    of = _OF[x.letter]
    k, f = _digits(x)
    square = f.times(f)
    if x.letter == "f":
        rest = square.times(f.times(f.polynomial(of.logarithm)))
        rest = square.times_plus(-0.5, rest)
    else:
        s = f.over(f.plus(2.0))
        z = s.times(s)
        half = square.times(0.5)
        rest = s.times_plus(half.plus(z.times(z.polynomial(of.logarithm))), half.times(-1.0))
    rest = k.times_plus(of.ln2[1], rest)
    if summand is not None:
        rest = rest.plus(summand)
    return k.times_plus(of.ln2[0], f.plus(rest))


def _with_edges(x: Vector, made: Vector) -> Vector:
    """The logarithms of 0 and of infinity, and none of what is below."""
    made = x.where(x.equals(math.inf), made)
    at_most_zero = x.of(-math.inf).where(x.equals(0.0), math.nan)
    return made.where(x.is_above(0.0), at_most_zero)


def log(x: Vector) -> Vector:
    """The natural logarithm."""
    return _with_edges(x, _log_of(x))


def log1p(x: Vector) -> Vector:
    """The natural logarithm of 1 + x."""
    u = x.plus(1.0)
    lost = x.minus(u.minus(1.0))
    made = _with_edges(u, _log_of(u, lost.over(u)))
    return x.where(u.equals(1.0), made)


def _odd(x: Vector, coefficients: tuple[float, ...]) -> Vector:
    """x + x^3 P(x^2)."""
    square = x.times(x)
    return square.times(square.polynomial(coefficients)).times_plus(x, x)


def tanh(x: Vector) -> Vector:
    """The hyperbolic tangent."""
    of = _OF[x.letter]
    size = x.size().at_most(of.flat)
    power = exp(size.plus(size)).plus(1.0)
    far = x.of(1.0).minus(x.of(2.0).over(power))
    return _odd(size, of.tanh).where(size.is_below(_BENT), far).signed_as(x)


def _halves(x: Vector) -> tuple[Vector, Vector]:
    """Halves of e^|x| and of its reciprocal."""
    power = _power(x.size())
    whole = power.rest.plus(1.0)
    up, down = power.exponent.minus(1), power.exponent.of(-1).minus(power.exponent)
    return _scaled(whole, up), _scaled(x.of(1.0).over(whole), down)


def sinh(x: Vector) -> Vector:
    """The hyperbolic sine."""
    larger, smaller = _halves(x)
    size = x.size()
    near = _odd(size, _OF[x.letter].sinh)
    return near.where(size.is_below(1.0), larger.minus(smaller)).signed_as(x)


def cosh(x: Vector) -> Vector:
    """The hyperbolic cosine."""
    larger, smaller = _halves(x)
    return larger.plus(smaller)


def arcsinh(x: Vector) -> Vector:
    """The inverse hyperbolic sine."""
    size = x.size()
    square = size.times(size)
    near = size.plus(square.over(square.plus(1.0).root().plus(1.0)))
    return _log1p_of(size, near).signed_as(x)


def arccosh(x: Vector) -> Vector:
    """The inverse hyperbolic cosine."""
    above = x.minus(1.0)
    near = above.plus(above.times_plus(above, above.plus(above)).root())
    return _log1p_of(x, near.of(math.nan).where(x.is_below(1.0), near))


def _log1p_of(x: Vector, near: Vector) -> Vector:
    """`log1p` of what is near 2x if x is large, and may be too large for a number itself."""
    is_far = x.is_above(_OF[x.letter].far)
    return log1p(x.where(is_far, near)).plus(x.of(math.log(2)).where(is_far, 0.0))


def arctanh(x: Vector) -> Vector:
    """The inverse hyperbolic tangent."""
    size = x.size()
    return log1p(size.plus(size).over(size.of(1.0).minus(size))).times(0.5).signed_as(x)
