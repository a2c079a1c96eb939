"""How an ensemble grows: a bias before the first tree, and trees layer by layer."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from google.protobuf.message import DecodeError

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.gradient_trees import dropout
from dataflow.kernels.gradient_trees.ensemble import Ensemble
from dataflow.kernels.gradient_trees.pruning import prune
from dataflow.kernels.gradient_trees.trees import binary_split, leaf_values
from dataflow.proto.learner_pb2 import LearnerConfig
from dataflow.proto.split_info_pb2 import SplitInfo
from dataflow.proto.tree_config_pb2 import DecisionTreeConfig, Leaf, TreeNode

_logger = logging.getLogger(__name__)
_KINDS: Final = {
    field.name: field.number for field in TreeNode.DESCRIPTOR.oneofs_by_name["node"].fields
}
"""Kind of node -> its number: of equal splits the one with the smaller number is taken."""
NO_SPLITS: Final = "Not growing tree ensemble as no good splits were found."


@dataclass(frozen=True, slots=True)
class Candidate:
    """A split that a feature offers."""

    handler: int
    """The feature's place."""
    gain: Any
    split: Any
    """A SplitInfo, or an ObliviousSplitInfo."""


@dataclass(frozen=True, slots=True)
class Step:
    """What a step of growing is told besides the splits."""

    config: LearnerConfig
    rate: float
    dropout_seed: int
    max_depth: int
    has_bias: bool


def best_of(
    offers: Iterable[tuple[int, int, Any, bytes]], config: LearnerConfig
) -> dict[int, Candidate]:
    """The best split of each node, by the ids of nodes.

    Args:
      offers: Feature, node, gain, and a SplitInfo as bytes.
      config: Whether splits that gain nothing are left out.

    Raises:
      InvalidArgumentError: Bytes are no SplitInfo.
    """
    best: dict[int, Candidate] = {}
    pre_prunes = config.pruning_mode == LearnerConfig.PRE_PRUNE
    for handler, node, gain, serialized in offers:
        known = best.get(node)
        if (pre_prunes and gain < 0) or (known is not None and gain < known.gain):
            continue
        try:
            split = SplitInfo.FromString(serialized)
        except DecodeError:
            raise invalid("Unable to parse split info.") from None
        if not _splits(split):
            continue
        found = Candidate(handler, gain, split)
        if known is None or gain > known.gain or (gain == known.gain and _precedes(found, known)):
            best[node] = found
    return dict(sorted(best.items()))


def _splits(split: SplitInfo) -> bool:
    """Whether there is a split, and both of its leaves have values."""
    leaves = split.left_child, split.right_child
    return bool(split.split_node.WhichOneof("node")) and all(
        leaf.WhichOneof("leaf") for leaf in leaves
    )


def _precedes(found: Candidate, known: Candidate) -> bool:
    """Whether of two equally good splits the new one is simpler, or of a later feature."""
    kinds = [_KINDS[each.split.split_node.WhichOneof("node")] for each in (found, known)]
    return kinds[0] < kinds[1] or (kinds[0] == kinds[1] and found.handler > known.handler)


def grow(ensemble: Ensemble, best: dict[int, Candidate], step: Step) -> None:
    """Adds a layer to the tree that grows, or begins a tree; ends it if it is deep enough.

    Args:
      ensemble: The ensemble.
      best: The split of each node.
      step: How it grows.

    Raises:
      InvalidArgumentError: A split is of no leaf of the tree.
    """
    if not best:
        _logger.warning(NO_SPLITS)
        return
    tree = growable_tree(ensemble, step)
    for node in best:
        _check_leaf(tree, node)
    for node, candidate in best.items():
        _split(tree, node, candidate, step.config)
        if step.config.constraints.max_number_of_unique_feature_columns:
            ensemble.add_used_handler(candidate.handler)
    is_done = ensemble.last_metadata().is_finalized
    if step.config.pruning_mode == LearnerConfig.POST_PRUNE and is_done:
        prune(tree)
        if not tree.nodes:
            ensemble.remove_last_tree()


def growable_tree(ensemble: Ensemble, step: Step) -> DecisionTreeConfig:
    """The tree that gets a layer, and its metadata as they are then.

    Raises:
      InvalidArgumentError: The dropout of the step is none.
    """
    if ensemble.is_last_done:
        ensemble.add_tree(step.rate).nodes.add().leaf.SetInParent()
        metadata = ensemble.last_metadata()
        metadata.is_finalized = step.max_depth <= 1
        metadata.num_tree_weight_updates = 1
    else:
        metadata = ensemble.last_metadata()
        metadata.num_layers_grown += 1
        metadata.is_finalized = metadata.num_layers_grown >= step.max_depth
    if metadata.is_finalized:
        _weigh_dropped(ensemble, step)
    return ensemble.last_tree()


def _weigh_dropped(ensemble: Ensemble, step: Step) -> None:
    """Gives the new tree, and those that were left out while it grew, their weights."""
    tuner = step.config.learning_rate_tuner
    if tuner.WhichOneof("tuner") != "dropout":
        return
    weights, last = ensemble.message.tree_weights, ensemble.tree_count - 1
    stays = {0, last} if step.has_bias else {last}
    left_out = dropout.dropped(step.dropout_seed, tuner.dropout, stays, len(weights))
    if left_out:
        found, changed = dropout.weights_after(list(weights), left_out, last)
        weights[:] = [float(weight) for weight in found]
        for place in changed:
            ensemble.message.tree_metadata[place].num_tree_weight_updates += 1


def _check_leaf(tree: DecisionTreeConfig, node: int) -> None:
    if not 0 <= node < len(tree.nodes):
        raise invalid(f"Invalid node {node} to split: the tree has {len(tree.nodes)} nodes")
    kind = tree.nodes[node].WhichOneof("node")
    if kind != "leaf":
        raise invalid(f"Unexpected node type to split: node {node} is a {kind}, and no leaf")


def _split(
    tree: DecisionTreeConfig, place: int, candidate: Candidate, config: LearnerConfig
) -> None:
    node = tree.nodes[place]
    before = Leaf.FromString(node.leaf.SerializeToString())
    ids = []
    for child in (candidate.split.left_child, candidate.split.right_child):
        ids.append(len(tree.nodes))
        tree.nodes.add().leaf.CopyFrom(merged(before, child, config))
    node = tree.nodes[place]
    node.CopyFrom(candidate.split.split_node)
    link = binary_split(node)
    if link is None:
        raise invalid("A leaf node cannot have children.")
    link.left_id, link.right_id = ids
    node.node_metadata.gain = float(candidate.gain)
    if config.pruning_mode == LearnerConfig.POST_PRUNE:
        node.node_metadata.original_leaf.CopyFrom(before)


def merged(before: Leaf, child: Leaf, config: LearnerConfig) -> Leaf:
    """What a leaf says that comes behind another one.

    Raises:
      InvalidArgumentError: They are not of one kind, or have different numbers of values.
    """
    if config.growing_mode == LearnerConfig.WHOLE_TREE or before.WhichOneof("leaf") is None:
        return child
    classes, values = leaf_values(before)
    if not values:
        return child
    kind = before.WhichOneof("leaf")
    if kind != child.WhichOneof("leaf"):
        raise invalid(f"A leaf with a {kind} was split into others: {child.WhichOneof('leaf')}")
    found = Leaf.FromString(child.SerializeToString())
    own_classes, own = leaf_values(child)
    if kind == "vector":
        if len(own) != len(values):
            raise invalid(f"A leaf of {len(values)} logits was split into leaves of {len(own)}")
        found.vector.value[:] = [_sum(a, b) for a, b in zip(own, values, strict=True)]
        return found
    sums: dict[int, float] = dict(zip(own_classes, own, strict=True))
    for index, value in zip(classes, values, strict=True):
        sums[index] = _sum(sums.get(index, 0.0), value)
    found.sparse_vector.index[:] = list(sums)
    found.sparse_vector.value[:] = list(sums.values())
    return found


def _sum(one: float, other: float) -> float:
    with np.errstate(all="ignore"):
        return float(np.float32(one) + np.float32(other))


def center(ensemble: Ensemble, deltas: Any, epsilon: float) -> bool:
    """Moves the bias, which is the leaf of the first tree.

    Args:
      ensemble: The ensemble, which has no other tree.
      deltas: By how much, for each logit.
      epsilon: The bias is centered if it moves by no more than that.

    Returns:
      Whether it has to be moved again.

    Raises:
      InvalidArgumentError: There are trees already, or the bias has other logits.
    """
    if not ensemble.tree_count:
        ensemble.count_attempt()
        leaf = ensemble.add_tree(1.0).nodes.add().leaf
        leaf.vector.value.extend([0.0] * len(deltas))
    nodes = ensemble.last_tree().nodes
    if ensemble.tree_count > 1 or len(nodes) != 1 or not nodes[0].leaf.HasField("vector"):
        raise invalid("Unable to center bias on an already grown ensemble")
    values = nodes[0].leaf.vector.value
    if len(values) > len(deltas):
        raise invalid(f"The bias has {len(values)} logits, and there are {len(deltas)} deltas")
    total = np.float32(0)
    for place, before in enumerate(values):
        with np.errstate(all="ignore"):
            total = total + np.abs(deltas[place])
        values[place] = _sum(before, deltas[place])
    goes_on = bool(total > np.float32(epsilon))
    if not goes_on:
        ensemble.last_metadata().is_finalized = True
    return goes_on


def offered(lists: Iterable[tuple[int, Any, Any, Any]]) -> Iterator[tuple[int, int, Any, bytes]]:
    """The offers of features, one by one; see `best_of`.

    Args:
      lists: For each feature its place, nodes, gains and serialized splits.

    Raises:
      InvalidArgumentError: They are of different numbers.
    """
    for handler, nodes, gains, splits in lists:
        for name, others in (("gains", gains), ("splits", splits)):
            if len(nodes) != len(others):
                raise invalid(
                    f"Inconsistent partition Ids and {name} tensors: {len(nodes)} != {len(others)}"
                )
        for node, gain, serialized in zip(
            np.asarray(nodes).tolist(), gains, np.asarray(splits, object).tolist(), strict=True
        ):
            yield handler, node, gain, bytes(serialized)
