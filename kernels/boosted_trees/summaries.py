"""Summaries of weighted values: sorted, with bounds of each one's rank.

The rank of a value is the weight of all that are less. Merging keeps the bounds true, compressing
widens them by a known part of the whole weight ("Space-efficient online computation of quantile
summaries", 2001; the weighted form is that of "XGBoost: A Scalable Tree Boosting System", 2016).
"""

from __future__ import annotations

import functools
from typing import Any, Final

import numpy as np

_FLOAT_ERROR: Final = 1e-6
"""Relative: by more than this no difference of two float32 is rounded."""


class Summary:
    """Values in order, and for each its weight, its least and its greatest rank; all float32."""

    __slots__ = ("max_ranks", "min_ranks", "values", "weights")

    def __init__(self, values: Any, weights: Any, min_ranks: Any, max_ranks: Any) -> None:
        """Takes vectors of one size."""
        self.values = values
        self.weights = weights
        self.min_ranks = min_ranks
        self.max_ranks = max_ranks

    @classmethod
    def of_rows(cls, rows: Any) -> Summary:
        """The summary whose vectors are the four columns of a matrix."""
        return cls(*np.ascontiguousarray(np.asarray(rows, np.float32).T))

    @classmethod
    def of_values(cls, values: Any, weights: Any) -> Summary:
        """The exact summary of values in any order, whose weights are greater than 0."""
        order = np.argsort(values, kind="stable")
        values, weights = values[order], weights[order]
        if values.size:
            starts = np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1]]))
            values, weights = values[starts], np.add.reduceat(weights, starts)
        ends = np.cumsum(weights, dtype=np.float32)
        return cls(values, weights, np.concatenate([ends[:0], [np.float32(0)], ends])[:-1], ends)

    def __len__(self) -> int:
        return len(self.values)

    @property
    def rows(self) -> Any:
        """A matrix with a row for each value."""
        columns = self.values, self.weights, self.min_ranks, self.max_ranks
        return np.stack(columns, axis=1).astype(np.float32, copy=False)

    @property
    def total_weight(self) -> float:
        """The weight of all values."""
        return float(self.max_ranks[-1]) if len(self) else 0.0

    @property
    def ranks_before(self) -> Any:
        """The greatest rank that the next smaller value may have."""
        return self.max_ranks - self.weights

    @property
    def ranks_behind(self) -> Any:
        """The least rank that the next larger value may have."""
        return self.min_ranks + self.weights

    def merged(self, other: Summary) -> Summary:
        """The summary of the values of both."""
        if not len(other):
            return self
        if not len(self):
            return other
        ours, theirs = self._among(other), other._among(self)
        stays = ~theirs[-1]
        columns = [np.concatenate([a, b[stays]]) for a, b in zip(ours[:4], theirs[:4], strict=True)]
        order = np.argsort(columns[0], kind="stable")
        return Summary(*(column[order] for column in columns))

    def _among(self, other: Summary) -> tuple[Any, ...]:
        """The own columns with what the other one adds to ranks; and which values both have."""
        count = len(other)
        places = np.searchsorted(other.values, self.values)
        at = np.minimum(places, count - 1)
        before = np.where(places, other.ranks_behind[places - 1], np.float32(0))
        behind = np.where(places < count, other.ranks_before[at], other.max_ranks[-1])
        same = (places < count) & (other.values[at] == self.values)
        return (
            self.values,
            self.weights + np.where(same, other.weights[at], np.float32(0)),
            self.min_ranks + np.where(same, other.min_ranks[at], before),
            self.max_ranks + np.where(same, other.max_ranks[at], behind),
            same,
        )

    def compressed(self, size: int, least_error: float) -> Summary:
        """A summary of about `size` values, the first and the last ones among them.

        Args:
          size: How many values to keep, as a hint.
          least_error: By which part of the whole weight bounds may widen in any case.
        """
        count, size = len(self), max(size, 2)
        if count <= size:
            return self
        allowed = self.total_weight * max(1.0 / size, least_error)
        kept = _kept(self.ranks_before, self.ranks_behind, allowed, size)
        columns = self.values, self.weights, self.min_ranks, self.max_ranks
        return Summary(*(column[kept] for column in columns))

    @property
    def error(self) -> float:
        """By which part of the whole weight a rank may be off."""
        if not len(self):
            return 0.0
        within = (self.max_ranks - self.min_ranks - self.weights)[1:]
        between = self.ranks_before[1:] - self.ranks_behind[:-1]
        gap = max(np.max(within, initial=0), np.max(between, initial=0))
        with np.errstate(all="ignore"):
            return float(np.float64(gap) / self.total_weight)

    def boundaries(self, count: int) -> Any:
        """About `count` different values, between which there is about the same weight."""
        error = float(np.float32(self.error + 1.0 / count))
        return self.compressed(count, error).values

    def quantiles(self, count: int) -> Any:
        """The values at `count` + 1 equal steps of the rank, from the least to the greatest.

        There are 2 steps at least.
        """
        if not len(self):
            return self.values
        count = max(count, 2)
        middles = self.min_ranks + self.max_ranks
        found, at = [], 0
        for step in range(count + 1):
            wanted = 2 * (np.float32(step) * self.max_ranks[-1] / np.float32(count))
            # Ranks are the greater the larger the value is.
            beyond = np.flatnonzero(middles[at + 1 :] > wanted)
            behind = at + 1 + int(beyond[0]) if beyond.size else len(self)
            at = behind - 1
            is_last = behind == len(self)
            if is_last or wanted < self.ranks_behind[at] + self.ranks_before[behind]:
                found.append(self.values[at])
            else:
                found.append(self.values[behind])
        return np.array(found, np.float32)


EMPTY: Final = Summary(*np.zeros((4, 0), np.float32))


def _kept(before: Any, behind: Any, allowed: float, size: int) -> Any:
    """Which places a compressed summary keeps: the first, the last, and those between them that
    are no farther from each other than is allowed, and no more than the size asks for."""
    count = len(before)
    froms, tos, asked = _by_count(count, size)
    gaps = before[tos[asked]] - behind[froms[asked]]
    if (gaps.astype(np.float64) <= allowed).all() and (before[1:] >= before[:-1]).all():
        kept = np.concatenate([[0], tos])
    else:
        kept = np.array(_by_gaps(before, behind, allowed, size))
    return kept if kept[-1] + 1 == count else np.append(kept, count - 1)


@functools.lru_cache(32)
def _by_count(count: int, size: int) -> tuple[Any, Any, Any]:
    """The steps between places that are kept where all gaps are small: from which, to which, and
    whether the gap matters, which it does not for the next place where enough were left out."""
    froms, tos, asked, read, saved = [], [], [], 0, 0
    while read + 1 < count:
        steps = min(max(-((saved - count) // size), 0), count - 1 - read)
        saved += steps * size - count
        froms.append(read)
        read += max(steps, 1)
        tos.append(read)
        asked.append(steps > 0)
    return np.array(froms), np.array(tos), np.array(asked)


def _by_gaps(before: Any, behind: Any, allowed: float, size: int) -> list[int]:
    count = len(before)
    firsts, lasts = behind.tolist(), before.tolist()
    surely, hardly = allowed * (1 - _FLOAT_ERROR), allowed * (1 + _FLOAT_ERROR)
    kept, read, saved = [0], 0, 0
    while read + 1 < count:
        following, start = read + 1, firsts[read]
        while following < count and saved < count:
            gap = lasts[following] - start
            if gap > surely and (gap > hardly or float(before[following] - behind[read]) > allowed):
                break
            saved += size
            following += 1
        read = max(following - 1, read + 1)
        kept.append(read)
        saved -= count
    return kept
