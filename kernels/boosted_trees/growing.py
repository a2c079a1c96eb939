"""How an ensemble grows: a bias before the first tree, and trees layer by layer."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from dataflow.kernels.boosted_trees.ensemble import Ensemble
from dataflow.kernels.boosted_trees.gains import weights_and_gains
from dataflow.kernels.boosted_trees.pruning import prune
from dataflow.kernels.boosted_trees.splits import DEFAULT_RIGHT, EQUALITY, KINDS
from dataflow.kernels.boosted_trees.trees import leaf_values
from dataflow.kernels.contract.invalid import invalid
from dataflow.proto.boosted_trees_pb2 import (
    DefaultDirection,
    Leaf,
    Node,
    Tree,
)

_logger = logging.getLogger(__name__)

PRE_PRUNING: Final = 1
POST_PRUNING: Final = 2

_TOLERANCE: Final = float(np.float32(1e-15))
"""By how much a gain must be larger than another one."""
_LEAST_MOVE: Final = float(np.float32(0.01))
"""Of the bias, in parts of it: what moves less is centered."""


@dataclass(frozen=True, slots=True)
class Split:
    """A way to split a node."""

    node: int
    gain: float
    feature: int
    dimension: int
    bucket: int
    kind: bytes
    left: Any
    right: Any


def best_of(candidates: Iterable[Split]) -> list[Split]:
    """The best split of each node, by the ids of nodes; of equal ones that of the least feature."""
    best: dict[int, Split] = {}
    for split in candidates:
        known = best.get(split.node)
        if (
            known is None
            or split.gain - known.gain >= _TOLERANCE
            or (abs(split.gain - known.gain) < _TOLERANCE and split.feature < known.feature)
        ):
            best[split.node] = split
    return [best[node] for node in sorted(best)]


def grow(
    ensemble: Ensemble, splits: Sequence[Split], max_depth: int, pruning: int, logits: int
) -> None:
    """Adds a layer to the tree that grows, and ends that if it is deep enough.

    Args:
      ensemble: The ensemble.
      splits: The best splits, by the ids of their nodes.
      max_depth: How many layers a tree has.
      pruning: 0: nothing is pruned. 1: splits whose gain is below 0 are left out. 2: they are
        taken back when the tree is done.
      logits: How many logits leaves have.

    Raises:
      InvalidArgumentError: A split is of no leaf of the tree, or the ensemble is not one that
        could have grown.
    """
    current = _growing_tree(ensemble, logits)
    if not splits:
        _logger.warning("Not growing tree ensemble as no good splits were found.")
        return
    layers = ensemble.metadata(current).num_layers_grown + 1
    tree = ensemble.tree(current)
    first = len(tree.nodes)
    if pruning == PRE_PRUNING:
        splits = [split for split in splits if not split.gain < 0]
    for split in splits:
        _check_leaf(tree, current, split.node, logits)
    for split in splits:
        _split(tree, split, logits)
    behind = len(tree.nodes)
    if not splits:
        return
    metadata = ensemble.metadata(current)
    metadata.num_layers_grown = layers
    if layers >= max_depth:
        first, behind = 0, 1
        metadata.is_finalized = True
        if pruning == POST_PRUNING:
            prune(tree, metadata, current, logits)
        ensemble.add_tree([0.0] * logits)
    growing = ensemble.message.growing_metadata
    growing.last_layer_node_start, growing.last_layer_node_end = first, behind


def _growing_tree(ensemble: Ensemble, logits: int) -> int:
    """Counts an attempt to add a layer; gives the id of the last tree, the first one if need be."""
    trees, growing = ensemble.message.trees, ensemble.message.growing_metadata
    growing.num_layers_attempted += 1
    count = len(trees)
    begins = count <= 1 or ensemble.metadata(count - 2).is_finalized
    if not count or (begins and len(trees[-1].nodes) == 1):
        growing.num_trees_attempted += 1
    return count - 1 if count else ensemble.add_tree([0.0] * logits)


def _check_leaf(tree: Tree, place: int, node: int, logits: int) -> None:
    if not 0 <= node < len(tree.nodes):
        raise invalid(f"Tree {place} has {len(tree.nodes)} nodes, and none of id {node} to split")
    if not tree.nodes[node].HasField("leaf"):
        raise invalid(f"Node {node} of tree {place} is no leaf, and cannot be split")
    values = leaf_values(tree.nodes[node].leaf)
    if len(values) != logits and values != [0.0]:
        raise invalid(f"Node {node} of tree {place} has {len(values)} logits, not {logits}")


def _split(tree: Tree, split: Split, logits: int) -> None:
    node = tree.nodes[split.node]
    has_values = node.leaf.HasField("vector") if logits > 1 else node.leaf.scalar != 0
    before = np.zeros(logits, np.float32)
    if split.node or has_values:
        if has_values:
            before = np.array(leaf_values(node.leaf), np.float32)
        node.metadata.original_leaf.CopyFrom(node.leaf)
    node.metadata.gain = split.gain
    left = len(tree.nodes)
    for contribution in (split.left, split.right):
        with np.errstate(all="ignore"):
            _set_leaf(tree.nodes.add().leaf, before + contribution)
    _write(node, split, left)


def _set_leaf(leaf: Leaf, values: Any) -> None:
    if len(values) == 1:
        leaf.scalar = values[0]
        leaf.SetInParent()
    else:
        leaf.vector.value.extend(values.tolist())


def _write(node: Node, split: Split, left: int) -> None:
    if split.kind == EQUALITY:
        equal = node.categorical_split
        equal.feature_id, equal.value = split.feature, split.bucket
        equal.dimension_id, equal.left_id, equal.right_id = split.dimension, left, left + 1
        return
    threshold = node.bucketized_split
    threshold.feature_id, threshold.threshold = split.feature, split.bucket
    threshold.dimension_id, threshold.left_id, threshold.right_id = split.dimension, left, left + 1
    goes_right = split.kind == DEFAULT_RIGHT
    threshold.default_direction = (
        DefaultDirection.DEFAULT_RIGHT if goes_right else DefaultDirection.DEFAULT_LEFT
    )


def check_kind(kind: bytes) -> None:
    """Checks the name of a kind of split.

    Raises:
      InvalidArgumentError: There is no such kind.
    """
    if kind not in KINDS:
        raise invalid(
            f"Unknown split type '{kind.decode(errors='replace')}': it must be one of "
            f"{', '.join(name.decode() for name in KINDS)}"
        )


def center(ensemble: Ensemble, gradient: Any, hessian: Any, l1: Any, l2: Any) -> bool:
    """Moves the bias of an ensemble by what a leaf with all examples would contribute.

    Returns:
      Whether it has moved by more than a small part of it.

    Raises:
      InvalidArgumentError: The first tree does not begin with a leaf of one logit.
    """
    weights, _ = weights_and_gains(
        np.array([gradient], np.float32), np.array([hessian], np.float32), l1, l2
    )
    moved = weights[0]
    if not ensemble.tree_count:
        ensemble.add_tree([float(moved)])
        return True
    tree = ensemble.tree(0)
    _check_leaf(tree, 0, 0, 1)
    leaf = tree.nodes[0].leaf
    bias = np.float32(leaf.scalar)
    with np.errstate(all="ignore"):
        goes_on = bool(np.abs(moved / bias) > _LEAST_MOVE)
        leaf.scalar = bias + moved
    return goes_on
