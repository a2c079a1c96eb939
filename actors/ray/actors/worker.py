"""The inside of a worker actor: a WorkerCore whose devices are other actors."""

from __future__ import annotations

from functools import partial
from typing import Final

from dataflow.actors.cores.worker import WorkerCore
from dataflow.actors.ray.actors.incarnations import KnownIncarnations
from dataflow.actors.ray.actors.roll_call import RollCall
from dataflow.actors.ray.links.calls import (
    Handlers,
    RemoteActor,
    device_name,
    expect,
    parse_graph,
)
from dataflow.actors.threads.fan_out import at_once
from dataflow.actors.wire.codec import decode
from dataflow.actors.wire.messages import (
    CloseSession,
    DeregisterGraph,
    DeregisterPlan,
    Describe,
    DevicePart,
    GraphRegistered,
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
    """Serves the requests of masters."""

    def __init__(self, setup: bytes) -> None:
        """Opens the worker; `Describe` waits for its devices.

        Args:
          setup: An encoded OpenWorker.
        """
        opening = expect(decode(setup), OpenWorker)
        self._isolated: set[int] = set()
        self._incarnations = KnownIncarnations()
        self._devices = {
            device: RemoteDevice(opening.cluster, device, self._isolated, self._incarnations)
            for device in opening.devices
        }
        self._returns = opening.returns
        self._infos: tuple[DeviceInfo, ...] = ()
        self._core = WorkerCore(self._devices, self._split, at_once)
        self.handlers: Handlers = {
            Describe: self._describe,
            RegisterGraph: self._register,
            DeregisterGraph: self._deregister,
            CloseSession: self._close_session,
            ResetContainers: self._reset,
        }
        """What masters ask for; called on many threads."""

    def _split(self, graph: NodeGraph) -> dict[str, NodeGraph]:
        return split_by_device(graph, self._infos, SplitLevel.IN_WORKER)

    def _describe(self, _: Describe) -> Opened:
        if not self._infos:
            roll = RollCall([d.actor for d in self._devices.values()], lambda _: True)
            if not roll.complete(_ANSWER_SECONDS):
                raise next(iter(roll.reasons.values()))
            self._infos = tuple(info for name in self._devices for info in roll.found[name].devices)
        return Opened(self._infos, self._returns)

    def _register(self, message: RegisterGraph) -> GraphRegistered:
        graph = import_graph(parse_graph(message.graph), partition=True)
        if message.isolated:
            self._isolated.add(message.session)
        self._incarnations.update(message.peers)
        return self._core.register(graph, message.session, message.options)

    def _deregister(self, message: DeregisterGraph) -> None:
        self._core.deregister(message.handle)

    def _close_session(self, message: CloseSession) -> None:
        self._core.close_session(message.session)
        self._isolated.discard(message.session)

    def _reset(self, message: ResetContainers) -> None:
        at_once([partial(d.actor.free, message) for d in self._devices.values()])


class RemoteDevice:
    """A device on Ray as `WorkerCore` reaches it."""

    def __init__(
        self, cluster: str, device: str, isolated: set[int], incarnations: KnownIncarnations
    ) -> None:
        self.actor = RemoteActor(device_name(cluster, device), device)
        self._isolated = isolated
        self._incarnations = incarnations

    def register(self, graph: NodeGraph, session: int, options: PlanOptions) -> DevicePart:
        """Has the device build a plan."""
        data = to_graph_def(graph).SerializeToString()
        isolated = session in self._isolated
        peers = self._incarnations.of_receivers(graph)
        message = RegisterGraph(session, data, options, isolated, peers)
        (part,) = self.actor.ask(message, GraphRegistered).parts
        return part

    def deregister(self, plan_id: int) -> None:
        """Has the device free a plan."""
        self.actor.free(DeregisterPlan(plan_id))

    def close_session(self, session: int) -> None:
        """Has the device cancel a session's steps and free its plans."""
        self.actor.free(CloseSession(session))
