"""A device in a step, reached by a lane: one message there, the answer on the same lane."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from typing import Any

from dataflow.actors.dead import DEAD
from dataflow.actors.join import DoneCallback, StepJoin
from dataflow.actors.messages import (
    AbortStep,
    DevicePart,
    FeedStep,
    FetchReady,
    Message,
    NodeTiming,
    RunStep,
    StepDone,
    StepFailed,
)
from dataflow.actors.partial import FetchCallback
from dataflow.actors.transfers.lanes.callers import LaneCallers, Waiter
from dataflow.actors.transfers.lanes.lane import Lane
from dataflow.actors.values import own_fetch
from dataflow.errors import ErrorReport, InternalError, OpError

_LOGGER = logging.getLogger("dataflow")


class DeviceLane:
    """A lane to a device, and the steps that wait for answers from it."""

    def __init__(self, lane: Lane) -> None:
        self.lane = lane
        self._calls: dict[int, LaneCall] = {}

    @property
    def is_open(self) -> bool:
        """False once the device is gone or the lane was closed."""
        return self.lane.is_open

    def ask(self, call: LaneCall, message: RunStep) -> None:
        """Sends a step whose answers go to `call`.

        Raises:
          OpError: It cannot be sent.
        """
        self._calls[message.step] = call
        try:
            self.lane.send(message)
        except BaseException:
            self._calls.pop(message.step, None)
            raise

    def tell(self, message: AbortStep | FeedStep) -> None:
        """Sends what has no answer.

        Raises:
          OpError: It cannot be sent.
        """
        self.lane.send(message)

    def forget(self, step_id: int) -> None:
        """Waits for no answers of a step any more; those that come are dropped."""
        self._calls.pop(step_id, None)

    def take(self, message: Message) -> None:
        """Takes a message from the device."""
        if not isinstance(message, (StepDone, StepFailed, FetchReady)):
            _LOGGER.warning("%s sent a %s.", self.lane.whom, type(message).__name__)
            self.lane.shut()
            return
        call = self._calls.get(message.step)
        if call is None:
            return
        if not isinstance(message, FetchReady):
            self.forget(message.step)
        call.take(message)

    def closed(self) -> None:
        """Fails the steps that wait for answers."""
        while self._calls:
            _, call = self._calls.popitem()
            call.fail(self.lane.gone())


class LaneCall:
    """A device in one step."""

    __slots__ = ("_device", "_done", "_on_fetch", "low_water", "silent", "timings", "traced")

    def __init__(
        self, device: DeviceLane, traced: bool = False, low_water: int = 0, silent: bool = False
    ) -> None:
        self._device = device
        self.silent = silent
        """The device answers only if the step fails."""
        self._done: DoneCallback | None = None
        self._on_fetch: FetchCallback | None = None
        self.low_water = low_water
        self.traced = traced
        self.timings: tuple[NodeTiming, ...] = ()

    def start(
        self, part: DevicePart, step_id: int, feeds: Mapping[int, Any], done: DoneCallback
    ) -> None:
        """Sends the step to the device."""
        self._done = done
        given = tuple(feeds.items())
        self._ask(
            RunStep(part.plan, step_id, given, self.low_water, self.traced, silent=self.silent)
        )

    def start_piecewise(
        self, part: DevicePart, step_id: int, done: DoneCallback, on_fetch: FetchCallback
    ) -> None:
        """Sends the step to the device, its feeds to come."""
        self._done, self._on_fetch = done, on_fetch
        self._ask(RunStep(part.plan, step_id, (), self.low_water, piecewise=True))

    def feed(self, step_id: int, index: int, value: Any) -> None:
        """Gives the step one of its feeds."""
        self._device.tell(FeedStep(step_id, index, value))

    def abort(self, step_id: int, error: OpError) -> None:
        """Has the device stop the step."""
        try:
            self._device.tell(AbortStep(step_id, ErrorReport.from_exception(error)))
        except OpError:
            # What is gone runs nothing.
            return

    def forget(self, step_id: int) -> None:
        """Waits for the device no longer."""
        self._device.forget(step_id)
        # What is fetched is freed at once where no circle holds it.
        self._done = self._on_fetch = None

    def take(self, message: StepDone | StepFailed | FetchReady) -> None:
        """Takes an answer of the device."""
        if isinstance(message, FetchReady):
            if self._on_fetch is None:
                self.fail(InternalError(None, None, "A device sent a fetch that was not awaited."))
            else:
                value = DEAD if message.dead else own_fetch(message.value)
                self._on_fetch(message.index, value)
            return
        self.timings = message.timings
        if isinstance(message, StepDone):
            self._end(None, [own_fetch(value) for value in message.fetches])
        else:
            self._end(message.error.to_exception(), ())

    def fail(self, error: OpError) -> None:
        """Takes note that the device will not answer."""
        self._end(error, ())

    def _end(self, error: OpError | None, fetches: Sequence[Any]) -> None:
        # What is not held in a circle is freed at once: large fetches lie in the device's memory.
        done, self._done, self._on_fetch = self._done, None, None
        if done is not None:
            done(error, fetches)

    def _ask(self, message: RunStep) -> None:
        try:
            self._device.ask(self, message)
        except OpError as error:
            self.fail(error)


class LaneWait:
    """The wait of the thread that runs a step."""

    def __init__(self, callers: LaneCallers, calls: Sequence[LaneCall], patience: float) -> None:
        """Makes a wait.

        Args:
          callers: Who reads the lanes.
          calls: The devices.
          patience: Seconds that a failed step may take to end on its devices.
        """
        self._callers = callers
        self._calls = calls
        self._patience = patience
        self._waiter = Waiter(callers)
        self._join: StepJoin | None = None

    def begin(self, join: StepJoin) -> None:
        """Says what is waited for."""
        self._join = join

    def changed(self) -> None:
        """Takes note that the step has failed, or is over."""
        if self._join is not None and self._join.is_over:
            self._waiter.end()
        else:
            self._waiter.look()

    def take_answers(self, deadline: float | None) -> None:
        """Waits until the step is over; if it has failed only while there is patience."""
        join, waiter = self._join, self._waiter
        if join is None:
            return
        given_up: float | None = None
        while True:
            waiter.must_look = False
            if join.is_over:
                self._forget(join, [call for call in self._calls if call.silent])
                return
            now = time.monotonic()
            if join.error is not None and given_up is None:
                given_up = now + self._patience
            if given_up is not None and now >= given_up:
                self._forget(join, self._calls)
                return
            if deadline is not None and now >= deadline:
                join.time_out()
                deadline = None
                continue
            ends = [t for t in (deadline, given_up) if t is not None]
            self._callers.wait(waiter, min(ends) - now if ends else None)

    def _forget(self, join: StepJoin, calls: Sequence[LaneCall]) -> None:
        for call in calls:
            call.forget(join.step_id)
        self._join = None
