"""A run of a pipeline: what its stages share, and how they are stopped."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from time import perf_counter_ns
from typing import Any

from dataflow.errors import CancelledError, OpError
from dataflow.kernels.contract.functions import Function, KeptKernels, Ready, Stoppable
from dataflow.kernels.datasets.elements import as_arrays
from dataflow.kernels.datasets.statistics.told import Recorder, Told
from dataflow.values.interrupts import Monitor


@dataclass(frozen=True, slots=True, eq=False)
class Captured:
    """A function with the values of what it captures, which follow its arguments."""

    function: Function
    values: tuple[Any, ...]


class Call:
    """A captured function that is ready to run."""

    __slots__ = ("_ready", "_run", "_values", "may_end", "may_wait")

    def __init__(
        self, ready: Ready, run: Run, values: tuple[Any, ...], may_end: bool = False
    ) -> None:
        """Takes the function, the run that stops it, what it captures, and what its end means.

        Args:
          ready: The function.
          run: The run.
          values: What it captures.
          may_end: Whether the end of a sequence within it ends that of the results.
        """
        self._ready = ready
        self._run = run
        self._values = values
        self.may_end = may_end
        self.may_wait = ready.may_wait

    def __call__(self, arguments: tuple[Any, ...]) -> list[Any]:
        """Runs the function on this thread."""
        return self._ready(self._run, as_arrays(arguments) + self._values)

    def on_behalf_of(self, run: Run) -> Call:
        """The same call, which another run stops."""
        return Call(self._ready, run, self._values, self.may_end)


class _TimedCall(Call):
    """A call whose time is told."""

    __slots__ = ("_told",)

    def __init__(
        self, ready: Ready, run: Run, values: tuple[Any, ...], may_end: bool, told: Told
    ) -> None:
        super().__init__(ready, run, values, may_end)
        self._told = told

    def __call__(self, arguments: tuple[Any, ...]) -> list[Any]:
        start = perf_counter_ns()
        try:
            return super().__call__(arguments)
        finally:
            self._told.value("execution_time", perf_counter_ns() - start)
            self._told.step += 1

    def on_behalf_of(self, run: Run) -> Call:
        return _TimedCall(self._ready, run, self._values, self.may_end, self._told)


class _Family:
    """What a run has in common with those of the stages' own threads."""

    def __init__(self) -> None:
        self.kernels = KeptKernels()
        self.lock = threading.RLock()
        self.ready: dict[bytes, Ready] = {}
        self.in_order = True

    def prepare(self, function: Function) -> Ready:
        found = self.ready.get(function.key)
        if found is None:
            with self.lock:
                found = self.ready.get(function.key)
                if found is None:
                    found = self.ready[function.key] = function.prepare(self.kernels)
        return found


class Run:
    """The calls, waits and threads of a pipeline, or of the part of it that one thread runs."""

    most_threads: int | None = None
    """How many threads a stage that is being made may have; None for as many as it wants."""

    def __init__(self, parent: Run | None = None) -> None:
        """Begins a run.

        Args:
          parent: The run with which it ends, and whose functions it shares.
        """
        self._family: _Family = _Family() if parent is None else parent._family
        self._calls: set[Stoppable] = set()
        self._parts: weakref.WeakSet[Any] = weakref.WeakSet()
        self.stopped: OpError | None = None
        """Why nothing goes on; None while all may."""
        self.closed = False
        self.most_threads = None if parent is None else parent.most_threads
        self.statistics: Recorder | None = None if parent is None else parent.statistics
        """What the stages tell of themselves, if somebody wants to know."""
        if parent is not None:
            parent.add_part(self)

    @property
    def in_order(self) -> bool:
        """Whether stages that were not told keep the order of elements."""
        return self._family.in_order

    @in_order.setter
    def in_order(self, value: bool) -> None:
        self._family.in_order = value

    def add_part(self, part: Any) -> None:
        """Takes note of something with `close`, which ends with the run if it is still there."""
        with self._family.lock:
            self._parts.add(part)
        if self.closed:
            part.close()

    def observed(self, statistics: Recorder) -> Run:
        """The same run for stages that tell of themselves."""
        return _ObservedRun(self, statistics)

    def told(self, dataset: Any) -> Told | None:
        """Takes what a stage of a dataset has to tell; None if nobody wants to know."""
        return None if self.statistics is None else self.statistics.of(dataset)

    def function(self, captured: Captured, kind: str, may_end: bool = False) -> Call:
        """Makes a function ready to run; see `Call`.

        Args:
          captured: The function.
          kind: The kind of the dataset that calls it.
          may_end: Whether the end of a sequence within it ends that of the results.
        """
        ready = self._family.prepare(captured.function)
        if self.statistics is None:
            return Call(ready, self, captured.values, may_end)
        told = self.statistics.named(f"{kind}::{captured.function.name}")
        return _TimedCall(ready, self, captured.values, may_end, told)

    def begin(self, call: Stoppable) -> None:
        """Takes note of a call of a function."""
        self._calls.add(call)
        if self.stopped is not None:
            self._calls.discard(call)
            raise self.stopped

    def end(self, call: Stoppable) -> None:
        """Forgets a call."""
        self._calls.discard(call)

    def check(self) -> None:
        """Raises what the run was stopped with."""
        if self.stopped is not None:
            raise self.stopped

    def stop(self, error: OpError) -> None:
        """Ends what is going on, with an error; what threads of the stages do goes on."""
        self.stopped = error
        for call in tuple(self._calls):
            call.cancel(error)
        with self._family.lock:
            parts = tuple(self._parts)
        for part in parts:
            part.wake()

    def wake(self) -> None:
        """Does nothing: the run of another thread goes on."""

    def resume(self) -> None:
        """Lets things go on after `stop`."""
        if not self.closed:
            self.stopped = None

    def close(self) -> None:
        """Ends all for good, also what other threads do."""
        self.closed = True
        self.stop(CancelledError(None, None, "Iterator was cancelled"))
        with self._family.lock:
            parts = tuple(self._parts)
        for part in parts:
            part.close()

    def wait(self, monitor: Monitor, is_there: Callable[[], Any]) -> None:
        """Waits, holding a monitor that a part of this run wakes, until something is there.

        Raises:
          OpError: The run was stopped.
        """
        monitor.wait_for(lambda: self.stopped is not None or is_there())
        if not is_there():
            self.check()


class _ObservedRun(Run):
    """Another run, whose stages tell of themselves."""

    def __init__(self, run: Run, statistics: Recorder) -> None:
        self._run = run
        self._family, self._calls, self._parts = run._family, run._calls, run._parts
        self.statistics = statistics

    @property
    def stopped(self) -> OpError | None:
        return self._run.stopped

    @stopped.setter
    def stopped(self, error: OpError | None) -> None:
        self._run.stopped = error

    @property
    def closed(self) -> bool:
        return self._run.closed

    @closed.setter
    def closed(self, value: bool) -> None:
        self._run.closed = value


def start_thread(work: Callable[[], None], name: str) -> None:
    """Starts a thread that does not keep the process from ending."""
    threading.Thread(target=work, name=f"dataset {name}", daemon=True).start()


def when_dropped(owner: Any, end: Callable[[], None]) -> None:
    """Has something ended when nobody holds the owner any more."""
    weakref.finalize(owner, partial(_quietly, end)).atexit = False


def _quietly(end: Callable[[], None]) -> None:
    end()
