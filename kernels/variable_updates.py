"""Changing several variables as one: their locks, their arrays, and rows that come twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from dataflow.kernels.resources import Variable, frozen

Change = Callable[[list[Any], list[bool]], Sequence[Any]]
"""`f(values, owned)`: the new values; it may write to the arrays that are owned."""


def update_together(cells: Sequence[Variable], change: Change) -> None:
    """Replaces the values of variables by what `change` makes of them; excludes other writers.

    A variable that is named twice ends up with the last of the new values.

    Args:
      cells: The variables.
      change: Called with the values and with whether nobody else holds each. It must not read the
        variables, and must not write before it is sure not to raise.
    """
    if len(cells) == 1:
        cells[0].update(lambda value, owned: change([value], [owned])[0])
        return
    # One order for all, or two updates could wait for each other.
    distinct = sorted(set(cells), key=id)
    for cell in distinct:
        cell.lock.acquire()
    try:
        if len(distinct) == len(cells):
            _nested(cells, [], [], change)
            return
        results = change([cell.value for cell in cells], [False] * len(cells))
        for cell, result in zip(cells, results, strict=True):
            cell.value = frozen(result)
    finally:
        for cell in distinct:
            cell.lock.release()


def _nested(
    cells: Sequence[Variable], values: list[Any], owned: list[bool], change: Change
) -> Sequence[Any]:
    """Enters the update of each variable within that of the one before."""
    at = len(values)
    results: Sequence[Any] = ()

    def enter(value: Any, is_owned: bool) -> Any:
        nonlocal results
        inner = [*values, value], [*owned, is_owned]
        results = change(*inner) if at + 1 == len(cells) else _nested(cells, *inner, change)
        return results[at]

    cells[at].update(enter)
    return results


def writable(xp: Any, value: Any, owned: bool) -> Any:
    """The array to write the new value into, in C order; never a numpy scalar."""
    return value if owned and value.flags.c_contiguous else xp.array(value, order="C")


def stored(array: Any) -> Any:
    """The array as a variable holds it: a scalar of the host is a numpy scalar."""
    return array if array.ndim else array[()]


def rounds(xp: Any, indices: Any) -> Iterator[Any]:
    """Index arrays or slices of places in `indices`, in none of which an index comes twice.

    The first round takes each index the first time it comes, the second the second time, and so
    on: updating round after round is updating one after the other.
    """
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
