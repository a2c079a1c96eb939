"""A step's calls over Ray, where no lane leads to its devices."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import Any

import ray

from dataflow.actors.ray.links.calls import RemoteActor
from dataflow.actors.step.dead import DEAD
from dataflow.actors.step.join import STEP_PATIENCE, DoneCallback, StepJoin
from dataflow.actors.step.partial import FetchCallback
from dataflow.actors.step.values import own_fetch
from dataflow.actors.wire.messages import (
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
from dataflow.errors import ErrorReport, InternalError, OpError


class CallStep:
    """One step on devices that are called over Ray."""

    def __init__(
        self,
        step_id: int,
        tasks: frozenset[str],
        actors: Sequence[RemoteActor],
        parts: Sequence[DevicePart],
        num_fetches: int,
        traced: bool = False,
    ) -> None:
        """Makes a step that has not started.

        Args:
          step_id: A new id.
          tasks: The tasks it needs.
          actors: Its devices.
          parts: What each of them does.
          num_fetches: Number of fetches of the signature.
          traced: Whether the devices note when each node ran.
        """
        self.step_id = step_id
        self.tasks = tasks
        self._calls = [ActorCall(actor, traced) for actor in actors]
        self._parts = parts
        self._join = StepJoin(step_id, list(zip(self._calls, parts, strict=True)), num_fetches)

    @property
    def timings(self) -> Sequence[tuple[str, Sequence[NodeTiming]]]:
        """Of a traced step: what each device has noted."""
        found = zip(self._calls, self._parts, strict=True)
        return [(part.device, call.timings) for call, part in found if call.traced]

    def fail(self, error: BaseException) -> None:
        """Makes this the step's error unless it has one, and stops it on all devices."""
        self._join.fail(error)

    def run(self, feeds: Sequence[Any], low_water: int, timeout: float | None) -> list[Any]:
        """Starts the step everywhere and waits for it; see `LaneStep.run`."""
        for call in self._calls:
            call.low_water = low_water
        deadline = None if timeout is None else time.monotonic() + timeout
        try:
            self._join.start(feeds)
            self._take_answers(deadline)
        except BaseException as interruption:
            self._join.fail(interruption)
            self._take_answers(None)
            raise
        return self._join.result()

    def _take_answers(self, deadline: float | None) -> None:
        """Takes the answers as they come; those of a failed step only while there is patience."""
        join = self._join
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

    def __init__(self, actor: RemoteActor, traced: bool = False) -> None:
        self._actor = actor
        self._done: DoneCallback | None = None
        self.low_water = 0
        self.reference: Any = None
        """The call, while its answer is waited for."""
        self.traced = traced
        self.timings: tuple[NodeTiming, ...] = ()

    def start(
        self, part: DevicePart, step_id: int, feeds: Sequence[Any], done: DoneCallback
    ) -> None:
        """Sends the call."""
        message = RunStep(part.plan, step_id, tuple(feeds), self.low_water, self.traced)
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
