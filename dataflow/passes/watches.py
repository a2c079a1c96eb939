"""Tensors that a step dumps while it runs: `RunOptions.debug_options`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dataflow.passes.graphs.node_graph import Edge, Node, NodeGraph
from dataflow.passes.graphs.system_ops import (
    CONTROL_FLOW,
    EXITS,
    PLUMBING,
    TRANSFERS,
    system_op,
)
from dataflow.values import dtypes

_OP: Final = "_DebugIdentity"
_EVERY: Final = "*"
_UNSEEN: Final = frozenset({dtypes.resource, dtypes.variant})


def watch(graph: NodeGraph, watches: Sequence[tuple[str, str]]) -> NodeGraph:
    """Puts a node that dumps it behind each watched tensor; who takes the tensor takes the node's.

    References, resources and variants are not dumped, nor what goes from one node of a loop's or a
    branch's frame to the next.

    Args:
      graph: Placed, not yet cut by device; changed in place.
      watches: Names of tensors ("x:0"; "x:-1" for all outputs, "*:-1" for all nodes), each with the
        folder that it is dumped to. What the step has no part in is left out.

    Returns:
      The graph.
    """
    if not watches:
        return graph
    folders: dict[tuple[str, int], dict[str, None]] = {}
    for name, folder in watches:
        node_name, _, number = name.rpartition(":")
        folders.setdefault((node_name, int(number)), {})[folder] = None
    for node in list(graph.nodes()):
        if not _is_seen(node):
            continue
        for slot, dtype in enumerate(node.output_types):
            if dtype._is_ref_dtype or dtype in _UNSEEN:
                continue
            keys = (node.name, slot), (node.name, -1), (_EVERY, -1)
            found = dict.fromkeys(path for key in keys for path in folders.get(key, ()))
            if found:
                _insert(graph, node, slot, list(found))
    return graph


def _is_seen(node: Node) -> bool:
    if node.op == "_Arg" or node.op in EXITS:
        return True
    if node.op == "Merge":
        return not any(edge.src.op == "NextIteration" for edge in node.in_edges)
    return node.op not in CONTROL_FLOW and node.op not in PLUMBING and node.op not in TRANSFERS


def _insert(graph: NodeGraph, node: Node, slot: int, folders: list[str]) -> None:
    takers: list[Edge] = [edge for edge in node.out_edges if edge.src_output == slot]
    attrs = {
        "T": node.output_types[slot],
        "device_name": node.assigned_device.encode(),
        "tensor_name": f"{node.name}:{slot}".encode(),
        "debug_urls": tuple(folder.encode() for folder in folders),
    }
    name = graph.unique_name(f"__dbg_{node.name}_{slot}_DebugIdentity")
    dump = graph.add_node(name, system_op(_OP), attrs, node.device, node.assigned_device)
    graph.link(node, slot, dump, 0)
    for edge in takers:
        graph.move_source(edge, dump, 0)
