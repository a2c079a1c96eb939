"""Reduces groups of rows that follow one another: `ufunc.reduceat` over rows.

numpy's own starts a loop for each group and column, 10 ns each. Where that is dear, groups are
reduced one by one, row by row, or all together: their first rows with their second ones, then with
their third ones.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dataflow.kernels.threads.stopping import look

_SECONDS_OF_COLUMN: Final = 13e-9
_SECONDS_OF_GROUP: Final = 1.3e-6
_SECONDS_OF_ROW: Final = 25e-9
_SECONDS_OF_ROUND: Final = 2e-6
"""What each column of a group, each group, each row of groups that are reduced one by one, and each
row of the longest group take, about,"""
_OF_REDUCEAT: Final = 0.7e-9
_OF_GROUPS: Final = 0.12e-9
_OF_ROUNDS: Final = 0.3e-9
"""and what an element takes besides."""
_STRETCH: Final = 1 << 16
"""Groups that are reduced between looks whether the step was stopped."""
_FEW: Final = 1 << 12
"""Elements up to which the choice takes longer than what it saves."""


def reduce_groups(ufunc: Any, rows: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """The reduction of each group of rows, shape [groups, ...].

    Args:
      ufunc: Of two operands.
      rows: Array of shape [n, ...].
      starts: Where each group begins, ascending from 0, shape [groups].
    """
    reduced: np.ndarray
    if rows.size <= _FEW or not starts.size:
        reduced = ufunc.reduceat(rows, starts, axis=0)
        return reduced
    sizes = np.diff(starts, append=len(rows))
    longest, groups, columns = int(sizes.max()), len(starts), rows.size // len(rows)
    at_once = groups * columns * _SECONDS_OF_COLUMN + rows.size * _OF_REDUCEAT
    one_by_one = groups * _SECONDS_OF_GROUP + len(rows) * _SECONDS_OF_ROW + rows.size * _OF_GROUPS
    in_rounds = (3 + longest) * _SECONDS_OF_ROUND + rows.size * _OF_ROUNDS
    least = min(at_once, one_by_one, in_rounds)
    if least == at_once:
        reduced = _at_once(ufunc, rows, starts)
    elif least == one_by_one:
        reduced = _one_by_one(ufunc, rows, starts, sizes)
    else:
        reduced = _in_rounds(ufunc, rows, starts, sizes)
    return reduced


def _at_once(ufunc: Any, rows: np.ndarray, starts: np.ndarray) -> Any:
    if len(starts) <= _STRETCH:
        return ufunc.reduceat(rows, starts, axis=0)
    out = np.empty((len(starts), *rows.shape[1:]), rows.dtype)
    ends = np.append(starts, len(rows))
    for place in range(0, len(starts), _STRETCH):
        look()
        some = starts[place : place + _STRETCH]
        part = rows[some[0] : ends[place + len(some)]]
        ufunc.reduceat(part, some - some[0], axis=0, out=out[place : place + _STRETCH])
    return out


def _one_by_one(ufunc: Any, rows: np.ndarray, starts: np.ndarray, sizes: np.ndarray) -> Any:
    out = np.empty((len(starts), *rows.shape[1:]), rows.dtype)
    for place, (start, size) in enumerate(zip(starts.tolist(), sizes.tolist(), strict=True)):
        if not place % _STRETCH:
            look()
        ufunc.reduce(rows[start : start + size], axis=0, out=out[place, ...])
    return out


def _in_rounds(ufunc: Any, rows: np.ndarray, starts: np.ndarray, sizes: np.ndarray) -> Any:
    order = np.argsort(-sizes, kind="stable")
    starts, sizes = starts[order], sizes[order]
    made = rows.take(starts, axis=0)
    spare = np.empty_like(made)
    # The groups that have a row of this number stand first.
    numbers = np.arange(1, int(sizes[0]))
    counts = np.searchsorted(-sizes, -numbers, side="left")
    for number, count in enumerate(counts.tolist(), 1):
        look()
        some = rows.take(starts[:count] + number, axis=0, out=spare[:count], mode="clip")
        ufunc(made[:count], some, out=made[:count])
    out = np.empty_like(made)
    out[order] = made
    return out
