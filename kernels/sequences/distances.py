"""Levenshtein's distance, for many pairs of sequences at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dataflow.kernels.threads.stopping import look


def distances(sequences: Sequence[Any], others: Sequence[Any]) -> Any:
    """How many elements to put in, take out or change to make each sequence the other one.

    A row of the table of all distances between beginnings is made of the one before it; what comes
    from the left in the same row is a running minimum.
    """
    first, second = _padded(sequences, -1), _padded(others, -2)
    ends = np.array([len(each) for each in others], np.intp)
    lengths = np.array([len(each) for each in sequences], np.intp)
    places = np.arange(second.shape[1] + 1)
    row = np.broadcast_to(places, (len(sequences), places.size))
    pairs = np.arange(len(sequences))
    found = row[pairs, ends].copy()
    for number in range(first.shape[1]):
        changed = row[:, :-1] + (second != first[:, number : number + 1])
        best = np.empty_like(row)
        best[:, 0] = number + 1
        best[:, 1:] = np.minimum(row[:, 1:] + 1, changed)
        row = np.minimum.accumulate(best - places, axis=1) + places
        is_end = lengths == number + 1
        found[is_end] = row[pairs[is_end], ends[is_end]]
        look()
    return found


def _padded(sequences: Sequence[Any], filler: int) -> Any:
    sizes = np.array([len(each) for each in sequences], np.intp)
    table = np.full((len(sequences), int(sizes.max(initial=0))), filler)
    table[np.arange(table.shape[1]) < sizes[:, None]] = np.concatenate(sequences)
    return table
