"""The order of nodes: producers before consumers, loops cut at NextIteration -> Merge."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

from dataflow.passes.graphs.node_graph import Node, NodeGraph
from dataflow.values.node_order import MERGE_OPS, NEXT_ITERATION_OPS, stable_order


def is_back_edge(src: Node, dst: Node) -> bool:
    """True for the edge by which a loop starts again."""
    return src.op in NEXT_ITERATION_OPS and dst.op in MERGE_OPS


def topological_order(graph: NodeGraph) -> list[Node]:
    """The nodes, each after all it waits for, but for the back edges of loops.

    Among the orders that do this it is the one nearest to that of the ids.
    """
    nodes = list(graph.nodes())
    if graph.is_sorted or not any(
        edge.src.id > node.id and not is_back_edge(edge.src, node)
        for node in nodes
        for edge in node.in_edges
    ):
        return nodes
    return in_order(nodes)


def in_order(nodes: Sequence[Node], also: Iterable[tuple[Node, Node]] = ()) -> list[Node]:
    """Some nodes of a graph, each after those of them that it waits for, but for back edges.

    Among the orders that do this it is the one nearest to that given.

    Args:
      nodes: The nodes.
      also: Pairs of them of which the first one is to come before the second one.
    """
    place = {node: index for index, node in enumerate(nodes)}
    edges = (
        (place[edge.src], index)
        for index, node in enumerate(nodes)
        for edge in node.in_edges
        if edge.src in place and not is_back_edge(edge.src, node)
    )
    pairs = itertools.chain(edges, ((place[before], place[node]) for before, node in also))
    return [nodes[index] for index in stable_order(len(nodes), pairs)]
