"""Streams of weighted values with a stamp, of which boundaries of buckets are made."""

from __future__ import annotations

from typing import Any

import numpy as np
from google.protobuf.message import DecodeError

from dataflow.kernels.boosted_trees.created import Created
from dataflow.kernels.boosted_trees.streams import Stream
from dataflow.kernels.boosted_trees.summaries import EMPTY, Summary
from dataflow.kernels.contract.invalid import invalid
from dataflow.proto.quantiles_pb2 import QuantileStreamState, QuantileSummaryState


def summary_message(summary: Summary) -> QuantileSummaryState:
    """A summary as a message."""
    made = QuantileSummaryState()
    for value, weight, least, greatest in summary.rows.tolist():
        made.entries.add(value=value, weight=weight, min_rank=least, max_rank=greatest)
    return made


def summary_of(serialized: bytes) -> Summary:
    """The summary that bytes of a message are.

    Raises:
      InvalidArgumentError: They are none.
    """
    try:
        return _read(QuantileSummaryState.FromString(serialized))
    except DecodeError:
        raise invalid("Unable to parse quantile summary.") from None


def _read(message: QuantileSummaryState) -> Summary:
    rows = [(each.value, each.weight, each.min_rank, each.max_rank) for each in message.entries]
    return Summary.of_rows(np.array(rows, np.float32).reshape(len(rows), 4))


def different(values: Any) -> Any:
    """Sorted values, each once."""
    return values[np.concatenate([[True], values[1:] != values[:-1]])] if len(values) else values


class StampedStream:
    """A stream, and the boundaries that were made of what came before."""

    def __init__(
        self, stamp: int, error: float, most_values: int, quantiles: int, is_exact: bool
    ) -> None:
        """An empty stream without boundaries.

        Args:
          stamp: What tells this state from others.
          error: By which part of the whole weight ranks may be off.
          most_values: How many values will come at most.
          quantiles: How many boundaries are wanted.
          is_exact: Whether there are as many, equal ones among them.

        Raises:
          InvalidArgumentError: A stream cannot be like that.
        """
        self._settings = error, most_values
        self._quantiles, self._is_exact = quantiles, is_exact
        self.stream = Stream(error, most_values)
        self.stamp = stamp
        self.are_buckets_ready = False
        self.boundaries: Any = np.zeros(0, np.float32)

    def push(self, summary: Summary) -> None:
        """Adds the values of a summary."""
        self.stream.push_summary(summary)

    def begin(self, stamp: int) -> None:
        """Forgets what came; gets another stamp."""
        self.stream = Stream(*self._settings)
        self.stamp = stamp

    def flush(self, stamp: int) -> None:
        """Makes boundaries of what came, and forgets that; gets another stamp."""
        summary = self.stream.summary()
        if self._is_exact:
            self.boundaries = summary.quantiles(self._quantiles)
        else:
            self.boundaries = different(summary.boundaries(self._quantiles))
        self.are_buckets_ready = True
        self.begin(stamp)

    def state(self) -> bytes:
        """What came, as the bytes of a message."""
        made = QuantileStreamState()
        # Behind the levels TensorFlow has the summary that is on its way to them: nothing.
        for level in (*self.stream.levels, EMPTY):
            made.summaries.add().CopyFrom(summary_message(level))
        return made.SerializeToString()

    def restore(self, stamp: int, state: bytes, are_ready: bool, boundaries: Any) -> None:
        """Takes the place of what came.

        Raises:
          InvalidArgumentError: The state is none.
        """
        try:
            message = QuantileStreamState.FromString(state)
        except DecodeError:
            raise invalid("Unable to parse quantile stream state.") from None
        levels = [_read(each) for each in message.summaries]
        self.begin(stamp)
        self.stream.levels[:] = levels[:-1]
        if levels and len(levels[-1]):
            self.stream.push_summary(levels[-1])
        self.boundaries = np.array(boundaries, np.float32)
        self.are_buckets_ready = are_ready


class StampedStreamResource(Created[StampedStream]):
    """What the handle of a stream refers to."""

    kind = "N10tensorflow13boosted_trees22QuantileStreamResourceE"
