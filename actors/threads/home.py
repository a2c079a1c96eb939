"""Where a step's work is done that something outside of the step has woken."""

from __future__ import annotations

from collections.abc import Callable
from queue import SimpleQueue
from typing import Protocol

Inbox = SimpleQueue["Callable[[], None] | None"]
"""Work for the thread that waits for a step; None when the step is over."""


class Home(Protocol):
    """Where work goes that something outside of a step has woken in it: an `Inbox`, for one."""

    def put(self, work: Callable[[], None], /) -> None:
        """Has the work done soon, not by this call."""
