"""A step whose devices are reached by lanes: a message to each, the answers on the same lanes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Protocol

from dataflow.actors.ray.links.device_lane import Answer, DeviceLane
from dataflow.actors.run.trace import aligned
from dataflow.actors.step.join import STEP_PATIENCE, for_devices
from dataflow.actors.step.values import own_fetch
from dataflow.actors.transfers.lanes.callers import LaneCallers, Waiter
from dataflow.actors.wire.messages import (
    DevicePart,
    FetchReady,
    NodeTiming,
    RunStep,
    StepDone,
    StepFailed,
)
from dataflow.errors import DeadlineExceededError, InternalError, OpError
from dataflow.values.interrupts import held_back, sheltered


class LaneStep:
    """One step on its devices: the first error is that of the step, the others follow from it.

    What `StepJoin` is for any kind of device, with the wait for it and no object for each device:
    a short step takes less time so.
    """

    __slots__ = (
        "_asked",
        "_devices",
        "_fetched",
        "_lock",
        "_parts",
        "_running",
        "_silent",
        "_waiter",
        "error",
        "step_id",
        "tasks",
        "timings",
        "traced",
    )

    def __init__(
        self,
        step_id: int,
        tasks: frozenset[str],
        devices: Sequence[DeviceLane],
        parts: Sequence[DevicePart],
        num_fetches: int,
        callers: LaneCallers,
        traced: bool = False,
    ) -> None:
        """Makes a step that has not started.

        Args:
          step_id: A new id.
          tasks: The tasks it needs.
          devices: The lanes to its devices.
          parts: What each of them does.
          num_fetches: Number of fetches of the signature.
          callers: Who reads the lanes.
          traced: Whether the devices note when each node ran.
        """
        self.step_id = step_id
        self.tasks = tasks
        self.error: BaseException | None = None
        """The first error."""
        self.traced = traced
        self.timings: list[tuple[str, Sequence[NodeTiming]]] = []
        """Of a traced step: what each device has noted."""
        self._asked = 0.0
        self._devices = devices
        self._parts = parts
        self._fetched: list[Any] = [None] * num_fetches
        self._silent = [
            part.only_sends and not traced and device.may_be_silent
            for device, part in zip(devices, parts, strict=True)
        ]
        """Whether each device answers only if the step fails."""
        self._running = len(parts) - sum(self._silent)
        self._lock = threading.Lock()
        self._waiter = Waiter(callers)

    @property
    def is_over(self) -> bool:
        """True once no device has anything of the step left to do."""
        return not self._running

    def run(self, feeds: Sequence[Any], low_water: int, timeout: float | None) -> list[Any]:
        """Starts the step everywhere and waits for it; gives the fetches of the signature.

        Args:
          feeds: Values in the order of the signature.
          low_water: The lowest id of the session's running steps.
          timeout: Seconds after which the step is stopped; None if it may take its time.

        Raises:
          OpError: Its first error; DeadlineExceededError if the time is over.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        try:
            held_back(partial(self._start, feeds, low_water))
            self._wait(deadline)
        except BaseException as interruption:
            sheltered(partial(self.fail, interruption))
            self._wait(None)
            raise
        if self.error is not None:
            raise self.error
        return self._fetched

    def _start(self, feeds: Sequence[Any], low_water: int) -> None:
        step_id, traced = self.step_id, self.traced
        if traced:
            self._asked = time.time()
        for device, part, silent in zip(self._devices, self._parts, self._silent, strict=True):
            given = tuple([feeds[index] for index in part.feeds])
            message = RunStep(part.plan, step_id, given, low_water, traced, False, silent)
            device.ask(self, part, message)

    def fail(self, error: BaseException) -> None:
        """Makes this the step's error unless it has one, and stops it on all devices."""
        with self._lock:
            if self.error is not None or not self._running:
                return
            # An interrupt goes its own way: to hold it would hold all that its traceback refers to.
            self.error = error if isinstance(error, Exception) else for_devices(error)
            # Who is stopped answers.
            self._running += sum(self._silent)
        for device in self._devices:
            device.abort(self.step_id, for_devices(error))
        self._waiter.look()

    def take(self, part: DevicePart, message: Answer) -> None:
        """Takes an answer of a device."""
        if type(message) is StepDone and len(message.fetches) == len(part.fetches):
            for index, value in zip(part.fetches, message.fetches, strict=True):
                self._fetched[index] = own_fetch(value)
        elif type(message) is StepFailed:
            self.fail(message.error.to_exception())
        else:
            why = f"{part.device} sent what was not fetched: it is of another version."
            self.fail(InternalError(None, None, why))
        if isinstance(message, FetchReady):
            # It goes on.
            return
        if self.traced:
            told = aligned(message.timings, self._asked, time.time())
            self.timings.append((part.device, told))
        self._one_ended()

    def lost(self, part: DevicePart, error: OpError) -> None:
        """Takes note that a device will not answer."""
        self.fail(error)
        self._one_ended()

    def _one_ended(self) -> None:
        with self._lock:
            if not self._running:
                # A silent device went after the others had answered: nobody counts on it.
                return
            self._running -= 1
            if self._running:
                return
        self._waiter.end()

    def _time_out(self) -> None:
        self.fail(DeadlineExceededError(None, None, "Timed out waiting for notification"))

    def _wait(self, deadline: float | None) -> None:
        wait_until_over(self, self._waiter, self._devices, deadline, self._time_out)


class _Ending(Protocol):
    """What a thread waits for."""

    @property
    def step_id(self) -> int:
        """The step."""

    @property
    def error(self) -> BaseException | None:
        """Why it ends early."""

    @property
    def is_over(self) -> bool:
        """Whether it has ended."""


def wait_until_over(
    step: _Ending,
    waiter: Waiter,
    devices: Sequence[DeviceLane],
    deadline: float | None,
    time_out: Callable[[], None],
) -> None:
    """Waits until a step is over; if it has failed only while there is patience.

    Args:
      step: The step.
      waiter: Told when it is over, or has failed.
      devices: Those that may still answer; afterwards their answers are dropped.
      deadline: When to call `time_out`, by `time.monotonic`.
      time_out: Fails the step.
    """
    given_up: float | None = None
    while True:
        waiter.must_look = False
        if step.is_over:
            break
        if deadline is None and step.error is None:
            waiter.wait()
            continue
        now = time.monotonic()
        if step.error is not None and given_up is None:
            given_up = now + STEP_PATIENCE
        if given_up is not None and now >= given_up:
            break
        if deadline is not None and now >= deadline:
            time_out()
            deadline = None
            continue
        waiter.wait(min([t for t in (deadline, given_up) if t is not None]) - now)
    for device in devices:
        device.forget(step.step_id)
