"""A session on Ray: its steps in flight, and what it does with its master."""

from __future__ import annotations

import contextlib
import itertools
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, Protocol, TypeVar

from dataflow.actors.ray.cluster.connection import Lease, Master
from dataflow.actors.ray.cluster.tasks import MASTER
from dataflow.actors.ray.links.device_lane import DeviceLane
from dataflow.actors.ray.links.lanes import uses_lanes
from dataflow.actors.ray.session.sent_functions import SentFunctions
from dataflow.actors.step.numbers import STEP_BITS
from dataflow.actors.wire.messages import (
    Done,
    ExtendSession,
    Graphs,
    PartitionGraphs,
    PrepareStep,
    ReleaseStep,
    RenewTasks,
    StepPlan,
)
from dataflow.errors import (
    AbortedError,
    CancelledError,
    DeadlineExceededError,
    OpError,
    UnavailableError,
)
from dataflow.passes.placement.split import task_of
from dataflow.proto.config_pb2 import ConfigProto
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.runtime.signature import StepSignature
from dataflow.values.interrupts import Monitor, sheltered

_CLOSE_PATIENCE: Final = 5.0
"""Seconds that actors may take to free a session."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A step plan, and when it was made."""

    plan: StepPlan
    changes: int
    """What `Tasks.changes` was then."""


class RunningStep(Protocol):
    """A step as its session looks after it."""

    @property
    def step_id(self) -> int:
        """Its id."""

    @property
    def tasks(self) -> frozenset[str]:
        """The tasks it needs."""

    def fail(self, error: BaseException) -> None:
        """Makes this its error unless it has one, and stops it on all devices."""


S = TypeVar("S", bound=RunningStep)


class RaySession:
    """One session; its steps go to the devices directly, the master only prepares them."""

    def __init__(self, lease: Lease, config: ConfigProto) -> None:
        """Opens the session; gives the lease back if it cannot be opened.

        Raises:
          OpError: It cannot be opened.
        """
        self.connection = lease.connection
        self.timeout: float | None = config.operation_timeout_in_ms / 1000 or None
        self.closed = False
        self.callers = self.connection.lanes.callers
        """Who reads the lanes."""
        self._calls = not uses_lanes(config)
        """Whether the lanes are to be made of calls."""
        self._lease = lease
        try:
            created = self.connection.create_session(config)
        except BaseException:
            lease.end()
            raise
        self.devices = created.devices
        self._number = created.session
        self._config = config
        self._keeps_graphs = self.connection.tasks.returns(MASTER)
        self._graphs: list[bytes] = []
        """What was sent, for a master that is started again."""
        self._renewing = threading.RLock()
        self._changes = 0
        """What the master knows of `Tasks.changes`."""
        found = self.connection.tasks
        self._starts = {task: found.starts(task) for task in map(task_of, found.devices)}
        self._starts[MASTER] = found.starts(MASTER)
        self._functions = SentFunctions(self._number, self.connection.device)
        self._step_ids = itertools.count((self._number << STEP_BITS) + 1)
        self._running: dict[int, RunningStep] = {}
        self._changed = Monitor()
        self.connection.join(self)

    def check(self, tasks: frozenset[str] = frozenset()) -> None:
        """Refuses what cannot be done any more.

        Raises:
          CancelledError: The session is closed.
          UnavailableError: One of the tasks is dead.
        """
        if self.closed:
            raise CancelledError(None, None, "Session has been closed.")
        if not self.connection.tasks.all_live:
            self.connection.tasks.check(tasks)

    def lanes_to(self, devices: Sequence[str]) -> list[DeviceLane]:
        """Lanes to these devices, by full name."""
        return self.connection.lanes.to(devices, self._calls)

    def begin(self, tasks: frozenset[str], make: Callable[[int], S]) -> tuple[S, int]:
        """Makes a step and counts it as running.

        Args:
          tasks: The tasks it needs.
          make: `make(step_id)`, the step; not started.

        Returns:
          The step, and the lowest id of the session's running steps.

        Raises:
          OpError: See `check`.
        """
        step_id = 0
        try:
            with self._changed:
                self.check(tasks)
                step_id = next(self._step_ids)
                step = self._running[step_id] = make(step_id)
                return step, next(iter(self._running))
        except BaseException:
            # Interrupted, perhaps when it was counted already.
            sheltered(partial(self.end, step_id))
            raise

    def end(self, step_id: int) -> None:
        """Counts a step as over; a second call does nothing."""
        with self._changed:
            if self._running.pop(step_id, None) is not None and self.closed:
                self._changed.notify_all()

    def task_died(self, task: str) -> None:
        """Fails the steps that need the task."""
        with self._changed:
            steps = [step for step in self._running.values() if task in step.tasks]
        for step in steps:
            try:
                self.connection.tasks.check(step.tasks)
            except OpError as error:
                step.fail(error)

    def extend(self, graph_def: GraphDef) -> None:
        """Adds nodes to the graph."""
        self.check()
        data = graph_def.SerializeToString()
        try:
            message = ExtendSession(self._number, data)
            self._up_to_date().ask(message, Done, self._patience)
        except UnavailableError as error:
            raise self.connection.tasks.verdict(None, error) from error
        if self._keeps_graphs:
            self._graphs.append(data)

    def prepare(
        self, signature: StepSignature, piecewise: bool = False, renewed: bool = False
    ) -> Prepared:
        """The step plan of a signature; counts one use, unless it was counted before.

        Raises:
          OpError: It cannot be made; UnavailableError if a task that it needs is dead.
        """
        self.check()
        tasks = self.connection.tasks
        if not tasks.all_live:
            tasks.recover_all(self.timeout)
        changes = tasks.changes
        message = PrepareStep(self._number, *_fields(signature), piecewise, renewed)
        try:
            plan = self._up_to_date().ask(message, StepPlan, self._patience)
        except UnavailableError as error:
            raise tasks.verdict(None, error) from error
        if any(part.python_calls for part in plan.parts):
            self._send_functions(plan, signature, piecewise)
        return Prepared(plan, changes)

    def _send_functions(self, plan: StepPlan, signature: StepSignature, piecewise: bool) -> None:
        """Sends the Python functions that a plan calls; gives the plan back if they cannot be."""
        try:
            self._functions.send(plan.parts, {device.name: device for device in self.devices})
        except OpError as error:
            self.release(signature, piecewise)
            if isinstance(error, UnavailableError):
                raise self.connection.tasks.verdict(None, error) from error
            raise

    def release(self, signature: StepSignature, piecewise: bool = False) -> None:
        """Takes back one use of a step plan."""
        if self.connection.tasks.is_over:
            return
        message = ReleaseStep(self._number, *_fields(signature), piecewise)
        with contextlib.suppress(UnavailableError, DeadlineExceededError):
            self.connection.master.ask(message, Done, self._patience)

    def _up_to_date(self) -> Master:
        """The master, once it has this session, and knows which tasks were started again."""
        tasks = self.connection.tasks
        with self._renewing:
            if tasks.changes == self._changes:
                return self.connection.master
            changes = tasks.changes
            tasks.recover([MASTER], self.timeout)
            if tasks.starts(MASTER) != self._starts[MASTER]:
                self._resume()
            starts = {task: tasks.starts(task) for task in map(task_of, tasks.devices)}
            again = tuple(task for task, n in starts.items() if n != self._starts.get(task, 0))
            if again:
                message = RenewTasks(self._number, again)
                self.connection.master.ask(message, Done, self._patience)
            self._starts.update(starts)
            self.devices = tuple(tasks.devices.get(d.name, d) for d in self.devices)
            self._changes = changes
            return self.connection.master

    def _resume(self) -> None:
        """Opens the session at a new master, which has lost it with the one before."""
        tasks = self.connection.tasks
        if not self._keeps_graphs:
            raise AbortedError(
                None,
                None,
                f"{self.connection.master.whom} was started again and knows nothing of this "
                "session. Make a new one; the variables of tasks that did not die are there.",
            )
        start = tasks.starts(MASTER)
        starts = {task: tasks.starts(task) for task in map(task_of, tasks.devices)}
        created = self.connection.create_session(self._config, self._number)
        for data in self._graphs:
            message = ExtendSession(created.session, data)
            self.connection.master.ask(message, Done, self._patience)
        # It has no plans yet that could be stale.
        self._starts.update(starts)
        self._starts[MASTER] = start

    def partition_graphs(self, signature: StepSignature) -> list[GraphDef]:
        """The graphs that the devices run for a signature."""
        message = PartitionGraphs(self._number, *_fields(signature))
        master = self.connection.master
        graphs = master.ask(message, Graphs, self._patience).graphs
        return [GraphDef.FromString(data) for data in graphs]

    def close(self) -> None:
        """Cancels the steps and frees everything; a second call does nothing."""
        with self._changed:
            if self.closed:
                return
            self.closed = True
            steps = list(self._running.values())
        error = CancelledError(None, None, "Session was closed.")
        for step in steps:
            step.fail(error)
        with self._changed:
            self._changed.wait_for(lambda: not self._running, _CLOSE_PATIENCE)
        if not self._lease.ends_actors:
            self.connection.close_session(self._number)
        self._lease.end()

    @property
    def _patience(self) -> float | None:
        """Seconds that the master may take, where the program bounds what it waits for."""
        return None if self.timeout is None else max(self.timeout, _CLOSE_PATIENCE)


_Names = tuple[str, ...]
_Pairs = tuple[tuple[str, str], ...]


def _fields(signature: StepSignature) -> tuple[_Names, _Names, _Names, _Pairs, _Pairs]:
    names = signature.feeds, signature.fetches, signature.targets
    return *names, signature.connections, signature.watches
