"""Places for work that holds a thread: so many at a time, the rest in the order it came in."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Final

MOST_LEFT: Final = 64
"""Threads that may be left behind in work that does not end, and have others in their place."""

Thunk = Callable[[], None]


class Places:
    """Bounds the threads that work for steps.

    What waits for something else must hold no place while it waits: then each place is given up
    again, whatever the order of the steps, and no two devices can wait for each other's.
    """

    def __init__(self, limit: int, submit: Callable[[Thunk], None]) -> None:
        """Makes so many free places.

        Args:
          limit: How many.
          submit: Has another thread do something.
        """
        self._free = limit
        self._submit = submit
        self._waiting: deque[tuple[int, Thunk]] = deque()
        self._at_work: dict[int, int] = {}
        """How many threads work for a step."""
        self._left: dict[int, int] = {}
        """How many of a step's threads were left behind."""
        self._lock = threading.Lock()

    def run(self, step: int, work: Thunk) -> None:
        """Does work of a step now, or has it done when a place is free; it must not raise."""
        with self._lock:
            if self._free <= 0:
                self._waiting.append((step, work))
                return
            self._enter(step)
        self._work(step, work)

    def leave_behind(self, step: int) -> None:
        """Gives the places of a step's threads to others, though they are still at work for it."""
        with self._lock:
            stuck = self._at_work.get(step, 0) - self._left.get(step, 0)
            stuck = min(stuck, MOST_LEFT - sum(self._left.values()))
            if stuck <= 0:
                return
            self._left[step] = self._left.get(step, 0) + stuck
            self._free += stuck
        for _ in range(stuck):
            self._submit(self._run_next)

    @property
    def are_taken(self) -> bool:
        """True if work would wait now."""
        return self._free <= 0

    @property
    def left_behind(self) -> int:
        """How many threads were left behind and have not come back."""
        return sum(self._left.values())

    def _run_next(self) -> None:
        with self._lock:
            if self._free <= 0 or not self._waiting:
                return
            step, work = self._waiting.popleft()
            self._enter(step)
        self._work(step, work)

    def _work(self, step: int, work: Thunk) -> None:
        while True:
            work()
            with self._lock:
                self._exit(step)
                if self._free <= 0 or not self._waiting:
                    return
                step, work = self._waiting.popleft()
                self._enter(step)

    def _enter(self, step: int) -> None:
        self._free -= 1
        self._at_work[step] = self._at_work.get(step, 0) + 1

    def _exit(self, step: int) -> None:
        left = self._left.get(step, 0)
        if left:
            # Another thread has had the place meanwhile.
            _count_down(self._left, step)
        else:
            self._free += 1
        _count_down(self._at_work, step)


def _count_down(counts: dict[int, int], step: int) -> None:
    if counts[step] > 1:
        counts[step] -= 1
    else:
        del counts[step]
