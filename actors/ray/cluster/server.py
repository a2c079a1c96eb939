"""Servers on Ray: named actors for one task of a cluster or for all, that sessions attach to."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from typing import Final
from uuid import uuid4

from dataflow.actors.ray.cluster.connection import start_seconds
from dataflow.actors.ray.cluster.head_watch import HeadWatch
from dataflow.actors.ray.cluster.launch import ActorSet, Launch
from dataflow.actors.ray.cluster.machines import (
    Placement,
    Task,
    machines,
    place_tasks,
    ray_use,
    task_name,
    tasks_of,
)
from dataflow.actors.ray.cluster.meeting import MEETING_SECONDS, attend, is_needed
from dataflow.actors.ray.cluster.supervisor import Supervisor
from dataflow.actors.ray.cluster.termination import ends_on_sigterm
from dataflow.actors.ray.links.calls import master_name, target_of, worker_name
from dataflow.actors.ray.links.ended import forget_ended, note_ended
from dataflow.errors import FailedPreconditionError, OpError
from dataflow.proto.tensorflow_server_pb2 import ServerDef
from dataflow.values.interrupts import Flag

_CHIEF_JOBS: Final = ("chief", "master", "worker")
"""Jobs whose first task serves the sessions of a server that runs all tasks."""


class RayServer:
    """The actors of a server, owned by this process."""

    def __init__(self, server_def: ServerDef, max_restarts: int = 0) -> None:
        """Names the actors; starts none.

        Args:
          server_def: Its task runs; all tasks run if it names none.
          max_restarts: How often a task is started again after a death.
        """
        self._config = server_def.default_session_config
        self._all = tasks_of(server_def.cluster)
        if server_def.job_name:
            self._home = task_name(server_def.job_name, server_def.task_index)
            self._own = [task for task in self._all if task.name == self._home]
        else:
            self._home = _chief(self._all)
            self._own = self._all
        self._cluster = _cluster_name(server_def, self._own, self._all)
        self._max_restarts = max_restarts
        self._actors: ActorSet | None = None
        self._supervisor: Supervisor | None = None
        self._head: HeadWatch | None = None
        self._stopped = Flag()
        self._lock = threading.RLock()
        self._death: OpError | None = None

    @property
    def target(self) -> str:
        """The target for sessions."""
        return target_of(self._cluster, self._home)

    def start(self) -> None:
        """Starts the actors and waits until they are ready; does nothing if they run.

        Raises:
          AlreadyExistsError: A server runs the task already.
          OpError: Ray cannot start them.
        """
        with self._lock:
            if self._stopped.is_set():
                raise FailedPreconditionError(
                    None, None, "The server was stopped; make a new one to start it again."
                )
            if self._actors is not None:
                return
            self._acquire_ray()
            tasks = tuple(task.name for task in self._all)
            launch = Launch(
                self._cluster,
                self._config,
                self._home,
                tasks,
                self._max_restarts,
                is_closed=len(self._own) == len(self._all),
            )
            actors, patience = ActorSet(launch), start_seconds(self._config)
            try:
                forget_ended(self._names())
                placements = self._place()
                actors.start(placements)
                actors.wait(patience)
                self._supervisor = Supervisor(
                    launch, actors, placements, patience, self._start_no_more
                )
            except BaseException:
                actors.kill()
                ray_use.release()
                raise
            self._actors = actors
            self._head = HeadWatch(self._gave_up)

    def join(self) -> None:
        """Waits until the server stops; see `ends_on_sigterm`.

        Raises:
          OpError: One of its actors died, and was not to be started again any more.
        """
        with ends_on_sigterm(self.stop):
            self._stopped.wait()
        if self._death is not None:
            raise self._death

    def stop(self) -> None:
        """Stops the actors; a second call does nothing."""
        with self._lock:
            self._stopped.set()
            actors, self._actors = self._actors, None
            if self._supervisor is not None:
                self._supervisor.stop()
            if self._head is not None:
                self._head.stop()
        if actors is not None:
            if self._death is None:
                note_ended(self._names())
            actors.kill()
            ray_use.release()

    def _acquire_ray(self) -> None:
        """Joins or starts a Ray; that of the cluster where its programs have to find each other."""
        first = self._all[0].address
        if len(self._own) == len(self._all) or not is_needed(first):
            ray_use.acquire()
            return
        seconds = start_seconds(self._config, MEETING_SECONDS)
        attendance = attend(first, self._cluster, self._home, seconds)
        try:
            ray_use.acquire(at=attendance.ray_address, depart=attendance.end)
        except BaseException:
            attendance.end()
            raise

    def _place(self) -> list[Placement]:
        found = machines()
        if len(self._own) < len(self._all):
            # The task belongs to this process, and so to its machine.
            found = found[:1]
        # The task that sessions talk to goes before the others to this process's machine.
        tasks = sorted(self._own, key=lambda task: task.name != self._home)
        return place_tasks(tasks, found, self._config)

    def _names(self) -> list[str]:
        """Of those actors by which sessions know what they wait for when it is started again."""
        if not self._max_restarts:
            return []
        workers = [worker_name(self._cluster, task.name) for task in self._own]
        return [*workers, master_name(self._cluster, self._home)]

    def _start_no_more(self, error: OpError) -> None:
        note_ended(self._names())
        self._gave_up(error)

    def _gave_up(self, error: OpError) -> None:
        self._death = self._death or error
        self._stopped.set()


def _chief(tasks: Sequence[Task]) -> str:
    names = [task.name for task in tasks]
    for job in _CHIEF_JOBS:
        for name in names:
            if name.startswith(f"/job:{job}/"):
                return name
    return names[0]


def _cluster_name(server_def: ServerDef, own: Sequence[Task], every: Sequence[Task]) -> str:
    """The first part of the actors' names.

    Servers of single tasks meet by what they say their cluster is; a server of all tasks meets no
    other one, nor does one whose address asks for any free port.
    """
    if len(own) == len(every) or own[0].address.endswith(":0"):
        return f"server-{uuid4().hex[:12]}"
    text = server_def.cluster.SerializeToString(deterministic=True)
    return f"cluster-{hashlib.sha256(text).hexdigest()[:12]}"
