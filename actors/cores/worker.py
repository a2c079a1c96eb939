"""WorkerCore: the second split, by the devices of one task, and the plans made of it."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Protocol

from dataflow.actors.step.numbers import new_range
from dataflow.actors.threads.fan_out import FanOut, one_by_one
from dataflow.actors.wire.messages import DevicePart, GraphRegistered, PlanOptions
from dataflow.errors import InternalError

if TYPE_CHECKING:
    from dataflow.passes.graphs.node_graph import NodeGraph

Split = Callable[["NodeGraph"], "Mapping[str, NodeGraph]"]
"""Splits a graph by the devices its nodes are assigned to."""


class DevicePort(Protocol):
    """A device as its worker reaches it: a `DeviceCore`, or a shell that forwards to one."""

    def register(self, graph: NodeGraph, session: int, options: PlanOptions) -> DevicePart:
        """Builds a plan for a partition."""

    def deregister(self, plan_id: int) -> None:
        """Frees a plan."""

    def close_session(self, session: int) -> None:
        """Cancels a session's steps and frees its plans."""


class WorkerCore:
    """One task: owns its devices and splits what the master sends among them."""

    def __init__(
        self, devices: Mapping[str, DevicePort], split: Split, fan_out: FanOut = one_by_one
    ) -> None:
        """Makes a worker without graphs.

        Args:
          devices: The task's devices by full name.
          split: Splits a partition of the task by device.
          fan_out: How several devices are called.
        """
        self._devices = dict(devices)
        self._split = split
        self._fan_out = fan_out
        self._graphs: dict[int, tuple[int, tuple[DevicePart, ...]]] = {}
        # One that was started again takes no graph of its predecessor's for its own.
        self._handles = itertools.count(new_range())
        self._lock = threading.RLock()

    def register(self, graph: NodeGraph, session: int, options: PlanOptions) -> GraphRegistered:
        """Splits a graph and has each device build its plan.

        Args:
          graph: The part of this task; its nodes are assigned to devices of it.
          session: The session.
          options: How the plans are made.

        Raises:
          OpError: A device refuses a node; nothing stays registered then.
        """
        partitions = self._split(graph)
        registered: dict[str, DevicePart] = {}

        def register_one(name: str, partition: NodeGraph) -> None:
            device = self._device(name)
            registered[name] = device.register(partition, session, options)

        try:
            self._fan_out([partial(register_one, *item) for item in partitions.items()])
        except BaseException:
            self._free(tuple(registered.values()))
            raise
        parts = tuple(registered[name] for name in partitions)
        with self._lock:
            handle = next(self._handles)
            self._graphs[handle] = (session, parts)
        return GraphRegistered(handle, parts)

    def deregister(self, handle: int) -> None:
        """Frees the plans of a graph; a second call does nothing."""
        with self._lock:
            _, parts = self._graphs.pop(handle, (0, ()))
        self._free(parts)

    def close_session(self, session: int) -> None:
        """Cancels a session's steps and frees its plans on all devices."""
        with self._lock:
            for handle in [h for h, (owner, _) in self._graphs.items() if owner == session]:
                del self._graphs[handle]
        self._fan_out([partial(d.close_session, session) for d in self._devices.values()])

    def _device(self, name: str) -> DevicePort:
        device = self._devices.get(name)
        if device is None:
            raise InternalError(
                None,
                None,
                f"Nodes are placed on {name}, which is none of this task's devices: "
                f"{', '.join(sorted(self._devices))}.",
            )
        return device

    def _free(self, parts: tuple[DevicePart, ...]) -> None:
        for part in parts:
            self._devices[part.device].deregister(part.plan)
