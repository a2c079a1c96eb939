"""The rewriting passes in their order, and the options of a session that switch them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from dataflow.passes.algebra.channel_factors import fold_channel_factors
from dataflow.passes.algebra.constant_chains import join_constants
from dataflow.passes.algebra.control_only import drop_control_only
from dataflow.passes.algebra.cse import equal_constants, merge_common
from dataflow.passes.algebra.fold import Evaluate, fold
from dataflow.passes.algebra.simplify import SimplifyOptions, simplify
from dataflow.passes.algebra.static_shapes import FED_SHAPE
from dataflow.passes.graphs.node_graph import Node, NodeGraph
from dataflow.passes.prune import Merge
from dataflow.proto.config_pb2 import GraphOptions, OptimizerOptions
from dataflow.proto.rewriter_config_pb2 import RewriterConfig
from dataflow.values.shapes import TensorShape

_PLACEHOLDERS: Final = frozenset({"Placeholder", "PlaceholderV2", "PlaceholderWithDefault"})


def is_switched_on(options: GraphOptions) -> bool:
    """True unless `optimizer_options.opt_level` is L0: then graphs run as they are written."""
    return options.optimizer_options.opt_level != OptimizerOptions.L0


def merge_early(options: GraphOptions) -> Merge | None:
    """What `prune` merges on the way, so that no pass sees the many equal constants of a graph."""
    off = options.rewrite_options.common_subgraph_elimination == RewriterConfig.OFF
    # Nodes that are yet to be placed may name others to be placed with.
    kept = off or options.place_pruned_graph or not is_switched_on(options)
    return None if kept else equal_constants


def optimize(
    graph: NodeGraph,
    options: GraphOptions,
    evaluate: Evaluate,
    targets: Collection[str] = (),
    unproven: Collection[str] = (),
) -> NodeGraph:
    """Rewrites a step's graph into a cheaper one that computes the same.

    Args:
      graph: A pruned graph; it is given up, and may be changed.
      options: `rewrite_options` switches passes: `constant_folding`, `shape_optimization`,
        `arithmetic_optimization`, `common_subgraph_elimination`, `dependency_optimization`,
        `remapping`, and `disable_meta_optimizer` all but folding and common subexpressions.
      evaluate: Runs a node on constants; see `fold`.
      targets: Names of nodes that are to run though nobody uses them.
      unproven: Names of variables that may hold values of other shapes than they declare.
    """
    if not is_switched_on(options):
        return graph
    rewrites = options.rewrite_options
    off, has_meta = RewriterConfig.OFF, not rewrites.disable_meta_optimizer
    folds = rewrites.constant_folding != off
    kinds = SimplifyOptions(
        arithmetic=has_meta and rewrites.arithmetic_optimization != off,
        shapes=has_meta and folds and rewrites.shape_optimization != off,
        order=has_meta and rewrites.dependency_optimization != off,
    )
    drops = kinds.order
    if drops:
        graph = drop_control_only(graph, targets, in_place=True)
    if folds:
        graph = _folded(graph, evaluate)
    if kinds.arithmetic or kinds.shapes or kinds.order:
        simplified = simplify(graph, targets, unproven, kinds, in_place=True)
        graph = simplified.graph
        if simplified.added_constants and folds:
            # What is constant now may make more nodes superfluous: once more is enough in practice.
            graph = _folded(graph, evaluate)
            graph = simplify(graph, targets, unproven, kinds, in_place=True).graph
        if drops and simplified.changed:
            graph = drop_control_only(graph, targets, in_place=True)
    if rewrites.common_subgraph_elimination != off:
        graph = merge_common(graph, in_place=True)
    if has_meta and folds and rewrites.remapping != off:
        graph = fold_channel_factors(graph, targets, in_place=True)
    if has_meta and folds:
        graph = join_constants(graph, in_place=True)
    return graph


def _folded(graph: NodeGraph, evaluate: Evaluate) -> NodeGraph:
    folded = fold(graph, evaluate)
    if folded is not graph:
        graph.dissolve()
    return folded


def note_feed_shapes(graph: NodeGraph, whole: NodeGraph, feeds: Sequence[str]) -> None:
    """Tells the feeds of a pruned graph the shapes that placeholders declare.

    Args:
      graph: The pruned graph; changed in place.
      whole: The graph before.
      feeds: The fed tensors; their values have been checked against the static shapes.
    """
    for node in graph.nodes():
        if node.op == "_Arg":
            fed = _placeholder(whole, feeds[node.attrs["index"]])
            if fed is not None:
                node.attrs = {**node.attrs, FED_SHAPE: fed}


def _placeholder(whole: NodeGraph, tensor: str) -> TensorShape | None:
    node: Node | None = whole.find(tensor.removesuffix(":0"))
    if node is None or node.op not in _PLACEHOLDERS:
        return None
    shape = node.attrs.get("shape")
    return shape if isinstance(shape, TensorShape) else None


def loosely_shaped(nodes: Sequence[Node]) -> set[str]:
    """Names of the variables to which some of the nodes may assign values of any shape."""
    found = set()
    for node in nodes:
        if node.op == "Assign" and not node.attrs["validate_shape"]:
            edges = node.data_edges()
            while edges:
                found.add(edges[0].src.name)
                edges = edges[0].src.data_edges()
    return found
