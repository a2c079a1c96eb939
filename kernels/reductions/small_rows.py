"""Sums of the rows of small matrices, by products with ones.

A product takes numpy a third of the time of a reduction of a few rows, and a reduced column that is
then broadcast costs as much again: the product can have each sum at every place of its row.
"""

from __future__ import annotations

import functools
from typing import Any, Final

import numpy as np

_FEW: Final = 1 << 10
"""Elements up to which that is faster,"""
_NARROW: Final = 32
"""and numbers of a row."""


def is_small(x: Any) -> bool:
    """True for numpy's small matrices of floats that a product of numpy's takes."""
    return (
        type(x) is np.ndarray
        and x.ndim == 2
        and 0 < x.size <= _FEW
        and x.shape[1] <= _NARROW
        and x.dtype.char in "fd"
    )


def spread_sums(x: np.ndarray) -> np.ndarray:
    """The sum of each row, at all places of the row."""
    spread: np.ndarray = x.dot(_ones(x.shape[1], x.shape[1], x.dtype.char))
    return spread


def sums(x: np.ndarray) -> np.ndarray:
    """The sum of each row, a vector."""
    found: np.ndarray = x.dot(_ones(x.shape[1], 0, x.dtype.char))
    return found


@functools.cache
def _ones(size: int, columns: int, code: str) -> np.ndarray:
    ones = np.ones((size, columns) if columns else size, code)
    ones.flags.writeable = False
    return ones
