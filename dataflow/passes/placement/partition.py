"""Cuts a placed graph into parts and joins them by pairs of Send and Recv."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from dataflow.errors import InternalError
from dataflow.passes.control_flow.control_loop import is_control_loop
from dataflow.passes.control_flow.deadness import MAY_BE_DEAD, Deadness
from dataflow.passes.graphs.frames import Frame, edge_frame, find_frames
from dataflow.passes.graphs.node_graph import Edge, Node, NodeGraph
from dataflow.passes.graphs.order import is_back_edge, topological_order
from dataflow.passes.graphs.reference_reads import nodes_before_read
from dataflow.passes.graphs.system_ops import system_op
from dataflow.values import dtypes
from dataflow.values.garbage import uncollected

_EMPTY = np.zeros(0, np.float32)
_EMPTY.flags.writeable = False

_Transfer = tuple[int, int, str]
"""What is sent only once: node id, output (-1: that the node has run), part that receives."""


@uncollected
def partition(
    graph: NodeGraph,
    part_of: Callable[[str], str],
    infix: str,
    incarnations: Mapping[str, int],
) -> dict[str, NodeGraph]:
    """Splits a graph whose nodes are all placed.

    An edge between two parts becomes a `_Send` on the producer's device and a `_Recv` on the
    consumer's, which meet by the tensor name `edge_<edge id>_<producer>`. A control edge is carried
    by an empty constant. What goes to several consumers of one part is sent there once, but for
    references: each read of a variable sees the value at its own time, which is after all else
    that the reader waits for. So reads are joined already where device and part borders differ.

    In a loop, which must have its control loops (see `add_control_loops`), a tensor is sent and
    received once in each iteration. A `_Recv` whose value may be dead has the attr `_may_be_dead`.

    Args:
      graph: Not changed; the parts may share it if there is only one.
      part_of: Name of the part of a device.
      infix: Comes between a producer's name and a number in the names of new nodes.
      incarnations: Numbers of the devices' present starts, by device name.

    Returns:
      The parts by name, in the order in which the graph's nodes name them.

    Raises:
      InternalError: A node is not placed, a reference or resource goes from part to part, or a
        loop goes from part to part without control loops.
    """
    part_names = _part_names(graph, part_of)
    names = dict.fromkeys(part_names.values())
    if len(names) < 2:
        return dict.fromkeys(names, graph)
    return _Partitioner(graph, part_names, infix, incarnations).run()


def _part_names(graph: NodeGraph, part_of: Callable[[str], str]) -> dict[str, str]:
    """Part name by device name."""
    names: dict[str, str] = {}
    for node in graph.nodes():
        device = node.assigned_device
        if device not in names:
            if not device:
                raise InternalError(None, None, f"Node '{node.name}' has not been placed.")
            names[device] = part_of(device)
    return names


class _Partitioner:
    """Copies the nodes of a graph into parts, each after what it waits for."""

    __slots__ = (
        "_count",
        "_deadness",
        "_frames",
        "_graph",
        "_incarnations",
        "_infix",
        "_part_names",
        "_position",
        "_received",
        "_transfers",
        "_twins",
        "parts",
    )

    def __init__(
        self,
        graph: NodeGraph,
        part_names: dict[str, str],
        infix: str,
        incarnations: Mapping[str, int],
    ) -> None:
        self._graph = graph
        self._part_names = part_names
        self._infix = infix
        self._incarnations = incarnations
        self._count = 0
        self._frames = find_frames(graph)
        self._deadness = Deadness(graph)
        self._received: list[Node] = []
        """The Recvs made for the node that is being copied."""
        self._position: dict[Node, int] = {}
        self._transfers: dict[_Transfer, Node] = {}
        self.parts = {name: graph.empty_copy() for name in part_names.values()}
        self._twins: dict[Node, Node] = {}

    def _part(self, node: Node) -> NodeGraph:
        return self.parts[self._part_names[node.assigned_device]]

    def run(self) -> dict[str, NodeGraph]:
        """Makes the parts."""
        back_edges: list[Edge] = []
        order = topological_order(self._graph)
        self._position = {node: index for index, node in enumerate(order)}
        for node in order:
            self._add(node, back_edges)
        for edge in back_edges:
            part_name = self._part_names[edge.dst.assigned_device]
            src, output = self._producer(edge, part_name)
            self._part(edge.dst).link(src, output, self._twins[edge.dst], edge.dst_input)
        return self.parts

    def _add(self, node: Node, back_edges: list[Edge]) -> None:
        """Copies a node and gives the copy its inputs."""
        part_name = self._part_names[node.assigned_device]
        part = self.parts[part_name]
        sources: list[tuple[Node, int, int]] = []
        arrived: list[Node] = []
        reads: list[Node] = []
        pacer: Node | None = None
        crossings = 0
        self._received.clear()
        for edge in node.in_edges:
            if is_back_edge(edge.src, node):
                back_edges.append(edge)
                continue
            if edge.is_control and is_control_loop(edge.src):
                pacer = self._twins[edge.src]
                continue
            crossings += edge.src.assigned_device != node.assigned_device
            src, output = self._producer(edge, part_name)
            sources.append((src, output, edge.dst_input))
            if edge.is_control or not edge.dtype._is_ref_dtype:
                arrived.append(src)
            elif src is not self._twins[edge.src]:
                reads.append(src)
        twin = self._twins[node] = part.add_copy(node)
        for src, output, slot in sources:
            part.add_edge(src, output, twin, slot)
        for read in reads:
            for before in arrived:
                part.add_control_edge(before, read)
        if pacer is not None:
            for recv in self._received:
                part.add_control_edge(pacer, recv)
            if not self._received or len(self._received) < crossings:
                part.add_control_edge(pacer, twin)

    def _producer(self, edge: Edge, part_name: str) -> tuple[Node, int]:
        """The node and output in the receiving part that stand for the edge's producer."""
        if self._part_names[edge.src.assigned_device] == part_name and not _is_far_read(edge):
            return self._twins[edge.src], edge.src_output
        return self._receive(edge, part_name), min(edge.src_output, 0)

    def _receive(self, edge: Edge, part_name: str) -> Node:
        transfer = (edge.src.id, edge.src_output, part_name)
        known = self._transfers.get(transfer)
        if known is not None:
            return known
        self._check(edge)
        if edge.is_control:
            return self._transfers.setdefault(transfer, self._transfer_order(edge))
        received = self._transfer(edge, self._twins[edge.src], edge.src_output)
        if not edge.dtype._is_ref_dtype:
            self._transfers[transfer] = received
        return received

    def _check(self, edge: Edge) -> None:
        src, dst = edge.src, edge.dst
        ends = f"'{src.name}' on {src.assigned_device} and '{dst.name}' on {dst.assigned_device}"
        frame: Frame = edge_frame(edge, self._frames)
        if frame and not any(is_control_loop(before.src) for before in dst.in_edges):
            raise InternalError(
                None,
                None,
                f"An edge of the while loop '{frame[-1]}' joins {ends}, but the latter device has "
                "no control loop for it: call add_control_loops before a graph is split.",
            )
        if not edge.is_control:
            wanted = dst.input_types[edge.dst_input]
            if wanted._is_ref_dtype or wanted is dtypes.resource:
                raise InternalError(
                    None,
                    None,
                    f"Input {edge.dst_input} of '{dst.name}' is a {wanted.name}, which cannot go "
                    f"from one device to another, but joins {ends}.",
                )

    def _transfer_order(self, edge: Edge) -> Node:
        """Carries a control edge by an empty constant."""
        src, dst = edge.src, edge.dst
        there, here = self._part(src), self._part(dst)
        signal = there.add_node(
            self._new_name(f"{src.name}/ctrl"),
            system_op("Const"),
            {"value": _EMPTY, "dtype": dtypes.float32},
            assigned_device=src.assigned_device,
        )
        there.add_control_edge(self._twins[src], signal)
        received = self._transfer(edge, signal, 0)
        identity = here.add_node(
            self._new_name(src.name),
            system_op("Identity"),
            {"T": dtypes.float32},
            assigned_device=dst.assigned_device,
        )
        here.link(received, 0, identity, 0)
        return identity

    def _transfer(self, edge: Edge, value: Node, output: int) -> Node:
        """Adds the pair that carries a tensor along the edge; returns the Recv."""
        src, dst = edge.src, edge.dst
        dtype = value.output_types[output].base_dtype
        send_device, recv_device = src.assigned_device, dst.assigned_device
        attrs: dict[str, Any] = {
            "tensor_name": f"edge_{edge.id}_{src.name}".encode(),
            "send_device": send_device.encode(),
            "send_device_incarnation": self._incarnations.get(send_device, 0),
            "recv_device": recv_device.encode(),
            "client_terminated": False,
        }
        there = self._part(src)
        send = there.add_node(
            self._new_name(src.name),
            system_op("_Send"),
            {"T": dtype, **attrs},
            assigned_device=send_device,
        )
        there.link(value, output, send, 0)
        if self._deadness.may_be_dead(edge):
            attrs[MAY_BE_DEAD] = True
        recv = self._part(dst).add_node(
            self._new_name(src.name),
            system_op("_Recv"),
            {"tensor_type": dtype, **attrs},
            assigned_device=recv_device,
        )
        if _is_far_read(edge):
            for before in nodes_before_read(edge, self._position, self._frames):
                there.add_control_edge(self._twins[before], send)
        send.created_at = recv.created_at = src.created_at
        self._received.append(recv)
        return recv

    def _new_name(self, prefix: str) -> str:
        while True:
            name = f"{prefix}{self._infix}{self._count}"
            self._count += 1
            if self._graph.find(name) is None:
                return name


def _is_far_read(edge: Edge) -> bool:
    """True if the edge brings a reference to another device."""
    return (
        not edge.is_control
        and edge.src.assigned_device != edge.dst.assigned_device
        and edge.dtype._is_ref_dtype
    )
