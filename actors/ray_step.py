"""Steps on Ray: one call to each device, all sent together, the fetches in the answers."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from operator import attrgetter
from typing import Any, Final, Protocol

from dataflow.actors.join import StepJoin
from dataflow.actors.messages import DevicePart
from dataflow.actors.ray_call_step import ActorCall, CallWait
from dataflow.actors.ray_lane_step import DeviceLane, LaneCall, LaneWait
from dataflow.actors.ray_session import STEP_PATIENCE, Prepared, RaySession
from dataflow.actors.ray_session_lanes import SessionLanes
from dataflow.actors.trace import add_step_stats
from dataflow.errors import UnavailableError
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
        # Those that have to wait anyway are told last.
        self._parts = sorted(plan.parts, key=attrgetter("waits"))
        self._names = [part.device for part in self._parts]
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
        calls: Sequence[LaneCall | ActorCall]
        if (
            session.lanes is not None
            and (lanes := self._open_lanes(session.lanes, timeout)) is not None
        ):
            calls = by_lane = [
                LaneCall(lane, traced, silent=part.only_sends and not traced)
                for lane, part in zip(lanes, self._parts, strict=True)
            ]
            wait = LaneWait(session.lanes.callers, by_lane, STEP_PATIENCE)
        else:
            calls = by_ray = [ActorCall(actor, traced) for actor in self._devices]
            wait = CallWait(by_ray)
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


_Parts = Sequence["tuple[LaneCall | ActorCall, DevicePart]"]


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
        silent = sum(call.silent for call in self._calls)
        self._join = StepJoin(step_id, parts, num_fetches, None, wait.changed, silent)
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
            join.start(feeds)
            wait.take_answers(deadline)
        except BaseException as interruption:
            join.fail(interruption)
            wait.take_answers(None)
            raise
        return join.result()
