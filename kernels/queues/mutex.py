"""Locks that one execution at a time holds; the others wait, in order."""

from __future__ import annotations

import threading
from collections import deque

from dataflow.kernels.queues.waiting import Attempt, Awaited, Done, Line, Outcome, Waiter


class Mutex(Awaited):
    """A lock."""

    def __init__(self) -> None:
        """Makes one that nobody holds."""
        self._takes: Line = deque()
        super().__init__(self._takes)
        self._is_held = False

    def take(self, step: Waiter, done: Done) -> None:
        """Ends a kernel's call with a `Held` as soon as nobody else holds the lock."""
        self.submit(self._takes, Attempt("MutexLock", done, self._take), step)

    def _take(self, attempt: Attempt) -> Outcome:
        if self._is_held:
            return Outcome.STUCK
        self._is_held = True
        attempt.result = Held(self)
        return Outcome.OVER

    def give_back(self) -> None:
        """Lets the next one have it."""
        with self._lock:
            self._is_held = False
        self.changed()


class Held:
    """The value of a variant that holds a lock, until it is given back or dropped."""

    def __init__(self, mutex: Mutex) -> None:
        """Takes the lock, which nobody else holds."""
        self._mutex: Mutex | None = mutex
        self._once = threading.Lock()

    def give_back(self) -> None:
        """Gives the lock back, unless that is done."""
        with self._once:
            mutex, self._mutex = self._mutex, None
        if mutex is not None:
            mutex.give_back()

    def __del__(self) -> None:
        self.give_back()
