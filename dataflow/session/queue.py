"""StepQueue: runs the steps of a session in the background, a bounded number at once."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent import futures
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from typing import Any, Final

from dataflow.errors import CancelledError
from dataflow.values.interrupts import Monitor, sheltered

MAX_STEPS_IN_FLIGHT: Final = 16
"""Steps of `run_async` that a session runs at once unless it is told otherwise."""
IDLE_SECONDS: Final = 5.0
"""How long a thread without a step waits for the next one before it ends."""
_CLOSE_PATIENCE: Final = 5.0
"""Seconds that steps may take to end when their session is closed, and threads after them."""

Work = Callable[[], Any]


class StepQueue:
    """Threads that run steps; there are as many as steps have been in flight lately.

    An interrupt of `submit` leaves nothing half done: the step is in the queue, or nothing of it.
    """

    def __init__(self) -> None:
        self._limit = MAX_STEPS_IN_FLIGHT
        self._idle = 0
        """Threads that have no step, less the steps that wait for one."""
        self._closed = False
        self._pending: dict[Future[Any], None] = {}
        """The futures of steps in flight."""
        self._settling: set[Future[Any]] = set()
        """Futures that are given a value, or whose callbacks run."""
        self._threads: set[threading.Thread] = set()
        self._changed = Monitor()
        self._work: SimpleQueue[tuple[Work, Future[Any]] | None] = SimpleQueue()

    @property
    def limit(self) -> int:
        """The number of steps that may be in flight."""
        return self._limit

    @limit.setter
    def limit(self, limit: Any) -> None:
        if not isinstance(limit, int) or isinstance(limit, bool):
            raise TypeError(
                f"max_steps_in_flight must be an int, but got {limit!r} of type "
                f"{type(limit).__name__}."
            )
        if limit < 1:
            raise ValueError(f"max_steps_in_flight must be at least 1, but got {limit}.")
        self._limit = limit
        sheltered(self._tell)

    def submit(self, work: Work) -> Future[Any]:
        """Has a thread call `work()`; waits while as many steps as may be are in flight.

        Returns:
          The future of what it returns or raises. It fails with CancelledError if the queue is
          closed before.
        """
        future = _running()
        item = (work, future)
        with self._changed:
            while not self._closed and len(self._pending) >= self._limit:
                self._changed.wait()
            if self._closed:
                return failed(_closing())
            if self._idle <= 0:
                sheltered(self._start_thread)
            # No interrupt comes between these lines.
            self._pending[future] = None
            self._idle -= 1
            self._work.put(item)
        return future

    def refuse(self) -> None:
        """Takes no more steps; callers that wait for their turn get a future that has failed."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def close(self) -> None:
        """Settles all futures, once the steps were cancelled, and ends the threads.

        A step that does not end in time, since it is in a kernel that takes long, is not waited
        for: its future fails with CancelledError.
        """
        self.refuse()
        deadline = time.monotonic() + _CLOSE_PATIENCE
        with self._changed:
            self._changed.wait_for(lambda: not self._pending, _CLOSE_PATIENCE)
            late, self._pending = self._pending, {}
            settling, threads = set(self._settling), set(self._threads)
        for future in late:
            future.set_exception(_closing())
        # They are settled already, but for threads that were about to; callbacks may go on.
        futures.wait(settling, _CLOSE_PATIENCE)
        for _ in threads:
            self._work.put(None)
        for thread in threads - {threading.current_thread()}:
            thread.join(max(0.1, deadline - time.monotonic()))

    def _tell(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def _start_thread(self) -> None:
        thread = threading.Thread(target=self._serve, name="dataflow-run-async", daemon=True)
        thread.start()
        self._threads.add(thread)

    def _serve(self) -> None:
        with self._changed:
            self._idle += 1
        while (item := self._take()) is not None:
            work, future = item
            # What is not dropped before the next step arrives would be kept alive until then.
            del item
            try:
                result = work()
            except BaseException as error:
                self._settle(future, error, None)
            else:
                self._settle(future, None, result)
                del result
            del work, future
            with self._changed:
                self._idle += 1
        with self._changed:
            self._threads.discard(threading.current_thread())

    def _take(self) -> tuple[Work, Future[Any]] | None:
        """The next step; None if the thread is to end."""
        while True:
            try:
                return self._work.get(timeout=IDLE_SECONDS)
            except Empty:
                with self._changed:
                    if self._idle > 0:
                        self._idle -= 1
                        return None
                # Meanwhile a step was put here for this thread.

    def _settle(self, future: Future[Any], error: BaseException | None, result: Any) -> None:
        """Gives the future its value, unless `close` has given it one.

        The step's place is free before: callbacks of the future may start the next step.
        """
        with self._changed:
            late = future not in self._pending
            if not late:
                del self._pending[future]
                self._settling.add(future)
            self._changed.notify_all()
        if late:
            return
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(error)
        with self._changed:
            self._settling.remove(future)


def failed(error: BaseException) -> Future[Any]:
    """A future that has failed."""
    future = _running()
    future.set_exception(error)
    return future


class _StepFuture(Future[Any]):
    """A future whose methods may be interrupted: whoever settles it does not wait for ever."""

    def __init__(self) -> None:
        super().__init__()
        self._condition = Monitor()  # type: ignore[assignment]


def _running() -> Future[Any]:
    """The future of a step that nobody can call back."""
    future = _StepFuture()
    future.set_running_or_notify_cancel()
    return future


def _closing() -> CancelledError:
    return CancelledError(None, None, "Session was closed.")
