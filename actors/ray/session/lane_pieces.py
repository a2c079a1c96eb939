"""A device in a step that is fed and fetched piece by piece, reached by a lane."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.actors.ray.links.device_lane import Answer, DeviceLane
from dataflow.actors.ray.session.lane_step import wait_until_over
from dataflow.actors.step.dead import DEAD
from dataflow.actors.step.join import DoneCallback, StepJoin
from dataflow.actors.step.partial import FetchCallback
from dataflow.actors.step.values import own_fetch
from dataflow.actors.transfers.lanes.callers import LaneCallers, Waiter
from dataflow.actors.wire.messages import DevicePart, FeedStep, FetchReady, RunStep, StepFailed
from dataflow.errors import OpError


class PiecewiseLane:
    """A device in one step."""

    def __init__(self, lane: DeviceLane, low_water: int) -> None:
        self.lane = lane
        self._low_water = low_water
        self._done: DoneCallback | None = None
        self._on_fetch: FetchCallback | None = None

    def start_piecewise(
        self, part: DevicePart, step_id: int, done: DoneCallback, on_fetch: FetchCallback
    ) -> None:
        """Starts the device's plan, its feeds to come."""
        self._done, self._on_fetch = done, on_fetch
        message = RunStep(part.plan, step_id, (), self._low_water, piecewise=True)
        self.lane.ask(self, part, message)

    def feed(self, step_id: int, index: int, value: Any) -> None:
        """Gives the step one of its feeds."""
        self.lane.tell(FeedStep(step_id, index, value))

    def abort(self, step_id: int, error: OpError) -> None:
        """Has the device stop the step."""
        self.lane.abort(step_id, error)

    def forget(self) -> None:
        """Waits for the device no longer."""
        # What is fetched is freed at once where no circle holds it.
        self._done = self._on_fetch = None

    def take(self, part: DevicePart, message: Answer) -> None:
        """Takes an answer of the device."""
        if isinstance(message, FetchReady):
            if self._on_fetch is not None:
                value = DEAD if message.dead else own_fetch(message.value)
                self._on_fetch(message.index, value)
        elif isinstance(message, StepFailed):
            self._end(message.error.to_exception())
        else:
            self._end(None)

    def lost(self, part: DevicePart, error: OpError) -> None:
        """Takes note that the device will not answer."""
        self._end(error)

    def _end(self, error: OpError | None) -> None:
        done, self._done, self._on_fetch = self._done, None, None
        if done is not None:
            done(error, ())


class PiecewiseWait:
    """The wait for a step of such devices, on a thread of its own."""

    def __init__(self, callers: LaneCallers, devices: Sequence[PiecewiseLane]) -> None:
        self._devices = devices
        self._waiter = Waiter(callers)
        self._join: StepJoin | None = None

    def changed(self) -> None:
        """Takes note that the step has failed, or is over."""
        if self._join is not None and self._join.is_over:
            self._waiter.end()
        else:
            self._waiter.look()

    def take_answers(self, join: StepJoin) -> None:
        """Waits until the step is over; if it has failed only while there is patience."""
        self._join = join
        lanes = [device.lane for device in self._devices]
        wait_until_over(join, self._waiter, lanes, None, join.time_out)
        for device in self._devices:
            device.forget()
