"""What the nodes of a step cost, measured every so many steps where the session's config asks."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterable, Sequence

from dataflow.proto.config_pb2 import GraphOptions, RunMetadata, RunOptions
from dataflow.proto.cost_graph_pb2 import CostGraphDef
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.proto.node_def_pb2 import NodeDef
from dataflow.proto.step_stats_pb2 import NodeExecStats, StepStats
from dataflow.runtime.signature import StepSignature
from dataflow.values import dtypes


class CostModel:
    """Says which steps are measured: `build_cost_model` and `build_cost_model_after`.

    Steps with the same feeds and fetches are counted together.
    """

    def __init__(self, options: GraphOptions) -> None:
        self._every = options.build_cost_model
        self._after = options.build_cost_model_after
        self._counts: dict[StepSignature, int] = {}
        self._lock = threading.Lock()

    def is_due(self, signature: StepSignature) -> bool:
        """Whether the next step of a signature is measured; counts it."""
        with self._lock:
            count = self._counts.get(signature, 0) - self._after
            self._counts[signature] = count + self._after + 1
        return count >= 0 and (count + 1) % self._every == 0


def measuring(options: RunOptions | None) -> RunOptions:
    """The options of a step that is measured."""
    asked = RunOptions()
    if options is not None:
        asked.CopyFrom(options)
    asked.output_partition_graphs = True
    if asked.trace_level == RunOptions.NO_TRACE:
        asked.trace_level = RunOptions.SOFTWARE_TRACE
    return asked


def add_cost_graph(metadata: RunMetadata, options: RunOptions | None) -> None:
    """Adds the costs of a step that was measured; leaves the graphs that the user asked for."""
    metadata.cost_graph.CopyFrom(cost_graph(metadata.partition_graphs, metadata.step_stats))
    if options is None or not options.output_partition_graphs:
        del metadata.partition_graphs[:]


def cost_graph(graphs: Iterable[GraphDef], stats: StepStats) -> CostGraphDef:
    """Nodes with their costs, those of each device between a source and a sink.

    Args:
      graphs: What each device ran.
      stats: What was measured.
    """
    found = CostGraphDef()
    measured = {
        (device.device, node.node_name): node
        for device in stats.dev_stats
        for node in device.node_stats
    }
    for graph in graphs:
        _add_device(found, graph.node, measured)
    return found


def _add_device(
    found: CostGraphDef,
    nodes: Sequence[NodeDef],
    measured: dict[tuple[str, str], NodeExecStats],
) -> None:
    source = len(found.node)
    sink = source + 1
    found.node.add(name="_SOURCE", id=source)
    end = found.node.add(name="_SINK", id=sink, control_input=[source])
    numbers = {node.name: sink + 1 + place for place, node in enumerate(nodes)}
    last = dict(numbers)
    for node in nodes:
        made = found.node.add(name=node.name, device=node.device, id=numbers[node.name])
        for text in node.input:
            name, _, port = text.removeprefix("^").partition(":")
            last.pop(name, None)
            if text.startswith("^"):
                made.control_input.append(numbers[name])
            else:
                made.input_info.add(preceding_node=numbers[name], preceding_port=int(port or 0))
        if not node.input:
            made.control_input.append(source)
        costs = measured.get((node.device, node.name))
        if costs is not None:
            _add_costs(made, costs)
    end.control_input.extend(last.values())


def _add_costs(made: CostGraphDef.Node, costs: NodeExecStats) -> None:
    made.compute_cost = costs.all_end_rel_micros
    for output in sorted(costs.output, key=lambda each: each.slot):
        description = output.tensor_description
        dtype = dtypes.as_dtype(description.dtype)
        elements = math.prod(dim.size for dim in description.shape.dim)
        made.output_info.add(
            # Of a variable's reference nothing was allocated.
            size=description.allocation_description.requested_bytes or elements * dtype.size,
            alias_input_port=-1,
            shape=description.shape,
            dtype=description.dtype,
        )
