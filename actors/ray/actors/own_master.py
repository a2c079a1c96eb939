"""The master of sessions whose devices end with them, and its workers: they are in this process.

As actors each of them would take as long to start as a device, and outlive nobody.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from functools import partial
from queue import Empty, SimpleQueue
from typing import Final, TypeVar

from dataflow.actors.cores.master import MasterCore
from dataflow.actors.cores.worker import WorkerCore
from dataflow.actors.devices.registry import find_device_type
from dataflow.actors.ray.actors.incarnations import KnownIncarnations
from dataflow.actors.ray.actors.requests import graph_handlers, is_visible
from dataflow.actors.ray.actors.roll_call import RollCall
from dataflow.actors.ray.actors.worker import RemoteDevice
from dataflow.actors.ray.links.calls import Handlers, expect
from dataflow.actors.threads.fan_out import at_once
from dataflow.actors.wire.messages import (
    CloseSession,
    CreateSession,
    Done,
    Message,
    SessionCreated,
)
from dataflow.errors import DeadlineExceededError, ErrorReport
from dataflow.passes.graphs.node_graph import NodeGraph
from dataflow.passes.placement.split import SplitLevel, split_by_device, task_of
from dataflow.proto.config_pb2 import ConfigProto
from dataflow.values.device_info import DeviceInfo

M = TypeVar("M")


class OwnMaster:
    """Serves the requests of sessions as a master actor does; what is awaited are its devices."""

    whom: Final = "The master of this session"

    def __init__(self, cluster: str, devices: Mapping[str, Sequence[str]]) -> None:
        """Makes a master; sessions wait for the devices.

        Args:
          cluster: First part of the devices' names.
          devices: Full names by task; sessions prefer the first task's.
        """
        find_device_type("CPU")
        self._home = next(iter(devices))
        self._isolated: set[int] = set()
        self._incarnations = KnownIncarnations()
        self._devices = {
            name: RemoteDevice(cluster, name, self._isolated, self._incarnations)
            for names in devices.values()
            for name in names
        }
        self._infos: tuple[DeviceInfo, ...] = ()
        self._lock = threading.Lock()
        workers = {
            task: WorkerCore(
                {name: self._devices[name] for name in names}, partial(self._split, task), at_once
            )
            for task, names in devices.items()
        }
        self._core = MasterCore(workers, fan_out=at_once, split_level=SplitLevel.IN_WORKER)
        self._handlers: Handlers = {
            CreateSession: self._create_session,
            **graph_handlers(self._core),
            CloseSession: self._close_session,
        }

    def ask(self, message: Message, kind: type[M], timeout: float | None = None) -> M:
        """Serves a request.

        Raises:
          OpError: What came of it; DeadlineExceededError after `timeout` seconds.
        """
        if timeout is None:
            found = self._outcome(message)
        else:
            outcomes: SimpleQueue[Message | ErrorReport] = SimpleQueue()
            name = "dataflow-master"
            threading.Thread(
                target=lambda: outcomes.put(self._outcome(message)), name=name, daemon=True
            ).start()
            try:
                found = outcomes.get(timeout=timeout)
            except Empty:
                why = f"{self.whom} has not answered within {timeout:.1f} s."
                raise DeadlineExceededError(None, None, why) from None
        if isinstance(found, ErrorReport):
            raise found.to_exception()
        return expect(found, kind)

    def _outcome(self, message: Message) -> Message | ErrorReport:
        try:
            return self._handlers[type(message)](message) or Done()
        except Exception as error:
            return ErrorReport.from_exception(error)

    def _create_session(self, message: CreateSession) -> SessionCreated:
        config = ConfigProto.FromString(message.config)
        filters = list(config.device_filters)
        infos = self._found_devices(message.timeout)
        seen = [info for info in infos if is_visible(info.name, self._home, filters)]
        session = self._core.create_session(config, seen)
        self._isolated.add(session)
        return SessionCreated(session, tuple(seen))

    def _found_devices(self, timeout: float) -> tuple[DeviceInfo, ...]:
        with self._lock:
            if not self._infos:
                roll = RollCall([d.actor for d in self._devices.values()], lambda _: True)
                if not roll.complete(timeout):
                    raise next(iter(roll.reasons.values()))
                self._infos = tuple(i for name in self._devices for i in roll.found[name].devices)
                self._incarnations.note(self._infos)
        return self._infos

    def _split(self, task: str, graph: NodeGraph) -> dict[str, NodeGraph]:
        infos = [info for info in self._infos if task_of(info.name) == task]
        return split_by_device(graph, infos, SplitLevel.IN_WORKER)

    def _close_session(self, message: CloseSession) -> None:
        self._core.close_session(message.session)
        self._isolated.discard(message.session)
