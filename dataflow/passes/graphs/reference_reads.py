"""What a read of a reference from another device comes after, where the state itself is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from dataflow.passes.graphs.frames import Frame, edge_frame
from dataflow.passes.graphs.node_graph import Edge, Node
from dataflow.passes.graphs.order import is_back_edge
from dataflow.passes.graphs.system_ops import ENTERS, EXITS
from dataflow.values.node_order import MERGE_OPS

_OPEN_ENDED: Final = MERGE_OPS | ENTERS | EXITS | {"ControlTrigger"}
"""What follows these may be alive although what they wait for is dead, or is in another loop."""


def nodes_before_read(
    edge: Edge, position: Mapping[Node, int], frames: dict[Node, Frame]
) -> list[Node]:
    """The nodes next to a reference that its reader, on another device, waits for.

    A read of a variable happens after all that the reader waits for, a write to the variable among
    it. The value is sent by the variable's device, which knows of this only if the Send waits
    for the nodes given here.

    Args:
      edge: Brings a reference from one device to a reader on another.
      position: Number of each node in a topological order.
      frames: Loops around the nodes.

    Returns:
      Those on the producer's device through which the reader waits for a user of the state. None
      behind a Merge or out of other loops: those may be dead while the reader is alive.
    """
    reader, device, frame = edge.dst, edge.src.assigned_device, edge_frame(edge, frames)
    state = _sources_of_state(edge.src)
    users = _users_of_state(state)
    first = min((position[user] for user in users), default=position[reader])
    if first >= position[reader] or reader.op in MERGE_OPS:
        return []
    found: dict[Node, None] = {}
    seen = {reader, *state}
    stack = [reader]
    while stack:
        node = stack.pop()
        for incoming in node.in_edges:
            src = incoming.src
            if src in seen or position[src] < first or is_back_edge(src, node):
                continue
            if edge_frame(incoming, frames) != frame:
                continue
            seen.add(src)
            if src.assigned_device == device:
                found[src] = None
            elif src.op not in _OPEN_ENDED:
                stack.append(src)
    return sorted(found, key=position.__getitem__)


def _sources_of_state(node: Node) -> dict[Node, None]:
    """The node with those that it got its reference through."""
    found = {node: None}
    stack = [node]
    while stack:
        for edge in stack.pop().in_edges:
            if edge.src not in found and _passes_reference(edge):
                found[edge.src] = None
                stack.append(edge.src)
    return found


def _users_of_state(sources: Mapping[Node, None]) -> set[Node]:
    """The other nodes that take a reference to the same state, and so may write to it."""
    found: set[Node] = set()
    stack = list(sources)
    while stack:
        for edge in stack.pop().out_edges:
            if edge.dst not in found and edge.dst not in sources and _passes_reference(edge):
                found.add(edge.dst)
                stack.append(edge.dst)
    return found


def _passes_reference(edge: Edge) -> bool:
    """True if the consumer gets the reference as such, not what it refers to."""
    return not edge.is_control and edge.dst.input_types[edge.dst_input]._is_ref_dtype
