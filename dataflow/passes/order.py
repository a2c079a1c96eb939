"""The order of nodes: producers before consumers, loops cut at NextIteration -> Merge."""

from __future__ import annotations

from dataflow.passes.node_graph import Edge, Node, NodeGraph

_NEXT_ITERATION = frozenset({"NextIteration", "RefNextIteration"})
_MERGE = frozenset({"Merge", "RefMerge"})


def is_back_edge(src: Node, dst: Node) -> bool:
    """True for the edge by which a loop starts again."""
    return src.op in _NEXT_ITERATION and dst.op in _MERGE


def topological_order(graph: NodeGraph) -> list[Node]:
    """The nodes, each after all it waits for, but for back edges of loops.

    In a graph whose ids are in such an order already, the order is that of the ids.
    """
    nodes = list(graph.nodes())
    waiting: dict[Node, int] = {}
