"""The order of nodes: producers before consumers, loops cut at NextIteration -> Merge."""

from __future__ import annotations

import heapq
from collections.abc import Iterable

from dataflow.passes.node_graph import Node, NodeGraph

_NEXT_ITERATION = frozenset({"NextIteration", "RefNextIteration"})
_MERGE = frozenset({"Merge", "RefMerge"})


def is_back_edge(src: Node, dst: Node) -> bool:
    """True for the edge by which a loop starts again."""
    return src.op in _NEXT_ITERATION and dst.op in _MERGE


def topological_order(graph: NodeGraph) -> list[Node]:
    """The nodes, each after all it waits for, but for the back edges of loops.

    Among the orders that do this it is the one nearest to that of the ids.
    """
    nodes = list(graph.nodes())
    if not any(
        edge.src.id > node.id and not is_back_edge(edge.src, node)
        for node in nodes
        for edge in node.in_edges
    ):
        return nodes
    place = {node: index for index, node in enumerate(nodes)}
    pairs = (
        (place[edge.src], index)
        for index, node in enumerate(nodes)
        for edge in node.in_edges
        if edge.src in place and not is_back_edge(edge.src, node)
    )
    return [nodes[index] for index in stable_order(len(nodes), pairs)]


def stable_order(count: int, pairs: Iterable[tuple[int, int]]) -> list[int]:
    """The numbers below `count`, each pair's first before its second, otherwise ascending.

    Numbers on or behind a cycle are left out.
    """
    waiting = [0] * count
    successors: list[list[int]] = [[] for _ in range(count)]
    for before, after in pairs:
        waiting[after] += 1
        successors[before].append(after)
    ready = [index for index in range(count) if not waiting[index]]
    order = []
    while ready:
        index = heapq.heappop(ready)
        order.append(index)
        for after in successors[index]:
            waiting[after] -= 1
            if not waiting[after]:
                heapq.heappush(ready, after)
    return order
