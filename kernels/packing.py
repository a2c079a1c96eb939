"""Copies of transposed arrays into the order of rows, in strips that stay in the cache.

numpy goes through the copy in its order, and reads a large matrix column by column: every number
from another cache line, that is gone again when its neighbour is wanted.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

_LINE: Final = 64
"""Bytes of a cache line: the width of a strip."""
_LONG: Final = 64
"""Numbers that lie together, from which strips pay."""
_LARGE: Final = 1 << 15
"""Bytes of a matrix from which it does not fit the first cache."""


def packed(x: np.ndarray) -> np.ndarray:
    """A copy in the order of rows."""
    out = np.empty(x.shape, x.dtype)
    pack_into(out, x)
    return out


def pack_into(out: np.ndarray, x: np.ndarray) -> None:
    """Copies an array into one of its shape.

    Args:
      out: Array in the order of rows.
      x: What is copied.
    """
    width = _LINE // max(1, x.itemsize)
    if width < 2 or x.dtype == object or not _is_transposed(x, width):
        out[...] = x
        return
    for start in range(0, x.shape[-1], width):
        out[..., start : start + width] = x[..., start : start + width]


def _is_transposed(x: Any, width: int) -> bool:
    """True for large matrices whose columns lie together, or many of them."""
    if x.ndim < 2 or x.strides[-1] == x.itemsize or x.shape[-1] < width:
        return False
    together = [n for n, stride in zip(x.shape, x.strides, strict=True) if stride == x.itemsize]
    length = max(together, default=0)
    return length >= _LONG and length * x.shape[-1] * x.itemsize > _LARGE
