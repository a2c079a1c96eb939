"""Which nodes a step may leave out, or run more than once."""

from __future__ import annotations

from typing import Final

from dataflow.passes.graphs.node_graph import Node, NodeGraph
from dataflow.passes.graphs.system_ops import ENTERS

_DECIDE: Final = frozenset({"Switch", "RefSwitch", "_SwitchN", *ENTERS})


def conditional_nodes(graph: NodeGraph) -> set[Node]:
    """The nodes behind a Switch or in a loop, with some that come after where it is over."""
    found = {node for node in graph.nodes() if node.op in _DECIDE}
    stack = list(found)
    while stack:
        for edge in stack.pop().out_edges:
            if edge.dst not in found:
                found.add(edge.dst)
                stack.append(edge.dst)
    return found
