"""How an array in C order is reduced part by part, in any order and by any thread.

Large arrays are cut so that several threads can reduce them. Where depends on their shape only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol

import numpy as np

from dataflow.kernels.reductions.contiguous import (
    STRETCH,
    Shape3,
    adds_stretches,
    joins_rows,
    reduce_block,
    stretch_sums,
)

LARGE: Final = 1 << 18
"""Elements from which an array is reduced in parts, and of a part, about."""
_ANY_PARTS: Final = frozenset({np.add, np.maximum, np.minimum})
"""Of these the rows of parts of any length come to the same bits."""
_FEW: Final = 8
"""Outer elements below which no part is made of whole ones."""

ReduceBlock = Callable[[np.ndarray], np.ndarray]
"""Reduces the middle axis of an array of shape [outer, reduced, inner]."""


class Reduction(Protocol):
    """The reduction of one array."""

    def take(self, first: int, part: np.ndarray) -> None:
        """Reduces a part.

        Args:
          first: How many elements of the array come before it.
          part: Elements in C order.
        """

    def total(self) -> Any:
        """What all parts come to."""


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts in which arrays of one shape are reduced."""

    unit: int
    """Elements: each part but the last has a multiple of so many,"""
    is_exact: bool
    """or just as many."""
    begin: Callable[[], Reduction]
    """Begins a reduction, whose total has the shape [outer, inner]."""


def parts_of(ufunc: Any, shape: Shape3, dtype: Any) -> Parts | None:
    """The parts for `ufunc.reduce` along the middle axis; None if there are none.

    Args:
      ufunc: `add`, `maximum`, `minimum`, `multiply` or the like.
      shape: [outer, reduced, inner], none of them 0.
      dtype: Element type of the array.
    """
    outer, count, inner = shape
    if outer >= _FEW:
        # Parts of any length come to the same bits if all go the same way.
        joins = joins_rows(shape)
        rows = parts_of_rows(lambda block: reduce_block(ufunc, block, joins), shape, dtype)
        if ufunc in _ANY_PARTS:
            return rows
        return replace(rows, unit=max(1, LARGE // rows.unit) * rows.unit, is_exact=True)
    if outer == inner == 1 and ufunc is np.add and adds_stretches(dtype):
        return Parts(STRETCH, False, lambda: _Stretches(count, dtype))

    def reduce(block: np.ndarray) -> np.ndarray:
        return reduce_block(ufunc, block)

    size = outer * count * inner
    if size <= LARGE:
        return Parts(size, True, lambda: _Pieces(reduce, shape, size, dtype))
    if outer > 1 or inner > count:
        return None
    unit = LARGE // inner * inner
    return Parts(unit, True, lambda: _Pieces(reduce, shape, unit, dtype)) if unit else None


def parts_of_rows(reduce: ReduceBlock, shape: Shape3, dtype: Any) -> Parts:
    """Parts that hold whole outer elements, each of which is reduced by itself."""
    return Parts(shape[1] * shape[2], False, lambda: _Rows(reduce, shape, dtype))


class _Rows:
    """Reduces outer elements, each by itself."""

    __slots__ = ("_found", "_reduce", "_shape")

    def __init__(self, reduce: ReduceBlock, shape: Shape3, dtype: Any) -> None:
        outer, count, inner = shape
        self._reduce = reduce
        self._shape = count, inner
        self._found = np.empty((outer, inner), dtype)

    def take(self, first: int, part: np.ndarray) -> None:
        count, inner = self._shape
        start = first // (count * inner)
        found = self._reduce(part.reshape(-1, count, inner))
        self._found[start : start + len(found)] = found

    def total(self) -> np.ndarray:
        return self._found


class _Stretches:
    """Adds up all numbers of an array: those of each stretch, and then the sums."""

    __slots__ = ("_found", "_rest")

    def __init__(self, count: int, dtype: Any) -> None:
        self._found = np.empty(count // STRETCH, dtype)
        self._rest = np.zeros(0, dtype)

    def take(self, first: int, part: np.ndarray) -> None:
        sums, rest = stretch_sums(part.reshape(1, -1))
        start = first // STRETCH
        self._found[start : start + sums.size] = sums[0]
        if rest.size:
            self._rest = rest

    def total(self) -> np.ndarray:
        total = np.add.reduce(self._found, dtype=self._found.dtype, keepdims=True)
        if self._rest.size:
            total += self._rest
        return total.reshape(1, 1)


class _Pieces:
    """Reduces parts of one size, and then what has come of them."""

    __slots__ = ("_found", "_reduce", "_shape", "_unit")

    def __init__(self, reduce: ReduceBlock, shape: Shape3, unit: int, dtype: Any) -> None:
        """Prepares.

        Args:
          reduce: Reduces a part.
          shape: Shape of the array; if its outer axis has several elements, there is one part.
          unit: Elements of a part, but the last one.
          dtype: Element type of the array.
        """
        outer, count, inner = shape
        self._reduce = reduce
        self._shape = outer, inner
        self._unit = unit
        self._found = np.empty((outer, -(-outer * count * inner // unit), inner), dtype)

    def take(self, first: int, part: np.ndarray) -> None:
        outer, inner = self._shape
        self._found[:, first // self._unit] = self._reduce(part.reshape(outer, -1, inner))

    def total(self) -> np.ndarray:
        return self._reduce(self._found)
