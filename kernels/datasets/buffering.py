"""Elements that are made ahead on threads beside the step, never more than asked for."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Sequence
from functools import partial
from time import perf_counter as clock
from typing import Any, Final

from dataflow.errors import OpError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.datasets.dataset import Dataset, Element, Stage
from dataflow.kernels.datasets.mapping import MapDataset, mapped_or_end
from dataflow.kernels.datasets.run import Call, Captured, Run, start_thread, when_dropped
from dataflow.kernels.datasets.statistics.told import Told
from dataflow.values.dtypes import DType
from dataflow.values.interrupts import Monitor
from dataflow.values.shapes import TensorShape

AUTOTUNE: Final = -1
"""Stands for a number that is chosen here."""
_CHOSEN: Final = 4
_SHORT: Final = 100e-6
"""Seconds below which a call is not worth another thread."""
_LOOKS: Final = 8
"""Calls after which that is known."""


class Failure:
    """An error in the place of an element."""

    __slots__ = ("error",)

    def __init__(self, error: BaseException) -> None:
        """Takes the error."""
        self.error = error


class Buffer:
    """Elements between a thread that makes them and one that takes them."""

    def __init__(self, size: int, run: Run) -> None:
        """Makes an empty buffer.

        Args:
          size: Most elements that it holds.
          run: The run of the thread that makes them; ends with the buffer.
        """
        self._size = size
        self._run = run
        self._items: deque[Any] = deque()
        self._monitor = Monitor()
        self.ended = False

    def fill(self, dataset: Dataset) -> None:
        """Makes elements until there are no more, or nobody wants them any more."""
        try:
            stage: Stage | None = dataset.start(self._run)
        except Exception as error:
            self._put(Failure(error))
            stage = None
        while stage is not None:
            try:
                item: Any = stage.next()
            except Exception as error:
                item = Failure(error)
            if item is None or not self._put(item):
                break
        with self._monitor:
            self.ended = True
            self._monitor.notify_all()

    def _put(self, item: Any) -> bool:
        items = self._items
        if self._run.closed:
            return False
        items.append(item)
        if len(items) == 1 or len(items) >= self._size:
            with self._monitor:
                self._monitor.notify_all()
                # Woken when half of them are gone: fewer turns of the threads.
                self._monitor.wait_for(lambda: self._run.closed or len(items) <= self._size // 2)
        return not self._run.closed

    def is_ready(self) -> bool:
        """True if there is an element, or there will be none."""
        return bool(self._items) or self.ended

    def take(self, run: Run, told: Told | None = None) -> Element | None:
        """The next element, or None at the end; waits for it.

        Args:
          run: On whose behalf.
          told: Is told how full the buffer is.

        Raises:
          OpError: There is an error in its place, or the run was stopped.
        """
        items = self._items
        if not items:
            with self._monitor:
                self._monitor.notify_all()
                run.wait(self._monitor, self.is_ready)
            if not items:
                return None
        if told is not None:
            held = min(len(items), self._size)
            told.value("buffer_utilization", held / self._size)
            told.scalar("buffer_size", held)
            told.scalar("buffer_capacity", self._size)
            told.step += 1
        item = items.popleft()
        if len(items) == self._size // 2:
            with self._monitor:
                self._monitor.notify_all()
        if type(item) is Failure:
            raise item.error
        return item  # type: ignore[no-any-return]

    def wake(self) -> None:
        """Has who waits look again."""
        with self._monitor:
            self._monitor.notify_all()

    def close(self) -> None:
        """Ends the thread that makes elements."""
        self._run.close()
        self.wake()


class BufferStage(Stage):
    """Gives what a thread of its own makes ahead."""

    __slots__ = ("_buffer", "_dataset", "_told")

    def __init__(self, run: Run, dataset: Dataset, size: int, told: Told | None = None) -> None:
        """Starts no thread before the first element is asked for.

        Args:
          run: The run.
          dataset: Gives the elements.
          size: Most elements that are made ahead.
          told: Is told how full the buffer is.
        """
        super().__init__(run)
        self._told = told
        self.is_direct = False
        self._dataset: Dataset | None = dataset
        self._buffer = Buffer(size, Run(run))
        run.add_part(self._buffer)
        when_dropped(self, self._buffer.close)

    def next(self) -> Element | None:
        if self._dataset is not None:
            dataset, self._dataset = self._dataset, None
            self.run.check()
            start_thread(partial(self._buffer.fill, dataset), dataset.kind)
        return self._buffer.take(self.run, self._told)

    def is_ready(self) -> bool:
        return self._buffer.is_ready()


class PrefetchDataset(Dataset):
    """The same elements, some of which are made ahead."""

    kind = "Prefetch"
    __slots__ = ("size",)

    def __init__(
        self,
        types: Sequence[DType],
        shapes: Sequence[TensorShape],
        source: Dataset,
        size: int,
    ) -> None:
        """Takes how many elements are made ahead; 0 for none, -1 for a good number."""
        if size < AUTOTUNE:
            raise invalid("buffer_size must be >= 0 or set buffer_size to be -1 for auto-tuning")
        super().__init__(types, shapes, source)
        self.size = size

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()

    def start(self, run: Run) -> Stage:
        told = run.told(self)
        if self.size == 0:
            source = self.inputs[0].start(run)
            return source if told is None else _Unbuffered(run, source, told)
        size = _CHOSEN if self.size == AUTOTUNE else self.size
        return BufferStage(run, self.inputs[0], size, told)


class _Unbuffered(Stage):
    """Tells that it makes nothing ahead."""

    __slots__ = ("_source", "_told")

    def __init__(self, run: Run, source: Stage, told: Told) -> None:
        super().__init__(run, source)
        self._source = source
        self._told = told

    def next(self) -> Element | None:
        for name in ("buffer_size", "buffer_capacity"):
            self._told.scalar(name, 0)
        element = self._source.next()
        self._told.step += element is not None
        return element


class ParallelMapDataset(MapDataset):
    """What a function makes of each element, of several elements at the same time."""

    kind = "ParallelMap"
    __slots__ = ("calls", "in_order")

    def __init__(
        self,
        types: Sequence[DType],
        shapes: Sequence[TensorShape],
        source: Dataset,
        function: Captured,
        calls: int,
        keeps_count: bool = True,
        in_order: bool | None = None,
    ) -> None:
        """Takes how many calls may go on at a time, -1 for a good number, and if order counts.

        Raises:
          InvalidArgumentError: The number is not positive.
        """
        if calls <= 0 and calls != AUTOTUNE:
            raise invalid("num_parallel_calls must be greater than zero.")
        super().__init__(types, shapes, source, function, keeps_count)
        self.calls = calls
        self.in_order = in_order

    def start(self, run: Run) -> Stage:
        calls = parallel_calls(self.calls)
        if run.most_threads is not None:
            calls = min(calls, run.most_threads)
        source = self.inputs[0].start(run)
        call = run.function(self.function, self.kind, may_end=not self.keeps_count)
        in_order = run.in_order if self.in_order is None else self.in_order
        return ParallelStage(run, source, call, calls, in_order, run.told(self))


def parallel_calls(wanted: int) -> int:
    """How many calls go on at a time, where so many are wanted."""
    return (os.cpu_count() or 1) if wanted == AUTOTUNE else wanted


class _Job:
    """A call of a function with an element."""

    __slots__ = ("element", "is_over", "result")

    def __init__(self, element: Element) -> None:
        self.element: Element | None = element
        self.is_over = False
        self.result: Any = None


class Workers:
    """Threads that call a function; they are started as there is work, and end with a run."""

    def __init__(self, run: Run, call: Call, most: int) -> None:
        """Has no thread yet.

        Args:
          run: The run of the calls; ends with the workers.
          call: The function.
          most: Most threads.
        """
        self.run = run
        self._call = call
        self._most = most
        self._threads = self._idle = 0
        self._queue: deque[_Job] = deque()
        self.monitor = Monitor()

    def submit(self, job: _Job) -> None:
        """Has a call made."""
        with self.monitor:
            self._queue.append(job)
            if self._idle < len(self._queue) and self._threads < self._most:
                self._threads += 1
                start_thread(self._work, "ParallelMap")
            else:
                self.monitor.notify_all()

    def _work(self) -> None:
        while True:
            with self.monitor:
                self._idle += 1
                self.monitor.wait_for(lambda: self._queue or self.run.closed)
                self._idle -= 1
                if self.run.closed:
                    self._threads -= 1
                    return
                job = self._queue.popleft()
            do_job(self._call, job)
            with self.monitor:
                self.monitor.notify_all()
            del job

    def wake(self) -> None:
        """Has who waits look again."""
        with self.monitor:
            self.monitor.notify_all()

    def close(self) -> None:
        """Ends the threads."""
        self.run.close()
        self.wake()


def do_job(call: Call, job: _Job) -> None:
    """Makes a call, and takes note of what comes of it."""
    assert job.element is not None
    try:
        job.result = mapped_or_end(call, job.element)
    except Exception as error:
        job.result = Failure(error)
    job.element = None
    job.is_over = True


class ParallelStage(Stage):
    """Keeps some calls going, and gives their results in order, or the first that is there.

    Short calls are made on the caller's thread, where they are not slowed down by turns of threads.
    """

    __slots__ = (
        *("_call", "_in_order", "_jobs", "_looks", "_most", "_own", "_source", "_spent"),
        *("_told", "_workers"),
    )

    def __init__(
        self,
        run: Run,
        source: Stage,
        call: Call,
        most: int,
        in_order: bool = True,
        told: Told | None = None,
    ) -> None:
        """Takes elements from a stage.

        Args:
          run: The run.
          source: Gives the elements.
          call: The function.
          most: Most calls at a time.
          in_order: Whether results come in the order of the elements.
          told: Is told which part of the calls that may go on does so.
        """
        super().__init__(run, source)
        self.is_direct = False
        self._told = told
        self._in_order = in_order
        self._source: Stage | None = source
        self._own = call
        self._most = most
        self._jobs: deque[Any] = deque()
        self._looks = 0
        self._spent = 0.0
        self._workers: Workers | None = None

    def next(self) -> Element | None:
        element = self._next()
        if self._told is not None and element is not None:
            busy = sum(type(job) is _Job and not job.is_over for job in self._jobs)
            self._told.scalar("thread_utilization", busy / self._most)
            self._told.step += 1
        return element

    def _next(self) -> Element | None:
        if self._workers is None:
            is_short = self._looks < _LOOKS or self._spent < _SHORT * _LOOKS
            if self._most == 1 or (is_short and self._in_order):
                return self._next_here()
            self._begin()
        workers = self._workers
        assert workers is not None
        while self._source is not None and len(self._jobs) < self._most:
            try:
                element = self._source.next()
            except OpError as error:
                self.run.check()
                self._jobs.append(Failure(error))
                continue
            if element is None:
                self._source = None
                break
            job = _Job(element)
            self._jobs.append(job)
            workers.submit(job)
        if not self._jobs:
            return None
        job = self._first()
        if job is None:
            with workers.monitor:
                self.run.wait(workers.monitor, self._first)
            job = self._first()
        self._jobs.remove(job)
        if type(job) is Failure:
            raise job.error
        if type(job.result) is Failure:
            raise job.result.error
        if job.result is None:
            self._source = None
            self._jobs.clear()
        return job.result  # type: ignore[no-any-return]

    def _first(self) -> Any:
        """The job or failure whose turn it is, or None while it goes on."""
        looked_at = (self._jobs[0],) if self._in_order else tuple(self._jobs)
        return next((job for job in looked_at if type(job) is Failure or job.is_over), None)

    def is_ready(self) -> bool:
        return self._workers is None and not self._own.may_wait and super().is_ready()

    def _next_here(self) -> Element | None:
        element = None if self._source is None else self._source.next()
        if element is None:
            self._source = None
            return None
        if self._looks >= _LOOKS:
            return mapped_or_end(self._own, element)
        start = clock()
        try:
            return mapped_or_end(self._own, element)
        finally:
            self._looks += 1
            self._spent += clock() - start

    def _begin(self) -> None:
        inner = Run(self.run)
        self._workers = Workers(inner, self._own.on_behalf_of(inner), self._most)
        self.run.add_part(self._workers)
        when_dropped(self, self._workers.close)
