"""The inside of a worker actor: a WorkerCore whose devices are other actors."""

from __future__ import annotations

from functools import partial
from typing import Final

from dataflow.actors.cores.worker import WorkerCore
from dataflow.actors.ray.actors.roll_call import RollCall
from dataflow.actors.ray.links.calls import (
    RemoteActor,
    answer,
    device_name,
    expect,
    parse_graph,
    reply,
)
from dataflow.actors.threads.fan_out import at_once
from dataflow.actors.wire.codec import decode
from dataflow.actors.wire.messages import (
    CloseSession,
    DeregisterGraph,
    DeregisterPlan,
    DevicePart,
    Done,
    GraphRegistered,
    Message,
    Opened,
    OpenWorker,
    PlanOptions,
    RegisterGraph,
    ResetContainers,
)
from dataflow.passes.graphs.export_graph import to_graph_def
from dataflow.passes.graphs.import_graph import import_graph
from dataflow.passes.graphs.node_graph import NodeGraph
from dataflow.passes.placement.split import SplitLevel, split_by_device
from dataflow.values.device_info import DeviceInfo

_ANSWER_SECONDS: Final = 5.0
"""Seconds that devices may take to answer; who asked then asks anew."""


class WorkerShell:
    """Serves the requests of masters. Called on many threads."""

    def __init__(self, setup: bytes) -> None:
        """Opens the worker; `describe` waits for its devices.

        Args:
          setup: An encoded OpenWorker.
        """
        opening = expect(decode(setup), OpenWorker)
        self._isolated: set[int] = set()
        self._devices = {
            device: _RemoteDevice(opening.cluster, device, self._isolated)
            for device in opening.devices
        }
        self._returns = opening.returns
        self._infos: tuple[DeviceInfo, ...] = ()
        self._core = WorkerCore(self._devices, self._split, at_once)

    def describe(self) -> bytes:
        """Opened, once all devices are."""
        return reply(self._describe)

    def register(self, data: bytes) -> bytes:
        """RegisterGraph -> GraphRegistered."""
        return answer(self._register, RegisterGraph, data)

    def deregister(self, data: bytes) -> bytes:
        """DeregisterGraph -> Done."""
        return answer(self._deregister, DeregisterGraph, data)

    def close_session(self, data: bytes) -> bytes:
        """CloseSession -> Done."""
        return answer(self._close_session, CloseSession, data)

    def reset(self, data: bytes) -> bytes:
        """ResetContainers -> Done."""
        return answer(self._reset, ResetContainers, data)

    def _split(self, graph: NodeGraph) -> dict[str, NodeGraph]:
        return split_by_device(graph, self._infos, SplitLevel.IN_WORKER)

    def _describe(self) -> Message:
        if not self._infos:
            roll = RollCall([d.actor for d in self._devices.values()], lambda _: True)
            if not roll.complete(_ANSWER_SECONDS):
                raise next(iter(roll.reasons.values()))
            self._infos = tuple(info for name in self._devices for info in roll.found[name].devices)
        return Opened(self._infos, self._returns)

    def _register(self, message: RegisterGraph) -> Message:
        graph = import_graph(parse_graph(message.graph), partition=True)
        if message.isolated:
            self._isolated.add(message.session)
        return self._core.register(graph, message.session, message.options)

    def _deregister(self, message: DeregisterGraph) -> Message:
        self._core.deregister(message.handle)
        return Done()

    def _close_session(self, message: CloseSession) -> Message:
        self._core.close_session(message.session)
        self._isolated.discard(message.session)
        return Done()

    def _reset(self, message: ResetContainers) -> Message:
        at_once([partial(d.actor.tell, "reset", message) for d in self._devices.values()])
        return Done()


class _RemoteDevice:
    """A device of this task as `WorkerCore` reaches it."""

    def __init__(self, cluster: str, device: str, isolated: set[int]) -> None:
        self.actor = RemoteActor(device_name(cluster, device), device)
        self._isolated = isolated

    def register(self, graph: NodeGraph, session: int, options: PlanOptions) -> DevicePart:
        """Has the device build a plan."""
        data = to_graph_def(graph).SerializeToString()
        isolated = session in self._isolated
        message = RegisterGraph(session, data, options, isolated)
        (part,) = self.actor.ask("register", message, GraphRegistered).parts
        return part

    def deregister(self, plan_id: int) -> None:
        """Has the device free a plan."""
        self.actor.tell("deregister", DeregisterPlan(plan_id))

    def close_session(self, session: int) -> None:
        """Has the device cancel a session's steps and free its plans."""
        self.actor.tell("close_session", CloseSession(session))
