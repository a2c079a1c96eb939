"""Moves the nodes of control flow next to the tensors they pass on, so that less is sent."""

from __future__ import annotations

from typing import Final

from dataflow.passes.graphs.node_graph import Node, NodeGraph
from dataflow.passes.graphs.order import topological_order
from dataflow.passes.graphs.system_ops import ENTERS, EXITS

_SWITCHES: Final = frozenset({"Switch", "RefSwitch", "_SwitchN"})
_NEXT_ITERATIONS: Final = frozenset({"NextIteration", "RefNextIteration"})
_TO_PRODUCER: Final = _SWITCHES | EXITS
_TO_CONSUMER: Final = ENTERS | _NEXT_ITERATIONS


def colocations(graph: NodeGraph) -> dict[str, str]:
    """Where the nodes of control flow of a placed graph should rather be.

    A Switch goes to its data input and an Exit to its producer, so that a value is sent only in the
    branch that uses it; an Enter and a NextIteration go to their first consumer. What the user
    asked for gives way, as in TensorFlow, which does this when it splits a graph.

    Returns:
      Device name by node name, of the nodes that move.
    """
    moved: dict[Node, str] = {}
    for node in topological_order(graph):
        other = _neighbour(node)
        if other is not None:
            device = moved.get(other, other.assigned_device)
            if device != node.assigned_device:
                moved[node] = device
    return {node.name: device for node, device in moved.items()}


def _neighbour(node: Node) -> Node | None:
    """The node that this one should be next to."""
    if node.op in _TO_PRODUCER:
        return next((edge.src for edge in node.in_edges if edge.dst_input == 0), None)
    if node.op in _TO_CONSUMER and not (
        node.op in ENTERS and any(dtype._is_ref_dtype for dtype in node.input_types)
    ):
        return next((edge.dst for edge in node.out_edges if not edge.is_control), None)
    return None
