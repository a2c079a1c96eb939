"""Whether the step that a kernel works for was stopped: long kernels look, late writes are refused.

Nobody waits for long for the kernels of a step that was stopped: its caller returns, and a kernel
that could not look is left behind on its thread. Its result is dropped. But what outlives the step
must not change any more then: who writes to it says so, and is waited for.
"""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager
from typing import Any, Final, Protocol


class Stoppable(Protocol):
    """A step as those who work for it see it."""

    @property
    def error(self) -> Any:
        """Why it was stopped; None while it may go on."""

    @property
    def writers(self) -> list[None]:
        """An element for each thread that writes to what outlives the step: a list, since to append
        and to pop are one act for the interpreter."""

    def check(self) -> None:
        """Raises if it was stopped."""


class _Thread(threading.local):
    """What this thread works for."""

    step: Stoppable | None = None
    """None if for nothing that can be stopped."""


current: Final = _Thread()


class Working:
    """The context in which this thread works for a step, inside of another context."""

    __slots__ = ("_inner", "_outer", "_step")

    def __init__(self, step: Stoppable, inner: AbstractContextManager[Any]) -> None:
        self._step = step
        self._inner = inner
        self._outer: Stoppable | None = None

    def __enter__(self) -> None:
        self._outer, current.step = current.step, self._step
        self._inner.__enter__()

    def __exit__(self, *raised: Any) -> None:
        current.step = self._outer
        self._inner.__exit__(*raised)


def look() -> None:
    """Raises if the step that this thread works for was stopped."""
    step = current.step
    if step is not None and step.error is not None:
        step.check()


def begin_writing() -> Stoppable | None:
    """Says that this thread writes to what outlives the step; raises if the step was stopped.

    Until `end_writing` nothing stops the thread: what has begun to change changes altogether.

    Returns:
      What to give to `end_writing`.
    """
    thread = current
    step = thread.step
    if step is not None:
        # In this order: who stops a step looks for writers afterwards.
        step.writers.append(None)
        if step.error is not None:
            step.writers.pop()
            step.check()
        thread.step = None
    return step


def end_writing(step: Stoppable | None) -> None:
    """Says that this thread has written."""
    if step is not None:
        current.step = step
        step.writers.pop()
