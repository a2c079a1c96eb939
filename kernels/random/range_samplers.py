"""Distributions over the numbers below a bound: what words of a stream are in each.

They use the words as TensorFlow's samplers do, so the same seeds give the same numbers.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from dataflow.kernels.random import philox

Array = Any
"""Of numpy."""


class RangeSampler(Protocol):
    """A distribution over the numbers from 0 up to a bound."""

    @property
    def words(self) -> int:
        """How many words a number takes, if none is rejected."""

    @property
    def possible(self) -> int:
        """How many numbers have a probability above 0."""

    def values(self, words: Array) -> Array:
        """The numbers that words make, one after the other, as int64."""

    def probabilities(self, values: Array) -> Array:
        """How likely each is, as float32."""

    def learn(self, values: Array) -> None:
        """Makes these more likely, if this is a distribution that learns."""


def _pairs(words: Array) -> Array:
    """64-bit words, the low half first."""
    whole = words[: words.size // 2 * 2].astype(np.uint64)
    return whole[0::2] | (whole[1::2] << np.uint64(32))


def _unbiased(words: Array, bound: int) -> Array:
    """Numbers below a bound, all as likely; words that would favour the first are left out."""
    one = words.dtype.type
    if not bound & (bound - 1):
        return (words & one(bound - 1)).astype(np.int64)
    excess = int(np.iinfo(words.dtype).max) % bound + 1
    return (words[words >= one(excess)] % one(bound)).astype(np.int64)


class Uniform:
    """All numbers are as likely."""

    words = 2

    def __init__(self, bound: int) -> None:
        """Numbers from 0 up to `bound`."""
        self.possible = bound
        self._share = np.float32(1.0 / bound)

    def values(self, words: Array) -> Array:
        """See `RangeSampler`."""
        return _unbiased(_pairs(words), self.possible)

    def probabilities(self, values: Array) -> Array:
        """See `RangeSampler`."""
        return np.full(values.shape, self._share)

    def learn(self, values: Array) -> None:
        """Nothing."""


class LogUniform:
    """The probability of n is about 1 / (n + 1): that of words, ordered by how often they occur."""

    words = 2

    def __init__(self, bound: int) -> None:
        """Numbers from 0 up to `bound`."""
        self.possible = bound
        self._scale = np.log1p(float(bound))

    def values(self, words: Array) -> Array:
        """See `RangeSampler`."""
        whole = words[: words.size // 2 * 2]
        uniform = philox.uniform_float64(whole[0::2], whole[1::2])
        # Rounding may bring a number to the bound.
        numbers = (np.exp(uniform * self._scale).astype(np.int64) - 1) % self.possible
        return numbers

    def probabilities(self, values: Array) -> Array:
        """See `RangeSampler`."""
        shares = np.log((values + 2.0) / (values + 1.0)) / self._scale
        return shares.astype(np.float32)

    def learn(self, values: Array) -> None:
        """Nothing."""


class Learned:
    """A number is as likely as it has occurred so far, each once to begin with.

    Weights stand in rows, whose sums find the row of a draw.
    """

    words = 1
    _ROW = 256
    _MOST = 2**31 - 1

    def __init__(self, bound: int) -> None:
        """Numbers from 0 up to `bound`."""
        self.possible = bound
        self._total = bound
        rows = -(-bound // self._ROW)
        self._weights = np.zeros((rows, self._ROW), np.int64)
        self._weights.reshape(-1)[:bound] = 1
        self._ends = np.cumsum(self._weights.sum(axis=1))

    def values(self, words: Array) -> Array:
        """See `RangeSampler`."""
        places = _unbiased(words, self._total)
        rows = self._ends.searchsorted(places, "right")
        starts = np.concatenate([[0], self._ends[:-1]])[rows]
        ends = np.cumsum(self._weights[rows], axis=1)
        return rows * self._ROW + (ends <= (places - starts)[:, None]).sum(axis=1)

    def probabilities(self, values: Array) -> Array:
        """See `RangeSampler`."""
        weights = self._weights.reshape(-1)[values].astype(np.float32)
        return weights / np.float32(self._total)

    def learn(self, values: Array) -> None:
        """Counts each once more, until a 32-bit counter of all would be full."""
        values = values[: max(self._MOST - self._total, 0)]
        np.add.at(self._weights.reshape(-1), values, 1)
        added = np.bincount(values // self._ROW, minlength=len(self._ends))
        self._ends += np.cumsum(added)
        self._total += values.size


class Weighted:
    """The probability of a number is its weight's share, by Walker's method of aliases.

    A number is drawn with all as likely; it stays with its own probability, or gives way to
    another, its alias.
    """

    words = 2

    def __init__(self, weights: Array) -> None:
        """Numbers from 0 up to the number of weights, which are float32."""
        self._weights = weights
        self._total = np.cumsum(weights)[-1] if weights.size else np.float32(0)
        self.possible = int(np.count_nonzero(weights > 0))
        self._stays, self._aliases = _alias_table(weights.tolist())

    def values(self, words: Array) -> Array:
        """See `RangeSampler`."""
        chances, picks = _chances_and_picks(words, self._weights.size)
        stays = philox.uniform_float32(chances) < self._stays[picks]
        return np.where(stays, picks, self._aliases[picks])

    def probabilities(self, values: Array) -> Array:
        """See `RangeSampler`."""
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = self._weights[values] / self._total
        return shares

    def learn(self, values: Array) -> None:
        """Nothing."""


def _chances_and_picks(words: Array, bound: int) -> tuple[Array, Array]:
    """Pairs of words: any one, and the next one that can be made a number below the bound.

    A word that cannot be is left out, and so the pairs behind it begin one word later.
    """
    excess = 0 if not bound & (bound - 1) else (2**32 - 1) % bound + 1
    chances, picks = [], []
    start = 0
    while True:
        rest = words[start:]
        firsts, seconds = rest[: rest.size // 2 * 2 : 2], rest[1::2]
        wrong = np.flatnonzero(seconds < excess)
        end = int(wrong[0]) if wrong.size else seconds.size
        chances.append(firsts[:end])
        picks.append(seconds[:end])
        if not wrong.size:
            break
        place = start + 2 * end + 2
        while place < words.size and words[place] < excess:
            place += 1
        if place >= words.size:
            break
        chances.append(firsts[end : end + 1])
        picks.append(words[place : place + 1])
        start = place + 1
    chosen = _unbiased(np.concatenate(picks), bound)
    return np.concatenate(chances), chosen


def _alias_table(weights: list[float]) -> tuple[Array, Array]:
    """For each number the probability with which it stays, and its alias otherwise."""
    count, total = len(weights), sum(weights)
    shares: list[Any] = [float(np.float32(w) * np.float32(count)) / total for w in weights]
    aliases = list(range(count))
    low = [i for i, share in enumerate(shares) if share < 1.0]
    high = [i for i, share in enumerate(shares) if not share < 1.0]
    while high and low:
        small, large = low.pop(), high.pop()
        aliases[small] = large
        shares[large] = shares[large] - (1.0 - shares[small])
        (low if shares[large] < 1.0 else high).append(large)
    for each in (*high, *low):
        # Rounding has left it a little beside 1.
        shares[each], aliases[each] = 1.0, each
    return np.array(shares, np.float32), np.array(aliases, np.int64)
