"""Batch normalization and factors of channels, folded into the weights before them."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from dataflow.proto.graph_pb2 import GraphDef
from dataflow.proto.node_def_pb2 import NodeDef
from dataflow.transforms.views import (
    attr_of,
    constant_node,
    node_name_from_input,
    nodes_by_name,
    uses,
    values_from_const,
    with_nodes,
)

_ORDER = {
    "BatchNormWithGlobalNormalization": ("mean", "variance", "beta", "gamma"),
    "FusedBatchNorm": ("gamma", "beta", "mean", "variance"),
    "FusedBatchNormV2": ("gamma", "beta", "mean", "variance"),
    "FusedBatchNormV3": ("gamma", "beta", "mean", "variance"),
}
"""Op -> its inputs from the second one on."""
_SUMS = ("BiasAdd", "Add", "AddV2")
_CONVOLUTIONS = ("Conv2D", "DepthwiseConv2dNative")
_PRODUCTS = (*_CONVOLUTIONS, "MatMul")


def fold_batch_norms(input_graph_def: GraphDef) -> GraphDef:
    """A graph in which normalization after a convolution is a sum, and the weights are scaled.

    It is left as it is where statistics or weights are no constants, where it is one of training,
    or where something else takes the convolution's output.

    Args:
      input_graph_def: The graph.

    Raises:
      ValueError: Two nodes have one name.
    """
    return fold_norms(input_graph_def, ())


def fold_norms(graph_def: GraphDef, outputs: Collection[str]) -> GraphDef:
    """As `fold_batch_norms`, for a graph of which some nodes are fetched.

    Args:
      graph_def: The graph.
      outputs: Nodes to leave as they are, but for normalization itself.
    """
    folder = _Folder(graph_def, outputs)
    for node in graph_def.node:
        if node.op in _ORDER:
            folder.fold_norm(node)
    return folder.result()


def fold_channel_factors(graph_def: GraphDef, outputs: Collection[str]) -> GraphDef:
    """A graph in which a constant factor of channels after a product is in the product's weights.

    Args:
      graph_def: The graph.
      outputs: Nodes to leave as they are.
    """
    folder = _Folder(graph_def, outputs)
    for node in graph_def.node:
        if node.op == "Mul":
            folder.fold_factor(node)
    return folder.result()


class _Folder:
    def __init__(self, graph_def: GraphDef, outputs: Collection[str]) -> None:
        self._graph, self._nodes, self._uses = graph_def, nodes_by_name(graph_def), uses(graph_def)
        self._outputs = {node_name_from_input(name) for name in outputs}
        self._replaced: dict[str, list[NodeDef]] = {}

    def result(self) -> GraphDef:
        """The graph with what was replaced; constants that nobody takes any more are left out."""
        nodes = [n for old in self._graph.node for n in self._replaced.get(old.name, [old])]
        after = uses(with_nodes(self._graph, nodes))
        before = self._uses
        kept = [
            node
            for node in nodes
            if node.op != "Const"
            or node.name in after
            or node.name not in before
            or node.name in self._outputs
        ]
        return with_nodes(self._graph, kept)

    def _constant(self, text: str) -> np.ndarray | None:
        node = self._nodes.get(node_name_from_input(text))
        while node is not None and node.op == "Identity" and len(node.input) == 1:
            node = self._nodes.get(node_name_from_input(node.input[0]))
        return values_from_const(node) if node is not None and node.op == "Const" else None

    def _only_used(self, text: str) -> NodeDef | None:
        """The node whose output it is, if nothing else takes that and it was not replaced."""
        node = self._nodes.get(node_name_from_input(text))
        if node is None or text.startswith("^") or node.name in self._replaced:
            return None
        alone = self._uses.get(node.name) == 1 and node.name not in self._outputs
        return node if alone else None

    def fold_norm(self, node: NodeDef) -> None:
        if node.op != "BatchNormWithGlobalNormalization":
            if "is_training" not in node.attr or node.attr["is_training"].b:
                return
            if any(text.startswith(f"{node.name}:") for n in self._graph.node for text in n.input):
                # Somebody takes the statistics.
                return
        product, bias = self._product_before(node.input[0])
        if product is None or product.op not in _CONVOLUTIONS:
            return
        values = [self._constant(text) for text in node.input[1:5]]
        weights = self._constant(product.input[1])
        if weights is None or len(values) < 4:
            return
        channels = _channels(product, weights)
        known: dict[str, np.ndarray] = {}
        for key, value in zip(_ORDER[node.op], values, strict=True):
            if value is None or value.shape != (channels,):
                return
            known[key] = value.astype(np.float64)
        old = node.op == "BatchNormWithGlobalNormalization"
        epsilon = attr_of(node, "variance_epsilon" if old else "epsilon").f
        scale = 1 / np.sqrt(known["variance"] + epsilon)
        if not old or attr_of(node, "scale_after_normalization").b:
            scale = scale * known["gamma"]
        mean = known["mean"]
        if bias is not None:
            mean = mean - bias.reshape(-1)
        offset = (known["beta"] - mean * scale).astype(weights.dtype)
        scaled = self._scaled(product, weights, scale)
        shift = constant_node(f"{product.name}_bn_offset", offset, product.device)
        total = NodeDef(
            name=node.name, op="BiasAdd", input=[product.name, shift.name], device=node.device
        )
        total.input.extend(text for text in node.input if text.startswith("^"))
        total.attr["T"].CopyFrom(product.attr["T"])
        if "data_format" in product.attr:
            total.attr["data_format"].CopyFrom(product.attr["data_format"])
        self._replaced[product.name] = scaled
        self._replaced[node.name] = [shift, total]
        between = node_name_from_input(node.input[0])
        if between != product.name:
            self._replaced[between] = []

    def _product_before(self, text: str) -> tuple[NodeDef | None, np.ndarray | None]:
        """The product, and the constant that is added to it, if there is one."""
        node = self._only_used(text)
        if node is None or node.op not in _SUMS:
            return node, None
        for first, second in ((0, 1), (1, 0)):
            bias = self._constant(node.input[second])
            product = self._only_used(node.input[first])
            if bias is not None and product is not None and product.op in _PRODUCTS:
                return (product, bias) if bias.size == max(bias.shape, default=1) else (None, None)
        return None, None

    def fold_factor(self, node: NodeDef) -> None:
        for first, second in ((0, 1), (1, 0)):
            factor = self._constant(node.input[second])
            product = self._only_used(node.input[first])
            if factor is None or product is None or product.op not in _PRODUCTS:
                continue
            weights = self._constant(product.input[1])
            if weights is None or attr_of(product, "transpose_b").b:
                continue
            if attr_of(product, "data_format").s == b"NCHW":
                continue
            if factor.shape != (_channels(product, weights),):
                continue
            scaled = self._scaled(product, weights, factor)
            scaled[-1].name = node.name
            self._replaced[product.name] = []
            self._replaced[node.name] = scaled
            return

    @staticmethod
    def _scaled(product: NodeDef, weights: np.ndarray, scale: np.ndarray) -> list[NodeDef]:
        """New weights, and the product with them."""
        factors = scale
        if product.op == "DepthwiseConv2dNative":
            factors = scale.reshape(weights.shape[2:])
        value = (weights * factors).astype(weights.dtype)
        new = constant_node(f"{product.name}_weights", value, product.device)
        copy = NodeDef()
        copy.CopyFrom(product)
        copy.input[1] = new.name
        return [new, copy]


def _channels(product: NodeDef, weights: np.ndarray) -> int:
    """How many channels a product gives."""
    shape = weights.shape
    size = shape[-1] * shape[-2] if product.op == "DepthwiseConv2dNative" else shape[-1]
    return int(size)
