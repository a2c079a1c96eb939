"""What TensorFlow does to small constants before it splits a graph."""

from __future__ import annotations

import numpy as np

from dataflow.passes.graphs.node_graph import Edge, NodeGraph

_MAX_SIZE = 16


def copy_small_constants(graph: NodeGraph) -> None:
    """Gives each device that uses a small constant one of its own, instead of having it sent."""
    for node in list(graph.nodes()):
        if node.op != "Const" or any(edge.is_control for edge in node.out_edges):
            continue
        if np.asarray(node.attrs["value"]).size > _MAX_SIZE:
            continue
        uses: dict[str, list[Edge]] = {}
        for edge in node.out_edges:
            uses.setdefault(edge.dst.assigned_device, []).append(edge)
        if len(uses) < 2:
            continue
        for number, (device, edges) in enumerate(sorted(uses.items())):
            copy = graph.add_copy(node, f"{node.name}/replicate/_{number}")
            copy.assigned_device = device
            for edge in edges:
                graph.move_source(edge, copy, 0)
            for edge in node.in_edges:
                graph.add_control_edge(edge.src, copy)
        graph.remove_node(node)
