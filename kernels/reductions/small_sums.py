"""Sums of arrays that are too small for clusters and several threads: one call, found for a shape.

From `MANY` floats on it is the BLAS', which takes a half of the time of numpy's sums, or of those
of `contiguous`, of rows of up to some hundred numbers; what remains is mostly what a call costs. It
pays in graphs of many small sums: a memory net's step takes 0.80 of its time, a triplet loss' 0.92.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.reductions.contiguous import MANY, STRETCH, Shape3, as_block
from dataflow.kernels.reductions.reductions import reduced_shape

SMALL: Final = 1 << 16
"""Elements from which on clusters reduce what they make, part by part."""
_TILE: Final = 1 << 13
"""Elements of a matrix that the BLAS multiplies on one thread."""
_SHORT: Final = 512
"""Elements of a row up to which it adds rows faster than numpy does."""

Sum = Callable[[Any], Any]


@functools.lru_cache(1024)
def way_for(
    shape: tuple[int, ...], axes: tuple[int, ...], keep: bool, dtype: np.dtype[Any]
) -> Sum | None:
    """What adds up arrays in C order along axes; None if that is done elsewhere.

    Args:
      shape: Of the arrays.
      axes: Not negative, and different from each other; at least one.
      keep: Leaves axes of size 1.
      dtype: Of the arrays.
    """
    if math.prod(shape) < MANY:
        add_up: Any = np.add.reduce
        return lambda x: add_up(x, axes, dtype, None, keep)
    block = as_block(shape, axes)
    if block is None or math.prod(shape) >= SMALL or dtype.char not in "fd":
        return None
    outer, count, inner = block
    if count == 1:
        return None
    result = reduced_shape(shape, axes, keep)
    if inner > 1:
        return _of_columns(block, result, dtype)
    if count > STRETCH:
        return lambda x: np.add.reduce(x.reshape(outer, count), 1).reshape(result)[()]
    ones = np.ones(count, dtype)
    if outer * count <= _TILE:
        return lambda x: x.reshape(outer, count).dot(ones).reshape(result)[()]
    tiles = _tiles(outer, count)
    if tiles is None:
        return None
    return lambda x: np.matmul(x.reshape(tiles, -1, count), ones).reshape(result)


def _of_columns(block: Shape3, result: tuple[int, ...], dtype: np.dtype[Any]) -> Sum | None:
    """Along the middle axis, whose rows are short."""
    outer, count, inner = block
    if inner > _SHORT:
        return None
    if count * inner <= _TILE:
        ones = np.ones(count, dtype)
        return lambda x: np.matmul(ones, x.reshape(block)).reshape(result)
    tiles = _tiles(count, inner)
    if outer > 1 or tiles is None:
        return None
    each, all_of_them = np.ones(count // tiles, dtype), np.ones(tiles, dtype)
    parts = tiles, count // tiles, inner
    return lambda x: all_of_them.dot(np.matmul(each, x.reshape(parts))).reshape(result)


def _tiles(rows: int, length: int) -> int | None:
    """How many tiles rows of a length are cut into, so that none is left over; None if some are."""
    least = -(-rows * length // _TILE)
    return next((n for n in range(least, min(2 * least, rows) + 1) if rows % n == 0), None)
