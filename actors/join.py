"""A step over several devices, seen from who asked for it: start all, first error, abort, wait."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Mapping, Sequence
from time import monotonic
from typing import Any, Protocol

from dataflow.actors.messages import DevicePart
from dataflow.errors import CancelledError, DeadlineExceededError, OpError

_PATIENCE = 5.0
"""Seconds an interrupted caller waits for kernels that are running."""


class DeviceStep(Protocol):
    """A device as the asker of a step reaches it."""

    def start(
        self, part: DevicePart, step_id: int, feeds: Mapping[int, Any], done: DoneCallback
    ) -> None:
        """Starts a plan; calls `done` once, possibly before it returns."""

    def abort(self, step_id: int, error: OpError) -> None:
        """Stops a step."""


DoneCallback = Callable[["BaseException | None", Sequence[Any]], None]
StartTogether = Callable[[Sequence[Callable[[], None]]], None]


class StepJoin:
    """One step on its devices: the first error is that of the step, the others follow from it."""

    def __init__(
        self, step_id: int, parts: Sequence[tuple[DeviceStep, DevicePart]], num_fetches: int
    ) -> None:
        self.step_id = step_id
        self._parts = parts
        self._fetched: list[Any] = [None] * num_fetches
        self._running = len(parts)
        self._error: BaseException | None = None
        self._lock = threading.Lock()
        self._over = threading.Event()

    def start(self, feeds: Sequence[Any], together: StartTogether) -> None:
        """Starts the step on all devices.

        Args:
          feeds: Values in the order of the signature.
          together: Calls the functions that start the devices.
        """
        if not self._parts:
            self._over.set()
            return
        together(
            [
                functools.partial(
                    device.start,
                    part,
                    self.step_id,
                    {index: feeds[index] for index in part.feeds},
                    functools.partial(self._done, part),
                )
                for device, part in self._parts
            ]
        )

    def wait(self, timeout: float | None = None) -> list[Any]:
        """Waits for the step and returns its fetches, in the order of the signature.

        Args:
          timeout: Seconds after which the step is stopped; what runs then is waited for.

        Raises:
          OpError: The first error of the step.
          DeadlineExceededError: The time is over.
        """
        try:
            if not self._over.wait(timeout):
                self.fail(DeadlineExceededError(None, None, "Timed out waiting for notification"))
                self._over.wait()
        except BaseException as interruption:
            name = type(interruption).__name__
            self.fail(CancelledError(None, None, f"Step was cancelled by {name}."))
            self._over.wait(_PATIENCE)
            raise
        if self._error is not None:
            raise self._error
        return self._fetched

    @property
    def is_over(self) -> bool:
        """True if no device is running the step any more."""
        return self._over.is_set()

    def wait_until(self, deadline: float | None) -> list[Any]:
        """Like `wait`, until `time.monotonic()` is `deadline`."""
        return self.wait(None if deadline is None else max(0.0, deadline - monotonic()))

    def fail(self, error: BaseException) -> None:
        """Makes this the step's error unless it has one, and stops all devices."""
        with self._lock:
            if self._error is not None:
                return
            self._error = error
        if not isinstance(error, OpError):
            error = CancelledError(None, None, f"Step was cancelled by {type(error).__name__}.")
        for device, _ in self._parts:
            device.abort(self.step_id, error)

    def _done(self, part: DevicePart, error: BaseException | None, values: Sequence[Any]) -> None:
        if error is not None:
            self.fail(error)
        else:
            for index, value in zip(part.fetches, values, strict=True):
                self._fetched[index] = value
        with self._lock:
            self._running -= 1
            over = not self._running
        if over:
            self._over.set()
