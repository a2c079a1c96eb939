"""Numbers side by side, written with Python's operators: what formulas of functions are made of."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from dataflow.kernels.native.arithmetic import Lanes
from dataflow.kernels.native.text import literal, register_type

INTEGERS: Final = {"f": "i", "d": "l"}
"""The letter of integers as long as floats of a letter."""


class Vector(NamedTuple):
    """A value of a program that is being written: floats or integers of one letter."""

    lanes: Lanes
    letter: str
    name: str

    def of(self, value: float) -> Vector:
        """A number as often as there are elements here, rounded to their type."""
        rounded = float(np.float32(value)) if self.letter == "f" else value
        return self._new(literal(self.letter, rounded, self.lanes.width))

    def _new(self, name: str, letter: str = "") -> Vector:
        return Vector(self.lanes, letter or self.letter, name)

    def _given(self, other: Vector | float) -> Vector:
        return other if isinstance(other, Vector) else self.of(other)

    def _both(self, of_floats: str, of_integers: str, other: Vector | float) -> Vector:
        operand = self._given(other)
        operation = of_floats if self.letter in INTEGERS else of_integers
        return self._new(self.lanes.operation(operation, self.letter, self.name, operand.name))

    def plus(self, other: Vector | float) -> Vector:
        """The sum."""
        return self._both("fadd", "add", other)

    def minus(self, other: Vector | float) -> Vector:
        """The difference."""
        return self._both("fsub", "sub", other)

    def times(self, other: Vector | float) -> Vector:
        """The product."""
        return self._both("fmul", "mul", other)

    def over(self, other: Vector | float) -> Vector:
        """The quotient."""
        return self._both("fdiv", "", other)

    def times_plus(self, factor: Vector | float, summand: Vector | float) -> Vector:
        """`self * factor + summand`, rounded once."""
        names = [self._given(one).name for one in (factor, summand)]
        return self._new(self.lanes.intrinsic("fma", self.letter, self.name, *names))

    def polynomial(self, coefficients: tuple[float, ...]) -> Vector:
        """The value of a polynomial here, that of the highest power first."""
        value = self.of(coefficients[0])
        for coefficient in coefficients[1:]:
            value = value.times_plus(self, coefficient)
        return value

    def root(self) -> Vector:
        """The square root."""
        return self._new(self.lanes.intrinsic("sqrt", self.letter, self.name))

    def whole(self) -> Vector:
        """The nearest integer."""
        return self._new(self.lanes.intrinsic("rint", self.letter, self.name))

    def cast(self, letter: str) -> Vector:
        """Floats of another type."""
        return self._new(self.lanes.cast(self.letter, self.name, letter), letter)

    def size(self) -> Vector:
        """The absolute value."""
        return self._new(self.lanes.intrinsic("fabs", self.letter, self.name))

    def signed_as(self, other: Vector) -> Vector:
        """The same size with the sign of another."""
        return self._new(self.lanes.intrinsic("copysign", self.letter, self.name, other.name))

    def is_below(self, other: Vector | float) -> Vector:
        """A truth value, false of NaNs."""
        return self._compared("olt", "slt", other)

    def is_above(self, other: Vector | float) -> Vector:
        """A truth value, false of NaNs."""
        return self._compared("ogt", "sgt", other)

    def equals(self, other: Vector | float) -> Vector:
        """A truth value, false of NaNs."""
        return self._compared("oeq", "eq", other)

    def _compared(self, of_floats: str, of_integers: str, other: Vector | float) -> Vector:
        name = self._given(other).name
        found = self.lanes.compare(self.letter, of_floats, of_integers, self.name, name)
        return self._new(found, "b")

    def where(self, test: Vector, other: Vector | float) -> Vector:
        """This where a test holds, the other elsewhere."""
        name = self._given(other).name
        return self._new(self.lanes.choose(test.name, self.letter, self.name, name))

    def at_most(self, bound: float) -> Vector:
        """The lesser of both; NaNs stay."""
        return self.of(bound).where(self.is_above(bound), self)

    def at_least(self, bound: float) -> Vector:
        """The greater of both; NaNs stay."""
        return self.of(bound).where(self.is_below(bound), self)

    def bits(self) -> Vector:
        """Floats as integers, bit by bit."""
        return self._seen_as(INTEGERS[self.letter])

    def floats(self) -> Vector:
        """Integers as floats, bit by bit."""
        return self._seen_as({"i": "f", "l": "d"}[self.letter])

    def _seen_as(self, letter: str) -> Vector:
        kinds = [register_type(one, self.lanes.width) for one in (self.letter, letter)]
        found = self.lanes.text.value(f"bitcast {kinds[0]} {self.name} to {kinds[1]}")
        return self._new(found, letter)

    def shifted(self, operation: str, places: int) -> Vector:
        """Integers shifted by `shl` or `lshr`."""
        return self._both("", operation, places)
