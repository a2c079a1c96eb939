"""Arithmetic of arrays (..., channels) with vectors that have one element a channel.

Broadcasting a short vector makes the inner loop as short as the vector. Here several rows are taken
as one, and the vector repeated as often.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.reductions.parts import LARGE
from dataflow.kernels.threads.parallel import grain_of, split, split_rows

_ROW: Final = 1 << 14
"""Elements of a row that make the cost of starting it vanish."""
_SUM_ROW: Final = 1 << 12
"""The same for sums, whose row of totals is to stay in the nearest cache."""

_SUM_PART: Final = 1 << 17
"""Elements of the rows that are summed up at a time."""
_CHANGED_PART: Final = 1 << 15
"""The same where something is computed with them before."""
_SECONDS: Final = 1e-10
"""What it takes to add an element, about."""


def as_long_rows(array: Any, length: int = _ROW) -> Any:
    """A view of (rows, groups * channels), or a copy of an array that is not contiguous."""
    return array.reshape(-1, _group(array, length) * array.shape[-1]) if array.size else array


def repeated(vector: Any, rows: Any) -> Any:
    """The vector as often as a row of `as_long_rows` has room for it."""
    count = rows.shape[-1] // max(1, vector.shape[0])
    return vector if count <= 1 else vector[None].repeat(count, 0).reshape(-1)


def channel_sum(array: Any, dtype: Any) -> Any:
    """The sum over all axes but the last, first of rows far apart and then of near ones.

    Two short sums lose fewer digits than a long one.
    """
    channels = array.shape[-1]
    if not array.size:
        return array.sum(axis=tuple(range(array.ndim - 1)), dtype=dtype)
    rows = _row_sum(as_long_rows(array, _SUM_ROW), dtype)
    if rows.shape[0] == channels:
        return rows
    return rows.reshape(-1, channels).sum(axis=0, dtype=dtype)


def channel_moments(rows: Any) -> tuple[Any, Any]:
    """Mean and variance, that of the population, of each column of float32 rows; there are some."""
    count, channels = np.float32(rows.shape[0]), rows.shape[1]
    mean = channel_sum(rows, np.float32) / count
    long = as_long_rows(rows, _SUM_ROW)
    middle = repeated(mean, long)

    def square(stretch: Any) -> Any:
        off = stretch - middle
        return np.multiply(off, off, out=off)

    sums = _row_sum(long, np.float32, square)
    return mean, sums.reshape(-1, channels).sum(axis=0, dtype=np.float32) / count


def _row_sum(rows: Any, dtype: Any, change: Callable[[Any], Any] | None = None) -> Any:
    """The sum over the first axis; of many rows a sum of sums, by several threads.

    Args:
      rows: A matrix.
      dtype: Type of the result.
      change: Gives for a stretch of rows what is to be summed up instead.
    """
    if change is None and (type(rows) is not np.ndarray or rows.size < LARGE):
        return rows.sum(axis=0, dtype=dtype)
    count, length = rows.shape
    step = max(1, (_SUM_PART if change is None else _CHANGED_PART) // length)
    parts = -(-count // step)
    sums = np.empty((parts, length), dtype)

    def add(first: int, last: int) -> None:
        for part in range(first, last):
            stretch = rows[part * step : (part + 1) * step]
            terms = stretch if change is None else change(stretch)
            np.add.reduce(terms, axis=0, dtype=dtype, out=sums[part])

    seconds = _SECONDS if change is None else 3 * _SECONDS
    split(parts, grain_of(parts, rows.size * seconds), add)
    return sums.sum(axis=0, dtype=dtype)


def map_rows(
    xp: Any, rows: Any, dtype: Any, function: Callable[[slice, Any], Any], seconds: float = 1e-9
) -> Any:
    """An array like `rows` of a type, filled by `function(part, out)`, by several threads.

    Args:
      xp: The array library.
      rows: What `as_long_rows` gives.
      dtype: Element type of the result.
      function: Gets a stretch of rows, and where the results of these are to be written.
      seconds: What an element takes, about.
    """
    out = xp.empty(rows.shape, dtype)
    if xp is not np or not rows.ndim:
        function(slice(None), out)
    else:
        split_rows(rows.shape[0], rows.size, seconds, lambda part: function(part, out[part]))
    return out


def _group(array: Any, length: int) -> int:
    """How many rows become one, of a length at most: a power of two that divides their number."""
    channels: int = array.shape[-1]
    rows: int = math.prod(array.shape[:-1])
    group = rows & -rows
    while group > 1 and group * channels > length:
        group //= 2
    return group
