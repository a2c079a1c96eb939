"""Gini's impurity of what is on a side of a split, as float32 numbers give it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

LARGEST: Final = np.finfo(np.float32).max


def weighted_gini(total: Any, squares: Any, classes: int) -> Any:
    """The impurity of counts to each of which one was added, times their sum.

    Args:
      total: The sums of the counts.
      squares: The sums of their squares.
      classes: How many classes there are.
    """
    two, many = np.float32(2), np.float32(classes)
    smoothed = many + total
    gini = np.float32(1) - (squares + two * total + many) / (smoothed * smoothed)
    return total * gini


def sums_in_order(counts: np.ndarray) -> np.ndarray:
    """The sums of rows, added from the left to the right."""
    if not counts.shape[-1]:
        return np.zeros(counts.shape[:-1], np.float32)
    return np.add.accumulate(counts, axis=-1)[..., -1]


def two_best(scores: Sequence[Any]) -> tuple[np.float32, np.float32]:
    """The lowest and the second lowest score."""
    best = second = np.float32(LARGEST)
    for score in scores:
        if score < best:
            best, second = score, best
        elif score < second:
            second = score
    return best, second
