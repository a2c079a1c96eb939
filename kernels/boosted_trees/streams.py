"""Streams of weighted values, of which only summaries are kept."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from dataflow.kernels.boosted_trees.created import Created
from dataflow.kernels.boosted_trees.summaries import EMPTY, Summary
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.threads.stopping import look

_EXACT: Final = float(np.finfo(np.float64).eps)
_MOST_STREAMS: Final = 1 << 20
"""More would take gigabytes, whether or not anything comes."""


class Stream:
    """A summary of all values that came, in levels of which each is twice as coarse."""

    def __init__(self, error: float, most_values: int) -> None:
        """An empty stream.

        Args:
          error: By which part of the whole weight ranks may be off.
          most_values: How many values will come at most.

        Raises:
          InvalidArgumentError: No ranks could be so exact, or so wrong; or no value may come.
        """
        if not error > 0:
            raise invalid("An epsilon value of zero is not allowed.")
        if not error < 1:
            raise invalid(f"epsilon must be less than 1, got {error:g}")
        if most_values <= 0:
            raise invalid(f"max_elements must be greater than 0, got {most_values}")
        self._error = error
        self._most_values = most_values
        self._block = _block_size(error, most_values)
        self.levels: list[Summary] = []
        """Summaries, each of which stands for more values than the one before."""

    def push(self, values: Any, weights: Any) -> None:
        """Adds values; those without a weight greater than 0 do not count."""
        counts = weights > 0
        values, weights = values[counts], weights[counts]
        size = min(2 * self._block, self._most_values)
        for start in range(0, len(values), size):
            look()
            part = slice(start, start + size)
            self.push_summary(Summary.of_values(values[part], weights[part]))

    def push_summary(self, summary: Summary) -> None:
        """Adds the values of a summary."""
        summary = summary.compressed(self._block, self._error)
        if not len(summary):
            return
        for level, held in enumerate(self.levels):
            summary = summary.merged(held)
            if not len(held) or len(summary) <= self._block + 1:
                self.levels[level] = summary
                return
            summary = summary.compressed(self._block, self._error)
            self.levels[level] = EMPTY
        self.levels.append(summary)

    def summary(self) -> Summary:
        """What all levels say."""
        found = EMPTY
        for held in self.levels:
            found = found.merged(held)
        return found


def _block_size(error: float, most_values: int) -> int:
    """How many values a level keeps: as few as the levels that so many values need allow."""
    if error <= _EXACT:
        return max(most_values, 2)
    level, size = 1, 2
    while (size << level) < most_values:
        size = math.ceil(level / error) + 1
        level += 1
    return max(size, 2)


class QuantileStreams:
    """A stream for each feature, and the boundaries that were made of what came before."""

    def __init__(self, error: float, most_values: int, count: int) -> None:
        """Empty streams without boundaries.

        Args:
          error: By which part of the whole weight ranks may be off.
          most_values: How many values will come at most.
          count: How many streams there are.

        Raises:
          InvalidArgumentError: A stream cannot be like that, or there cannot be so many.
        """
        if count < 0:
            raise invalid("Num_streams input cannot be a negative integer")
        if count > _MOST_STREAMS:
            raise invalid(f"num_streams must be at most {_MOST_STREAMS}, got {count}")
        self._error, self._most_values = error, most_values
        Stream(error, most_values)
        self._streams: dict[int, Stream] = {}
        self.boundaries = [np.zeros(0, np.float32)] * count

    def __len__(self) -> int:
        return len(self.boundaries)

    def push_summaries(self, summaries: Sequence[Summary]) -> None:
        """Adds the values of a summary to each stream."""
        for place, summary in enumerate(summaries):
            if place not in self._streams:
                self._streams[place] = Stream(self._error, self._most_values)
            self._streams[place].push_summary(summary)

    def summaries(self) -> list[Summary]:
        """What came to each stream."""
        streams = map(self._streams.get, range(len(self)))
        return [EMPTY if stream is None else stream.summary() for stream in streams]

    def begin(self) -> None:
        """Makes all streams empty."""
        self._streams = {}


class QuantileStreamResource(Created[QuantileStreams]):
    """What the handle of streams refers to."""

    kind = "N10tensorflow34BoostedTreesQuantileStreamResourceE"
