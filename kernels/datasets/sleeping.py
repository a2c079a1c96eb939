"""A dataset that rests before each element, until it is stopped."""

from __future__ import annotations

from dataflow.kernels.datasets.choosing import CountedDataset
from dataflow.kernels.datasets.dataset import Element, Stage
from dataflow.kernels.datasets.run import Run
from dataflow.values.interrupts import Monitor


class SleepDataset(CountedDataset):
    """The elements of another dataset, each after so many microseconds."""

    kind = "Sleep"
    __slots__ = ()

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()

    def start(self, run: Run) -> Stage:
        return _SleepStage(run, self.inputs[0].start(run), self.count / 1e6)


class _SleepStage(Stage):
    __slots__ = ("_monitor", "_seconds", "_source")

    def __init__(self, run: Run, source: Stage, seconds: float) -> None:
        super().__init__(run, source)
        self.is_direct = False
        self._source = source
        self._seconds = seconds
        self._monitor = Monitor()
        run.add_part(self)

    def next(self) -> Element | None:
        with self._monitor:
            self._monitor.wait_for(lambda: self.run.stopped is not None, self._seconds)
        self.run.check()
        return self._source.next()

    def is_ready(self) -> bool:
        return False

    def wake(self) -> None:
        """Has who waits look again."""
        with self._monitor:
            self._monitor.notify_all()

    def close(self) -> None:
        """Ends the rest that goes on."""
        self.wake()
