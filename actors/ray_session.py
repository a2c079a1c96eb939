"""A session on Ray: its steps in flight, and what it does with its master."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from typing import Final, Protocol, TypeVar

from dataflow.actors.messages import (
    CloseSession,
    Done,
    ExtendSession,
    Graphs,
    PartitionGraphs,
    PrepareStep,
    ReleaseStep,
    StepPlan,
)
from dataflow.actors.ray_connection import Lease
from dataflow.actors.step import STEP_BITS
from dataflow.errors import CancelledError, UnavailableError
from dataflow.proto.config_pb2 import ConfigProto
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.runtime import StepSignature

STEP_PATIENCE: Final = 1.0
"""Seconds that a failed step may take to end on all of its devices; then they are left to it."""
_CLOSE_PATIENCE: Final = 5.0
"""Seconds that actors may take to free a session."""


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
        self._lease = lease
        try:
            created = self.connection.create_session(config)
        except BaseException:
            lease.end()
            raise
        self.devices = created.devices
        self._number = created.session
        self._step_ids = itertools.count((self._number << STEP_BITS) + 1)
        self._running: dict[int, RunningStep] = {}
        self._changed = threading.Condition(threading.RLock())
        self.connection.join(self)

    def check(self, tasks: frozenset[str] = frozenset()) -> None:
        """Refuses what cannot be done any more.

        Raises:
          CancelledError: The session is closed.
          UnavailableError: One of the tasks is dead.
        """
        if self.closed:
            raise CancelledError(None, None, "Session has been closed.")
        if self.connection.dead:
            self.connection.check(tasks)

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
        with self._changed:
            self.check(tasks)
            step_id = next(self._step_ids)
            step = self._running[step_id] = make(step_id)
            return step, next(iter(self._running))

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
                self.connection.check(step.tasks)
            except UnavailableError as error:
                step.fail(error)

    def extend(self, graph_def: GraphDef) -> None:
        """Adds nodes to the graph."""
        self.check()
        message = ExtendSession(self._number, graph_def.SerializeToString())
        self.connection.master.ask("extend_session", message, Done, self._patience)

    def prepare(self, signature: StepSignature, piecewise: bool = False) -> StepPlan:
        """The step plan of a signature; counts one use."""
        self.check()
        message = PrepareStep(self._number, *_fields(signature), piecewise)
        return self.connection.master.ask("prepare", message, StepPlan, self._patience)

    def release(self, signature: StepSignature, piecewise: bool = False) -> None:
        """Takes back one use of a step plan."""
        message = ReleaseStep(self._number, *_fields(signature), piecewise)
        self.connection.master.tell("release", message, self._patience)

    def partition_graphs(self, signature: StepSignature) -> list[GraphDef]:
        """The graphs that the devices run for a signature."""
        message = PartitionGraphs(self._number, *_fields(signature))
        master = self.connection.master
        graphs = master.ask("partition_graphs", message, Graphs, self._patience).graphs
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
            message = CloseSession(self._number)
            self.connection.master.tell("close_session", message, _CLOSE_PATIENCE)
        self._lease.end()

    @property
    def _patience(self) -> float | None:
        """Seconds that the master may take, where the program bounds what it waits for."""
        return None if self.timeout is None else max(self.timeout, _CLOSE_PATIENCE)


_Names = tuple[str, ...]


def _fields(signature: StepSignature) -> tuple[_Names, _Names, _Names]:
    return signature.feeds, signature.fetches, signature.targets
