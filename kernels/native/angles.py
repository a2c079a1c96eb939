"""Angles of tangents, sines and cosines, for float32.

The angle of a tangent t up to 1 is t + t^3 P(t^2), of a larger one what the angle of 1 / t lacks to
a right angle; that of a sine s up to a half is s + s^3 Q(s^2), and of a larger one what twice the
angle of the root of (1 - s) / 2 lacks to a right angle (Cody and Waite, Software Manual for the
Elementary Functions, 1980, chapters 10 and 11). P and Q are Chebyshev's interpolations, with errors
below 3e-9. A right angle has twice as many digits as a number. The errors are at most 2.5 units in
the last place.
"""

from __future__ import annotations

import math
from typing import Final

from dataflow.kernels.native.vector import Vector

_OF_TANGENT: Final = (
    0.0014886919393047597,
    -0.009144629760592396,
    0.026305001110062377,
    -0.04896051402709067,
    0.07031914250029966,
    -0.08931826777381315,
    0.11088261628735159,
    -0.1428400379473353,
    0.19999949321141888,
    -0.3333333308107325,
)
_OF_SINE: Final = (
    0.03370072632136513,
    0.017143716819253568,
    0.031101727829067168,
    0.04459931916287114,
    0.07500094761172901,
    0.1666666633654049,
)
_RIGHT: Final = 1.57079637050628662109375
_REST: Final = math.pi / 2 - _RIGHT
"""A right angle as a float32 number, and what it lacks."""


def _of_part(size: Vector, coefficients: tuple[float, ...]) -> Vector:
    square = size.times(size)
    return square.times(square.polynomial(coefficients)).times_plus(size, size)


def _lacking(angle: Vector, right_angles: int) -> Vector:
    """What an angle lacks to one right angle or two."""
    return angle.of(right_angles * _RIGHT).minus(angle.minus(right_angles * _REST))


def arctan(x: Vector) -> Vector:
    """The angle between minus and plus a right angle."""
    size = x.size()
    is_steep = size.is_above(1.0)
    angle = _of_part(size.of(1.0).over(size).where(is_steep, size), _OF_TANGENT)
    return angle.of(_RIGHT).minus(angle).where(is_steep, angle).signed_as(x)


def arctan2(y: Vector, x: Vector) -> Vector:
    """The angle of a point, from minus to plus half a turn; a zero's sign tells its side."""
    across, up = x.size(), y.size()
    is_steep = up.is_above(across)
    less, more = across.where(is_steep, up), up.where(is_steep, across)
    slope = less.over(more)
    slope = slope.of(0.0).where(more.equals(0.0), slope)
    slope = slope.of(1.0).where(less.equals(math.inf), slope)
    angle = _of_part(slope, _OF_TANGENT)
    angle = _lacking(angle, 1).where(is_steep, angle)
    is_behind = x.of(1.0).signed_as(x).is_below(0.0)
    angle = _lacking(angle, 2).where(is_behind, angle)
    # What is chosen of a NaN and a number is a number at times.
    sum_of_sizes = across.plus(up)
    return angle.where(sum_of_sizes.equals(sum_of_sizes), sum_of_sizes).signed_as(y)


def arcsin(x: Vector) -> Vector:
    """The angle between minus and plus a right angle."""
    size = x.size()
    is_steep = size.is_above(0.5)
    other = size.of(0.5).minus(size.times(0.5)).root()
    angle = _of_part(other.where(is_steep, size), _OF_SINE)
    return _lacking(angle.plus(angle), 1).where(is_steep, angle).signed_as(x)


def arccos(x: Vector) -> Vector:
    """The angle from 0 to half a turn."""
    size = x.size()
    is_steep = size.is_above(0.5)
    other = size.of(0.5).minus(size.times(0.5)).root()
    angle = _of_part(other.where(is_steep, size), _OF_SINE)
    is_behind = x.is_below(0.0)
    steep = angle.plus(angle)
    steep = _lacking(steep, 2).where(is_behind, steep)
    return steep.where(is_steep, _lacking(angle.signed_as(x), 1))
