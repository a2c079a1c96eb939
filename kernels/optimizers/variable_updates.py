"""Changing variables: the arrays to write to, and rows that come twice."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from dataflow.kernels.memory import aligned
from dataflow.kernels.memory.shared_arrays import is_sent

_SPREAD: Final = 256
"""Rows for each index up to which marking them is faster than sorting to see if one comes twice."""


def writable(xp: Any, value: Any, owned: bool) -> Any:
    """The array to write the new value into, in C order; never a numpy scalar."""
    if owned and value.flags.c_contiguous:
        return value
    return aligned.copy(np.asarray(value)) if xp is np else xp.array(value, order="C")


def combined(function: Any, old: Any, value: Any, owned: bool) -> Any:
    """What a binary function of numpy makes of an old value and another of the same shape, written
    over the old one if that may be done."""
    if owned:
        return function(old, value, out=old)
    if type(old) is np.ndarray and is_sent(old):
        return function(old, value, out=aligned.like(old))
    return function(old, value)


def stored(array: Any) -> Any:
    """The array as a variable holds it: a scalar of the host is a numpy scalar."""
    return array if array.ndim else array[()]


def rounds(xp: Any, indices: Any, limit: int) -> Iterator[Any]:
    """Index arrays or slices of places in `indices`, in none of which an index comes twice.

    The first round takes each index the first time it comes, the second the second time, and so
    on: updating round after round is updating one after the other.

    Args:
      xp: The array module.
      indices: Numbers from 0 on, below the limit.
      limit: How many rows there are.
    """
    if xp is np and limit <= _SPREAD * indices.size and _are_distinct(indices, limit):
        yield slice(None)
        return
    order = xp.argsort(indices, kind="stable")
    ordered = indices[order]
    is_first = xp.ones(len(indices), dtype=bool)
    is_first[1:] = ordered[1:] != ordered[:-1]
    if xp.all(is_first):
        yield slice(None)
        return
    places = xp.arange(len(indices))
    turns = places - places[is_first][xp.cumsum(is_first) - 1]
    by_turn = order[xp.argsort(turns, kind="stable")]
    start = 0
    for size in xp.bincount(turns).tolist():
        yield by_turn[start : start + size]
        start += size


def _are_distinct(indices: np.ndarray, limit: int) -> bool:
    marks = np.zeros(limit, bool)
    marks[indices] = True
    return bool(np.count_nonzero(marks) == indices.size)
