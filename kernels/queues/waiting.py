"""Attempts: what steps want of state, now or as soon as it can be; no thread waits for it."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from enum import Enum
from functools import partial
from typing import Any, Protocol

from dataflow.errors import CancelledError


class Outcome(Enum):
    """How far an attempt got."""

    STUCK = "stuck"
    """Nothing could be done."""
    MOVED = "moved"
    """Something was done, not all of it."""
    OVER = "over"
    """All was done, or it cannot be."""


class Waiter(Protocol):
    """The step that an attempt is for."""

    def on_cancel(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Has `callback` called when the step is cancelled; gives what withdraws it."""


Done = Callable[..., None]
"""`done(result)` or `done(error=error)`: ends a blocking kernel's call."""
Calls = list[Callable[[], None]]
"""What is to be called when no lock is held any more."""


class Attempt:
    """Something that a step wants done."""

    __slots__ = ("_end", "advance", "done", "error", "give_back", "is_over", "operation", "result")

    def __init__(
        self,
        operation: str,
        done: Done,
        advance: Callable[[Attempt], Outcome],
        give_back: Callable[[], None] | None = None,
    ) -> None:
        """Makes an attempt that has not begun.

        Args:
          operation: What it is, for the message of its cancellation.
          done: Ends the kernel's call.
          advance: Does of this attempt what can be done now, with the lock held.
          give_back: Undoes what was done of a part of it, with the lock held.
        """
        self.operation = operation
        self.done = done
        self.advance = advance
        self.give_back = give_back
        self.result: Any = None
        """What the kernel returns if all goes well."""
        self.error: Exception | None = None
        """Why it cannot be done."""
        self.is_over = False
        self._end: Callable[[], None] | None = None

    def withdrawn_by(self, withdraw: Callable[[], None]) -> None:
        """Has a function called when the attempt is over, or now; the lock is held."""
        if self.is_over:
            withdraw()
        else:
            self._end = withdraw

    def finish(self) -> None:
        """Tells the kernel; no lock is held."""
        if self._end is not None:
            self._end()
        if self.error is not None:
            self.done(error=self.error)
        else:
            self.done(self.result)


Line = deque[Attempt]
"""Attempts in the order in which they came: none goes before an earlier one."""


class Awaited:
    """State that steps wait for. Safe to use from many threads."""

    def __init__(self, *lines: Line) -> None:
        """Has lines of attempts, which are looked at in turn until none gets any further."""
        self._lock = threading.Lock()
        self._lines = lines

    def submit(self, line: Line, attempt: Attempt, step: Waiter) -> None:
        """Begins an attempt when those before it are over; its kernel is told when it is over."""
        with self._lock:
            line.append(attempt)
            finished = self._flush()
        if not attempt.is_over:
            withdraw = step.on_cancel(partial(self._cancel, line, attempt))
            with self._lock:
                attempt.withdrawn_by(withdraw)
        _finish(finished)

    def cancel_line(self, line: Line) -> None:
        """Cancels all attempts in a line."""
        with self._lock:
            finished = [self._end_early(line, attempt) for attempt in tuple(line)]
            finished += self._flush()
        _finish(finished)

    def changed(self) -> None:
        """Goes on with attempts after a change that was none of theirs."""
        with self._lock:
            finished = self._flush()
        _finish(finished)

    def _cancel(self, line: Line, attempt: Attempt) -> None:
        with self._lock:
            if attempt.is_over:
                return
            finished = [self._end_early(line, attempt), *self._flush()]
        _finish(finished)

    def _end_early(self, line: Line, attempt: Attempt) -> Attempt:
        line.remove(attempt)
        attempt.is_over = True
        if attempt.give_back is not None:
            attempt.give_back()
        text = f"{attempt.operation} operation was cancelled"
        attempt.error = CancelledError(None, None, text)
        return attempt

    def _flush(self) -> list[Attempt]:
        """Advances attempts as far as they get; gives those that are over."""
        finished: list[Attempt] = []
        moved = True
        while moved:
            moved = False
            for line in self._lines:
                while line:
                    outcome = line[0].advance(line[0])
                    moved = moved or outcome is not Outcome.STUCK
                    if outcome is not Outcome.OVER:
                        break
                    attempt = line.popleft()
                    attempt.is_over = True
                    finished.append(attempt)
        return finished


def _finish(attempts: list[Attempt]) -> None:
    for attempt in attempts:
        attempt.finish()
