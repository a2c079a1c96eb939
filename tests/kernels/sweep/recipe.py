"""What the sweep is told of a computation: its operands by their axes, and how it is built."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Sizes = Mapping[str, int]
Values = Callable[[np.random.Generator, tuple[int, ...], Any, Sizes], np.ndarray]
"""`f(random, shape, dtype, sizes)`: what an operand holds."""
Build = Callable[..., Sequence[Any]]
"""`f(tf, *operands)`: the outputs, in the graph of either library."""


@dataclass(frozen=True)
class Operand:
    """An operand of a recipe."""

    axes: str
    """A letter each, or a digit for that size."""
    values: Values
    dtype: str = ""
    """Its element type, if it is not the recipe's."""
    is_moved: bool = True
    """Whether it comes in all layouts."""
    told: str = ""
    """Other axes that its values depend on."""

    def shape(self, sizes: Sizes) -> tuple[int, ...]:
        """Its shape where axes have these sizes."""
        return tuple(int(axis) if axis.isdigit() else sizes[axis] for axis in self.axes)


@dataclass(frozen=True, eq=False)
class Recipe:
    """A computation. Equal only to itself."""

    name: str
    operands: tuple[Operand, ...]
    build: Build
    dtypes: tuple[str, ...] = ("float32",)
    is_wide: bool = True
    """Whether TensorFlow computes float32 in float64."""
    rtol: float = 0.0
    """What results may differ by, relative to them and to 1: nothing where numbers are whole."""
    most: Mapping[str, int] = field(default_factory=dict)
    """The largest sizes of axes that have one."""
    holds: Callable[[Sizes], bool] = lambda sizes: True
    """Whether TensorFlow says what comes of these sizes."""

    @property
    def letters(self) -> str:
        """All axes."""
        axes = "".join(operand.axes + operand.told for operand in self.operands)
        return "".join(sorted({axis for axis in axes if axis.isalpha()}))

    def takes(self, sizes: Sizes, limit: int) -> bool:
        """Whether axes may have these sizes: no operand has more elements than the limit."""
        most = max(math.prod(operand.shape(sizes)) for operand in self.operands)
        return most <= limit and self.holds(sizes)


def _whole(random: np.random.Generator, shape: tuple[int, ...], dtype: Any, _: Sizes) -> np.ndarray:
    low = 0 if dtype.kind == "u" else -3
    drawn = random.integers(low, 4, shape)
    if dtype.kind == "c":
        return (drawn + 1j * random.integers(-3, 4, shape)).astype(dtype)
    return np.asarray(drawn > 0 if dtype.kind == "b" else drawn).astype(dtype)


def whole(axes: str, dtype: str = "") -> Operand:
    """Small whole numbers: sums of their products are exact, so that results can be compared
    bit by bit."""
    return Operand(axes, _whole, dtype)


def normal(axes: str) -> Operand:
    """Different numbers."""
    return Operand(axes, lambda random, shape, dtype, _: random.normal(0, 2, shape).astype(dtype))


def positive(axes: str) -> Operand:
    """Numbers from 0.5 to 4, or from 1 on."""
    low = 0.5
    return Operand(
        axes,
        lambda random, shape, dtype, _: (
            random.integers(1, 5, shape) if dtype.kind in "iu" else random.uniform(low, 4, shape)
        ).astype(dtype),
    )


def signs(axes: str) -> Operand:
    """1 and -1, whose products are exact."""
    return Operand(
        axes, lambda random, shape, dtype, _: (1 - 2 * random.integers(0, 2, shape)).astype(dtype)
    )


def truth(axes: str) -> Operand:
    """Truth values."""
    return whole(axes, "bool")


def index(axes: str, into: str, dtype: str = "int32", ascending: bool = False) -> Operand:
    """Indices into an axis; 0 where there is nothing."""

    def values(
        random: np.random.Generator, shape: tuple[int, ...], dtype: Any, sizes: Sizes
    ) -> np.ndarray:
        drawn = np.asarray(random.integers(0, max(1, sizes[into]), shape), dtype)
        return np.sort(drawn) if ascending else drawn

    return Operand(axes, values, dtype, not ascending, into)


def given(axes: str, numbers: Callable[[Sizes], Any]) -> Operand:
    """Numbers that follow from the sizes: a shape, a count."""
    return Operand(
        axes, lambda _, shape, dtype, sizes: np.array(numbers(sizes), dtype), "int32", False
    )
