"""Puts requests together: rows of several are one step, and each gets its own rows of the results.

Requests that feed and fetch the same tensors of one version, with rows of one type and shape, share
a batch. It runs when it is full or its time has come, and a thread is free; until then it takes
more. Where the step of several fails, each runs alone, so that a bad one harms nobody else.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dataflow.errors import (
    FailedPreconditionError,
    InvalidArgumentError,
    OpError,
    UnavailableError,
)
from dataflow.serving.options import Batching

Feeds = Mapping[str, np.ndarray]
Run = Callable[[Feeds, Sequence[str]], "asyncio.Future[list[np.ndarray]]"]
"""Starts a step on a thread."""


@dataclass
class _Task:
    feeds: Feeds
    rows: int
    done: asyncio.Future[list[np.ndarray]]


@dataclass
class _Batch:
    run: Run
    fetches: tuple[str, ...]
    due: float
    rows: int = 0
    tasks: list[_Task] = field(default_factory=list)
    closed: bool = False


class Batcher:
    """Queues of batches; lives on one event loop.

    Args:
      options: Sizes, times and limits.
      watch: Is told the rows of each batch before it runs.
    """

    def __init__(self, options: Batching, watch: Callable[[int], None] = lambda rows: None) -> None:
        self._options = options
        self._watch = watch
        self._queue: deque[_Batch] = deque()
        """Batches that wait, oldest first."""
        self._open: dict[Any, _Batch] = {}
        """Those of them that take more rows, by what requests must have in common."""
        self._running = 0
        self._timer: asyncio.TimerHandle | None = None

    async def run(
        self, owner: Any, run: Run, feeds: Feeds, fetches: Sequence[str]
    ) -> list[np.ndarray]:
        """Runs a step with others.

        Args:
          owner: The version; others' requests go into other batches.
          run: Starts a step of it.
          feeds: Arrays by the names of tensors, all with the same number of rows.
          fetches: The names of tensors.

        Raises:
          InvalidArgumentError: The feeds are no rows, or too many for a batch.
          UnavailableError: Too many batches wait.
          OpError: The step fails.
        """
        rows = _rows(feeds)
        if rows > self._options.max_batch_size:
            raise InvalidArgumentError(
                None,
                None,
                f"Task size {rows} is larger than maximum input batch size "
                f"{self._options.max_batch_size}",
            )
        task = _Task(feeds, rows, asyncio.get_running_loop().create_future())
        self._add(self._key(owner, feeds, fetches), run, tuple(fetches), task)
        self._start_due()
        return await task.done

    def _key(self, owner: Any, feeds: Feeds, fetches: Sequence[str]) -> Any:
        padded = self._options.pad_variable_length_inputs
        kinds = tuple(
            (name, feeds[name].dtype, feeds[name].ndim if padded else feeds[name].shape[1:])
            for name in sorted(feeds)
        )
        return id(owner), kinds, tuple(fetches)

    def _add(self, key: Any, run: Run, fetches: tuple[str, ...], task: _Task) -> None:
        batch = self._open.get(key)
        if batch is not None and batch.rows + task.rows > self._options.max_batch_size:
            self._close(key, batch)
            batch = None
        if batch is None:
            waiting = sum(each.closed for each in self._queue)
            if waiting >= self._options.max_enqueued_batches:
                raise UnavailableError(
                    None,
                    None,
                    "The batch scheduling queue to which this task was submitted is full; "
                    f"currently {waiting} batches enqueued and max_enqueued_batches is "
                    f"{self._options.max_enqueued_batches}",
                )
            due = time.monotonic() + self._options.batch_timeout_micros / 1e6
            batch = self._open[key] = _Batch(run, fetches, due)
            self._queue.append(batch)
        batch.tasks.append(task)
        batch.rows += task.rows
        if batch.rows == self._options.max_batch_size:
            self._close(key, batch)

    def _close(self, key: Any, batch: _Batch) -> None:
        batch.closed = True
        del self._open[key]

    def _start_due(self) -> None:
        """Starts what may run now, and sets a timer for what may run later."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        while self._running < self._options.num_batch_threads:
            now = time.monotonic()
            batch = next((b for b in self._queue if b.closed or b.due <= now), None)
            if batch is None:
                break
            self._queue.remove(batch)
            for key in [key for key, each in self._open.items() if each is batch]:
                self._close(key, batch)
            self._running += 1
            loop = asyncio.get_running_loop()
            task = loop.create_task(self._run(batch))
            task.add_done_callback(self._ended)
        else:
            return
        if self._queue:
            wait = max(min(each.due for each in self._queue) - time.monotonic(), 0.0)
            self._timer = asyncio.get_running_loop().call_later(wait, self._start_due)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._running -= 1
        self._start_due()

    async def _run(self, batch: _Batch) -> None:
        tasks = [task for task in batch.tasks if not task.done.done()]
        if not tasks:
            return
        try:
            values = await self._step(batch, tasks)
        except Exception as error:
            if len(tasks) == 1 or not isinstance(error, OpError):
                for task in tasks:
                    _settle(task, error)
                return
            for task in tasks:
                try:
                    _settle(task, (await self._step(batch, [task]))[0])
                except Exception as alone:
                    _settle(task, alone)
            return
        for task, value in zip(tasks, values, strict=True):
            _settle(task, value)

    async def _step(self, batch: _Batch, tasks: list[_Task]) -> list[list[np.ndarray]]:
        """The results of each task, of one step for all."""
        rows = sum(task.rows for task in tasks)
        total = self._options.padded(rows)
        self._watch(rows)
        feeds = {
            name: _merged([task.feeds[name] for task in tasks], total) for name in tasks[0].feeds
        }
        outputs = await batch.run(feeds, batch.fetches)
        for output in outputs:
            if np.ndim(output) == 0:
                raise FailedPreconditionError(None, None, "Batched output tensor has 0 dimensions")
            if len(output) != total:
                raise FailedPreconditionError(
                    None,
                    None,
                    "Batched output tensor's 0th dimension does not equal the sum of the 0th "
                    "dimension sizes of the input tensors",
                )
        results, begin = [], 0
        for task in tasks:
            results.append([output[begin : begin + task.rows] for output in outputs])
            begin += task.rows
        return results


def _rows(feeds: Feeds) -> int:
    if any(array.ndim == 0 for array in feeds.values()):
        raise InvalidArgumentError(
            None, None, "Batching session Run() input tensors must have at least one dimension."
        )
    rows = {len(array) for array in feeds.values()}
    if len(rows) != 1:
        raise InvalidArgumentError(
            None,
            None,
            "Batching session Run() input tensors must have equal 0th-dimension size. "
            f"Got: {sorted(rows)}",
        )
    return rows.pop()


def _merged(arrays: list[np.ndarray], total: int) -> np.ndarray:
    """Arrays below each other, their rows filled up to one size, and copies of the first below."""
    sizes = tuple(max(sizes) for sizes in zip(*(a.shape[1:] for a in arrays), strict=True))
    if len(arrays) == 1 and len(arrays[0]) == total:
        return arrays[0]
    joined = np.concatenate([_widened(array, sizes) for array in arrays])
    if 0 < len(joined) < total:
        filling = np.repeat(joined[:1], total - len(joined), axis=0)
        joined = np.concatenate([joined, filling])
    return joined


def _widened(array: np.ndarray, sizes: tuple[int, ...]) -> np.ndarray:
    if array.shape[1:] == sizes:
        return array
    filling: Any = b"" if array.dtype == object else 0
    wide = np.full((len(array), *sizes), filling, array.dtype)
    wide[tuple(slice(size) for size in array.shape)] = array
    return wide


def _settle(task: _Task, outcome: list[np.ndarray] | Exception) -> None:
    if task.done.done():
        return
    if isinstance(outcome, Exception):
        task.done.set_exception(outcome)
    else:
        task.done.set_result(outcome)
