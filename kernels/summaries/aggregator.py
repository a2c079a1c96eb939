"""What gathers the statistics that pipelines tell of themselves."""

from __future__ import annotations

import threading
import time

import numpy as np

from dataflow.kernels.summaries.histogram import Histogram
from dataflow.kernels.summaries.writer import SummaryWriter
from dataflow.proto.event_pb2 import Event
from dataflow.proto.summary_pb2 import Summary


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
