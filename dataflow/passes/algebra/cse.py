"""Common subexpressions: nodes that compute the same from the same inputs become one."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np

from dataflow.passes.graphs.node_graph import Node, NodeGraph
from dataflow.passes.graphs.order import topological_order
from dataflow.passes.graphs.system_ops import CONTROL_FLOW, PLACEHOLDERS, PLUMBING
from dataflow.schema.opdef import OpDef
from dataflow.values.attrs import NameAttrList
from dataflow.values.dtypes import DType
from dataflow.values.garbage import uncollected
from dataflow.values.shapes import TensorShape

_NEVER: Final = CONTROL_FLOW | PLACEHOLDERS | PLUMBING
_SMALL_BYTES: Final = 256
_SAMPLES: Final = 64
_NOTES: Final = frozenset({"_output_shapes", "_gradient_op_type"})
"""Attrs that do not change what a node computes."""


@uncollected
def merge_common(graph: NodeGraph, *, in_place: bool = False) -> NodeGraph:
    """Merges nodes with the same op, attrs, inputs, control inputs and device.

    The inputs of a commutative op may stand in any order. Stateful ops (so every op that draws
    random numbers), control flow, placeholders, and what reads or gives references stay
    apart.

    Args:
      graph: Changed only if `in_place`.
      in_place: The caller gives the graph up.

    Returns:
      The smaller graph; `graph` itself if nothing could be merged.
    """
    duplicates = _find_duplicates(graph)
    if not duplicates:
        return graph
    merged = graph if in_place else graph.copy()
    for node, first in duplicates.items():
        duplicate, survivor = merged.node(node.id), merged.node(first.id)
        for edge in list(duplicate.out_edges):
            merged.move_source(edge, survivor, edge.src_output)
        merged.remove_node(duplicate)
    return merged


def equal_constants(nodes: Iterable[Node]) -> dict[Node, Node]:
    """Each constant that waits for nothing and is like an earlier one, with that one."""
    first: dict[Any, Node] = {}
    duplicates: dict[Node, Node] = {}
    contents = _Contents()
    for node in nodes:
        if node.op == "Const" and not node.in_edges:
            same = first.setdefault(_key(node, (), duplicates, contents), node)
            if same is not node:
                duplicates[node] = same
    return duplicates


def _find_duplicates(graph: NodeGraph) -> dict[Node, Node]:
    """Each node that can go, with the one that takes its place."""
    first: dict[Any, Node] = {}
    lone: dict[Any, Node | None] = {}
    """The only node so far of an op and inputs; None if there are more."""
    duplicates: dict[Node, Node] = {}
    contents = _Contents()
    for node in topological_order(graph):
        if not _may_merge(node):
            continue
        inputs = _inputs(node, duplicates)
        if inputs:
            # Most nodes are told apart by their inputs.
            other = lone.setdefault((node.op_def, inputs), node)
            if other is node:
                continue
            if other is not None:
                lone[node.op_def, inputs] = None
                first[_key(other, inputs, duplicates, contents)] = other
        same = first.setdefault(_key(node, inputs, duplicates, contents), node)
        if same is not node:
            duplicates[node] = same
    return duplicates


def _inputs(node: Node, duplicates: Mapping[Node, Node]) -> tuple[tuple[int, int], ...]:
    """The tensors that a node takes, by node id and output."""
    if not node.in_edges:
        return ()
    inputs = [
        (duplicates.get(edge.src, edge.src).id, edge.src_output) for edge in node.data_edges()
    ]
    if node.op_def.is_commutative:
        inputs.sort()
    return tuple(inputs)


def _may_merge(node: Node) -> bool:
    if not node.output_types or node.op_def.is_stateful or node.op in _NEVER:
        return False
    for dtype in node.output_types:
        if dtype._is_ref_dtype:
            return False
    for edge in node.in_edges:
        # Also a read of a reference: two reads may see different values.
        if edge.src_output >= 0 and edge.src.output_types[edge.src_output]._is_ref_dtype:
            return False
    return True


def _key(
    node: Node,
    inputs: tuple[tuple[int, int], ...],
    duplicates: Mapping[Node, Node],
    contents: _Contents,
) -> Any:
    controls: frozenset[int] = frozenset()
    if len(inputs) < len(node.in_edges):
        controls = frozenset(duplicates.get(e.src, e.src).id for e in node.control_edges())
    placed = bool(node.assigned_device)
    attrs = node.attrs
    names = _schema_attrs(node.op_def)
    values = tuple([contents.key(attrs[name]) for name in names])
    if len(attrs) > len(names):
        known = node.op_def.attr_by_name
        values += tuple(
            (name, contents.key(value))
            for name, value in sorted(attrs.items())
            # Once a node is placed, colocation has done its work.
            if name not in known and name not in _NOTES and not (placed and name == "_class")
        )
    device = node.assigned_device or node.device
    return node.op_def, device, inputs, controls, values


@functools.lru_cache(maxsize=4096)
def _schema_attrs(op_def: OpDef) -> tuple[str, ...]:
    return tuple(attr.name for attr in op_def.attrs)


class _Contents:
    """Hashable stand-ins for attr values: equal for values with the same bits.

    A large array is told apart by a sample of its elements. Only if another array has the same
    sample are both read in full, and each at most once.
    """

    __slots__ = ("_digests", "_first", "_known")

    def __init__(self) -> None:
        self._known: dict[int, Any] = {}
        self._first: dict[Any, np.ndarray[Any, Any]] = {}
        self._digests: dict[int, Any] = {}

    def key(self, value: Any) -> Any:
        """The stand-in for a decoded attr value."""
        if value.__class__ is DType:
            return value
        if isinstance(value, np.ndarray):
            known = self._known.get(id(value))
            if known is None:
                known = self._known[id(value)] = self._array_key(value)
            return known
        if isinstance(value, float):
            return value.hex()
        if isinstance(value, TensorShape):
            return "shape", value.dims_tuple
        if isinstance(value, tuple):
            return tuple(map(self.key, value))
        if isinstance(value, NameAttrList):
            return value.name, self.key(value.attrs)
        return value

    def _array_key(self, array: np.ndarray[Any, Any]) -> Any:
        kind = (array.dtype, array.shape)
        if array.nbytes <= _SMALL_BYTES:
            return (*kind, _bits(array))
        sample = (*kind, _bits(array.flat[:: max(1, array.size // _SAMPLES)]))
        first = self._first.setdefault(sample, array)
        if first is array:
            # The first of its sample needs no more than the sample.
            return sample
        if self._digest(array) == self._digest(first):
            return sample
        return (*kind, self._digest(array))

    def _digest(self, array: np.ndarray[Any, Any]) -> Any:
        digest = self._digests.get(id(array))
        if digest is None:
            digest = self._digests[id(array)] = _full_digest(array)
        return digest


def _bits(array: np.ndarray[Any, Any]) -> Any:
    return tuple(array.flat) if array.dtype == object else array.tobytes()


def _full_digest(array: np.ndarray[Any, Any]) -> Any:
    if array.dtype == object:
        return tuple(array.flat)
    flat = np.ascontiguousarray(array).reshape(-1)
    return hashlib.blake2b(flat.view(np.uint8).data, digest_size=16).digest()
