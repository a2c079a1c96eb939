"""Puts what the channels of a convolution are multiplied by into its filters, if all is constant.

So a frozen model's batch normalisation costs no more than a bias.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Final, NamedTuple

import numpy as np

from dataflow.passes.graphs.node_graph import Edge, Node, NodeGraph
from dataflow.passes.graphs.order import topological_order
from dataflow.passes.graphs.system_ops import system_op
from dataflow.schema import opdef
from dataflow.values import dtypes

_NORMS: Final = frozenset({"FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"})
_SUMS: Final = frozenset({"Add", "AddV2"})
_CONVOLUTIONS: Final = frozenset({"Conv2D", "DepthwiseConv2dNative"})
_CHANNELS_LAST: Final = b"NHWC"


class _Scaled(NamedTuple):
    """A convolution whose channels are multiplied by factors, and what is added to them then."""

    convolution: Node
    between: tuple[Node, ...]
    """Nodes behind it that it does without."""
    filters: np.ndarray | None
    """Its own, multiplied by the factors; None if these are 1."""
    addends: np.ndarray | None


def fold_channel_factors(
    graph: NodeGraph, targets: Collection[str] = (), *, in_place: bool = False
) -> NodeGraph:
    """Multiplies constant filters by the constant factors of their output channels.

    Factors are those of a batch normalisation with known statistics, or of a product with a vector.
    Results are rounded otherwise, as they are by TensorFlow's remapper.

    Args:
      graph: Changed only if `in_place`.
      targets: Names of nodes that are to run though nobody uses them.
      in_place: The caller gives the graph up.

    Returns:
      The graph with other filters; `graph` itself if it has no such factors.
    """
    if not any(_scaled(node) for node in graph.nodes()):
        return graph
    result = graph if in_place else graph.copy()
    for node in topological_order(result):
        scaled = _scaled(node)
        if scaled is not None and not any(gone.name in targets for gone in scaled.between):
            _fold(result, node, scaled)
    return result


def _scaled(node: Node) -> _Scaled | None:
    """What a node makes of a convolution, if that can have it in its filters."""
    if node.op in _NORMS:
        return _normed(node)
    if node.op in _SUMS:
        return _added(node)
    return _multiplied(node) if node.op == "Mul" else None


def _normed(node: Node) -> _Scaled | None:
    edges = node.data_edges()
    if node.attrs["is_training"] or node.output_types[0] != dtypes.float32:
        return None
    if len(node.in_edges) != len(edges) or any(edge.src_output for edge in node.out_edges):
        return None
    convolution, bias = edges[0].src, np.zeros(1)
    between: tuple[Node, ...] = (node,)
    before = _biased(convolution, node)
    if before is not None:
        convolution, bias, between = before
    parameters = [_constant(edge) for edge in edges[1:]]
    vectors = [p.astype(np.float64) for p in parameters if p is not None and p.ndim == 1]
    if len(vectors) < len(parameters) or len({len(vector) for vector in vectors}) > 1:
        return None
    scale, offset, mean, variance = vectors
    if len(between) > 1 and len(bias) != len(mean):
        return None
    with np.errstate(all="ignore"):
        factors = scale / np.sqrt(variance + node.attrs["epsilon"])
        addends = (offset + (bias - mean) * factors).astype(np.float32)
    filters = _filters(convolution, between, factors)
    if filters is None or not np.isfinite(addends).all():
        return None
    return _Scaled(convolution, between, filters, addends)


def _biased(node: Node, reader: Node) -> tuple[Node, np.ndarray, tuple[Node, ...]] | None:
    """What a node adds constants to that one reader sees, the constants, and both nodes."""
    if node.op != "BiasAdd" or not _is_alone(node, reader):
        return None
    given, known = node.data_edges()[0].src, _constant(node.data_edges()[1])
    if known is None or known.ndim != 1 or given.op not in _CONVOLUTIONS:
        return None
    return given, known.astype(np.float64), (node, reader)


def _vector(node: Node) -> tuple[Edge, np.ndarray] | None:
    """What a node of two operands combines with constants, one for each channel, and these."""
    edges = node.data_edges()
    if node.output_types[0] != dtypes.float32 or len(node.in_edges) != 2 or len(edges) != 2:
        return None
    for edge, other in (edges, edges[::-1]):
        known = _constant(other)
        if known is not None and 0 < known.ndim <= 4 and known.size == known.shape[-1]:
            return edge, known.reshape(-1).astype(np.float64)
    return None


def _multiplied(node: Node) -> _Scaled | None:
    found = _vector(node)
    if found is None:
        return None
    edge, factors = found
    convolution, addends = edge.src, None
    between: tuple[Node, ...] = (node,)
    before = _biased(convolution, node)
    if before is not None:
        convolution, bias, between = before
        if len(bias) != len(factors):
            return None
        with np.errstate(all="ignore"):
            addends = (bias * factors).astype(np.float32)
        if not np.isfinite(addends).all():
            return None
    if convolution.op not in _CONVOLUTIONS or not _has_channels_last(convolution):
        return None
    filters = _filters(convolution, between, factors)
    return None if filters is None else _Scaled(convolution, between, filters, addends)


def _added(node: Node) -> _Scaled | None:
    """A convolution with a constant bias to which constants are added."""
    found = _vector(node)
    before = None if found is None else _biased(found[0].src, node)
    if found is None or before is None:
        return None
    convolution, bias, between = before
    if len(bias) != len(found[1]) or not _has_channels_last(convolution):
        return None
    if not _is_alone(convolution, between[0]):
        return None
    with np.errstate(all="ignore"):
        addends = (bias + found[1]).astype(np.float32)
    return _Scaled(convolution, between, None, addends) if np.isfinite(addends).all() else None


def _has_channels_last(node: Node) -> bool:
    return bool(node.attrs["data_format"] == _CHANNELS_LAST)


def _filters(
    convolution: Node, between: tuple[Node, ...], factors: np.ndarray
) -> np.ndarray | None:
    """The filters of a convolution times factors of its output channels.

    Returns:
      None if others see what it makes, or its filters are not constant, or do not fit.
    """
    if convolution.op not in _CONVOLUTIONS or not _is_alone(convolution, between[0]):
        return None
    if convolution.attrs["data_format"] != between[-1].attrs.get("data_format", _CHANNELS_LAST):
        return None
    filters = _constant(convolution.data_edges()[1])
    if filters is None or filters.ndim != 4:
        return None
    shape = filters.shape[3:] if convolution.op == "Conv2D" else filters.shape[2:]
    if factors.size != math.prod(shape):
        return None
    with np.errstate(all="ignore"):
        product = (filters * factors.reshape(shape)).astype(np.float32)
    return product if np.isfinite(product).all() else None


def _is_alone(node: Node, reader: Node) -> bool:
    """True if nothing but one reader sees what a node makes, on the same device."""
    places = {(n.device, n.assigned_device) for n in (node, reader)}
    return len(places) == 1 and [edge.dst for edge in node.out_edges] == [reader]


def _constant(edge: Edge) -> np.ndarray | None:
    node = edge.src
    if node.op != "Const" or node.in_edges or node.attrs["dtype"] != dtypes.float32:
        return None
    value: np.ndarray = node.attrs["value"]
    return value


def _fold(graph: NodeGraph, node: Node, scaled: _Scaled) -> None:
    convolution, between, filters, addends = scaled
    unused: dict[Node, None] = {}
    if filters is not None:
        edge = convolution.data_edges()[1]
        unused[edge.src] = None
        graph.move_source(edge, _add_constant(graph, convolution, "filters", filters), 0)
    last = convolution
    readers = list(node.out_edges)
    if addends is not None:
        last = _add_bias(graph, node, addends, convolution.attrs["data_format"])
    for reader in readers:
        graph.move_source(reader, last, 0)
    for gone in reversed(between):
        unused.update((e.src, None) for e in gone.data_edges() if e.src.op == "Const")
        graph.remove_node(gone)
    if last is not convolution:
        graph.add_edge(convolution, 0, last, 0)
    for constant in unused:
        if not constant.out_edges:
            graph.remove_node(constant)


def _add_bias(graph: NodeGraph, norm: Node, addends: np.ndarray, data_format: bytes) -> Node:
    """A node that adds numbers to the channels, without its first input."""
    definition = opdef.find("BiasAdd")
    assert definition is not None
    attrs = {"T": dtypes.float32, "data_format": data_format}
    name = graph.unique_name(f"{norm.name}/bias_add")
    node = graph.add_node(name, definition, attrs, norm.device, norm.assigned_device)
    node.created_at = norm.created_at
    graph.add_edge(_add_constant(graph, norm, "bias", addends), 0, node, 1)
    return node


def _add_constant(graph: NodeGraph, owner: Node, what: str, value: np.ndarray) -> Node:
    value.flags.writeable = False
    node = graph.add_node(
        graph.unique_name(f"{owner.name}/{what}"),
        system_op("Const"),
        {"value": value, "dtype": dtypes.float32},
        owner.device,
        owner.assigned_device,
    )
    node.created_at = owner.created_at
    return node
