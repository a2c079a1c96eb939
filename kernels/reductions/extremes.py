"""The largest or the smallest number of each row of a float32 matrix, by oneDNN.

It loses NaNs, which raise the processor's flag of invalid operations, and takes the largest or the
smallest finite number for what infinities come to.
"""

from __future__ import annotations

import functools
from typing import Final

import numpy as np

from dataflow.kernels.onednn import trial
from dataflow.kernels.onednn.addresses import address_of
from dataflow.kernels.onednn.invalid_flag import flag
from dataflow.kernels.onednn.library import FLOAT32, REDUCE, Library, compiled
from dataflow.kernels.onednn.primitive import (
    RESULT,
    SOURCE,
    Description,
    Layout,
    Primitive,
    are_float32,
)

_LARGEST: Final = np.finfo(np.float32).max
_KINDS: Final = {"maximum": (0x2FFF2, -_LARGEST), "minimum": (0x2FFF3, _LARGEST)}
"""By the names of numpy's functions oneDNN's number, and what it begins with."""
_SHORT: Final = 16
_FEW: Final = 32
"""Numbers of a row, and rows, from which on it is the fastest way."""
_KEPT: Final = 256
"""Codes that are kept."""


def extremes_of_rows(name: str, rows: np.ndarray) -> np.ndarray | None:
    """The extreme of each row; None if oneDNN cannot, or there is a NaN or nothing finite in one.

    Args:
      name: "maximum" or "minimum".
      rows: A matrix in C order, not empty.
    """
    is_small = len(rows) < _FEW or rows.shape[1] < _SHORT
    if is_small or not are_float32(rows) or not _is_exact(name):
        return None
    return _extremes(name, rows)


def _extremes(name: str, rows: np.ndarray) -> np.ndarray | None:
    code, known = _code(name, *rows.shape), flag()
    if code is None or known is None:
        return None
    lower, is_up = known
    found = np.empty(len(rows), FLOAT32)
    lower()
    code.run(address_of(rows), address_of(found))
    return None if is_up() or (found == _KINDS[name][1]).any() else found


@functools.lru_cache(maxsize=_KEPT)
def _code(name: str, count: int, length: int) -> Primitive | None:
    def make(library: Library) -> Primitive:
        source = Layout(library, (count, length), (length, 1))
        result = Layout(library, (count, 1), (1, 1))
        described = Description(library, REDUCE, _KINDS[name][0], source, result, 0.0, 0.0)
        return Primitive(described, ((SOURCE, source), (RESULT, result)))

    return compiled(make)


@functools.cache
def _is_exact(name: str) -> bool:
    """Tries it on numbers, infinite ones and NaNs."""
    rows = trial.numbers(9, 37)
    rows[2, 5], rows[3, 36], rows[4, 0] = np.inf, -np.inf, np.inf

    def run(odd: float) -> bool:
        changed = rows.copy()
        changed[6, 20] = odd
        found = _extremes(name, changed)
        return found is None or not np.array_equal(found, getattr(np, name).reduce(changed, axis=1))

    return trial.tells_of_nans(run)
