"""Which nodes must share a device, and what each such group asks for."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from dataflow.errors import InvalidArgumentError
from dataflow.passes.graphs.import_graph import colocated_with
from dataflow.passes.graphs.node_graph import Node, NodeGraph
from dataflow.passes.graphs.system_ops import PLUMBING
from dataflow.passes.placement.device_names import IncompatibleDevices, compatible, merge
from dataflow.proto.node_def_pb2 import NodeDef
from dataflow.schema.opdef import OpDef
from dataflow.schema.summaries import attrs_text
from dataflow.values import dtypes
from dataflow.values.device_info import DeviceInfo
from dataflow.values.devices import DeviceParts, parse

Supports = Callable[[str, str, Mapping[str, Any]], bool]
"""`supports(op, device_type, attrs)`: whether a kernel exists."""
Describe = Callable[[str], Sequence[str]]
"""`describe(op)`: a line for each registered kernel."""

_ANYWHERE: Final = DeviceParts()


def placement_error(node: Node, reason: str) -> InvalidArgumentError:
    """The error for a node that cannot be placed."""
    created = f"\nNode '{node.name}' was created at {node.created_at}." if node.created_at else ""
    node_def = NodeDef(name=node.name, op=node.op, device=node.device)
    return InvalidArgumentError(
        node_def, None, f"{reason}{created}\n\t [[{{{{node {node.name}}}}}]]"
    )


class Kernels:
    """What device types can run a node, asked once for each op and types."""

    def __init__(self, device_types: Sequence[str], supports: Supports, describe: Describe) -> None:
        self.device_types = frozenset(device_types)
        self._ordered = list(dict.fromkeys(device_types))
        self._supports = supports
        self._describe = describe
        self._known: dict[Any, frozenset[str]] = {}

    def device_types_of(self, node: Node) -> frozenset[str]:
        """The device types that can run a node.

        Raises:
          InvalidArgumentError: There is none.
        """
        attrs = node.attrs
        key = (node.op_def, *[attrs[name] for name in _type_attrs(node.op_def)])
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._ask(node)
        return found

    def _ask(self, node: Node) -> frozenset[str]:
        if node.op in PLUMBING:
            return self.device_types
        found = frozenset(
            kind for kind in self._ordered if self._supports(node.op, kind, node.attrs)
        )
        if not found:
            raise placement_error(
                node,
                f"No OpKernel was registered to support Op '{node.op}' used by "
                f"{{{{node {node.name}}}}} with these attrs: [{attrs_text(node.attrs)}]\n"
                f"Registered devices: [{', '.join(self._ordered)}]\nRegistered kernels:\n"
                f"{self.registered(node.op)}",
            )
        return found

    def registered(self, op: str) -> str:
        """The kernels of an op, a line each."""
        lines = self._describe(op) or ["<no registered kernels>"]
        return "".join(f"  {line}\n" for line in lines)


@functools.lru_cache(maxsize=4096)
def _type_attrs(op_def: OpDef) -> tuple[str, ...]:
    return tuple(attr.name for attr in op_def.attrs if attr.kind in ("type", "list(type)"))


class ColocationGroups:
    """The nodes of a graph, united where they must share a device.

    A group's number is the id of one of its nodes. For each group there is the merged device that
    its nodes ask for, and the device types that can run all of them.
    """

    def __init__(
        self, graph: NodeGraph, kernels: Kernels, fixed: Mapping[str, str], soft: bool
    ) -> None:
        """Unites the nodes of a graph.

        Raises:
          InvalidArgumentError: Nodes that must share a device cannot.
        """
        bound = graph.node_id_bound
        self._graph = graph
        self._kernels = kernels
        self._fixed = fixed
        self._soft = soft
        self._parent = list(range(bound))
        self._size = [1] * bound
        self.requested: list[DeviceParts] = [_ANYWHERE] * bound
        self.device_types: list[frozenset[str]] = [frozenset()] * bound
        for node in graph.nodes():
            self._add(node)
        for node in graph.nodes():
            if any(map(_binds, node.input_types)):
                self._follow_references(node)
        self._unite_classes()

    def _add(self, node: Node) -> None:
        device = self._fixed.get(node.name) or node.assigned_device or node.device
        if device:
            try:
                self.requested[node.id] = parse(device)
            except ValueError as error:
                raise placement_error(
                    node, f"Malformed device specification '{device}': {error}"
                ) from None
        self.device_types[node.id] = self._kernels.device_types_of(node)

    def find(self, id: int) -> int:
        """The group of the node with that id."""
        parent = self._parent
        while parent[id] != id:
            parent[id] = parent[parent[id]]
            id = parent[id]
        return id

    def is_alone(self, group: int) -> bool:
        """True if the group has one node."""
        return self._size[group] == 1

    def _follow_references(self, node: Node) -> None:
        """References and resource handles stay on their device, so their users come to them."""
        for edge in node.data_edges():
            if not _binds(node.input_types[edge.dst_input]):
                continue
            there, here = self.find(edge.src.id), self.find(node.id)
            if there == here:
                continue
            wanted = self.requested[there]
            if not compatible(wanted, self.requested[here]):
                if self._is_placed(edge.src) and self._is_placed(node):
                    raise placement_error(
                        node,
                        "Cannot place the graph because a reference or resource edge connects "
                        "nodes that are placed on different devices: "
                        f"{wanted.to_string()} vs {self.requested[here].to_string()}. The edge "
                        f"src node is {edge.src.name}, and the dst node is {node.name}",
                    )
                # What the user asked for the consumer gives way to where the state is.
                self.requested[here] = self.requested[here].merged_with(wanted)
            self._unite(edge.src, node, there, here)

    def _is_placed(self, node: Node) -> bool:
        return bool(node.assigned_device) or node.name in self._fixed

    def _unite_classes(self) -> None:
        nodes = list(self._graph.nodes())
        if all("_class" not in node.attrs for node in nodes):
            return
        first: dict[str, Node] = {}
        later: list[tuple[Node, str]] = []
        for node in nodes:
            names = [node.name]
            if "_class" in node.attrs:
                names += colocated_with(node.attrs)
            for name in names:
                if first.setdefault(name, node) is not node:
                    later.append((node, name))
        for node, name in later:
            here, there = self.find(node.id), self.find(first[name].id)
            if here != there:
                try:
                    self._unite(node, first[name], here, there)
                except InvalidArgumentError:
                    # A wish to be together is softer than a reference that both use.
                    if not self._soft:
                        raise

    def _unite(self, node: Node, other: Node, group: int, other_group: int) -> None:
        pair = f"{{{{colocation_node {node.name}}}}} and {{{{colocation_node {other.name}}}}}"
        try:
            requested = merge(self.requested[group], self.requested[other_group], self._soft)
        except IncompatibleDevices as error:
            raise placement_error(node, f"Cannot colocate nodes {pair}: {error}") from None
        types = self.device_types[group] & self.device_types[other_group]
        if not types:
            raise placement_error(
                node,
                f"Cannot colocate nodes {pair} because no device type supports both of those nodes "
                "and the other nodes colocated with them."
                f"{self.describe_group(group)}{self.describe_group(other_group)}",
            )
        if self._size[group] < self._size[other_group]:
            group, other_group = other_group, group
        self._parent[other_group] = group
        self._size[group] += self._size[other_group]
        self.requested[group] = requested
        self.device_types[group] = types

    def describe_group(self, group: int) -> str:
        """The nodes of a group, what they ask for and what can run them."""
        nodes = [node for node in self._graph.nodes() if self.find(node.id) == group]
        types = sorted({(n.op, " ".join(sorted(self._kernels.device_types_of(n)))) for n in nodes})
        kinds = "".join(f"{op}: {supported} \n" for op, supported in types)
        return (
            "\nColocation Debug Info:\n"
            "Colocation group had the following types and supported devices: \n"
            f"{kinds}\n"
            "Colocation members, user-requested devices, and framework assigned devices, if any:\n"
            f"{''.join(map(self._describe_member, nodes))}"
        )

    def _describe_member(self, node: Node) -> str:
        assigned = self._fixed.get(node.name) or node.assigned_device
        shown = f" framework assigned device={assigned}" if assigned else ""
        return f"  {node.name} ({node.op}) {node.device}{shown}\n"


def _binds(dtype: dtypes.DType) -> bool:
    return dtype._is_ref_dtype or dtype is dtypes.resource


def sort_devices(devices: Iterable[DeviceInfo], default_device: str) -> list[DeviceInfo]:
    """Devices, the first choice first: by priority of the type, the client's task, the name."""
    home = parse(default_device)[:3] if default_device else None

    def rank(device: DeviceInfo) -> Any:
        job, replica, task, kind, index = parse(device.name)
        away = home is not None and (job, replica, task) != home
        return -device.priority, away, job or "", replica or 0, task or 0, kind or "", index or 0

    return sorted(devices, key=rank)
