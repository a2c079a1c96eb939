"""Nodes whose values nobody uses: where others only wait for them, they need not be computed.

The gradients of `tf.gradients` are gated: each waits until all gradients of an op are there, those
that nobody asked for among them.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from dataflow.passes.graphs.node_graph import Node, NodeGraph
from dataflow.passes.graphs.system_ops import CALLS, CONTROL_FLOW, PLACEHOLDERS, PLUMBING, system_op

_KEPT: Final = (
    CALLS | CONTROL_FLOW | PLACEHOLDERS | PLUMBING | {"Assert", "CheckNumerics", "Const", "NoOp"}
)


def drop_control_only(
    graph: NodeGraph, targets: Collection[str] = (), *, in_place: bool = False
) -> NodeGraph:
    """Puts a NoOp in the place of stateless nodes that have control edges to others only.

    Who waited for such a node waits for what the node waited for. What fed it may become one
    itself. Nodes stay that decide whether others run, or take what such a node gives, and checks.

    Args:
      graph: Changed only if `in_place`.
      targets: Names of nodes that are to run though nobody uses them.
      in_place: The caller gives the graph up.

    Returns:
      The graph with NoOps; `graph` itself if there is no such node.
    """
    found = [node.name for node in graph.nodes() if _is_idle(node, targets)]
    if not found:
        return graph
    result = graph if in_place else graph.copy()
    while found:
        node = result.find(found.pop())
        assert node is not None
        if not _is_idle(node, targets):
            continue
        sources = dict.fromkeys(edge.src for edge in node.in_edges)
        waiting = [edge.dst for edge in node.out_edges]
        result.remove_node(node)
        order = result.add_node(node.name, system_op("NoOp"), {}, node.device, node.assigned_device)
        order.created_at = node.created_at
        for source in sources:
            result.add_control_edge(source, order)
            if _is_idle(source, targets):
                found.append(source.name)
        for follower in waiting:
            result.add_control_edge(order, follower)
    return result


def _is_idle(node: Node, targets: Collection[str]) -> bool:
    return (
        bool(node.out_edges)
        and all(edge.is_control for edge in node.out_edges)
        and not node.op_def.is_stateful
        and node.op not in _KEPT
        and node.name not in targets
        and not any(dtype._is_ref_dtype for dtype in node.output_types)
        # A variable that is read must have a value.
        and not any(edge.dtype._is_ref_dtype for edge in node.data_edges())
        # What comes out of control flow may be dead, by one output and not by another: who waits
        # for this node then does not run.
        and not any(edge.src.op in CONTROL_FLOW for edge in node.data_edges())
    )
