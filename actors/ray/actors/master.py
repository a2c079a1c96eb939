"""The inside of a master actor: a MasterCore whose workers are other actors."""

from __future__ import annotations

import logging
import random
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

import ray
from ray import exceptions

from dataflow.actors.cores.master import MasterCore
from dataflow.actors.devices.registry import find_device_type
from dataflow.actors.ray.actors.incarnations import KnownIncarnations
from dataflow.actors.ray.actors.requests import graph_handlers, is_visible
from dataflow.actors.ray.actors.roll_call import RollCall
from dataflow.actors.ray.actors.shortage import actor_text, machines_text
from dataflow.actors.ray.links.calls import (
    Handlers,
    RemoteActor,
    expect,
    worker_name,
)
from dataflow.actors.ray.links.ended import has_ended
from dataflow.actors.step.numbers import STEP_BITS
from dataflow.actors.threads.fan_out import at_once
from dataflow.actors.wire.codec import decode
from dataflow.actors.wire.messages import (
    Attend,
    CloseSession,
    CreateSession,
    DeregisterGraph,
    GraphRegistered,
    Opened,
    OpenMaster,
    PlanOptions,
    RegisterGraph,
    RenewTasks,
    ResetContainers,
    SessionCreated,
)
from dataflow.errors import DeadlineExceededError, OpError
from dataflow.passes.graphs.export_graph import to_graph_def
from dataflow.passes.graphs.node_graph import NodeGraph
from dataflow.passes.placement.split import SplitLevel
from dataflow.proto.config_pb2 import ConfigProto

_LOGGER = logging.getLogger("dataflow")

_ANSWER_SECONDS: Final = 5.0
"""Seconds that a task that runs may take to answer."""
_DEFAULT_CONTAINER: Final = "localhost"


class MasterShell:
    """Serves the requests of sessions."""

    def __init__(self, setup: bytes) -> None:
        """Opens the master; sessions wait for the workers.

        Args:
          setup: An encoded OpenMaster.
        """
        opening = expect(decode(setup), OpenMaster)
        find_device_type("CPU")
        self._isolated: set[int] = set()
        self._incarnations = KnownIncarnations()
        # Sessions prefer the devices of the master's own task.
        tasks = sorted(opening.tasks, key=lambda task: task != opening.task)
        self._workers = {
            task: _RemoteWorker(opening.cluster, task, self._isolated, self._incarnations)
            for task in tasks
        }
        self._is_closed = opening.is_closed
        self._final = set() if opening.tasks_return else set(tasks)
        """Tasks that nobody starts again if they die."""
        self._core = MasterCore(
            self._workers,
            numbers=_session_numbers(opening.tasks.index(opening.task), len(opening.tasks)),
            fan_out=at_once,
            split_level=SplitLevel.IN_WORKER,
        )
        self._home = opening.task
        self._cluster = opening.cluster
        self._returns = opening.returns
        self._sessions: dict[int, str] = {}
        """The client of each."""
        self.handlers: Handlers = {
            CreateSession: self._create_session,
            **graph_handlers(self._core),
            RenewTasks: self._renew,
            CloseSession: self._close_session,
            ResetContainers: self._reset,
        }
        """What sessions ask for; called on many threads."""

    def attend(self, data: bytes, life: Any, release: Callable[[str], None]) -> None:
        """Attend; the client's sessions are closed when the call `life` loses its owner.

        Args:
          data: An encoded Attend.
          life: A call of the client's to this actor that ends when the client leaves.
          release: Ends that call.
        """
        client = expect(decode(data), Attend).client
        thread = threading.Thread(
            target=self._accompany, args=(client, life, release), name="dataflow-client"
        )
        thread.daemon = True
        thread.start()

    def _create_session(self, message: CreateSession) -> SessionCreated:
        config = ConfigProto.FromString(message.config)
        filters = list(config.device_filters)
        tasks = [task for task in self._workers if is_visible(task, self._home, filters)]
        opened = self._wait_for(tasks, message.timeout)
        devices = [
            device
            for task in tasks
            for device in opened[task].devices
            if is_visible(device.name, self._home, filters)
        ]
        session = self._core.create_session(config, devices, message.number)
        self._sessions[session] = message.client
        if config.isolate_session_state:
            self._isolated.add(session)
        returns = [task for task in tasks if opened[task].returns]
        if self._returns:
            returns.append("")
        return SessionCreated(session, tuple(devices), tuple(returns))

    def _renew(self, message: RenewTasks) -> None:
        actors = [self._workers[task].actor for task in message.tasks]
        for actor in actors:
            actor.forget()
        roll = RollCall(actors, lambda _: True)
        if not roll.complete(_ANSWER_SECONDS):
            raise next(iter(roll.reasons.values()))
        self._note(roll.found)
        devices = [device for found in roll.found.values() for device in found.devices]
        self._core.renew(message.session, message.tasks, devices)

    def _accompany(self, client: str, life: Any, release: Callable[[str], None]) -> None:
        try:
            ray.get(life)
        except exceptions.RayError as error:
            _LOGGER.warning("A client has died (%s); its sessions are closed.", _first_line(error))
            release(client)
            for session in [s for s, owner in tuple(self._sessions.items()) if owner == client]:
                self._close_session(CloseSession(session))

    def _close_session(self, message: CloseSession) -> None:
        if message.session in self._sessions:
            self._core.close_session(message.session)
        else:
            # It may be one of a master that had this place before: the devices know it.
            at_once([partial(w.close_session, message.session) for w in self._workers.values()])
        self._sessions.pop(message.session, None)
        self._isolated.discard(message.session)

    def _reset(self, message: ResetContainers) -> None:
        for session in tuple(self._sessions):
            self._close_session(CloseSession(session))
        names = tuple("" if c == _DEFAULT_CONTAINER else c for c in message.containers)
        told = ResetContainers(names or ("",))
        at_once([partial(worker.actor.free, told) for worker in self._workers.values()])

    def _wait_for(self, tasks: Sequence[str], timeout: float) -> dict[str, Opened]:
        """The tasks with their devices, once all have started."""
        actors = [self._workers[task].actor for task in tasks]
        roll = RollCall(actors, self._stays_dead)
        if roll.complete(timeout):
            self._note(roll.found)
            return roll.found
        missing = [task for task in tasks if task not in roll.found]
        told = "".join(f"\n  {t}: {self._reason(t, roll.reasons[t])}" for t in missing)
        raise DeadlineExceededError(
            None,
            None,
            f"The session cannot be created: {len(missing)} of {len(tasks)} tasks have not started "
            f"within {timeout:.1f} s:{told}\nRay's machines:\n{machines_text()}\nStart a Server "
            "for each, name the tasks the session needs in ConfigProto.device_filters, or allow "
            "more time in ConfigProto.operation_timeout_in_ms.",
        )

    def _stays_dead(self, task: str) -> bool:
        if task in self._final:
            return True
        return self._is_closed and has_ended(worker_name(self._cluster, task))

    def _note(self, opened: Mapping[str, Opened]) -> None:
        for found in opened.values():
            self._incarnations.note(found.devices)
        if self._is_closed:
            for task, found in opened.items():
                (self._final.discard if found.returns else self._final.add)(task)

    def _reason(self, task: str, error: OpError) -> str:
        """Why a task has not started."""
        name = worker_name(self._cluster, task)
        known = actor_text(name)
        if not known:
            return f"no server of it runs ({error.message})"
        return f"its process {known} ({error.message})"


class _RemoteWorker:
    """A worker as `MasterCore` reaches it."""

    def __init__(
        self, cluster: str, task: str, isolated: set[int], incarnations: KnownIncarnations
    ) -> None:
        self.actor = RemoteActor(worker_name(cluster, task), task)
        self._isolated = isolated
        self._incarnations = incarnations

    def register(self, graph: NodeGraph, session: int, options: PlanOptions) -> GraphRegistered:
        """Has the worker build the plans of its part."""
        data = to_graph_def(graph).SerializeToString()
        isolated = session in self._isolated
        peers = self._incarnations.of_receivers(graph)
        message = RegisterGraph(session, data, options, isolated, peers)
        return self.actor.ask(message, GraphRegistered)

    def deregister(self, handle: int) -> None:
        """Has the worker free the plans of a graph."""
        self.actor.free(DeregisterGraph(handle))

    def close_session(self, session: int) -> None:
        """Has the worker cancel a session's steps and free its plans."""
        self.actor.free(CloseSession(session))


def _session_numbers(ordinal: int, masters: int) -> Iterator[int]:
    """Numbers no other master of the cluster uses, and one that had this place before hardly does.

    Those from before may still be in use: sessions need their master only to prepare steps.
    """
    bound = (1 << 63 - STEP_BITS) // masters
    count = random.randrange(bound)
    while True:
        count = (count + 1) % bound
        yield count * masters + ordinal


def _first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0]
