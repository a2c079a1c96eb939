"""Batches of what several steps bring, and the way back of each one's rows."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from time import monotonic
from typing import Any

import numpy as np

from dataflow.errors import (
    AlreadyExistsError,
    CancelledError,
    DeadlineExceededError,
    UnavailableError,
)
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.queues.waiting import Done, Waiter
from dataflow.values.interrupts import Monitor


class Request:
    """A step that waits until `end` is called, or until it is cancelled itself."""

    def __init__(self, done: Done, operation: str) -> None:
        """Takes what ends the kernel's call, and what the message of its cancellation calls it."""
        self._done = done
        self._operation = operation
        self._first = threading.Lock()
        self._over: list[Callable[[], None]] = []

    @property
    def is_over(self) -> bool:
        """True if it has ended."""
        return self._first.locked()

    def wait(self, step: Waiter, drop: Callable[[], None]) -> None:
        """Has `drop` called when the step is cancelled, and its call ended."""

        def cancel() -> None:
            drop()
            text = f"{self._operation} operation was cancelled"
            self.end(error=CancelledError(None, None, text))

        self.when_over(step.on_cancel(cancel))

    def when_over(self, call: Callable[[], None]) -> None:
        """Has a function called when it has ended, or now if it has."""
        self._over.append(call)
        if self.is_over:
            call()

    def end(self, result: Any = None, error: BaseException | None = None) -> None:
        """Ends the kernel's call, the first time."""
        if self._first.acquire(blocking=False):
            for call in self._over:
                call()
            self._done(result, error=error)


@dataclass(frozen=True, slots=True)
class Limits:
    """When batches are full, and how many there are."""

    size: int
    """Rows that a batch has at most."""
    seconds: float
    """How long the first request of a batch waits for others."""
    threads: int
    """Batches that are computed at a time."""
    batches: int
    """Batches that wait at most."""


@dataclass(slots=True, eq=False)
class Task:
    """The tensors of a request, which have as many rows."""

    request: Request
    tensors: Sequence[Any]
    compute: Callable[[Sequence[Task]], None]
    """Ends the requests of a batch; that of the last one is called."""

    @property
    def size(self) -> int:
        """How many rows it has."""
        return len(self.tensors[0])


@dataclass(slots=True, eq=False)
class _Batch:
    deadline: float
    tasks: list[Task] = field(default_factory=list)
    is_full: bool = False

    @property
    def size(self) -> int:
        return sum(task.size for task in self.tasks)


class Batcher:
    """Puts the tasks of steps together. Safe to use from many threads."""

    def __init__(self, limits: Limits, types: Sequence[Any]) -> None:
        """Takes the limits, and the element types that all tasks have."""
        self._limits = limits
        self._types = tuple(types)
        self._monitor = Monitor()
        self._batches: deque[_Batch] = deque()
        self._threads = 0

    def submit(self, step: Waiter, task: Task, types: Sequence[Any]) -> None:
        """Adds a task to the last batch, or to a new one if it does not fit.

        Raises:
          InvalidArgumentError: It has other element types than those before it, or is too large.
          UnavailableError: Too many batches wait.
        """
        if tuple(types) != self._types:
            raise invalid("Batching inputs must have equal number of edges and element types")
        limits = self._limits
        if task.size > limits.size:
            raise invalid(
                f"Task size {task.size} is larger than maximum input batch size {limits.size}"
            )
        with self._monitor:
            batch = self._batches[-1] if self._batches else None
            if batch is None or batch.is_full or batch.size + task.size > limits.size:
                if len(self._batches) >= limits.batches:
                    raise UnavailableError(
                        None,
                        None,
                        "The batch scheduling queue to which this task was submitted is full; "
                        f"currently {len(self._batches)} batches enqueued and max_enqueued_batches "
                        f"is {limits.batches}",
                    )
                if batch is not None:
                    batch.is_full = True
                batch = _Batch(monotonic() + limits.seconds)
                self._batches.append(batch)
                if self._threads < limits.threads:
                    self._threads += 1
                    threading.Thread(target=self._work, name="batches", daemon=True).start()
            batch.tasks.append(task)
            batch.is_full = batch.size == limits.size
            self._monitor.notify_all()
        task.request.wait(step, partial(self._drop, batch, task))

    def _drop(self, batch: _Batch, task: Task) -> None:
        with self._monitor:
            if batch in self._batches and task in batch.tasks:
                batch.tasks.remove(task)
                if not batch.tasks:
                    self._batches.remove(batch)
                    self._monitor.notify_all()

    def _next(self) -> _Batch | None:
        """A batch that waits for no more tasks; None, and the thread ends, if there is none."""
        with self._monitor:
            while self._batches:
                batch = self._batches[0]
                left = batch.deadline - monotonic()
                if batch.is_full or left <= 0:
                    return self._batches.popleft()
                self._monitor.wait(left)
            self._threads -= 1
            return None

    def _work(self) -> None:
        while (batch := self._next()) is not None:
            try:
                batch.tasks[-1].compute(batch.tasks)
            except Exception as error:
                for task in batch.tasks:
                    task.request.end(error=error)


def joined(tasks: Sequence[Sequence[Any]]) -> list[Any]:
    """The tensors of tasks, one behind the other.

    Raises:
      InvalidArgumentError: Their rows have different shapes.
    """
    for first, other in ((a, b) for each in tasks for a, b in zip(tasks[0], each, strict=True)):
        if np.shape(first)[1:] != np.shape(other)[1:]:
            raise invalid(
                f"Dimensions of inputs should match: shape[0] = {shape_text(np.shape(first))} vs. "
                f"shape[1] = {shape_text(np.shape(other))}"
            )
    return [np.concatenate(column) for column in zip(*tasks, strict=True)]


def filled_up(tensors: Sequence[Any], allowed: Sequence[int]) -> Sequence[Any]:
    """The tensors with their first row repeated, up to the next size that is allowed."""
    size = len(tensors[0])
    missing = next((each for each in allowed if each >= size), size) - size
    if not missing or not size:
        return tensors
    return [np.concatenate([each, np.repeat(each[:1], missing, axis=0)]) for each in tensors]


class Parts:
    """The rows of batches that steps wait for, by the requests' numbers."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._parts: dict[int, tuple[float, Any]] = {}
        self._waiting: dict[int, Request] = {}

    def take(
        self, step: Waiter, done: Done, number: int, seconds: float, parts: Mapping[int, Any]
    ) -> None:
        """Takes the rows of a request when they are there, and leaves others theirs.

        Args:
          step: The step.
          done: Ends the kernel's call.
          number: The request's.
          seconds: How long it waits, and for how long what it leaves is kept.
          parts: The rows of a batch that this step has computed, by number.

        Raises:
          AlreadyExistsError: The number is that of another one that waits.
        """
        request = Request(done, "Unbatch")
        now = monotonic()
        with self._lock:
            self._parts = {key: kept for key, kept in self._parts.items() if kept[0] > now}
            if number in self._waiting:
                text = "Multiple session runs with the same batch key."
                raise AlreadyExistsError(None, None, text)
            self._parts |= {key: (now + seconds, part) for key, part in parts.items()}
            self._waiting[number] = request
            ready = [
                (self._waiting.pop(key), self._parts.pop(key)[1])
                for key in (number, *parts)
                if key in self._waiting and key in self._parts
            ]
        for other, part in ready:
            other.end(part)
        if not request.is_over:
            request.wait(step, partial(self._drop, number, request))
            timer = threading.Timer(seconds, self._expire, (number, request))
            timer.daemon = True
            timer.start()
            request.when_over(timer.cancel)

    def _drop(self, number: int, request: Request) -> None:
        with self._lock:
            if self._waiting.get(number) is request:
                del self._waiting[number]

    def _expire(self, number: int, request: Request) -> None:
        self._drop(number, request)
        text = "Batched data did not arrive within timeout window."
        request.end(error=DeadlineExceededError(None, None, text))


class Gradients:
    """Gradients of the rows of requests, until all of a batch are there."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._given: dict[int, Any] = {}
        self._wanted: dict[tuple[int, ...], Request] = {}

    def give(
        self, step: Waiter, done: Done, number: int, gradient: Any, batch: Sequence[int]
    ) -> None:
        """Leaves a request's gradient; waits for those of a batch if it asks for some.

        Raises:
          InvalidArgumentError: The request has left one already.
        """
        request = Request(done, "UnbatchGrad")
        wanted = tuple(batch)
        with self._lock:
            if number in self._given or wanted in self._wanted:
                raise invalid("Two runs with the same batch key.")
            self._given[number] = gradient
            if wanted:
                self._wanted[wanted] = request
            ready = [
                (self._wanted.pop(numbers), [self._given.pop(each) for each in numbers])
                for numbers in tuple(self._wanted)
                if all(each in self._given for each in numbers)
            ]
        for other, gradients in ready:
            try:
                other.end(*joined([[each] for each in gradients]))
            except Exception as error:
                other.end(error=error)
        if not wanted:
            request.end(gradient[:0])
        elif not request.is_over:
            request.wait(step, partial(self._drop, wanted))

    def _drop(self, wanted: tuple[int, ...]) -> None:
        with self._lock:
            self._wanted.pop(wanted, None)
