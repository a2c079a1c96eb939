"""A step's calls over Ray, where no lane leads to its devices."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final

import ray

from dataflow.actors.dead import DEAD
from dataflow.actors.join import DoneCallback, StepJoin
from dataflow.actors.messages import (
    AbortStep,
    DevicePart,
    Done,
    FeedStep,
    FetchReady,
    Message,
    NextFetch,
    NodeTiming,
    RunStep,
    StepDone,
    StepFailed,
)
from dataflow.actors.partial import FetchCallback
from dataflow.actors.ray_calls import RemoteActor
from dataflow.actors.ray_session import STEP_PATIENCE
from dataflow.actors.values import own_fetch
from dataflow.errors import ErrorReport, InternalError, OpError


class CallWait:
    """The wait for calls over Ray."""

    def __init__(self, calls: Sequence[ActorCall]) -> None:
        self._calls = calls
        self._join: StepJoin | None = None

    def begin(self, join: StepJoin) -> None:
        """Says what is waited for."""
        self._join = join

    def changed(self) -> None:
        """Does nothing: the wait looks often enough."""

    def take_answers(self, deadline: float | None) -> None:
        """Takes the answers as they come; those of a failed step only while there is patience."""
        join = self._join
        assert join is not None
        given_up: float | None = None
        while waiting := [call for call in self._calls if call.reference is not None]:
            now = time.monotonic()
            if join.error is not None and given_up is None:
                given_up = now + STEP_PATIENCE
            # Another thread may fail the step meanwhile: so no wait is longer than that.
            end = min(t for t in (deadline, given_up, now + STEP_PATIENCE) if t is not None)
            if _finish_some(waiting, max(0.0, end - now)):
                continue
            now = time.monotonic()
            if given_up is not None and now >= given_up:
                return
            if deadline is not None and now >= deadline:
                join.time_out()
                deadline = None


class ActorCall:
    """A device in a step: the call, and what came back."""

    __slots__ = ("_actor", "_done", "low_water", "reference", "timings", "traced")

    silent: Final = False
    """A call is answered in any case."""

    def __init__(self, actor: RemoteActor, traced: bool = False) -> None:
        self._actor = actor
        self._done: DoneCallback | None = None
        self.low_water = 0
        self.reference: Any = None
        """The call, while its answer is waited for."""
        self.traced = traced
        self.timings: tuple[NodeTiming, ...] = ()

    def start(
        self, part: DevicePart, step_id: int, feeds: Mapping[int, Any], done: DoneCallback
    ) -> None:
        """Sends the call."""
        message = RunStep(part.plan, step_id, tuple(feeds.items()), self.low_water, self.traced)
        try:
            self.reference = self._actor.send("run", message)
        except OpError as error:
            done(error, ())
        else:
            self._done = done

    def finish(self, timeout: float) -> bool:
        """Takes the answer; False if there is none in time."""
        done = self._done
        assert done is not None
        try:
            found = self._actor.poll(self.reference, timeout)
        except OpError as error:
            self.reference = None
            done(error, ())
            return True
        if found is None:
            return False
        self.reference = None
        if isinstance(found, (StepDone, StepFailed)):
            self.timings = found.timings
        if isinstance(found, StepDone):
            done(None, [own_fetch(value) for value in found.fetches])
        else:
            done(_error_in(found), ())
        return True

    def abort(self, step_id: int, error: OpError) -> None:
        """Has the device stop the step."""
        _abort(self._actor, step_id, error)


class PiecewiseActor:
    """A device in a piecewise step: a thread asks it for one fetch after the other."""

    def __init__(self, actor: RemoteActor, low_water: int) -> None:
        self._actor = actor
        self._low_water = low_water

    def start_piecewise(
        self, part: DevicePart, step_id: int, done: DoneCallback, on_fetch: FetchCallback
    ) -> None:
        """Starts the device's plan, its feeds to come."""
        message = RunStep(part.plan, step_id, (), self._low_water)
        try:
            self._actor.ask("start", message, Done)
        except OpError as error:
            done(error, ())
            return
        name = f"dataflow-fetch-{step_id}"
        arguments = (step_id, done, on_fetch)
        threading.Thread(target=self._fetch, args=arguments, name=name, daemon=True).start()

    def feed(self, step_id: int, index: int, value: Any) -> None:
        """Gives the step one of its feeds."""
        self._actor.ask("feed", FeedStep(step_id, index, value), Done)

    def abort(self, step_id: int, error: OpError) -> None:
        """Has the device stop the step."""
        _abort(self._actor, step_id, error)

    def _fetch(self, step_id: int, done: DoneCallback, on_fetch: FetchCallback) -> None:
        while True:
            try:
                call = self._actor.send("next_fetch", NextFetch(step_id))
                found = self._actor.receive_any(call)
            except OpError as error:
                done(error, ())
                return
            if isinstance(found, FetchReady):
                on_fetch(found.index, DEAD if found.dead else own_fetch(found.value))
            else:
                done(None if isinstance(found, StepDone) else _error_in(found), ())
                return


def _finish_some(waiting: Sequence[ActorCall], timeout: float) -> bool:
    """Takes the answers that are there, after waiting for one of them."""
    if len(waiting) == 1:
        return waiting[0].finish(timeout)
    if not ray.is_initialized():
        for call in waiting:
            call.finish(0.0)
        return True
    references = [call.reference for call in waiting]
    ended, _ = ray.wait(references, num_returns=1, timeout=timeout)
    for call in waiting:
        if call.reference in ended:
            call.finish(0.0)
    return bool(ended)


def _abort(actor: RemoteActor, step_id: int, error: OpError) -> None:
    try:
        actor.send("abort", AbortStep(step_id, ErrorReport.from_exception(error)))
    except OpError:
        # What is gone runs nothing.
        return


def _error_in(found: Message) -> OpError:
    if isinstance(found, StepFailed):
        return found.error.to_exception()
    if isinstance(found, ErrorReport):
        return found.to_exception()
    return InternalError(None, None, f"A {type(found).__name__} is no answer to a step.")
