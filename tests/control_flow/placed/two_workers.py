"""A master and two workers of two devices each, in this process: the split happens twice."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from dataflow.actors.cores.device import DeviceCore
from dataflow.actors.cores.master import MasterCore
from dataflow.actors.cores.worker import WorkerCore
from dataflow.actors.devices.registry import find_device_type
from dataflow.actors.direct import _LocalDevice
from dataflow.actors.step.join import StepJoin
from dataflow.actors.threads.ready_queue import start_together
from dataflow.actors.transfers.local import LocalTransport
from dataflow.actors.wire.messages import GraphRegistered
from dataflow.passes.graphs.export_graph import to_graph_def
from dataflow.passes.graphs.import_graph import import_graph
from dataflow.passes.graphs.node_graph import NodeGraph
from dataflow.passes.placement.split import SplitLevel, split_by_device
from dataflow.proto.config_pb2 import ConfigProto
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.runtime.signature import StepSignature
from dataflow.values.device_info import DeviceInfo

TASKS = [f"/job:worker/replica:0/task:{task}" for task in (0, 1)]
DEVICES = [f"{task}/device:CPU:{index}" for task in TASKS for index in (0, 1)]


class _Worker(WorkerCore):
    """Gets its part of a graph as it would from another process."""

    def register(self, graph: NodeGraph, *arguments: Any) -> GraphRegistered:
        sent = GraphDef.FromString(to_graph_def(graph).SerializeToString())
        return super().register(import_graph(sent, partition=True), *arguments)


class TwoWorkers:
    """Runs steps of one graph."""

    def __init__(self, graph_def: GraphDef) -> None:
        cpu = find_device_type("CPU")
        transports: dict[str, LocalTransport] = {}
        self.devices = {
            name: DeviceCore(name, 0, cpu, None, transports.__getitem__) for name in DEVICES
        }
        for name, device in self.devices.items():
            transports[name] = LocalTransport(device.rendezvous)
        infos = [DeviceInfo(name, "CPU", 50, incarnation=i + 1) for i, name in enumerate(DEVICES)]

        def split(graph: NodeGraph) -> Mapping[str, NodeGraph]:
            return split_by_device(graph, infos, SplitLevel.IN_WORKER)

        workers = {
            task: _Worker({n: d for n, d in self.devices.items() if n.startswith(task)}, split)
            for task in TASKS
        }
        self._master = MasterCore(workers, infos, split_level=SplitLevel.IN_WORKER)
        self._session = self._master.create_session(ConfigProto())
        self._step_ids = itertools.count(1)
        self._master.extend_session(self._session, graph_def)

    def run(self, fetches: Sequence[Any], feeds: Mapping[Any, Any]) -> list[Any]:
        """Runs a step, each device on this thread while it has something to do."""
        signature = StepSignature(
            tuple(tensor.name for tensor in feeds), tuple(tensor.name for tensor in fetches), ()
        )
        plan = self._master.prepare(self._session, signature)
        inbox: Any = None
        parts = [(_LocalDevice(self.devices[part.device], inbox), part) for part in plan.parts]
        join = StepJoin(next(self._step_ids), parts, len(fetches), inbox)
        join.start(list(feeds.values()), start_together)
        return join.wait(60.0)
