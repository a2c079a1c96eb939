"""Which start of each device is the present one, as far as a master or a worker knows."""

from __future__ import annotations

from collections.abc import Iterable

from dataflow.passes.graphs.node_graph import NodeGraph
from dataflow.values.device_info import DeviceInfo

Incarnations = tuple[tuple[str, int], ...]
"""Devices by full name, and their incarnations."""


class KnownIncarnations:
    """What is told to those that send to a device, so that they leave its predecessors."""

    def __init__(self) -> None:
        self._known: dict[str, int] = {}

    def note(self, devices: Iterable[DeviceInfo]) -> None:
        """Takes note of devices as they were started last."""
        self._known.update((device.name, device.incarnation) for device in devices)

    def update(self, found: Incarnations) -> None:
        """Takes over what another one has noted."""
        self._known.update(found)

    def of_receivers(self, graph: NodeGraph) -> Incarnations:
        """Those of the devices that a part of a graph sends to."""
        receivers = {node.attrs["recv_device"] for node in graph.nodes() if node.op == "_Send"}
        names = sorted(name.decode() for name in receivers)
        return tuple((name, self._known[name]) for name in names if name in self._known)
