"""Which while loop each node is in."""

from __future__ import annotations

from dataflow.passes.graphs.node_graph import Edge, Node, NodeGraph
from dataflow.passes.graphs.order import is_back_edge, topological_order
from dataflow.passes.graphs.system_ops import ENTERS, EXITS

Frame = tuple[str, ...]
"""The names of the loops around a node, the outermost first; () outside of all loops."""


def find_frames(graph: NodeGraph) -> dict[Node, Frame]:
    """The frame of every node; an Enter is in the loop it leads into, an Exit in the one it leaves.

    Empty if the graph has no loop.
    """
    if not any(node.op in ENTERS for node in graph.nodes()):
        return {}
    frames: dict[Node, Frame] = {}
    for node in topological_order(graph):
        frame: Frame = ()
        for edge in node.in_edges:
            if not is_back_edge(edge.src, node):
                frame = max(frame, edge_frame(edge, frames), key=len)
        if node.op in ENTERS:
            frame = (*frame, node.attrs["frame_name"].decode(errors="replace"))
        frames[node] = frame
    return frames


def edge_frame(edge: Edge, frames: dict[Node, Frame]) -> Frame:
    """The frame in which the edge's tensor is."""
    frame = frames.get(edge.src, ())
    return frame[:-1] if edge.src.op in EXITS else frame
