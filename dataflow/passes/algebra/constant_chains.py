"""Arithmetic with several constants in a row: (x * a) * b becomes x * (a * b)."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from dataflow.passes.graphs.node_graph import Edge, Node, NodeGraph
from dataflow.passes.graphs.order import topological_order
from dataflow.passes.graphs.system_ops import system_op

_KINDS: Final = {"Add": "add", "AddV2": "add", "Mul": "multiply"}
"""Associative functions, by op. Floats are rounded once less."""


class _Link(NamedTuple):
    """A node that combines a tensor with a constant number."""

    value: Edge
    constant: Edge

    @property
    def number(self) -> np.ndarray:
        found: np.ndarray = self.constant.src.attrs["value"]
        return found


def join_constants(graph: NodeGraph, *, in_place: bool = False) -> NodeGraph:
    """Combines constant numbers that are added, or multiplied with, one after the other.

    A number of the chain that something else reads stays. Products that overflow or vanish, where
    their factors do not, are not formed.

    Args:
      graph: Changed only if `in_place`.
      in_place: The caller gives the graph up.

    Returns:
      The graph with shorter chains; `graph` itself if there are none.
    """
    if not any(_inner(node) for node in graph.nodes()):
        return graph
    result = graph if in_place else graph.copy()
    for node in topological_order(result):
        inner = _inner(node)
        if inner is None:
            continue
        outer, link = _link(node), _link(inner)
        assert outer is not None and link is not None
        value = _combined(node, outer.number, link.number)
        if value is None:
            continue
        constant = result.add_node(
            result.unique_name(f"{node.name}/constant"),
            system_op("Const"),
            {"value": value, "dtype": node.output_types[0]},
            node.device,
            node.assigned_device,
        )
        constant.created_at = node.created_at
        replaced = (outer.constant.src, link.constant.src)
        result.move_source(outer.value, link.value.src, link.value.src_output)
        result.move_source(outer.constant, constant, 0)
        result.remove_node(inner)
        for unused in dict.fromkeys(replaced):
            if not unused.out_edges:
                result.remove_node(unused)
    return result


def _inner(node: Node) -> Node | None:
    """The node before, if both combine a value with a constant and nothing else sees it."""
    kind = _KINDS.get(node.op)
    # Most nodes are told apart before it costs much.
    if kind is None or not any(_KINDS.get(edge.src.op) == kind for edge in node.in_edges):
        return None
    outer = _link(node)
    if outer is None:
        return None
    inner = outer.value.src
    if _KINDS.get(inner.op) != _KINDS[node.op] or len(inner.out_edges) != 1:
        return None
    same_place = (inner.device, inner.assigned_device) == (node.device, node.assigned_device)
    return inner if same_place and _link(inner) is not None else None


def _link(node: Node) -> _Link | None:
    if node.op not in _KINDS or len(node.in_edges) != 2:
        return None
    if np.dtype(node.output_types[0].as_numpy_dtype).kind not in "iufc":
        return None
    edges = node.data_edges()
    numbers = [edge for edge in edges if _is_number(edge.src)]
    if len(edges) != 2 or len(numbers) != 1:
        return None
    (value,) = (edge for edge in edges if edge is not numbers[0])
    return _Link(value, numbers[0])


def _is_number(node: Node) -> bool:
    return node.op == "Const" and not node.in_edges and not node.attrs["value"].shape


def _combined(node: Node, first: Any, second: Any) -> np.ndarray | None:
    with np.errstate(all="ignore"):
        value = np.asarray(getattr(np, _KINDS[node.op])(first, second), first.dtype)
    if value.dtype.kind in "fc":
        least = np.finfo(value.dtype).tiny
        if not np.isfinite(value):
            return None
        if node.op == "Mul" and abs(value) < least and first != 0 and second != 0:
            return None
    value.flags.writeable = False
    return value
