"""Copies of transposed arrays into the order of rows, in strips that stay in the cache.

numpy goes through the copy in its order, and reads a large matrix column by column: every number
from another cache line, that is gone again when its neighbour is wanted.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from dataflow.kernels.threads.parallel import grain_of, split, split_rows

_LINE: Final = 64
"""Bytes of a cache line: the least width of a strip."""
_LONG: Final = 64
"""Numbers that lie together, from which strips pay."""
_PIXEL: Final = 8
"""Numbers that are too few for a loop of their own."""
_CACHE: Final = 1 << 15
"""Bytes of a matrix from which it does not fit the first cache, and of what a strip goes through
for each number of a column."""
_SECONDS: Final = 8e-10
"""What a number takes, about."""


def packed(x: np.ndarray) -> np.ndarray:
    """A copy in the order of rows."""
    out = np.empty(x.shape, x.dtype)
    pack_into(out, x)
    return out


def pack_into(out: np.ndarray, x: np.ndarray) -> None:
    """Copies an array into one of its shape, a large one on several threads.

    Args:
      out: Array in the order of rows.
      x: What is copied.
    """
    line = _LINE // max(1, x.itemsize)
    axis = -1 if line < 2 or x.dtype == object else _column(x, line)
    if axis < 0:
        if x.ndim > 1:
            copy_some = _copy_pixels if _has_pixels(x) else np.copyto
            split_rows(len(x), x.size, _SECONDS, lambda part: copy_some(out[part], x[part]))
        else:
            out[...] = x
        return
    # From one number of a column to the next, all of a strip that is beside it is gone through.
    beside = math.prod(x.shape[axis + 1 : -1]) * max(1, abs(x.strides[-1]))
    width = max(line, _CACHE // beside // line * line)

    def copy(first: int, last: int) -> None:
        for start in range(first * width, last * width, width):
            out[..., start : start + width] = x[..., start : start + width]

    count = -(-x.shape[-1] // width)
    split(count, grain_of(count, x.size * _SECONDS), copy)


def _has_pixels(x: Any) -> bool:
    """Whether few numbers lie together, and what is behind them elsewhere."""
    run, (beside, step) = x.shape[-1], x.strides[-2:]
    return bool(1 < run <= _PIXEL and step == x.itemsize and beside != run * step)


def _copy_pixels(out: np.ndarray, x: np.ndarray) -> None:
    """Copies the first number of all pixels, then the second: those of one would be a loop each."""
    for place in range(x.shape[-1]):
        np.copyto(out[..., place], x[..., place])


def _column(x: Any, line: int) -> int:
    """The axis whose numbers lie together, of a large matrix or many; -1 for other arrays."""
    if x.ndim < 2 or x.strides[-1] == x.itemsize or x.shape[-1] < line:
        return -1
    axis = max(range(x.ndim), key=lambda a: x.shape[a] * (x.strides[a] == x.itemsize))
    length = x.shape[axis] * (x.strides[axis] == x.itemsize)
    is_large = length >= _LONG and length * x.shape[-1] * x.itemsize > _CACHE
    return axis if is_large else -1
