"""Steps on Ray: one call to each device, all sent together, the fetches in the answers."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Protocol

import ray

from dataflow.actors.dead import DEAD
from dataflow.actors.join import DoneCallback, Home, StepJoin
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
    StepPlan,
)
from dataflow.actors.partial import FetchCallback, PartialRun, PiecewiseDevice
from dataflow.actors.ray_calls import RemoteActor
from dataflow.actors.ray_lane_step import DeviceLane, LaneCall, LaneWait
from dataflow.actors.ray_session import STEP_PATIENCE, Prepared, RaySession
from dataflow.actors.ray_session_lanes import SessionLanes
from dataflow.actors.trace import add_step_stats
from dataflow.actors.values import own_fetch
from dataflow.errors import ErrorReport, InternalError, OpError, UnavailableError
from dataflow.passes.split import task_of
from dataflow.proto.config_pb2 import RunMetadata, RunOptions
from dataflow.runtime import StepSignature

_NO_OPTIONS: Final = RunOptions()


class RayStep:
    """A prepared step."""

    __slots__ = (
        "_changes",
        "_devices",
        "_lanes",
        "_lock",
        "_made",
        "_names",
        "_parts",
        "_session",
        "_signature",
        "tasks",
    )

    def __init__(self, session: RaySession, signature: StepSignature) -> None:
        """Prepares the step.

        Raises:
          OpError: It cannot be prepared.
        """
        self._session = session
        self._signature = signature
        self._lock = threading.Lock()
        self._bind(session.prepare(signature))

    def _bind(self, prepared: Prepared) -> None:
        session, plan = self._session, prepared.plan
        self._changes = self._made = prepared.changes
        self._parts = plan.parts
        self._names = [part.device for part in plan.parts]
        self._devices = [session.connection.device(name) for name in self._names]
        self._lanes: list[DeviceLane] | None = None
        if session.lanes is not None:
            self._lanes = session.lanes.to(self._names)
        self.tasks = frozenset(task_of(part.device) for part in plan.parts)

    def _renew(self, timeout: float | None) -> None:
        """Waits for tasks that are started again, and has them prepared for the step."""
        session = self._session
        with self._lock:
            tasks = session.connection.tasks
            changes = tasks.changes
            tasks.recover(self.tasks, timeout)
            if tasks.came_back_after(self._made, self.tasks):
                self._bind(session.prepare(self._signature, renewed=True))
            else:
                self._changes = changes

    def __call__(
        self,
        feeds: Sequence[Any],
        options: RunOptions | None = None,
        metadata: RunMetadata | None = None,
    ) -> list[Any]:
        """Runs a step; see `StepCallable`."""
        session, options = self._session, options or _NO_OPTIONS
        traced = metadata is not None and options.trace_level != RunOptions.NO_TRACE
        timeout = options.timeout_in_ms / 1000 or session.timeout
        tasks = session.connection.tasks
        if self._changes != tasks.changes:
            self._renew(timeout)
        wait: _Wait
        calls: Sequence[LaneCall | _DeviceCall]
        if (
            session.lanes is not None
            and (lanes := self._open_lanes(session.lanes, timeout)) is not None
        ):
            calls = by_lane = [LaneCall(lane, traced) for lane in lanes]
            wait = LaneWait(session.lanes.callers, by_lane, STEP_PATIENCE)
        else:
            calls = by_ray = [_DeviceCall(actor, traced) for actor in self._devices]
            wait = _RayWait(by_ray)
        parts: _Parts = list(zip(calls, self._parts, strict=True))
        num_fetches = len(self._signature.fetches)
        step, low_water = session.begin(
            self.tasks, lambda step_id: _Step(step_id, parts, self.tasks, num_fetches, wait)
        )
        try:
            return step.run(feeds, low_water, timeout)
        except UnavailableError as error:
            raise tasks.verdict(self.tasks, error) from error
        finally:
            session.end(step.step_id)
            if metadata is not None:
                self._fill(metadata, options, parts)

    def _open_lanes(self, lanes: SessionLanes, timeout: float | None) -> list[DeviceLane] | None:
        """Lanes to the devices of the step, all open; None if they are called over Ray."""
        found = self._lanes
        if found is None:
            found = self._lanes = lanes.to(self._names)
        elif not all(lane.is_open for lane in found):
            # A death, perhaps, that was not told of yet.
            self._session.connection.tasks.examine(self.tasks)
            self._renew(timeout)
            found = self._lanes = lanes.to(self._names)
        return found

    def _fill(
        self,
        metadata: RunMetadata,
        options: RunOptions,
        parts: _Parts,
    ) -> None:
        """Writes down what the options ask for, also of a step that failed."""
        for call, part in parts:
            if call.traced:
                add_step_stats(metadata.step_stats, part.device, call.timings)
        if options.output_partition_graphs:
            metadata.partition_graphs.extend(self._session.partition_graphs(self._signature))


_Parts = Sequence["tuple[LaneCall | _DeviceCall, DevicePart]"]


class _Wait(Protocol):
    """How the thread that runs a step waits for the answers of its devices."""

    def begin(self, join: StepJoin) -> None:
        """Says what is waited for."""

    def changed(self) -> None:
        """Takes note, on any thread, that the step has failed or is over."""

    def take_answers(self, deadline: float | None) -> None:
        """Waits until the step is over; if it has failed only while there is patience."""


class _Step:
    """One step in flight."""

    def __init__(
        self,
        step_id: int,
        parts: _Parts,
        tasks: frozenset[str],
        num_fetches: int,
        wait: _Wait,
    ) -> None:
        self.step_id = step_id
        self.tasks = tasks
        self._calls = [call for call, _ in parts]
        self._join = StepJoin(step_id, parts, num_fetches, on_change=wait.changed)
        self._wait = wait
        wait.begin(self._join)

    def fail(self, error: BaseException) -> None:
        """Makes this the step's error unless it has one, and stops it on all devices."""
        self._join.fail(error)

    def run(self, feeds: Sequence[Any], low_water: int, timeout: float | None) -> list[Any]:
        """Starts the step everywhere and waits for it.

        Raises:
          OpError: Its first error; DeadlineExceededError if the time is over.
        """
        join, wait = self._join, self._wait
        for call in self._calls:
            call.low_water = low_water
        deadline = None if timeout is None else time.monotonic() + timeout
        try:
            join.start(feeds, _one_after_the_other)
            wait.take_answers(deadline)
        except BaseException as interruption:
            join.fail(interruption)
            wait.take_answers(None)
            raise
        if join.error is not None:
            raise join.error
        return join.wait()


class _RayWait:
    """The wait for calls over Ray."""

    def __init__(self, calls: Sequence[_DeviceCall]) -> None:
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


class _DeviceCall:
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


class _PiecewiseDevice:
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


class RayPartialRun:
    """A step that is fed and fetched piece by piece."""

    def __init__(self, session: RaySession, signature: StepSignature, plan: StepPlan) -> None:
        self._session = session
        self._signature = signature
        self._plan = plan
        self.tasks = frozenset(task_of(part.device) for part in plan.parts)
        self.step_id = 0
        self._run: PartialRun | None = None

    def start(self) -> None:
        """Starts the step; it waits for its feeds."""
        session, names = self._session, [part.device for part in self._plan.parts]
        _, low_water = session.begin(self.tasks, self._named)
        lanes = None if session.lanes is None else session.lanes.to(names)
        if session.lanes is None or lanes is None:
            actors = [_PiecewiseDevice(session.connection.device(n), low_water) for n in names]
            self._run = self._start_on(dict(zip(names, actors, strict=True)))
            return
        calls = [LaneCall(lane, low_water=low_water) for lane in lanes]
        wait = LaneWait(session.lanes.callers, calls, STEP_PATIENCE)
        self._run = self._start_on(dict(zip(names, calls, strict=True)), wait.changed)
        wait.begin(self._run.join)
        name = f"dataflow-fetch-{self.step_id}"
        threading.Thread(target=wait.take_answers, args=(None,), name=name, daemon=True).start()

    def run(self, feeds: Sequence[tuple[str, Any]], fetches: Sequence[str]) -> list[Any]:
        """Feeds some and fetches some; see `PartialRun`."""
        assert self._run is not None
        return self._run.run(feeds, fetches)

    def _start_on(
        self,
        devices: Mapping[str, PiecewiseDevice],
        on_change: Callable[[], None] | None = None,
    ) -> PartialRun:
        together = _one_after_the_other
        return PartialRun(self.step_id, self._signature, self._plan, devices, together, on_change)

    def _named(self, step_id: int) -> RayPartialRun:
        self.step_id = step_id
        return self

    @property
    def is_over(self) -> bool:
        """True if all was fed and fetched, or the step failed."""
        return self._run is None or self._run.is_over

    def fail(self, error: BaseException) -> None:
        """Makes this the step's error unless it has one, and stops it on all devices."""
        if self._run is not None:
            self._run.fail(error)


def _finish_some(waiting: Sequence[_DeviceCall], timeout: float) -> bool:
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


def _one_after_the_other(_: Home | None, starts: Sequence[Callable[[], None]]) -> None:
    for start in starts:
        start()
