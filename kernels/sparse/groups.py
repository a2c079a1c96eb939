"""Elements of sparse tensors by what some of their coordinates are."""

from __future__ import annotations

from typing import Any

import numpy as np


def starts_of_runs(indices: Any) -> Any:
    """Where coordinates begin that differ from those before them."""
    if not len(indices):
        return np.zeros(0, np.int64)
    differs = (indices[1:] != indices[:-1]).any(axis=1)
    return np.concatenate([[0], np.flatnonzero(differs) + 1])


def is_increasing(indices: Any) -> bool:
    """Whether each row of coordinates comes behind the one before it."""
    steps = np.diff(indices, axis=0)
    if not steps.size:
        return len(indices) < 2
    decisive = np.take_along_axis(steps, (steps != 0).argmax(axis=1)[:, None], axis=1)
    return bool((decisive > 0).all())


def merged(a: Any, b: Any) -> tuple[Any, Any, Any]:
    """The coordinates of two lists, put together as two sorted lists are.

    Returns:
      The coordinates, and for each the place in the one and in the other list, -1 for none.
    """
    if is_increasing(a) and is_increasing(b):
        both = np.concatenate([a, b])
        found, codes = np.unique(both, axis=0, return_inverse=True)
        codes = codes.reshape(-1)
        first, second = (np.full(len(found), -1) for _ in range(2))
        first[codes[: len(a)]] = np.arange(len(a))
        second[codes[len(a) :]] = np.arange(len(b))
        return found, first, second
    return _merged_one_by_one(a, b)


def _merged_one_by_one(a: Any, b: Any) -> tuple[Any, Any, Any]:
    """What comes of lists that are not in order depends on how they are gone through."""
    mine, others = [tuple(row) for row in a.tolist()], [tuple(row) for row in b.tolist()]
    i = j = 0
    pairs = []
    while i < len(mine) or j < len(others):
        takes_mine = j == len(others) or (i < len(mine) and mine[i] <= others[j])
        takes_other = i == len(mine) or (j < len(others) and others[j] <= mine[i])
        pairs.append((i if takes_mine else -1, j if takes_other else -1))
        i, j = i + takes_mine, j + takes_other
    first, second = (np.array(column, np.int64) for column in zip(*pairs, strict=True))
    found = np.where((first >= 0)[:, None], a[first], b[second])
    return found, first, second
