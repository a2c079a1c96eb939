"""A step on one device: its identity, its cancellation, and what lives no longer than it does."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from dataflow.kernels.contract.resources import ResourceManager
from dataflow.values.interrupts import Flag

if TYPE_CHECKING:
    from dataflow.actors.step.rendezvous import Rendezvous, RendezvousTable
    from dataflow.actors.threads.home import Home
    from dataflow.errors import OpError


class StepStopped(Exception):
    """Leaves straight-line code after the step has failed elsewhere; never seen by a user."""


class Step:
    """What the kernels of a step on one device share; the `StepContext` that kernels receive."""

    __slots__ = (
        "_callbacks",
        "_event",
        "_lock",
        "_rendezvous",
        "_resources",
        "_table",
        "calls",
        "error",
        "home",
        "on_fetch",
        "session",
        "step_id",
        "told",
        "trace",
        "writers",
    )

    def __init__(self, step_id: int, session: int, table: RendezvousTable) -> None:
        self.step_id = step_id
        self.session = session
        self.error: OpError | None = None
        """Why the step was cancelled; None while it may go on."""
        self.calls = 0
        """Calls of functions that have not returned; see `change_calls`."""
        self.home: Home | None = None
        """Where work goes that was woken from outside the step."""
        self.trace: list[Any] | None = None
        """Collects a record for each node that ran, if the step is traced."""
        self.on_fetch: Callable[[int, Any], None] | None = None
        """Takes fetched values one by one, in a step that is fed and fetched piecewise."""
        self.told: Callable[[OpError], None] | None = None
        """Told once that the step was cancelled, though its kernels may still run."""
        self.writers: list[None] = []
        """An element for each thread that writes to what outlives the step; see `begin_writing`."""
        self._table = table
        self._lock = threading.Lock()
        self._callbacks: dict[int, Callable[[], None]] | None = None
        self._event: Flag | None = None
        self._resources: ResourceManager | None = None
        self._rendezvous: Rendezvous | None = None

    @property
    def rendezvous(self) -> Rendezvous:
        """Where the values other devices send in this step arrive."""
        if self._rendezvous is None:
            self._rendezvous = self._table.open(self.step_id)
            if self.error is not None:
                self._rendezvous.abort(self.error)
        return self._rendezvous

    @property
    def used_rendezvous(self) -> bool:
        """True if a kernel of the step has used the rendezvous."""
        return self._rendezvous is not None

    @property
    def cancelled(self) -> threading.Event:
        """Set once the step is cancelled, for kernels that wait or poll."""
        with self._lock:
            if self._event is None:
                self._event = Flag()
                if self.error is not None:
                    self._event.set()
            return self._event

    @property
    def resources(self) -> ResourceManager:
        """Resources that end with the step."""
        with self._lock:
            if self._resources is None:
                self._resources = ResourceManager()
            return self._resources

    def on_cancel(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Has `callback` called when the step is cancelled, at once if it is already.

        Returns:
          A function that withdraws the callback.
        """
        with self._lock:
            if self.error is None:
                if self._callbacks is None:
                    self._callbacks = {}
                callbacks, key = self._callbacks, id(callback)
                callbacks[key] = callback

                def withdraw() -> None:
                    callbacks.pop(key, None)

                return withdraw
        callback()
        return _nothing

    def cancel(self, error: OpError) -> bool:
        """Cancels the step; the first error stays. A further call ends what one left undone.

        Returns:
          True if this call cancelled it.
        """
        with self._lock:
            is_first = self.error is None
            if is_first:
                self.error = error
            callbacks = self._callbacks or {}
        # From here on all may be done twice: by a caller that was interrupted, and after it.
        if self._event is not None:
            self._event.set()
        self._table.abort(self.step_id, self.error or error)
        told, self.told = self.told, None
        if told is not None:
            told(self.error or error)
        for key, callback in tuple(callbacks.items()):
            callback()
            callbacks.pop(key, None)
        return is_first

    def change_calls(self, by: int) -> None:
        """Counts a call of a function that begins, 1, or is over, -1."""
        with self._lock:
            self.calls += by

    def check(self) -> None:
        """Raises StepStopped if the step was cancelled."""
        if self.error is not None:
            raise StepStopped


def _nothing() -> None:
    """Withdraws a callback that was called already."""
