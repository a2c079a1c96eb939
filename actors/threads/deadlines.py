"""Calls functions when their time is over, watched by one thread for all of them."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from time import monotonic
from typing import Final

from dataflow.values.interrupts import Monitor, sheltered

_NEVER: Final = float("inf")


class Deadlines:
    """The functions whose time is to come.

    A timer for each would start a thread each time, which takes longer than a small step.
    """

    def __init__(self) -> None:
        self._coming: dict[int, tuple[float, Callable[[], None]]] = {}
        self._numbers = itertools.count(1)
        self._changed = Monitor()
        self._thread: threading.Thread | None = None
        self._wakes_at = _NEVER
        """When the thread looks next."""
        self._stopped = False

    def add(self, seconds: float, call: Callable[[], None]) -> int:
        """Has a function called after some seconds, on a thread of its own.

        Returns:
          A number for `cancel`.
        """
        at = monotonic() + seconds
        number = next(self._numbers)
        if self._thread is None:
            sheltered(self._start)
        with self._changed:
            self._coming[number] = (at, call)
            if at < self._wakes_at:
                self._changed.notify_all()
        return number

    def cancel(self, number: int) -> None:
        """Withdraws a function; one that was called already goes on."""
        with self._changed:
            self._coming.pop(number, None)

    def stop(self) -> None:
        """Withdraws all functions and ends the thread."""
        with self._changed:
            self._stopped = True
            self._coming.clear()
            self._changed.notify_all()

    def _start(self) -> None:
        with self._changed:
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._watch, name="dataflow-deadlines", daemon=True
                )
                self._thread.start()

    def _watch(self) -> None:
        with self._changed:
            while not self._stopped:
                now = monotonic()
                for number, (at, call) in list(self._coming.items()):
                    if at <= now:
                        del self._coming[number]
                        threading.Thread(target=call, name="dataflow-deadline", daemon=True).start()
                # The one that it waited for may have been withdrawn, so it looks at all of them.
                self._wakes_at = min((at for at, _ in self._coming.values()), default=_NEVER)
                wait = self._wakes_at - now
                self._changed.wait(None if wait == _NEVER else min(wait, threading.TIMEOUT_MAX))
