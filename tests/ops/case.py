"""Case rows: how the conformance tests are told to drive an op."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import ml_dtypes
import numpy as np

from tests.ops.knowledge import LEVELS, Knowledge

FLOAT32_64 = ("float32", "float64")
FLOATS = ("float32", "float64", "float16", "bfloat16")
SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
INTEGERS = SIGNED + UNSIGNED
COMPLEX = ("complex64", "complex128")
REAL = FLOATS + INTEGERS
NUMBERS = REAL + COMPLEX


class Values:
    """Makes arrays of the element type under test; the same ones each time."""

    def __init__(self, dtype: str) -> None:
        self.name = dtype
        self.dtype = np.dtype(
            object if dtype == "string" else getattr(ml_dtypes, dtype, None) or dtype
        )
        self._random = np.random.default_rng(0)

    def any(self, *shape: int) -> np.ndarray:
        """Values of the whole usual range: about -3 to 3, for unsigned types 0 to 5."""
        if self.name == "string":
            return self.strings(*shape)
        if self.name == "bool":
            return self._random.integers(0, 2, shape).astype(bool)
        if self.name in UNSIGNED:
            return np.asarray(self._random.integers(0, 6, shape)).astype(self.dtype)
        if self.name in INTEGERS:
            return np.asarray(self._random.integers(-3, 4, shape)).astype(self.dtype)
        real = np.asarray(self._random.uniform(-3, 3, shape))
        if self.name in COMPLEX:
            real = real + 1j * self._random.uniform(-3, 3, shape)
        return real.astype(self.dtype)

    def positive(self, *shape: int) -> np.ndarray:
        """Values from 1 to 4, of floating types also between 0.5 and 4."""
        if self.name in INTEGERS:
            return np.asarray(self._random.integers(1, 5, shape)).astype(self.dtype)
        return np.asarray(self._random.uniform(0.5, 4, shape)).astype(self.dtype)

    def between(self, low: float, high: float, *shape: int) -> np.ndarray:
        """Floating values from `low` to `high`."""
        return np.asarray(self._random.uniform(low, high, shape)).astype(self.dtype)

    def distinct(self, *shape: int) -> np.ndarray:
        """Values that all differ by at least 0.1, in random order, so that max has a gradient."""
        size = int(np.prod(shape))
        ordered = (np.arange(size) - size // 2) * (1 if self.name in INTEGERS else 0.37)
        return np.asarray(self._random.permutation(ordered).reshape(shape)).astype(self.dtype)

    def strings(self, *shape: int) -> np.ndarray:
        """Byte strings, some empty, some not UTF-8."""
        pool = [b"", b"a", b"hello", b"\xff\x00z", "gr\u00fc\u00df".encode()]
        picks = self._random.integers(0, len(pool), shape)
        out = np.empty(shape, dtype=object)
        for index in np.ndindex(*shape):
            out[index] = pool[picks[index]]
        return out


@dataclass(frozen=True, slots=True)
class Bad:
    """Input that both TensorFlow and we refuse, with an error of the same class."""

    args: Callable[[Values], Sequence[Any]]
    text: str
    """What both error texts say, as a regular expression."""
    attrs: Mapping[str, Any] | None = None
    """Attrs, if they are not the case's."""
    dtype: str = ""
    """Element type, if it is not the case's first."""
    when: str = "any"
    """"build" feeds static shapes, "run" hides all shapes from graph construction."""


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """One row: an op with attrs and inputs, over element types. Equal only to itself.

    `args` gives the inputs in the schema's order: an array for a tensor, a list of arrays for an
    argument that stands for several. Inputs named in `static` are constants of the graph, the
    others are fed.
    """

    op: str
    args: Callable[[Values], Sequence[Any]]
    dtypes: tuple[str, ...] = FLOAT32_64
    attrs: Mapping[str, Any] = field(default_factory=dict)
    static: tuple[int, ...] = ()
    gradients: tuple[int, ...] = ()
    """Flat positions of the inputs whose gradients are compared and checked numerically."""
    type_attr: str = ""
    """Name of a type attr that no input decides and that gets the element type under test."""
    rtol: float | Mapping[str, float] | None = None
    atol: float | Mapping[str, float] | None = None
    bad: tuple[Bad, ...] = ()
    label: str = ""
    numeric: bool = True
    """False where finite differences do not apply (a step, a rounding)."""
    shapes: Sequence[Knowledge] = LEVELS
    """Where static shapes are TensorFlow's; a comment at the case says why not everywhere."""
    outputs: tuple[int, ...] | None = None
    """Positions of the outputs that are looked at, where others are undefined; None for all."""

    @property
    def id(self) -> str:
        """The row's name in test reports."""
        return f"{self.op}-{self.label}" if self.label else self.op


SHAPES = ((2, 3), (), (0, 3))
"""A matrix, a scalar and an empty array."""


def unary(op: str, dtypes: tuple[str, ...], *, make: str = "any", **options: Any) -> list[Case]:
    """Rows for an op of one tensor, over `SHAPES`."""
    return [
        Case(op, lambda v, s=shape: [getattr(v, make)(*s)], dtypes, label=str(shape), **options)
        for shape in SHAPES
    ]


BROADCASTS = (((2, 3), (2, 3)), ((2, 3), (3,)), ((2, 1), (1, 3)), ((), (2, 2)), ((0, 3), (1, 3)))
"""Pairs of shapes that broadcast in every way there is."""


def binary(
    op: str, dtypes: tuple[str, ...], *, make: str = "any", make_second: str = "", **options: Any
) -> list[Case]:
    """Rows for an op of two tensors that broadcast, over `BROADCASTS`."""
    second = make_second or make
    bad = tuple(
        Bad(lambda v: [getattr(v, make)(2, 3), getattr(v, second)(4, 5)], text, when=when)
        for text, when in (
            ("Dimensions must be equal, but are 2 and 4", "build"),
            (r"Incompatible shapes: \[2,3\] vs. \[4,5\]", "run"),
        )
    )
    return [
        Case(
            op,
            lambda v, a=a, b=b: [getattr(v, make)(*a), getattr(v, second)(*b)],
            dtypes,
            label=f"{a}{b}",
            bad=bad if a == b else (),
            **options,
        )
        for a, b in BROADCASTS
    ]
