"""Statistics of pipelines: what stages tell of themselves, and what gathers it."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from dataflow.kernels.summaries.histogram import Histogram
from dataflow.kernels.summaries.messages import printed
from dataflow.kernels.summaries.writer import SummaryWriter
from dataflow.proto.event_pb2 import Event
from dataflow.proto.summary_pb2 import Summary

_DELIMITER: Final = "::"


class Aggregator:
    """Gathers what stages of any number of pipelines tell."""

    def __init__(self) -> None:
        """Has heard of nothing."""
        self._lock = threading.Lock()
        self._histograms: dict[str, Histogram] = {}
        self._scalars: dict[str, float] = {}

    def value(self, tag: str, value: float, step: int) -> None:
        """Adds a value to a histogram.

        Args:
          tag: Which one.
          value: A finite number.
          step: How many elements there were before, in the stage that tells it.
        """
        with self._lock:
            self._added(tag, value)

    def scalar(self, tag: str, value: float, step: int) -> None:
        """Takes the latest value of a number; see `value`."""
        with self._lock:
            self._scalars[tag] = value

    def write_to(self, writer: SummaryWriter) -> None:
        """Does nothing: who wants to know asks for a summary."""

    def summary(self) -> bytes:
        """All that is known so far: a serialized message."""
        with self._lock:
            made = Summary()
            for tag, histogram in self._histograms.items():
                made.value.add(tag=tag, histo=histogram.message())
            for tag, value in self._scalars.items():
                made.value.add(tag=tag, simple_value=_float32(value))
            return made.SerializeToString()

    def _added(self, tag: str, value: float) -> Histogram:
        found = self._histograms.get(tag)
        if found is None:
            found = self._histograms[tag] = Histogram()
        found.add(np.array([value], np.float64))
        return found


class EventAggregator(Aggregator):
    """Writes all that it is told to a file of events, once it has one."""

    def __init__(self) -> None:
        """Has no file."""
        super().__init__()
        self._writer: SummaryWriter | None = None

    def write_to(self, writer: SummaryWriter) -> None:
        """Writes there from now on."""
        with self._lock:
            self._writer = writer

    def value(self, tag: str, value: float, step: int) -> None:
        with self._lock:
            histogram = self._added(tag, value)
            if self._writer is not None:
                _write(self._writer, step, Summary.Value(tag=tag, histo=histogram.message()))

    def scalar(self, tag: str, value: float, step: int) -> None:
        with self._lock:
            if self._writer is not None:
                value = _float32(value)
                _write(self._writer, step, Summary.Value(tag=tag, simple_value=value))

    def summary(self) -> bytes:
        """Nothing: it is in the file."""
        return b""


def _write(writer: SummaryWriter, step: int, value: Summary.Value) -> None:
    writer.write_event(Event(step=step, wall_time=time.time(), summary=Summary(value=[value])))


def _float32(value: float) -> float:
    return float(np.float32(value))


class Told:
    """What one stage tells."""

    def __init__(self, aggregator: Aggregator, prefix: str) -> None:
        """Takes who is told, and how tags begin."""
        self._aggregator = aggregator
        self._prefix = prefix
        self.step = 0
        """How many elements there were."""

    def value(self, name: str, value: float) -> None:
        """Adds to a histogram."""
        self._aggregator.value(self._prefix + name, float(value), self.step)

    def scalar(self, name: str, value: float) -> None:
        """Tells the value that a number has now."""
        self._aggregator.scalar(self._prefix + name, float(value), self.step)


class Recorder:
    """Has what the stages of a pipeline tell gathered under their names."""

    def __init__(self, aggregator: Aggregator, tag: bytes, names: Mapping[Any, str]) -> None:
        """Takes who gathers.

        Args:
          aggregator: Gathers it.
          tag: What all tags begin with, if anything.
          names: What datasets are called; one that functions make is called by its kind.
        """
        self._aggregator = aggregator
        self._prefix = printed(tag) + _DELIMITER if tag else ""
        self._names = names

    def of(self, dataset: Any) -> Told:
        """What a stage of a dataset tells."""
        return self.named(self._names.get(dataset) or f"{dataset.kind}Dataset")

    def named(self, name: str) -> Told:
        """What something else tells that has a name."""
        return Told(self._aggregator, f"{self._prefix}{name}{_DELIMITER}")

    def tagged(self, tag: bytes) -> Told:
        """What is told under a tag of its own, and no further name."""
        return Told(self._aggregator, self._prefix + printed(tag))
