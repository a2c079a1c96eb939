"""Placement: gives every node a device that can run it and that the user's constraints allow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from dataflow.errors import InternalError, InvalidArgumentError
from dataflow.passes.graphs.node_graph import Node, NodeGraph
from dataflow.passes.placement.colocation import (
    ColocationGroups,
    Describe,
    Kernels,
    Supports,
    placement_error,
    sort_devices,
)
from dataflow.schema.summaries import type_names
from dataflow.values.device_info import DeviceInfo
from dataflow.values.devices import DeviceParts, parse
from dataflow.values.garbage import uncollected

_METADATA_OPS: Final = frozenset({"Shape", "Size", "Rank"})
_ANYWHERE: Final = DeviceParts()
_LOCAL: Final = "localhost"
_NOTHING_FIXED: Final[Mapping[str, str]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class PlaceOptions:
    """How to place.

    Attributes:
        allow_soft_placement: Where no device fits what is asked for, take one of another type or
            index.
        default_device: A device of the client's task: among equal devices those of this task are
            taken first.
    """

    allow_soft_placement: bool = False
    default_device: str = ""


DEFAULT_OPTIONS: Final = PlaceOptions()


@uncollected
def place(
    graph: NodeGraph,
    devices: Sequence[DeviceInfo],
    supports: Supports,
    describe: Describe,
    options: PlaceOptions = DEFAULT_OPTIONS,
    fixed: Mapping[str, str] = _NOTHING_FIXED,
) -> dict[str, str]:
    """Chooses a device for every node.

    Nodes share a device where a `_class` attr, a reference or a resource handle says so; a user of
    a reference or resource goes where that is, whatever it asked for itself. Among the devices
    that are left the first by type priority, then name, is taken, but a node without inputs goes
    to its consumers; `Shape`, `Size` and `Rank` go to their input, and so does an Identity with one
    consumer, if nothing is asked for it and the same for its input and consumer.

    A task of the job `localhost` that is not there is the process that wrote the graph, as models
    name it that TensorFlow 2 has saved: of what is asked for, only the device counts then.

    Args:
      graph: Not changed. Nodes that are placed already stay where they are.
      devices: What there is.
      supports: `supports(op, device_type, attrs)`, whether a kernel exists.
      describe: `describe(op)`, a line for each kernel of an op.
      options: Soft placement, default device.
      fixed: Earlier placements to keep, node name to device name.

    Returns:
      Node name to full device name, for `NodeGraph.assign`, in the order of the node ids.

    Raises:
      InvalidArgumentError: A node cannot be placed; the message names the node, the constraint,
        the devices and the kernels that exist.
    """
    if not devices:
        raise InternalError(None, None, "No devices are registered")
    chooser = _Chooser(graph, devices, supports, describe, options, fixed)
    later = []
    for node in graph.nodes():
        if not chooser.keep(node, fixed):
            if _is_generator(node):
                later.append(node)
            else:
                chooser.choose(node, _device_of_input(node, chooser.chosen))
    for node in later:
        chooser.choose(node, _device_of_consumers(node, chooser.chosen))
    return {node.name: chooser.chosen[node.id] for node in graph.nodes()}


def _is_generator(node: Node) -> bool:
    types = node.output_types
    return not node.input_types and len(types) == 1 and not types[0]._is_ref_dtype


def _device_of_input(node: Node, chosen: Sequence[str]) -> str:
    if node.op in _METADATA_OPS or _is_between_equals(node):
        edges = node.data_edges()
        return chosen[edges[0].src.id] if edges else ""
    return ""


def _is_between_equals(node: Node) -> bool:
    """True for an Identity that only joins two nodes for which the user asked for the same."""
    if node.op != "Identity" or node.device or len(node.in_edges) != 1 or len(node.out_edges) > 1:
        return False
    (before,) = node.in_edges
    return before.src.device == next((edge.dst.device for edge in node.out_edges), "")


def _device_of_consumers(node: Node, chosen: Sequence[str]) -> str:
    found = {chosen[edge.dst.id] for edge in node.out_edges}
    return found.pop() if len(found) == 1 else ""


class _Chooser:
    """Chooses devices one node after the other; a choice binds the node's colocation group."""

    __slots__ = (
        "_candidates",
        "_devices",
        "_fitting",
        "_groups",
        "_has_local",
        "_kernels",
        "_soft",
        "chosen",
    )

    def __init__(
        self,
        graph: NodeGraph,
        devices: Sequence[DeviceInfo],
        supports: Supports,
        describe: Describe,
        options: PlaceOptions,
        fixed: Mapping[str, str],
    ) -> None:
        self._devices = sort_devices(devices, options.default_device)
        self._has_local = any(parse(device.name).job == _LOCAL for device in devices)
        self._soft = options.allow_soft_placement
        self._kernels = Kernels([d.device_type for d in self._devices], supports, describe)
        self._groups = ColocationGroups(graph, self._kernels, fixed, self._soft)
        self._candidates: dict[int, list[str]] = {}
        self._fitting: dict[tuple[DeviceParts, frozenset[str]], list[str]] = {}
        self.chosen = [""] * graph.node_id_bound
        """Device names by node id; "" for a node without one yet."""

    def keep(self, node: Node, fixed: Mapping[str, str]) -> bool:
        """Leaves a node where it is, if it is placed."""
        device = fixed.get(node.name) or node.assigned_device
        if device:
            self._assign(node, device)
        return bool(device)

    def choose(self, node: Node, preferred: str) -> None:
        """Takes the preferred device if it is possible, otherwise the first that is.

        Raises:
          InvalidArgumentError: None is possible.
        """
        group = self._groups.find(node.id)
        candidates = self._candidates.get(group)
        if candidates is None:
            candidates = self._find_candidates(node, group)
        self._assign(node, preferred if preferred in candidates else candidates[0])

    def _assign(self, node: Node, device: str) -> None:
        self.chosen[node.id] = device
        group = self._groups.find(node.id)
        if not self._groups.is_alone(group):
            self._candidates[group] = [device]

    def _find_candidates(self, node: Node, group: int) -> list[str]:
        requested = self._groups.requested[group]
        types = self._groups.device_types[group]
        candidates = self._fit(requested, types)
        if not candidates and self._soft:
            soft = requested._replace(device_type=None, device_index=None)
            candidates = self._fit(soft, types)
        if not candidates:
            raise self._no_candidate(node, group)
        return candidates

    def _fit(self, requested: DeviceParts, types: frozenset[str]) -> list[str]:
        fitting = self._fitting.get((requested, types))
        if fitting is None:
            fitting = self._fitting[requested, types] = [
                device.name for device in self._matching(requested) if device.device_type in types
            ]
        return fitting

    def _matching(self, requested: DeviceParts) -> list[DeviceInfo]:
        if requested.job == _LOCAL and not self._has_local:
            requested = requested._replace(job=None, replica=None, task=None)
        if requested == _ANYWHERE:
            return self._devices
        return [device for device in self._devices if requested.accepts(parse(device.name))]

    def _no_candidate(self, node: Node, group: int) -> InvalidArgumentError:
        reason = self._reason(node, group)
        return placement_error(node, f"Cannot assign a device for operation {node.name}: {reason}")

    def _reason(self, node: Node, group: int) -> str:
        asked, merged = parse(node.device), self._groups.requested[group]
        debug = self._groups.describe_group(group)
        available = ", ".join(sorted(device.name for device in self._devices))
        if merged == _ANYWHERE:
            return (
                "Node had no OpKernel registered to support this operation: Operation was "
                f"{node.op} and inputs were [{type_names(node.input_types)}].\n{debug}"
            )
        if asked != merged:
            return (
                f"Could not satisfy explicit device specification '{node.device}' because the node "
                f"{{{{colocation_node {node.name}}}}} was colocated with a group of nodes that "
                f"required incompatible device '{merged.to_string()}'. All available devices "
                f"[{available}]. {debug}"
            )
        if not self._matching(merged):
            return (
                f"{{{{node {node.name}}}}} was explicitly assigned to {node.device} but available "
                f"devices are [ {available} ]. Make sure the device specification refers to a "
                "valid device."
            )
        kind = merged.device_type or "the matching"
        return (
            f"Could not satisfy explicit device specification '{node.device}' because no supported "
            f"kernel for {kind} devices is available.{debug}\nRegistered kernels:\n"
            f"{self._kernels.registered(node.op)}"
        )
