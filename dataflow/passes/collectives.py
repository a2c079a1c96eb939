"""Collectives of a step become ordinary nodes: one joins what the members have, and all take it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from dataflow.errors import InternalError, InvalidArgumentError
from dataflow.passes.graphs.frames import Frame, find_frames
from dataflow.passes.graphs.node_graph import Node, NodeGraph
from dataflow.passes.graphs.system_ops import system_op
from dataflow.values.garbage import uncollected
from dataflow.values.shapes import TensorShape

_SENDS: Final = "CollectiveBcastSend"
_RECEIVES: Final = "CollectiveBcastRecv"
_COLLECTIVES: Final = frozenset({"CollectiveReduce", "CollectiveGather", _SENDS, _RECEIVES})
_Instance = tuple[int, int]
"""The keys of a group and of one of its collectives."""


@uncollected
def join_collectives(graph: NodeGraph) -> NodeGraph:
    """Puts a node in the place of what the members of each collective do together.

    It is on the device of the first member, in the order of their names, or of the one that sends.
    What is cut at device borders afterwards carries the values, between tasks as well as between
    devices. A member whose group is not whole in the step stays as it is, and fails when it runs.

    Args:
      graph: Placed. Not changed.

    Returns:
      The graph without whole collectives; `graph` itself if it has none.

    Raises:
      InternalError: Members of a group say different things of it.
      InvalidArgumentError: Members expect other shapes of what is sent.
    """
    members: dict[_Instance, list[Node]] = {}
    for node in graph.nodes():
        if node.op in _COLLECTIVES:
            key = node.attrs["group_key"], node.attrs["instance_key"]
            members.setdefault(key, []).append(node)
    if not members:
        return graph
    _check_groups(members)
    frames = find_frames(graph)
    joined = graph.copy()
    for (_, instance), nodes in members.items():
        nodes.sort(key=lambda node: (node.op != _SENDS, node.assigned_device))
        if _is_whole(nodes, frames):
            _check_instance(instance, nodes)
            _join(joined, [joined.node(node.id) for node in nodes])
    return joined


def _is_whole(nodes: list[Node], frames: Mapping[Node, Frame]) -> bool:
    size = nodes[0].attrs["group_size"]
    devices = {node.assigned_device for node in nodes}
    loops = {frames.get(node, ()) for node in nodes if node.op != _RECEIVES}
    senders = sum(node.op == _SENDS for node in nodes)
    if nodes[0].op == _SENDS and loops != {()}:
        return False  # A receiver in a loop has no input that would lead into it.
    is_sent = any(node.op in (_SENDS, _RECEIVES) for node in nodes)
    return len(nodes) == len(devices) == size and len(loops) == 1 and senders == int(is_sent)


def _check_groups(members: Mapping[_Instance, list[Node]]) -> None:
    sizes: dict[int, int] = {}
    for (group, _), nodes in members.items():
        for node in nodes:
            size = node.attrs["group_size"]
            known = sizes.setdefault(group, size)
            if size != known:
                raise InternalError(
                    None,
                    None,
                    f"Collective Op {node.name} has group_size {size} and group_key {group} but "
                    f"that group has size {known}",
                )


def _check_instance(instance: int, nodes: list[Node]) -> None:
    first = nodes[0]
    kind = "Broadcast" if first.op == _SENDS else first.op
    for node in nodes[1:]:
        other = "Broadcast" if node.op in (_SENDS, _RECEIVES) else node.op
        names = ("T", "merge_op", "final_op")
        said = [(n.attrs["T"], *(n.attrs.get(a) for a in names[1:])) for n in (first, node)]
        if other != kind or said[0] != said[1]:
            raise InternalError(
                None,
                None,
                f"Collective instance {instance} expected type {kind} and data_type "
                f"{first.attrs['T'].name} but node {node.name} has type {other} and data_type "
                f"{node.attrs['T'].name}",
            )
        if kind == "Broadcast" and node.attrs["shape"] != first.attrs["shape"]:
            shapes = [str(each.attrs["shape"].as_list()) for each in (node, first)]
            raise InvalidArgumentError(
                None,
                None,
                f"Shape mismatch in the collective instance {instance}. Op at device "
                f"{node.assigned_device} expected shape {shapes[0]} but another member in the "
                f"group expected shape {shapes[1]}. This is likely due to different input shapes "
                "at different members of the collective op.",
            )


def _join(graph: NodeGraph, nodes: list[Node]) -> None:
    first = nodes[0]
    sends = first.op == _SENDS
    sources = nodes[:1] if sends else nodes
    attrs: dict[str, Any] = {
        "N": len(sources),
        "T": first.attrs["T"],
        "join": b"Broadcast" if sends else first.attrs.get("merge_op", b"Gather"),
        "divide": first.attrs.get("final_op") == b"Div",
        "instance_key": first.attrs["instance_key"],
        "shape": first.attrs["shape"] if sends else TensorShape(None),
        "devices": [node.assigned_device.encode() for node in nodes],
    }
    joined = _add(graph, graph.unique_name(f"{first.name}/joined"), "_CollectiveJoin", attrs, first)
    for place, node in enumerate(sources):
        (edge,) = node.data_edges()
        graph.add_edge(edge.src, edge.src_output, joined, place)
        for waited_for in node.control_edges():
            graph.add_control_edge(waited_for.src, joined)
    for node in nodes:
        _take(graph, node, joined)


def _take(graph: NodeGraph, node: Node, joined: Node) -> None:
    """Puts a node of the same name, which takes what was joined, in the place of a member."""
    before = [edge.src for edge in node.control_edges()]
    after = [(edge.src_output, edge.dst, edge.dst_input) for edge in node.out_edges]
    graph.remove_node(node)
    taken = _add(graph, node.name, "Identity", {"T": node.attrs["T"]}, node)
    graph.add_edge(joined, 0, taken, 0)
    for source in before:
        graph.add_control_edge(source, taken)
    for output, dst, place in after:
        graph.add_edge(taken, output, dst, place)


def _add(graph: NodeGraph, name: str, op: str, attrs: dict[str, Any], beside: Node) -> Node:
    device = beside.assigned_device
    node = graph.add_node(name, system_op(op), attrs, device, device)
    node.created_at = beside.created_at
    return node
