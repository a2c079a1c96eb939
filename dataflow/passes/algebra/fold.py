"""Constant folding: what depends on constants only is computed once, when the graph is compiled."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import numpy as np

from dataflow.passes.graphs.node_graph import Node, NodeGraph
from dataflow.passes.graphs.order import topological_order
from dataflow.passes.graphs.system_ops import CONTROL_FLOW, PLACEHOLDERS, PLUMBING, system_op
from dataflow.values import dtypes
from dataflow.values.dtypes import DType
from dataflow.values.garbage import uncollected

MAX_FOLDED_BYTES: Final = 10 << 20
"""A larger result stays an op: it may be cheaper to compute than to keep."""

Array = np.ndarray[Any, Any]
Evaluate = Callable[[Node, Sequence[Array]], Sequence[Any]]
"""Runs a node on input values and gives its outputs."""

_NEVER: Final = CONTROL_FLOW | PLACEHOLDERS | PLUMBING
_HANDLES: Final = frozenset({dtypes.resource, dtypes.variant})
_Waits = frozenset[Node]
_NOTHING: Final[_Waits] = frozenset()


@uncollected
def fold(graph: NodeGraph, evaluate: Evaluate, max_bytes: int = MAX_FOLDED_BYTES) -> NodeGraph:
    """Replaces nodes that depend on constants only by constants.

    Stateful ops, control flow, placeholders, feeds and transfers are never folded, nor is what has
    no consumer. A node whose evaluation fails, or gives more than `max_bytes`, stays as it is: the
    step reports the failure. What waited for a folded node, or uses its value, waits for all that
    the node and the constants behind it waited for.

    Args:
      graph: Not changed.
      evaluate: Runs one node on arrays that it may not write to. Any exception it raises counts as
        a failure.
      max_bytes: Bound on the outputs of one node together.

    Returns:
      The folded graph; `graph` itself if there is nothing to fold.
    """
    order = topological_order(graph)
    values = _evaluate_all(order, evaluate, max_bytes)
    if not any(node.op != "Const" for node in values):
        return graph
    return _rebuild(graph, order, values)


def _evaluate_all(
    order: Iterable[Node], evaluate: Evaluate, max_bytes: int
) -> dict[Node, list[Array]]:
    """Values of the constants and of all that could be computed from them.

    Values that only folded nodes use are dropped on the way: their list is empty.
    """
    values: dict[Node, list[Array]] = {}
    unfolded_uses: dict[Node, int] = {}
    for node in order:
        if node.op == "Const":
            values[node] = [node.attrs["value"]]
        elif _may_fold(node):
            edges = node.data_edges()
            if not edges or not all(edge.src in values for edge in edges):
                continue
            inputs = [values[edge.src][edge.src_output] for edge in edges]
            outputs = _evaluate(node, inputs, evaluate, max_bytes)
            if outputs is None:
                continue
            values[node] = outputs
            for edge in edges:
                unfolded_uses[edge.src] -= 1
                if not unfolded_uses[edge.src]:
                    values[edge.src] = []
        else:
            continue
        unfolded_uses[node] = sum(not edge.is_control for edge in node.out_edges)
    return values


def _may_fold(node: Node) -> bool:
    return (
        bool(node.out_edges)
        and bool(node.output_types)
        and not node.op_def.is_stateful
        and node.op not in _NEVER
        and not any(map(_is_reference, node.output_types))
    )


def _is_reference(dtype: DType) -> bool:
    return dtype._is_ref_dtype or dtype in _HANDLES


def _evaluate(
    node: Node, inputs: list[Array], evaluate: Evaluate, max_bytes: int
) -> list[Array] | None:
    try:
        outputs = list(evaluate(node, inputs))
    except Exception:  # Whatever a kernel raises belongs to the step that runs the node.
        return None
    if len(outputs) != len(node.output_types):
        return None
    arrays = list(map(_as_constant, outputs, node.output_types))
    return arrays if sum(map(_num_bytes, arrays)) <= max_bytes else None


def _as_constant(value: Any, dtype: DType) -> Array:
    if not isinstance(value, np.ndarray):
        array = np.empty((), dtype.as_numpy_dtype)
        array[()] = value
    else:
        array = value.view()
    array.flags.writeable = False
    return array


def _num_bytes(array: Array) -> int:
    if array.dtype == object:
        return sum(map(len, array.flat))
    return array.nbytes


def _rebuild(graph: NodeGraph, order: Sequence[Node], values: dict[Node, list[Array]]) -> NodeGraph:
    waits = _collect_waits(order, values)
    folded = graph.empty_copy()
    constants: dict[tuple[Node, int], Node] = {}
    twins: dict[Node, Node] = {}
    kept = [node for node in order if _is_kept(node, values)]
    for node in kept:
        for edge in node.data_edges():
            src, output = tensor = (edge.src, edge.src_output)
            if _is_folded(src, values) and tensor not in constants:
                name = src.name
                if len(src.output_types) > 1:
                    name = graph.unique_name(f"{name}/output_{output}")
                constants[tensor] = _add_constant(folded, name, src, output, values[src][output])
        twins[node] = folded.add_copy(node)
    for (src, _), constant in constants.items():
        _add_waits(folded, waits[src], twins, constant)
    for node in kept:
        for edge in node.in_edges:
            if not _is_folded(edge.src, values):
                folded.add_edge(twins[edge.src], edge.src_output, twins[node], edge.dst_input)
            elif edge.is_control:
                _add_waits(folded, waits[edge.src], twins, twins[node])
            else:
                constant = constants[edge.src, edge.src_output]
                folded.link(constant, 0, twins[node], edge.dst_input)
    return folded


def _is_folded(node: Node, values: dict[Node, list[Array]]) -> bool:
    return node in values and node.op != "Const"


def _is_kept(node: Node, values: dict[Node, list[Array]]) -> bool:
    """A constant goes with its last user that is not folded; one without users is a target."""
    if node not in values:
        return True
    if node.op != "Const":
        return False
    return not node.out_edges or any(
        edge.dst not in values or edge.dst.op == "Const" for edge in node.out_edges
    )


def _collect_waits(order: Iterable[Node], values: dict[Node, list[Array]]) -> dict[Node, _Waits]:
    """For each constant and folded node, the other nodes that it or its inputs wait for."""
    waits: dict[Node, _Waits] = {}
    for node in order:
        if node not in values:
            continue
        found = _NOTHING
        for edge in node.in_edges:
            more = waits[edge.src] if edge.src in values else frozenset((edge.src,))
            # Most nodes share the set of one of their inputs.
            if not more <= found:
                found = more if found <= more else found | more
        waits[node] = found
    return waits


def _add_waits(graph: NodeGraph, waits: _Waits, twins: dict[Node, Node], node: Node) -> None:
    for before in sorted(waits, key=lambda other: other.id):
        graph.add_control_edge(twins[before], node)


def _add_constant(folded: NodeGraph, name: str, node: Node, output: int, value: Array) -> Node:
    attrs = {"value": value, "dtype": node.output_types[output]}
    constant = folded.add_node(name, system_op("Const"), attrs, node.device, node.assigned_device)
    constant.created_at = node.created_at
    return constant
