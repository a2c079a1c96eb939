"""Gamma, Poisson and binomial numbers, by rejection: each has its own stretch of the stream."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.random import philox
from dataflow.kernels.random.fills import BLOCKS_PER_OUTPUT
from dataflow.kernels.random.philox import Philox
from dataflow.kernels.threads.parallel import split
from dataflow.kernels.threads.stopping import look

_AT_ONCE: Final = 1 << 15
"""Numbers that are drawn together at most: in fewer, threads wait for Python's lock."""
_LARGE: Final = 10
"""The rate from which on transformed rejection is faster than counting."""

_SHORT: Final = 42
"""Blocks from one output to the next where successes are counted."""
_TAILS: Final = (
    0.0810614667953272,
    0.0413406959554092,
    0.0276779256849983,
    0.02079067210376509,
    0.0166446911898211,
    0.0138761288230707,
    0.0118967099458917,
    0.0104112652619720,
    0.00925546218271273,
    0.00833056343336287,
)
"""What Stirling's series leaves out of the logarithms of the first factorials."""

Pair = Callable[[philox.Blocks], tuple[np.ndarray, np.ndarray]]


def _uniform_pair(words: philox.Blocks) -> tuple[np.ndarray, np.ndarray]:
    first = philox.uniform_float64(words[0], words[1])
    return first, philox.uniform_float64(words[2], words[3])


class _Source:
    """Doubles for outputs that take different numbers of them: a block makes two, and the second
    goes first."""

    def __init__(self, stretches: _Stretches, make: Pair) -> None:
        count = stretches.outputs.size
        self._stretches = stretches
        self._make = make
        self._pairs = np.empty((2, count))
        self._left = np.zeros(count, np.int8)
        self._is_begun = False

    def take(self, chosen: np.ndarray) -> np.ndarray:
        """The next number of each of the chosen outputs."""
        if chosen.size == self._left.size and not self._is_begun:
            # All of them, in order: nothing is looked up.
            self._is_begun = True
            self._pairs[:] = self._make(self._stretches.next_blocks(slice(None)))
            self._left[:] = 1
            first: np.ndarray = self._pairs[1]
            return first
        self._is_begun = True
        empty = chosen[self._left[chosen] == 0]
        if empty.size:
            self._pairs[:, empty] = self._make(self._stretches.next_blocks(empty))
            self._left[empty] = 2
        self._left[chosen] -= 1
        found: np.ndarray = self._pairs[self._left[chosen], chosen]
        return found


class _Stretches:
    """Where in the stream each output has come to."""

    def __init__(
        self, stream: Philox, outputs: np.ndarray, length: int = BLOCKS_PER_OUTPUT
    ) -> None:
        self.outputs = outputs
        self.stream = stream
        self._length = length
        self._taken = np.zeros(outputs.size, np.int64)

    def next_blocks(self, chosen: np.ndarray | slice) -> philox.Blocks:
        """The next block of each of the chosen outputs."""
        places = self.first_places(chosen) + self._taken[chosen].astype(np.uint64)
        self._taken[chosen] += 1
        return self.stream.blocks_at(places)

    def first_places(self, chosen: np.ndarray | slice) -> np.ndarray:
        """Where in the stream the first block of each of the chosen outputs is."""
        return (self.outputs[chosen] * self._length).astype(np.uint64)


def _drawn(
    draw: Callable[[_Stretches, np.ndarray], np.ndarray],
    stream: Philox,
    parameters: np.ndarray,
    samples: int,
    dtype: Any,
) -> np.ndarray:
    """The numbers, of shape [samples, parameters]: the samples of one parameter follow each other
    in the stream."""
    count = parameters.size
    made = np.empty((count, samples), dtype)
    flat = made.reshape(-1)
    pieces = -(-flat.size // _AT_ONCE)

    def run(first: int, last: int) -> None:
        for piece in range(first, last):
            start, stop = piece * flat.size // pieces, (piece + 1) * flat.size // pieces
            outputs = np.arange(start, stop)
            chosen = parameters.reshape(-1)[outputs // samples].astype(np.float64)
            with np.errstate(all="ignore"):
                flat[start:stop] = draw(_Stretches(stream, outputs), chosen)

    split(pieces, 1, run)
    return made.T


def gamma(stream: Philox, alpha: np.ndarray, samples: int, dtype: Any) -> np.ndarray:
    """Numbers of gamma distributions: Marsaglia and Tsang, A simple method for generating gamma
    variables (2000).

    Args:
      stream: Where they are drawn from.
      alpha: The shape parameters.
      samples: How many of each.
      dtype: Their type.

    Returns:
      Shape [samples, alpha.size].
    """
    return _drawn(_gamma, stream, alpha, samples, dtype)


def _gamma(stretches: _Stretches, alpha: np.ndarray) -> np.ndarray:
    uniform = _Source(stretches, _uniform_pair)
    normal = _Source(stretches, philox.normal_float64)
    found = np.empty(alpha.size)
    ones = np.flatnonzero(alpha == 1)
    found[ones] = -np.log1p(-uniform.take(ones))
    is_small = alpha < 1
    d = alpha + np.where(is_small, 2.0 / 3, -1.0 / 3)
    c = 1.0 / 3 / np.sqrt(d)
    rest = np.flatnonzero(alpha != 1)
    while rest.size:
        look()
        x = normal.take(rest)
        root = 1 + c[rest] * x
        tried = np.flatnonzero(~(root <= 0))
        places, x, root = rest[tried], x[tried], root[tried]
        v = root * root * root
        u = uniform.take(places)
        square = x * x
        taken = u < 1 - 0.0331 * square * square
        # Few are left for the logarithms.
        open_ = np.flatnonzero(~taken)
        w = v[open_]
        taken[open_] = np.log(u[open_]) < 0.5 * square[open_] + d[places[open_]] * (
            1 - w + np.log(w)
        )
        done = places[taken]
        values = d[done] * v[taken]
        small = is_small[done]
        below = done[small]
        values[small] *= uniform.take(below) ** (1 / alpha[below])
        found[done] = values
        is_left = np.ones(rest.size, np.bool_)
        is_left[tried[taken]] = False
        rest = rest[is_left]
    return found


def poisson(stream: Philox, rate: np.ndarray, samples: int, dtype: Any) -> np.ndarray:
    """Numbers of Poisson distributions: by counting (Knuth), large ones by Hoermann, The
    transformed rejection method for generating Poisson random variables (1993).

    Args:
      stream: Where they are drawn from.
      rate: The means.
      samples: How many of each.
      dtype: Their type.

    Returns:
      Shape [samples, rate.size].
    """
    kind = np.dtype(dtype)
    highest = float(np.iinfo(kind).max if kind.kind == "i" else np.finfo(kind).max)

    def draw(stretches: _Stretches, rates: np.ndarray) -> np.ndarray:
        found = _poisson(stretches, rates, highest)
        if kind.kind == "i":
            found[~(found < highest)] = 0
        return found

    return _drawn(draw, stream, rate, samples, dtype)


def _poisson(stretches: _Stretches, rate: np.ndarray, highest: float) -> np.ndarray:
    uniform = _Source(stretches, _uniform_pair)
    from scipy.special import gammaln

    found = np.where(np.isnan(rate), np.nan, np.inf)
    _count(stretches, rate, np.flatnonzero(rate < _LARGE), found)
    rest = np.flatnonzero((rate >= _LARGE) & (rate < highest))
    if not rest.size:
        return found
    b = 0.931 + 2.53 * np.sqrt(rate)
    a = -0.059 + 0.02483 * b
    scale = 1.1239 + 1.1328 / (b - 3.4)
    bound = 0.9277 - 3.6224 / (b - 2)
    log_rate = np.log(rate)
    while rest.size:
        look()
        u = uniform.take(rest) - 0.5
        v = uniform.take(rest)
        from_edge = 0.5 - np.abs(u)
        k = np.floor((2 * a[rest] / from_edge + b[rest]) * u + rate[rest] + 0.43)
        possible = ~(k > highest)
        quick = possible & (from_edge >= 0.07) & (v <= bound[rest])
        slow = possible & ~quick & ~((k < 0) | ((from_edge < 0.013) & (v > from_edge)))
        places, kept = rest[slow], k[slow]
        s = np.log(v[slow] * scale[places] / (a[places] / from_edge[slow] ** 2 + b[places]))
        t = -rate[places] + kept * log_rate[places] - gammaln(kept + 1)
        taken = quick
        taken[slow] = s <= t
        found[rest[taken]] = k[taken]
        rest = rest[~taken]
    return found


def _count(stretches: _Stretches, rate: np.ndarray, rest: np.ndarray, found: np.ndarray) -> None:
    """How many uniform numbers it takes until their product is small enough."""
    limit = np.exp(-rate[rest])
    places = stretches.first_places(rest)
    product = np.ones(rest.size)
    count = np.zeros(rest.size)
    while rest.size:
        look()
        second, first = _uniform_pair(stretches.stream.blocks_at(places))
        product = product * first
        goes_on = ~(product <= limit)
        count += goes_on
        product *= second
        goes_on &= ~(product <= limit)
        count += goes_on
        found[rest] = count
        left = np.flatnonzero(goes_on)
        rest, limit, product, count = (one[left] for one in (rest, limit, product, count))
        places = places[left] + np.uint64(1)


def binomial(
    stream: Philox, counts: np.ndarray, probs: np.ndarray, samples: int, dtype: Any
) -> np.ndarray:
    """Numbers of binomial distributions: by the distances of successes, large ones by Hoermann, The
    generation of binomial random variates (1993).

    Args:
      stream: Where they are drawn from.
      counts: How many trials there are.
      probs: How likely each of them succeeds, of the same shape and type.
      samples: How many of each.
      dtype: Their type.

    Returns:
      Shape [samples, counts.size].
    """
    counts, probs = counts.reshape(-1), probs.reshape(-1)

    def draw(stretches: _Stretches, places: np.ndarray) -> np.ndarray:
        chosen = places.astype(np.int64)
        return _binomial(stretches, counts[chosen], probs[chosen])

    return _drawn(draw, stream, np.arange(counts.size), samples, dtype)


def _binomial(stretches: _Stretches, counts: np.ndarray, probs: np.ndarray) -> np.ndarray:
    mirrored = probs > probs.dtype.type(0.5)
    rarer = np.where(mirrored, 1 - probs, probs).astype(probs.dtype)
    is_large = counts * rarer >= _LARGE
    trials, chance = counts.astype(np.float64), rarer.astype(np.float64)
    found = np.zeros(counts.size)
    some = (trials > 0) & np.isfinite(trials) & (probs > 0) & (probs < 1)
    short = _Stretches(stretches.stream, stretches.outputs, _SHORT)
    few = _Source(short, _uniform_pair)
    _count_distances(few, trials, chance, np.flatnonzero(some & ~is_large), found)
    uniform = _Source(stretches, _uniform_pair)
    _transformed(uniform, trials, chance, np.flatnonzero(some & is_large), found)
    found = np.where(some & mirrored, trials - found, found)
    always = (trials > 0) & (probs >= 1)
    return np.where(always, trials, found)


def _count_distances(
    uniform: _Source, trials: np.ndarray, chance: np.ndarray, rest: np.ndarray, found: np.ndarray
) -> None:
    """How many distances between successes, which are geometric, fit into the trials."""
    passed = np.zeros(trials.size)
    while rest.size:
        look()
        passed[rest] += np.ceil(np.log(uniform.take(rest)) / np.log1p(-chance[rest]))
        rest = rest[~(passed[rest] > trials[rest])]
        found[rest] += 1


def _tail(k: np.ndarray) -> np.ndarray:
    square = (k + 1) ** 2
    series = (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1)
    known = np.array(_TAILS)[np.clip(k, 0, 9).astype(np.int64)]
    made: np.ndarray = np.where(k <= 9, known, series)
    return made


def _transformed(
    uniform: _Source, trials: np.ndarray, chance: np.ndarray, rest: np.ndarray, found: np.ndarray
) -> None:
    deviation = np.sqrt(trials * chance * (1 - chance))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * chance
    bound = 0.92 - 4.2 / b
    odds = chance / (1 - chance)
    alpha = (2.83 + 5.1 / b) * deviation
    mode = np.floor((trials + 1) * chance)
    while rest.size:
        look()
        u = uniform.take(rest) - 0.5
        v = uniform.take(rest)
        from_edge = 0.5 - np.abs(u)
        k = np.floor((2 * a[rest] / from_edge + b[rest]) * u + trials[rest] * chance[rest] + 0.5)
        taken = (from_edge >= 0.07) & (v <= bound[rest])
        slow = ~taken & (k >= 0) & (k <= trials[rest])
        places, j, edge = rest[slow], k[slow], from_edge[slow]
        n, m, r = trials[places], mode[places], odds[places]
        left = np.log(v[slow] * alpha[places] / (a[places] / (edge * edge) + b[places]))
        right = (
            (m + 0.5) * np.log((m + 1) / (r * (n - m + 1)))
            + (n + 1) * np.log((n - m + 1) / (n - j + 1))
            + (j + 0.5) * np.log(r * (n - j + 1) / (j + 1))
            + _tail(m)
            + _tail(n - m)
            - _tail(j)
            - _tail(n - j)
        )
        taken[slow] = left <= right
        found[rest[taken]] = k[taken]
        rest = rest[~taken]
