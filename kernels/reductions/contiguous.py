"""Reductions of arrays whose reduced axes lie together in memory: in long loops over it.

An array of shape [outer, reduced, inner] is what any such reduction comes down to. numpy starts a
loop for each row of `inner`, or, where that is 1, for each of `outer`, and adds rows up pairwise in
scalar code; its extremes of rows branch on every number. Here

* sums of rows are `einsum`'s, which adds vectors, of stretches short enough to lose no precision;
* sums along the middle axis are products with ones, where rows of `inner` are short;
* extremes of rows are machine code; other reductions of short rows go by columns;
* other short rows of `inner` are laid side by side, and so reduced several at a time.
"""

from __future__ import annotations

import functools
import math
from typing import Any, Final

import numpy as np

from dataflow.kernels.reductions.extremes import extremes_of_rows

MANY: Final = 1 << 11
"""Elements from which these ways pay."""
STRETCH: Final = 2048
"""Numbers that are added one after the other: in 64 sums, each of 32."""
_WIDE: Final = 1024
"""Elements of a row from which the start of a loop over it does not matter."""
_FEW: Final = 16
_THIN: Final = 64
"""Rows of `inner`, and elements of one, up to which one half of them is reduced with the other."""
_SPARED: Final = 400
"""Starts of loops that reducing rows side by side must spare: some 15 ns each."""
_SPARED_BY_HALVES: Final = 60
"""The same for each time that rows are halved."""
_MULTIPLIED: Final = frozenset("fd")
"""Type codes that the BLAS multiplies."""
_SHORT: Final = 512
"""Elements of a row of `inner` up to which it adds rows faster than numpy does."""
_TILE: Final = 1 << 13
"""Elements of a matrix that it multiplies on one thread."""
_COLUMNS: Final = 8
"""Numbers of a row up to which going by columns is faster than copying rows into columns."""
_BLOCK: Final = 1 << 16
"""Elements that are copied at a time."""
_GROUPS: Final[tuple[tuple[int, Any], ...]] = ((16, np.complex128), (8, np.int64))
"""Numbers that are copied together: bytes, and a type of that size."""
_ADDED: Final = frozenset("fdilILqQ")
"""Type codes of which einsum makes sums as fast as memory is read."""
_BY_COLUMNS: Final = frozenset("fdilq")
"""Type codes of which that is faster."""

Shape3 = tuple[int, int, int]


def as_block(shape: tuple[int, ...], axes: tuple[int, ...]) -> Shape3 | None:
    """The shape as [outer, reduced, inner]; None if the axes are not neighbours.

    Args:
      shape: Of an array.
      axes: Not negative, and different from each other; at least one.
    """
    first, last = min(axes), max(axes)
    if last - first + 1 != len(axes):
        return None
    parts = shape[:first], shape[first : last + 1], shape[last + 1 :]
    return math.prod(parts[0]), math.prod(parts[1]), math.prod(parts[2])


def joins_rows(shape: Shape3) -> bool:
    """Whether it pays to reduce rows of `inner` side by side.

    Args:
      shape: [outer, reduced, inner].
    """
    outer, count, inner = shape
    if _are_halved(shape):
        return outer * (count - 1) >= _SPARED_BY_HALVES * count.bit_length()
    joined = min(_WIDE // inner, count // 2)
    return joined > 1 and outer * (count - count // joined) >= _SPARED


def _are_halved(shape: Shape3) -> bool:
    """Whether rows, if they are reduced side by side, are so all at once."""
    return shape[1] <= _FEW and shape[2] <= _THIN


def adds_by_products(ufunc: Any, shape: Shape3, dtype: Any) -> bool:
    """Whether rows of `inner` are added up by multiplying them with ones; `outer` does not matter.

    Args:
      ufunc: `add`, `maximum`, `minimum`, `multiply` or the like.
      shape: [outer, reduced, inner].
      dtype: Element type of the array.
    """
    if ufunc is not np.add or dtype.char not in _MULTIPLIED:
        return False
    _, count, inner = shape
    shortest, longest = (1, _SHORT) if count * inner <= _TILE else (_COLUMNS, _SHORT // 2)
    return shortest < inner <= longest


def reduce_block(ufunc: Any, x: np.ndarray, joins: bool | None = None) -> np.ndarray:
    """`ufunc.reduce` over the middle axis, or nearly so: sums are rounded otherwise.

    Args:
      ufunc: `add`, `maximum`, `minimum`, `multiply` or the like.
      x: Array of shape [outer, reduced, inner], in C order, none of them 0.
      joins: Whether rows of `inner` are reduced side by side; None for what `joins_rows` says.

    Returns:
      Array of shape [outer, inner].
    """
    outer, count, inner = x.shape
    if count == 1:
        return x.reshape(outer, inner).copy()
    if inner == 1:
        return _rows(ufunc, x.reshape(outer, count)).reshape(outer, 1)
    if adds_by_products(ufunc, x.shape, x.dtype):
        return _products(x)
    if not (joins_rows(x.shape) if joins is None else joins):
        reduced: np.ndarray = ufunc.reduce(x, axis=1, dtype=x.dtype)
        return reduced
    joined = count if _are_halved(x.shape) else min(_WIDE // inner, count // 2)
    lines = count // joined
    width = joined * inner
    wide = many = x.reshape(outer, count * inner)
    if lines > 1:
        lined = many[:, : lines * width].reshape(outer, lines, width)
        wide = ufunc.reduce(lined, axis=1, dtype=x.dtype)
    if lines * joined < count:
        rest = many[:, lines * width :]
        place = wide[:, : rest.shape[1]]
        ufunc(place, rest, out=place)
    while joined > 1:
        half = joined // 2
        made = ufunc(wide[:, : half * inner], wide[:, half * inner : 2 * half * inner])
        if joined % 2:
            ufunc(made[:, :inner], wide[:, 2 * half * inner :], out=made[:, :inner])
        wide, joined = made, half
    return np.ascontiguousarray(wide)


def _products(x: np.ndarray) -> np.ndarray:
    """The sum over the middle axis, tile by tile."""
    outer, count, inner = x.shape
    tiles, step = _tiles(count, inner)
    rest = count - tiles * step
    ones = _ones(step, x.dtype.char)
    if step == count:
        whole: np.ndarray = np.matmul(ones, x)
        return whole
    sums = np.matmul(ones, x[:, : tiles * step].reshape(outer, tiles, step, inner))
    total: np.ndarray = np.add.reduce(sums, axis=1)
    if rest:
        total += np.matmul(ones[:rest], x[:, tiles * step :])
    return total


@functools.lru_cache(1024)
def _tiles(count: int, inner: int) -> tuple[int, int]:
    """How many tiles of how many rows each, so that few rows or none are left over."""
    least = -(-count * inner // _TILE)
    tiles = next((n for n in range(least, min(2 * least, count) + 1) if count % n == 0), least)
    step = -(-count // tiles)
    return count // step, step


@functools.lru_cache(256)
def _ones(count: int, code: str) -> np.ndarray:
    return np.ones(count, code)


def reduce_rows(ufunc: Any, x: Any) -> Any:
    """`ufunc.reduce` over the last axis, which stays as one of size 1.

    Args:
      ufunc: `add`, `maximum`, `minimum`, `multiply` or the like.
      x: Array of numpy's, of at least one axis.
    """
    if x.size < MANY or not x.flags.c_contiguous:
        return ufunc.reduce(x, axis=-1, dtype=x.dtype, keepdims=True)
    return _rows(ufunc, x.reshape(-1, x.shape[-1])).reshape(*x.shape[:-1], 1)


def _rows(ufunc: Any, x: np.ndarray) -> np.ndarray:
    """The reduction of each row of a matrix; an extreme of 0 has no sign.

    Which of two zeros is found depends on the way, and that on other rows: on their number, and on
    NaNs in them.
    """
    found = _reduced_rows(ufunc, x)
    if x.dtype.kind == "f" and x.shape[1] > 1 and (ufunc is np.maximum or ufunc is np.minimum):
        found += x.dtype.type(0)
    return found


def _reduced_rows(ufunc: Any, x: np.ndarray) -> np.ndarray:
    found: np.ndarray
    if x.shape[1] == 1:
        return x[:, 0].copy()
    if ufunc is np.add and adds_stretches(x.dtype):
        return _sums(x)
    is_extreme = ufunc is np.maximum or ufunc is np.minimum
    extremes = extremes_of_rows(ufunc.__name__, x) if is_extreme else None
    if extremes is not None:
        return extremes
    if len(x) > 1 and x.dtype.char in _BY_COLUMNS:
        return _by_columns(ufunc, x) if x.shape[1] <= _COLUMNS else _across(ufunc, x)
    if x.shape[1] >= 4 * _WIDE and not is_extreme:
        lines = x.shape[1] // _WIDE
        many = x[:, : lines * _WIDE].reshape(len(x), lines, _WIDE)
        found = ufunc.reduce(ufunc.reduce(many, axis=1, dtype=x.dtype), axis=1, dtype=x.dtype)
        if lines * _WIDE < x.shape[1]:
            rest = ufunc.reduce(x[:, lines * _WIDE :], axis=1, dtype=x.dtype)
            found = ufunc(found, rest)
        return found
    found = ufunc.reduce(x, axis=1, dtype=x.dtype)
    return found


def _sums(x: np.ndarray) -> np.ndarray:
    sums, rest = stretch_sums(x)
    if not sums.size:
        return rest
    found: np.ndarray = np.add.reduce(sums, axis=1, dtype=x.dtype)
    if rest.size:
        found += rest
    return found


def stretch_sums(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The sum of each whole stretch of each row of a matrix, and of what is left of each row.

    Args:
      x: Matrix of shape [n, length], of a type that `adds_stretches`.

    Returns:
      Arrays of shape [n, stretches], and of shape [n] or, if nothing is left, [0].
    """
    rows, length = x.shape
    stretches = length // STRETCH
    whole = stretches * STRETCH
    if not stretches:
        return np.empty((rows, 0), x.dtype), np.einsum("ij->i", x)
    sums = np.einsum("ijk->ij", x[:, :whole].reshape(rows, stretches, STRETCH))
    return sums, np.einsum("ij->i", x[:, whole:]) if whole < length else np.empty(0, x.dtype)


def adds_stretches(dtype: Any) -> bool:
    """Whether numbers of a type are added up stretch by stretch."""
    return dtype.char in _ADDED


def _by_columns(ufunc: Any, x: np.ndarray) -> np.ndarray:
    found: np.ndarray = ufunc(x[:, 0], x[:, 1])
    for column in range(2, x.shape[1]):
        ufunc(found, x[:, column], out=found)
    return found


def _across(ufunc: Any, x: np.ndarray) -> np.ndarray:
    """Copies rows into columns, as 16 bytes at a time, and reduces along those."""
    count, length = x.shape
    size = length * x.itemsize
    together = next((kind for width, kind in _GROUPS if size % width == 0), x.dtype)
    groups = x.view(together)
    step = max(1, _BLOCK // length)
    columns = np.empty((groups.shape[1], min(step, count)), together)
    found = np.empty(count, x.dtype)
    for start in range(0, count, step):
        part = groups[start : start + step]
        place = columns[:, : len(part)]
        place[...] = part.T
        made = ufunc.reduce(place.view(x.dtype), axis=0, dtype=x.dtype).reshape(len(part), -1)
        out = found[start : start + step]
        out[...] = made[:, 0]
        for column in range(1, made.shape[1]):
            ufunc(out, made[:, column], out=out)
    return found
