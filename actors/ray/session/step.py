"""Steps on Ray: one call to each device, all sent together, the fetches in the answers."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import partial
from operator import attrgetter
from typing import Any, Final

from dataflow.actors.ray.links.device_lane import DeviceLane
from dataflow.actors.ray.session.lane_step import LaneStep
from dataflow.actors.ray.session.session import Prepared, RaySession
from dataflow.actors.run.trace import add_step_stats
from dataflow.errors import UnavailableError
from dataflow.passes.placement.split import task_of
from dataflow.proto.config_pb2 import RunMetadata, RunOptions
from dataflow.runtime.signature import StepSignature
from dataflow.values.interrupts import sheltered

_NO_OPTIONS: Final = RunOptions()


class RayStep:
    """A prepared step."""

    __slots__ = (
        "_changes",
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
        self._lanes = session.lanes_to(self._names)
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
        timeout = max(options.timeout_in_ms, 0) / 1000 or session.timeout
        tasks = session.connection.tasks
        if self._changes != tasks.changes:
            sheltered(partial(self._renew, timeout))
        lanes = self._open_lanes(timeout)
        step, low_water = session.begin(self.tasks, partial(self._make, lanes, traced))
        try:
            return step.run(feeds, low_water, timeout)
        except UnavailableError as error:
            raise tasks.verdict(self.tasks, error) from error
        finally:
            try:
                session.end(step.step_id)
            except BaseException:
                # Interrupted: once more, where that cannot be.
                sheltered(partial(session.end, step.step_id))
                raise
            if metadata is not None:
                self._fill(metadata, options, step)

    def _make(self, lanes: Sequence[DeviceLane], traced: bool, step_id: int) -> LaneStep:
        num_fetches, callers = len(self._signature.fetches), self._session.callers
        return LaneStep(step_id, self.tasks, lanes, self._parts, num_fetches, callers, traced)

    def _open_lanes(self, timeout: float | None) -> list[DeviceLane]:
        """Lanes to the devices of the step, all open."""
        if False in [lane.is_open and lane.lasts for lane in self._lanes]:
            sheltered(partial(self._look_for_lanes, timeout))
        return self._lanes

    def _look_for_lanes(self, timeout: float | None) -> None:
        if False in [lane.is_open for lane in self._lanes]:
            # A death, perhaps, that was not told of yet.
            self._session.connection.tasks.examine(self.tasks)
            self._renew(timeout)
        self._lanes = self._session.lanes_to(self._names)

    def _fill(self, metadata: RunMetadata, options: RunOptions, step: LaneStep) -> None:
        """Writes down what the options ask for, also of a step that failed."""
        for device, timings in step.timings:
            add_step_stats(metadata.step_stats, device, timings)
        if options.output_partition_graphs:
            metadata.partition_graphs.extend(self._session.partition_graphs(self._signature))
