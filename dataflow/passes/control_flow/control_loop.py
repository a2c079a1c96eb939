"""Loops over several devices: each device that takes part learns of every iteration."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dataflow.errors import InvalidArgumentError
from dataflow.passes.control_flow.control_colocation import colocations
from dataflow.passes.graphs.frames import Frame, edge_frame, find_frames
from dataflow.passes.graphs.node_graph import Node, NodeGraph
from dataflow.passes.graphs.system_ops import CONTROL_FLOW, ENTERS, system_op
from dataflow.values import dtypes
from dataflow.values.garbage import uncollected
from dataflow.values.node_order import NEXT_ITERATION_OPS

_PREFIX: Final = "_cloop"
_EMPTY: Final = np.zeros(0, np.float32)
_EMPTY.flags.writeable = False
_FLOAT: Final = {"T": dtypes.float32}


def is_control_loop(node: Node) -> bool:
    """True for the Merge of a control loop; such names are not open to users."""
    return node.op == "Merge" and node.name.startswith(_PREFIX)


@uncollected
def add_control_loops(graph: NodeGraph) -> NodeGraph:
    """Readies the while loops of a placed graph for being cut at device borders.

    The device that has a loop's LoopCond decides when the loop ends. Every device that receives
    tensors in that loop gets a loop of its own, of an empty tensor and without a body, which the
    LoopCond drives too: what is received in the loop is received once in each of its iterations.
    So does a device that only sends, if nothing else takes it from iteration to iteration. In
    nested loops that of the inner one is entered anew from that of the outer one. A receiving node
    waits for the Merge of its device's control loop; where the graph is cut, the Recv does so
    instead.

    The graph stays one graph, and may be cut at any of its device borders afterwards, also in
    several turns. Loops that keep to one device, and graphs without loops, stay as they are.
    Switches and their like move to what they work on first, see `colocations`.

    Args:
      graph: Not changed.

    Returns:
      The graph with control loops; `graph` itself if it needs none and no node moves.

    Raises:
      InvalidArgumentError: A loop on several devices has no LoopCond.
    """
    if len({node.assigned_device for node in graph.nodes()}) < 2:
        return graph
    if not any(node.op in CONTROL_FLOW for node in graph.nodes()):
        return graph
    moved = colocations(graph)
    if moved:
        graph = graph.copy()
        graph.assign(moved)
    frames = find_frames(graph)
    crossings = [
        (edge, frame)
        for edge in graph.edges()
        if edge.src.assigned_device != edge.dst.assigned_device
        and (frame := edge_frame(edge, frames))
    ]
    if not crossings:
        return graph
    extended = graph if moved else graph.copy()
    loops = _Loops(extended, graph, frames)
    for edge, frame in crossings:
        dst = extended.node(edge.dst.id)
        extended.add_control_edge(loops.merge(frame, dst.assigned_device, dst), dst)
    for edge, frame in crossings:
        loops.advance(frame, edge.src)
    return extended


class _Loops:
    """The control loops of a graph, made when they are first asked for."""

    __slots__ = ("_advanced", "_conditions", "_count", "_enters", "_graph", "_merges")

    def __init__(self, extended: NodeGraph, graph: NodeGraph, frames: dict[Node, Frame]) -> None:
        self._graph = extended
        self._count = 0
        self._merges: dict[tuple[Frame, str], Node] = {}
        self._conditions: dict[Frame, Node] = {}
        self._enters: dict[Frame, Node] = {}
        self._advanced: set[tuple[Frame, str]] = set()
        """Loops with the devices that have a NextIteration of the graph's own."""
        for node in graph.nodes():
            if node.op == "LoopCond":
                self._conditions[frames[node]] = extended.node(node.id)
            elif node.op in ENTERS:
                self._enters.setdefault(frames[node], node)
            elif node.op in NEXT_ITERATION_OPS:
                self._advanced.add((frames[node], node.assigned_device))

    def merge(self, frame: Frame, device: str, dst: Node) -> Node:
        """The Merge of the control loop of a loop on a device.

        Args:
          frame: The loop.
          device: Full device name.
          dst: Gives new nodes their names.
        """
        outer: Node | None = None
        for depth in range(1, len(frame) + 1):
            key = (frame[:depth], device)
            found = self._merges.get(key)
            if found is None:
                found = self._merges[key] = self._add_loop(*key, dst, outer)
            outer = found
        assert outer is not None
        return outer

    def advance(self, frame: Frame, src: Node) -> None:
        """Has a sending node's device come to all iterations of a loop.

        A node that takes loop invariants only would run in the first iteration alone.
        """
        if (frame, src.assigned_device) not in self._advanced:
            self.merge(frame, src.assigned_device, src)

    def _add_loop(self, frame: Frame, device: str, dst: Node, outer: Node | None) -> Node:
        condition = self._conditions.get(frame)
        if condition is None:
            raise InvalidArgumentError(
                None,
                None,
                f"A cross-device loop must have a pivot predicate: {frame[-1]}. The loop goes from "
                f"device to device at node '{dst.name}': put its nodes on one device, or give it a "
                "LoopCond.",
            )
        graph = self._graph
        if outer is None:
            value = {"value": _EMPTY, "dtype": dtypes.float32}
            outer = self._add("", "Const", value, dst, device)
        attrs = {
            **_FLOAT,
            "frame_name": self._enters[frame].attrs["frame_name"],
            "is_constant": False,
            "parallel_iterations": self._enters[frame].attrs["parallel_iterations"],
        }
        enter = self._add(_PREFIX, "Enter", attrs, dst, device)
        merge = self._add(_PREFIX, "Merge", {**_FLOAT, "N": 2}, dst, device)
        switch = self._add(_PREFIX, "Switch", _FLOAT, dst, device)
        again = self._add(_PREFIX, "NextIteration", _FLOAT, dst, device)
        graph.link(outer, 0, enter, 0)
        graph.link(enter, 0, merge, 0)
        graph.link(again, 0, merge, 1)
        graph.link(merge, 0, switch, 0)
        graph.link(condition, 0, switch, 1)
        graph.link(switch, 1, again, 0)
        if condition.assigned_device != device:
            graph.add_control_edge(merge, switch)
        return merge

    def _add(self, prefix: str, op: str, attrs: dict[str, Any], dst: Node, device: str) -> Node:
        graph = self._graph
        while graph.find(name := f"{prefix}{dst.name}/_{self._count}") is not None:
            self._count += 1
        self._count += 1
        node = graph.add_node(name, system_op(op), attrs, assigned_device=device)
        node.created_at = dst.created_at
        return node
