"""Writing to rows of an array of which some come several times, in order on any device."""

from __future__ import annotations

from typing import Any

from dataflow.kernels.narrow.functions import is_numpy


def turns_of(xp: Any, indices: Any) -> Any:
    """For each index how many times it came before."""
    order = xp.argsort(indices, kind="stable")
    ordered = indices[order]
    is_first = xp.ones(len(indices), dtype=bool)
    is_first[1:] = ordered[1:] != ordered[:-1]
    first = xp.flatnonzero(is_first)[xp.cumsum(is_first) - 1]
    turns = xp.empty(len(indices), dtype=first.dtype)
    turns[order] = xp.arange(len(indices)) - first
    return turns


def assign(xp: Any, rows: Any, indices: Any, values: Any) -> None:
    """Assigns values to rows, in place; of several for a row the last one stays.

    Args:
      xp: The array library.
      rows: Array of shape [n, ...].
      indices: Row numbers, of shape [m]; there is at least one.
      values: Of shape [m, ...].
    """
    if is_numpy(xp):
        rows[indices] = values
        return
    # A GPU would keep any of them: only the last is assigned.
    is_last = turns_of(xp, indices[::-1])[::-1] == 0
    rows[indices[is_last]] = values[is_last]
