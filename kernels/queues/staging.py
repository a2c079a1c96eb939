"""Staging areas: tuples of values that one step leaves for another."""

from __future__ import annotations

from collections import deque
from functools import partial
from typing import Any

from dataflow.errors import ResourceExhaustedError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.resources import snapshot
from dataflow.kernels.queues.waiting import Attempt, Awaited, Done, Line, Outcome, Waiter

Values = tuple[Any, ...]


class StagingArea(Awaited):
    """Values first in, first out, bounded in number and size."""

    def __init__(self, capacity: int, memory_limit: int) -> None:
        """Makes an empty area.

        Args:
          capacity: Most tuples it holds; 0 for any number.
          memory_limit: Most bytes that they have; 0 for any number.
        """
        self._puts: Line = deque()
        self._takes: Line = deque()
        super().__init__(self._puts, self._takes)
        self._capacity = capacity
        self._memory_limit = memory_limit
        self._held: deque[Values] = deque()
        self._bytes = 0

    @property
    def size(self) -> int:
        """How many tuples there are."""
        return len(self._held)

    def put(self, step: Waiter, done: Done, values: Values) -> None:
        """Leaves values."""
        size = _size(values)
        if 0 < self._memory_limit < size:
            raise ResourceExhaustedError(
                None,
                None,
                f"Attempted to insert tensors with combined size of '{size}' bytes into Staging "
                f"Area with a memory limit of '{self._memory_limit}'.",
            )
        kept = tuple(map(snapshot, values))
        self.submit(self._puts, Attempt("Stage", done, partial(self._put, kept, size)), step)

    def take(self, step: Waiter, done: Done, count: int) -> None:
        """Takes the first values, `count` of them."""
        self.submit(self._takes, Attempt("Unstage", done, partial(self._take, count)), step)

    def peek(self, step: Waiter, done: Done, place: int, count: int) -> None:
        """Shows the values at a place, `count` of them."""
        attempt = Attempt("StagePeek", done, partial(self._peek, place, count))
        self.submit(self._takes, attempt, step)

    def clear(self) -> None:
        """Drops all values."""
        with self._lock:
            self._held.clear()
            self._bytes = 0
        self.changed()

    def _put(self, values: Values, size: int, attempt: Attempt) -> Outcome:
        is_full = 0 < self._capacity <= len(self._held)
        if is_full or 0 < self._memory_limit < self._bytes + size:
            return Outcome.STUCK
        self._held.append(values)
        self._bytes += size
        return Outcome.OVER

    def _take(self, count: int, attempt: Attempt) -> Outcome:
        if not self._held:
            return Outcome.STUCK
        if self._show(self._held[0], count, attempt):
            self._bytes -= _size(self._held.popleft())
        return Outcome.OVER

    def _peek(self, place: int, count: int, attempt: Attempt) -> Outcome:
        if place >= len(self._held):
            return Outcome.STUCK
        self._show(self._held[place], count, attempt)
        return Outcome.OVER

    @staticmethod
    def _show(values: Values, count: int, attempt: Attempt) -> bool:
        """Gives values to an attempt that wants as many."""
        if len(values) != count:
            attempt.error = invalid(f"Mismatch stage/unstage: {len(values)} vs. {count}")
            return False
        attempt.result = values if count > 1 else values[0]
        return True


def _size(values: Values) -> int:
    return sum(int(getattr(value, "nbytes", 0)) for value in values)
