"""Threads that do for others what those may not have the time to see the end of."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from queue import SimpleQueue
from typing import Any, Final

from dataflow.kernels.threads import parallel
from dataflow.values.interrupts import sheltered

Thunk = Callable[[], None]

_KEPT: Final = 16
"""Threads without work that wait for some."""
_pop: Final[Callable[[Any], Any]] = list.pop


class Errands:
    """As many threads as there is work; those that have done theirs wait for more."""

    def __init__(self) -> None:
        self._idle: list[SimpleQueue[Thunk | None]] = []
        self._closed = False

    def put(self, work: Thunk, /) -> None:
        """Has a thread do something at once; it must not raise."""
        try:
            # So no interrupt comes between taking a thread and giving it work.
            (inbox,) = map(_pop, (self._idle,))
        except IndexError:
            inbox = SimpleQueue()
            sheltered(partial(self._start, inbox))
        inbox.put(work)

    def close(self) -> None:
        """Ends the threads: those at work when that is done, whom nobody waits for."""
        self._closed = True
        while self._idle:
            self._idle.pop().put(None)

    def _start(self, inbox: SimpleQueue[Thunk | None]) -> None:
        name = "dataflow-errand"
        threading.Thread(target=self._serve, args=(inbox,), name=name, daemon=True).start()

    def _serve(self, inbox: SimpleQueue[Thunk | None]) -> None:
        while (work := inbox.get()) is not None:
            work()
            parallel.dismiss_teams()
            # It would keep what it refers to alive until the next.
            del work
            if len(self._idle) >= _KEPT:
                return
            self._idle.append(inbox)
            if self._closed:
                # Whoever closes may have looked before.
                self.close()
