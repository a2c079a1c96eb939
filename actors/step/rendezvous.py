"""The meeting point of Send and Recv: (step, edge) -> value, with early arrival, waiting, abort."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Any, Final

from dataflow.actors.step.numbers import STEP_BITS
from dataflow.errors import AbortedError, OpError

Receiver = Callable[[Any, bool, "OpError | None"], None]
"""Takes (value, dead, error): exactly one of a value or an error, `dead` for a dead tensor."""
Taken = Callable[[], None]

OUTSIDE: Final = "0:0"
"""Frame and iteration of what is in no loop."""


def rendezvous_key(
    send_device: str, incarnation: int, recv_device: str, tensor_name: str, frame: str = OUTSIDE
) -> str:
    """The key of an edge, in TensorFlow's form with its five fields.

    A restarted device has a new incarnation, so a stale peer meets no one instead of reading a
    wrong value. `frame` is "<frame id>:<iteration>", so that an edge inside a loop has a key for
    each iteration.
    """
    mask = (1 << 64) - 1
    return f"{send_device};{incarnation & mask:016x};{recv_device};{tensor_name};{frame}"


class Rendezvous:
    """The values and waiters of one step: under each key a queue of the one or of the other."""

    __slots__ = ("_error", "_lock", "_values", "_waiters")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._values: dict[str, deque[tuple[Any, bool, Taken | None]]] = {}
        self._waiters: dict[str, deque[Receiver]] = {}
        self._error: OpError | None = None

    def put(self, key: str, value: Any, dead: bool = False, taken: Taken | None = None) -> None:
        """Hands a value to the longest waiting receiver, or keeps it; dropped after an abort.

        `taken` is called when the value is handed over.
        """
        with self._lock:
            if self._error is not None:
                return
            waiters = self._waiters.get(key)
            if waiters is None:
                self._values.setdefault(key, deque()).append((value, dead, taken))
                return
            receiver = waiters.popleft()
            if not waiters:
                del self._waiters[key]
        if taken is not None:
            taken()
        receiver(value, dead, None)

    def recv(self, key: str, receiver: Receiver) -> None:
        """Calls `receiver` with the next value under the key, now or when it arrives."""
        value: Any = None
        dead, taken = False, None
        with self._lock:
            error = self._error
            if error is None:
                values = self._values.get(key)
                if values is None:
                    self._waiters.setdefault(key, deque()).append(receiver)
                    return
                value, dead, taken = values.popleft()
                if not values:
                    del self._values[key]
        if taken is not None:
            taken()
        receiver(value, dead, error)

    def abort(self, error: OpError) -> None:
        """Fails all waiting and all later receivers with `error`; the first abort stays."""
        with self._lock:
            if self._error is not None:
                return
            self._error = error
            waiters = [w for queue in self._waiters.values() for w in queue]
            self._waiters.clear()
            self._values.clear()
        for receiver in waiters:
            receiver(None, False, error)

    def __len__(self) -> int:
        """Number of keys that hold values or waiters."""
        with self._lock:
            return len(self._values) + len(self._waiters)


class RendezvousTable:
    """The rendezvous of the steps of one device.

    Values may arrive before their step is opened here, since devices start a step at different
    times. Such early steps are bounded in number: the oldest one is given up, and fails if it is
    opened after all. What arrives for a finished step is dropped.
    """

    MAX_EARLY_STEPS: Final = 1024
    MAX_REMEMBERED: Final = 4096

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._open: dict[int, Rendezvous] = {}
        self._early: OrderedDict[int, Rendezvous] = OrderedDict()
        self._over: OrderedDict[int, OpError | None] = OrderedDict()
        self._low_water: dict[int, int] = {}

    def open(self, step_id: int) -> Rendezvous:
        """The rendezvous of a step that runs here."""
        with self._lock:
            found = self._open.get(step_id)
            if found is None:
                found = self._early.pop(step_id, None)
            if found is None:
                found = Rendezvous()
                given_up = self._over.get(step_id)
                if given_up is not None:
                    found.abort(given_up)
            self._open[step_id] = found
            return found

    def put(
        self, step_id: int, key: str, value: Any, dead: bool = False, taken: Taken | None = None
    ) -> None:
        """Takes a value that was sent to this device; `taken` is called when a receiver has it."""
        with self._lock:
            found = self._open.get(step_id)
            if found is None:
                if self._is_over(step_id):
                    return
                found = self._early.get(step_id)
                if found is None:
                    found = self._early[step_id] = Rendezvous()
                    self._bound_early()
        found.put(key, value, dead, taken)

    def abort(self, step_id: int, error: OpError) -> None:
        """Fails the receivers of a step, also if it is opened only later."""
        with self._lock:
            found = self._open.get(step_id)
            if found is None:
                if not self._is_over(step_id):
                    self._early.pop(step_id, None)
                    self._remember(step_id, error)
                return
        found.abort(error)

    def why_stopped(self, step_id: int) -> OpError | None:
        """The error of a step that was aborted before it began here."""
        return self._over.get(step_id)

    def finish(self, step_id: int) -> None:
        """Forgets a step; values that arrive for it later are dropped."""
        with self._lock:
            self._open.pop(step_id, None)
            self._early.pop(step_id, None)
            self._remember(step_id, None)

    def reap(self, low_water: int) -> None:
        """Forgets the early values of all steps of a session before step `low_water`."""
        session = low_water >> STEP_BITS
        if low_water <= self._low_water.get(session, 0):
            return
        with self._lock:
            self._low_water[session] = max(low_water, self._low_water.get(session, 0))
            if not self._early:
                return
            for step_id in [s for s in self._early if session == s >> STEP_BITS and s < low_water]:
                del self._early[step_id]

    def forget_session(self, session: int) -> None:
        """Forgets all that is known of a session's steps."""
        with self._lock:
            self._low_water.pop(session, None)
            for steps in (self._early, self._over):
                for step_id in [s for s in steps if s >> STEP_BITS == session]:
                    del steps[step_id]

    def __len__(self) -> int:
        """Number of steps that hold a rendezvous."""
        with self._lock:
            return len(self._open) + len(self._early)

    def _is_over(self, step_id: int) -> bool:
        return step_id in self._over or step_id < self._low_water.get(step_id >> STEP_BITS, 0)

    def _bound_early(self) -> None:
        if len(self._early) > self.MAX_EARLY_STEPS:
            step_id, _ = self._early.popitem(last=False)
            message = f"Step {step_id} was given up: values of too many later steps arrived first."
            self._remember(step_id, AbortedError(None, None, message))

    def _remember(self, step_id: int, error: OpError | None) -> None:
        self._over[step_id] = error
        if len(self._over) > self.MAX_REMEMBERED:
            self._over.popitem(last=False)
