"""A step over several devices, seen from who asked for it: start all, first error, abort, wait."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any, Final, Protocol

from dataflow.actors.threads.home import Home, Inbox
from dataflow.actors.wire.messages import DevicePart
from dataflow.errors import CancelledError, DeadlineExceededError, OpError

DoneCallback = Callable[["BaseException | None", Sequence[Any]], None]
"""Called once when a plan has run: with the first error, or with its values (of a device of a step,
what it fetched in the order of its part)."""
Failed = Callable[[BaseException], None]
"""Called as soon as a step has failed on a device, where that knows it before all of it is done."""
StartTogether = Callable[["Home | None", Sequence[Callable[[], None]]], None]
"""Calls functions that start the devices of the step with that home."""

KERNEL_PATIENCE: Final = 0.3
"""Seconds that kernels of a failed step may take to end; then they are left on their threads."""
STEP_PATIENCE: Final = 0.8
"""Seconds that a failed step may take to end on other processes' devices; then they are left to it.
"""
_LOOK_AGAIN: Final = 0.02
"""Seconds until it is asked whether a step that has failed goes on."""


class DeviceStep(Protocol):
    """A device as the asker of a step reaches it."""

    def start(
        self,
        part: DevicePart,
        step_id: int,
        feeds: Sequence[Any],
        done: DoneCallback,
        failed: Failed,
    ) -> None:
        """Starts a plan with the part's feeds.

        It calls `done` once, possibly before it returns.
        """

    def abort(self, step_id: int, error: OpError) -> None:
        """Stops a step."""


class StepJoin:
    """One step on its devices: the first error is that of the step, the others follow from it."""

    def __init__(
        self,
        step_id: int,
        parts: Sequence[tuple[DeviceStep, DevicePart]],
        num_fetches: int,
        inbox: Inbox | None = None,
        on_change: Callable[[], None] | None = None,
    ) -> None:
        """Makes a step that has not started.

        Args:
          step_id: A new id.
          parts: The devices and what they do.
          num_fetches: Number of fetches of the signature.
          inbox: Where the devices put work for the waiting thread, if they are in this process.
          on_change: Called after the step has failed, and when it is over.
        """
        self.step_id = step_id
        self.error: BaseException | None = None
        """The first error."""
        self._first: DevicePart | None = None
        """The part whose error it is, if the device has told of it before it was done."""
        self._parts = parts
        self._fetched: list[Any] = [None] * num_fetches
        self._running = len(parts)
        self._on_change = on_change
        self._lock = threading.Lock()
        self._home = inbox
        self._inbox: Inbox = SimpleQueue() if inbox is None else inbox

    @property
    def is_over(self) -> bool:
        """True once no device has anything of the step left to do."""
        return not self._running

    @property
    def has_failed(self) -> bool:
        """True once the step has an error; what is left of it ends then."""
        return self.error is not None

    def start(self, feeds: Sequence[Any], together: StartTogether | None = None) -> None:
        """Starts the step on all devices.

        Args:
          feeds: Values in the order of the signature; empty if they come later.
          together: Calls the functions that start the devices; None starts one after the other.
        """
        if not self._parts:
            self._inbox.put(None)
        elif together is None:
            for device, part in self._parts:
                self._start(device, part, feeds)
        else:
            starts = [partial(self._start, *each, feeds) for each in self._parts]
            together(self._home, starts)

    def _start(self, device: DeviceStep, part: DevicePart, feeds: Sequence[Any]) -> None:
        """Starts the step on a device, unless it was stopped before."""
        if self.has_failed:
            self._done(part, None, ())
            return
        done, told = partial(self._done, part), partial(self._told, part)
        device.start(part, self.step_id, _given(part, feeds), done, told)
        if self.error is not None:
            # Whoever has stopped it meanwhile did not find it there.
            device.abort(self.step_id, for_devices(self.error))

    def wait(
        self, timeout: float | None = None, goes_on: Callable[[], bool] | None = None
    ) -> list[Any]:
        """Waits for the step and returns its fetches, in the order of the signature.

        Args:
          timeout: Seconds after which the step is stopped; kernels that run then are waited for.
          goes_on: Says whether another thread is at work for the step. Once it has failed, it is
            waited for no longer than that: what the handler of a signal raises may look like a
            failure, and have kept a device from ending.

        Raises:
          OpError: The first error of the step.
          DeadlineExceededError: The time is over.
          BaseException: The caller was interrupted, and is to stop the step: what was left undone
            here is not known.
        """
        if not self.serve(timeout, goes_on):
            self.time_out()
            self.serve(None, goes_on)
        return self.result()

    def result(self) -> list[Any]:
        """The fetches of a step that is over, in the order of the signature.

        Raises:
          OpError: The first error of the step.
        """
        error = self.error
        if error is None:
            return self._fetched
        if not isinstance(error, Exception):
            # To hold what a kernel's interrupt has raised would hold all that it came through.
            self.error = for_devices(error)
        try:
            raise error
        finally:
            del error

    def serve(
        self, timeout: float | None = None, goes_on: Callable[[], bool] | None = None
    ) -> bool:
        """Does the work that arrives until the step is over; False if the time is over first."""
        deadline = None if timeout is None else monotonic() + timeout
        while True:
            left = None if deadline is None else max(0.0, deadline - monotonic())
            has_failed = goes_on is not None and self.error is not None
            try:
                work = self._inbox.get(timeout=_LOOK_AGAIN if has_failed else left)
            except Empty:
                if not has_failed:
                    return False
                if goes_on is None or not goes_on():
                    return True
                continue
            if work is None:
                # For whoever else waits.
                self._inbox.put(None)
                return True
            work()

    def time_out(self) -> None:
        """Fails the step because its time is over."""
        self.fail(DeadlineExceededError(None, None, "Timed out waiting for notification"))

    def fail(self, error: BaseException) -> None:
        """Makes this the step's error unless it has one, and stops all devices."""
        with self._lock:
            if self.error is not None or not self._running:
                return
            self.error = error
        for device, _ in self._parts:
            device.abort(self.step_id, for_devices(error))
        if self._on_change is not None:
            self._on_change()

    def _told(self, part: DevicePart, error: BaseException) -> None:
        """Takes note that the step has failed on a device, which will say more when it is done."""
        with self._lock:
            if self.error is None:
                self._first = part
        self.fail(error)

    def _done(self, part: DevicePart, error: BaseException | None, values: Sequence[Any]) -> None:
        if error is not None:
            if part is self._first:
                self.error = error
            self.fail(error)
        elif values:
            for index, value in zip(part.fetches, values, strict=True):
                self._fetched[index] = value
        with self._lock:
            self._running -= 1
            if self._running:
                return
        self._inbox.put(None)
        if self._on_change is not None:
            self._on_change()


def for_devices(error: BaseException) -> OpError:
    """What devices are told of the error of a step: an interrupt is not theirs."""
    if isinstance(error, OpError):
        return error
    return CancelledError(None, None, f"Step was cancelled by {type(error).__name__}.")


def _given(part: DevicePart, feeds: Sequence[Any]) -> Sequence[Any]:
    """What a device is fed at the start of a step."""
    return [feeds[index] for index in part.feeds] if feeds else ()
