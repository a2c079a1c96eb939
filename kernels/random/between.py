"""Normal numbers between bounds, by rejection: Robert, Simulation of truncated normal variables
(1995), or by drawing normal ones where most of them are inside.

TensorFlow cuts its work into pieces by threads, and each has a stretch of the stream; here is one
piece, as with one thread.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np

from dataflow.errors import InternalError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.random.fills import normal, per_block, uniform
from dataflow.kernels.random.philox import Philox
from dataflow.kernels.threads.stopping import look

MOST_TRIES: Final = 1000
"""How many candidates are drawn for a number, at most."""
_WIDE: Final = 1.3
"""So many deviations inside of the bounds make normal numbers the best candidates."""
_AT_ONCE: Final = 1 << 16

Candidates = tuple[np.ndarray, np.ndarray]
"""Numbers, and which of them are accepted."""


class _Way(NamedTuple):
    """How the numbers of one distribution are drawn."""

    what: str
    blocks: int
    """Blocks of the stream that a round of candidates takes."""
    each: int
    """Candidates of a round."""
    tries: int
    make: Callable[[Philox, int], Candidates]
    """The candidates of so many rounds from the start of a stream."""


class Source:
    """The numbers of distributions that are drawn one after the other from a stream."""

    def __init__(self, stream: Philox, dtype: Any) -> None:
        self._stream = stream
        self._dtype = np.dtype(dtype)
        self._taken = 0
        self._uniform, self._normal = uniform(dtype), normal(dtype)

    def draw(self, parameters: tuple[Any, Any, Any, Any], counts: list[int]) -> np.ndarray:
        """Numbers of one distribution, in groups that begin with blocks of their own.

        Args:
          parameters: Mean, deviation and bounds.
          counts: How many numbers each group has.

        Raises:
          InvalidArgumentError: There are no such numbers.
          InternalError: Candidates were refused again and again.
        """
        mean, deviation, low, high = (self._dtype.type(each) for each in parameters)
        if not (deviation > 0 and low < high and (np.isfinite(low) or np.isfinite(high))):
            raise invalid("Invalid parameters")
        if (np.isinf(low) and low < 0) or high < mean:
            low, high, deviation = high, low, -deviation
        with np.errstate(all="ignore"):
            way = self._way((low - mean) / deviation, (high - mean) / deviation)
            found: np.ndarray = self._chosen(way, counts) * deviation + mean
        return found

    def _chosen(self, way: _Way, counts: list[int]) -> np.ndarray:
        made: list[np.ndarray] = []
        values, places = np.empty(0, self._dtype), np.empty(0, np.int64)
        begin = done = 0
        left = sum(counts)
        for count in counts:
            first = int(np.searchsorted(places, begin))
            while places.size - first < count:
                look()
                rounds = min(max(4, 2 * left // way.each), _AT_ONCE)
                start = self._stream.at(self._taken + done * way.blocks)
                more, accepted = way.make(start, rounds)
                offset = done * way.each
                values = np.concatenate([values, more])
                places = np.concatenate([places, np.flatnonzero(accepted) + offset])
                done += rounds
                if places.size - first < count:
                    _refuse_to_go_on(way, places[first:], begin, done * way.each)
            chosen = places[first : first + count]
            _refuse_to_go_on(way, chosen, begin, None)
            made.append(values[chosen])
            begin = (int(chosen[-1]) // way.each + 1) * way.each
            left -= count
        self._taken += begin // way.each * way.blocks
        return np.concatenate(made)

    def _way(self, low: Any, high: Any) -> _Way:
        kind = self._dtype.type
        size = per_block(self._dtype)
        root = np.sqrt(low * low + kind(4))
        cutoff = kind(2) * np.exp(kind(0.5) + low * (low - root) / kind(4)) / (low + root)
        if (low < kind(-_WIDE) and high >= 0) or (high > kind(_WIDE) and low <= 0):

            def normals(stream: Philox, rounds: int) -> Candidates:
                x = self._normal(stream, rounds * size).astype(kind)
                return x, (x >= low) & (x <= high)

            return _Way("randn rejection", 1, size, MOST_TRIES + 1, normals)
        if high - low < cutoff:
            within, top = high - low, kind(0) if low < 0 else low * low

            def evenly(stream: Philox, rounds: int) -> Candidates:
                drawn = self._uniform(stream, 2 * rounds * size).astype(kind)
                first, second = drawn.reshape(rounds, 2, size).transpose(1, 0, 2)
                x = first * within + low
                return x.reshape(-1), (second <= np.exp((top - x * x) / kind(2))).reshape(-1)

            return _Way("uniform rejection", 2, size, MOST_TRIES, evenly)
        rate = (low + root) / kind(2)

        def exponentially(stream: Philox, rounds: int) -> Candidates:
            drawn = self._uniform(stream, rounds * size).astype(kind).reshape(-1, 2)
            x = -np.log(drawn[:, 0]) / rate + low
            off = rate - x if low < rate else np.full_like(x, low - rate)
            return x, (drawn[:, 1] <= np.exp(-off * off / kind(2))) & (x < high)

        return _Way("exponential distribution rejection", 1, size // 2, MOST_TRIES, exponentially)


def _refuse_to_go_on(way: _Way, chosen: np.ndarray, begin: int, end: int | None) -> None:
    """Fails if a group's numbers took too many tries; up to `end` all have been tried."""
    stops = np.concatenate([[begin - 1], chosen, [] if end is None else [end]])
    if np.diff(stops).max() > way.tries:
        raise InternalError(
            None, None, f"TruncatedNormal {way.what} sampler failed to accept a sample."
        )
