"""A lane made of calls over Ray, where no other can be opened: slower, but it leads everywhere."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any

import ray
from ray import exceptions

from dataflow.actors.ray.links.calls import RemoteActor, as_op_error, ray_is_gone
from dataflow.actors.wire.codec import decode
from dataflow.actors.wire.messages import (
    FetchReady,
    Message,
    NextFetch,
    RunStep,
    StepDone,
    StepFailed,
)
from dataflow.errors import ErrorReport, InternalError, OpError, UnavailableError

Submit = Callable[[Callable[[], None]], None]
"""Has a thread that waits for answers do something."""


class CallLane:
    """The session's end: a call for each message; the answers return with those that ask."""

    def __init__(
        self,
        actor: RemoteActor,
        submit: Submit,
        on_message: Callable[[Message], None],
    ) -> None:
        """Makes the lane.

        Args:
          actor: The device.
          submit: Has a thread that waits for answers do something.
          on_message: Takes each answer, on such a thread.
        """
        self.whom = actor.whom
        self._actor = actor
        self._submit = submit
        self._on_message = on_message

    @property
    def is_open(self) -> bool:
        """False if Ray was shut down, of which the calls say nothing."""
        return bool(ray.is_initialized())

    def send(self, message: Message) -> None:
        """Sends a message; does not wait.

        Raises:
          InvalidArgumentError: It holds a value that cannot be sent.
          UnavailableError: The device or Ray is gone.
        """
        if isinstance(message, RunStep | NextFetch):
            future: Future[Any] = self._actor.send(message).future()
            future.add_done_callback(partial(self._answered, message.step))
        else:
            self._actor.tell(message)

    def shut(self) -> None:
        """Does nothing: there is no connection."""

    def gone(self) -> UnavailableError:
        """The error of what waits for answers when the lane is no longer open."""
        return ray_is_gone(self.whom)

    def _answered(self, step: int, future: Future[Any]) -> None:
        """Has the answer taken; called on a thread of Ray's."""
        self._submit(partial(self._take, step, future))

    def _take(self, step: int, future: Future[Any]) -> None:
        try:
            found = decode(future.result())
            if isinstance(found, NextFetch):
                # Others have waited for the thread of the call.
                self.send(found)
                return
            if isinstance(found, FetchReady):
                self.send(NextFetch(step))
            elif isinstance(found, ErrorReport):
                found = StepFailed(step, found)
            elif not isinstance(found, StepDone | StepFailed):
                why = f"A {type(found).__name__} is no answer to a step."
                raise InternalError(None, None, why)
        except exceptions.RayError as error:
            report = ErrorReport.from_exception(as_op_error(error, self.whom))
            found = StepFailed(step, report)
        except OpError as error:
            found = StepFailed(step, ErrorReport.from_exception(error))
        self._on_message(found)
