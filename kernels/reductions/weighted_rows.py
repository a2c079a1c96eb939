"""Weighted sums of rows of an array, and their gradients, in one pass.

Each row of a result has some rows of the source with a weight each: a sparse matrix, whose product
scipy has as a loop in C.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]


class Weighted(NamedTuple):
    """Which rows make each row of a result, and with which weights."""

    starts: Array
    """Where each result's rows begin in the others, and where the last one's end."""
    places: Array
    """Rows of the source, none of them out of bounds."""
    weights: Array
    """Of the elements' type."""

    def part(self, some: slice) -> Weighted:
        """The sums of some results."""
        return self._replace(starts=self.starts[some.start : some.stop + 1])


def weighted(places: Array, weights: Array, used: Array | None = None) -> Weighted:
    """The sums of as many rows each, but for results that are not used, which are zeros.

    Args:
      places: Rows of the source, (results, rows).
      weights: Of the same shape.
      used: Which results have sums, (results); None if all have.
    """
    count, each = places.shape
    if used is None:
        starts = np.arange(0, count * each + 1, each, dtype=np.int32)
    else:
        starts = np.zeros(count + 1, np.int32)
        np.cumsum(used, out=starts[1:])
        starts *= each
        places, weights = places[used], weights[used]
    return Weighted(starts, places.astype(np.int32).reshape(-1), weights.reshape(-1))


def take(source: Array, sums: Weighted, out: Array) -> None:
    """Fills the rows of `out`, (results, ...), with sums of those of `source`, (rows, ...).

    All arrays are of one type, float32 or float64, and in C order.
    """
    width = out.size // max(1, len(out))
    if (loops := _loops()) is None:
        matrix = _matrix(sums, len(out), len(source))
        out.reshape(len(out), -1)[...] = matrix @ source.reshape(len(source), -1)
        return
    out[...] = 0
    loops[0](len(out), len(source), width, *sums, source.reshape(-1), out.reshape(-1))


def add(target: Array, sums: Weighted, grads: Array) -> None:
    """Adds what each row of `grads`, (results, ...), gives to the rows of `target` that it is made
    of, one after the other; arrays are as those of `take`."""
    width = grads.size // max(1, len(grads))
    if (loops := _loops()) is None:
        matrix = _matrix(sums, len(grads), len(target))
        rows = target.reshape(len(target), -1)
        rows += matrix.T @ grads.reshape(len(grads), -1)
        return
    loops[1](len(target), len(grads), width, *sums, grads.reshape(-1), target.reshape(-1))


def _matrix(sums: Weighted, results: int, rows: int) -> Any:
    from scipy import sparse

    first, last = sums.starts[0], sums.starts[-1]
    arrays = sums.weights[first:last], sums.places[first:last], sums.starts - first
    return sparse.csr_matrix(arrays, (results, rows))


@cache
def _loops() -> tuple[Any, Any] | None:
    """`Y += A X` for a sparse A in rows, and in columns; None if this scipy does not have them."""
    try:
        from scipy.sparse import _sparsetools

        loops = _sparsetools.csr_matvecs, _sparsetools.csc_matvecs
        starts, places = np.array([0, 2, 3], np.int32), np.array([0, 1, 1], np.int32)
        made = np.zeros((2, 4), np.float32)
        weights, rows = np.array([1, 2, 3], np.float32), np.arange(4, dtype=np.float32)
        for loop, result in zip(loops, made, strict=True):
            loop(2, 2, 2, starts, places, weights, rows, result)
    except Exception:  # They are no public functions: there is another way.
        return None
    return loops if made.tolist() == [[4, 7, 6, 9], [0, 1, 6, 11]] else None
