"""The nodes of a graph with what they cost, by their definition and in traced steps."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Final

from dataflow.proto.step_stats_pb2 import NodeExecStats
from dataflow.proto.tfprof_log_pb2 import OpLogEntry, OpLogProto

if TYPE_CHECKING:
    from dataflow.graph.graph import Graph
    from dataflow.graph.operation import Operation
    from dataflow.proto.config_pb2 import RunMetadata

_ACCELERATOR: Final = re.compile(r".*stream:all|.*memcpy", re.IGNORECASE)
_HOLDS_PARAMETERS: Final = "shape"
"""The attr that variables have, and placeholders."""


@dataclass(slots=True)
class Costs:
    """What can be added: of a node, or of several."""

    run_count: int = 0
    exec_micros: int = 0
    accelerator_exec_micros: int = 0
    cpu_exec_micros: int = 0
    requested_bytes: int = 0
    peak_bytes: int = 0
    residual_bytes: int = 0
    output_bytes: int = 0
    parameters: int = 0
    float_ops: int = 0
    definition_count: int = 0

    def __iadd__(self, other: Costs) -> Costs:
        for name in COSTS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        return self


COSTS: Final = tuple(each.name for each in fields(Costs))


@dataclass(slots=True)
class NodeInfo:
    """A node of a graph, or of a tree that is not in the graph: then with a name only."""

    name: str
    op: str = ""
    inputs: tuple[tuple[int, str], ...] = ()
    """At which place comes which node's value."""
    input_shapes: dict[int, tuple[int, ...]] = field(default_factory=dict)
    shape: tuple[int, ...] = ()
    """Of what a variable holds."""
    float_ops: int = 0
    types: list[str] = field(default_factory=list)
    devices: list[str] = field(default_factory=list)
    lines: tuple[tuple[str, int, str], ...] = ()
    """File, line and function of the frames that made it, from the outermost in."""
    steps: dict[int, Costs] = field(default_factory=dict)

    def costs(self, step: int) -> Costs:
        """What it costs in a step, or on average if that is -1; what no step told is static."""
        ran = self.steps.get(step) if step >= 0 else _average(self.steps.values())
        costs = Costs(definition_count=1)
        if ran is not None:
            costs += ran
        costs.parameters = math.prod(self.shape) if self.shape and min(self.shape) >= 0 else 0
        costs.float_ops = self.float_ops * (costs.run_count if self.steps else 1)
        return costs


def _average(steps: Iterable[Costs]) -> Costs | None:
    found = list(steps)
    if not found:
        return None
    total = Costs()
    for each in found:
        total += each
    for name in COSTS:
        setattr(total, name, getattr(total, name) // len(found))
    return total


def nodes_of(graph: Graph, op_log: OpLogProto) -> dict[str, NodeInfo]:
    """The nodes of a graph by name, without steps."""
    entries = {entry.name: entry for entry in op_log.log_entries}
    names = op_log.id_to_string
    return {
        op.name: _node(op, entries.get(op.name), lambda number: names[number])
        for op in graph.get_operations()
    }


def _node(op: Operation, entry: OpLogEntry | None, string: Callable[[int], str]) -> NodeInfo:
    node = NodeInfo(
        op.name,
        op.type,
        tuple((index, value.op.name) for index, value in enumerate(op.inputs)),
        {index: _dims(value.shape) for index, value in enumerate(op.inputs)},
    )
    if _HOLDS_PARAMETERS in op.op_def.attr_by_name and not op.inputs:
        node.shape = _dims(op.attrs.get(_HOLDS_PARAMETERS))
    node.types.append(op.type)
    if op.device:
        node.devices.append(_canonical(op.device))
        node.types.append(_canonical(op.device))
    if entry is not None:
        node.float_ops = entry.float_ops
        node.types.extend(entry.types)
        node.lines = tuple(
            (string(each.file_id), each.lineno, string(each.function_id))
            for each in entry.code_def.traces
        )
    return node


def _dims(shape: object) -> tuple[int, ...]:
    """Lengths, -1 for one that is not known; a scalar has one number."""
    ndims = getattr(shape, "ndims", None)
    if ndims is None:
        return ()
    lengths = getattr(shape, "as_list")()  # noqa: B009
    return tuple(-1 if each is None else each for each in lengths) or (1,)


def _canonical(device: str) -> str:
    return device.lower().replace("/cpu:", "/device:cpu:").replace("device:device:", "device:")


def add_step(nodes: dict[str, NodeInfo], step: int, run_meta: RunMetadata) -> float:
    """Notes what a traced step tells; gives the share of the nodes that it tells of."""
    seen = set()
    for device in run_meta.step_stats.dev_stats:
        for told in device.node_stats:
            node = nodes.get(told.node_name) or nodes.get(told.node_name.partition(":")[0])
            if node is not None:
                seen.add(node.name)
                _add_run(node, step, device.device, told)
    return len(seen) / max(len(nodes), 1)


def _add_run(node: NodeInfo, step: int, device: str, told: NodeExecStats) -> None:
    costs = node.steps.setdefault(step, Costs())
    canonical = _canonical(device)
    if canonical not in node.devices:
        node.devices.append(canonical)
        node.types.append(canonical)
    if told.all_start_micros > 0:
        micros = max(told.op_end_rel_micros, 1)
        costs.exec_micros += micros
        if _ACCELERATOR.fullmatch(device):
            costs.accelerator_exec_micros += micros
        else:
            costs.cpu_exec_micros += micros
            costs.run_count += 1
    results = sum(
        output.tensor_description.allocation_description.requested_bytes for output in told.output
    )
    costs.output_bytes += results
    # Without word of an allocator, a node has asked for what it gives.
    costs.requested_bytes += sum(each.total_bytes for each in told.memory) or results
    costs.peak_bytes += sum(each.peak_bytes for each in told.memory) or results
    costs.residual_bytes += sum(each.live_bytes for each in told.memory) or results
