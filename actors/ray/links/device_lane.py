"""The lane of a session to a device, and who of the session waits for answers on it."""

from __future__ import annotations

import logging
from typing import Protocol

from dataflow.actors.ray.links.call_lane import CallLane, Submit
from dataflow.actors.ray.links.calls import RemoteActor
from dataflow.actors.transfers.lanes.lane import Lane
from dataflow.actors.wire.messages import (
    AbortStep,
    DevicePart,
    FeedStep,
    FetchReady,
    Message,
    RunStep,
    StepDone,
    StepFailed,
)
from dataflow.errors import ErrorReport, OpError

_LOGGER = logging.getLogger("dataflow")

Answer = StepDone | StepFailed | FetchReady


class Asker(Protocol):
    """Who has asked a device to run its part of a step."""

    def take(self, part: DevicePart, message: Answer) -> None:
        """Takes an answer of the device."""

    def lost(self, part: DevicePart, error: OpError) -> None:
        """Takes note that the device will not answer."""


class DeviceLane:
    """A lane to a device, and the steps that wait for answers from it."""

    def __init__(self, lane: Lane | CallLane, lasts: bool = True) -> None:
        """Takes over a lane.

        Args:
          lane: The lane.
          lasts: Nobody need look for a better one as long as it is open.
        """
        self.lane = lane
        self.lasts = lasts
        self.may_be_silent = isinstance(lane, Lane)
        """A device that has only sent values to others need not answer, unless the step fails."""
        self._askers: dict[int, tuple[Asker, DevicePart]] = {}

    @classmethod
    def of_calls(cls, actor: RemoteActor, submit: Submit, lasts: bool) -> DeviceLane:
        """A lane made of calls.

        Args:
          actor: The device.
          submit: Has a thread that waits for answers do something.
          lasts: See above.
        """
        made = cls(CallLane(actor, submit, lambda message: made.take(message)), lasts)
        return made

    @property
    def is_open(self) -> bool:
        """False once the device is gone or the lane was closed."""
        return self.lane.is_open

    def ask(self, asker: Asker, part: DevicePart, message: RunStep) -> None:
        """Sends a step whose answers go to `asker`, also that it cannot be sent."""
        self._askers[message.step] = asker, part
        try:
            self.lane.send(message)
        except BaseException as error:
            asked = self._askers.pop(message.step, None)
            if not isinstance(error, OpError):
                raise
            if asked is not None:
                # Whoever has found the lane closed meanwhile has told of it.
                asker.lost(part, error)

    def tell(self, message: AbortStep | FeedStep) -> None:
        """Sends what has no answer.

        Raises:
          OpError: It cannot be sent.
        """
        self.lane.send(message)

    def abort(self, step_id: int, error: OpError) -> None:
        """Has the device stop a step."""
        try:
            self.tell(AbortStep(step_id, ErrorReport.from_exception(error)))
        except OpError:
            # What is gone runs nothing.
            return

    def forget(self, step_id: int) -> None:
        """Waits for no answers of a step any more; those that come are dropped."""
        self._askers.pop(step_id, None)

    def take(self, message: Message) -> None:
        """Takes a message from the device."""
        if not isinstance(message, Answer):
            _LOGGER.warning("%s sent a %s.", self.lane.whom, type(message).__name__)
            self.lane.shut()
            return
        asked = self._askers.get(message.step)
        if asked is None:
            return
        if type(message) is not FetchReady:
            self.forget(message.step)
        asker, part = asked
        asker.take(part, message)

    def closed(self) -> None:
        """Fails the steps that wait for answers."""
        for step in tuple(self._askers):
            asked = self._askers.pop(step, None)
            if asked is not None:
                asker, part = asked
                asker.lost(part, self.lane.gone())
