"""How a tree grows in which all nodes of a layer are split alike: an oblivious tree."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.gradient_trees.ensemble import Ensemble
from dataflow.kernels.gradient_trees.growing import (
    NO_SPLITS,
    Candidate,
    Step,
    growable_tree,
    merged,
)
from dataflow.proto.learner_pb2 import LearnerConfig
from dataflow.proto.split_info_pb2 import ObliviousSplitInfo
from dataflow.proto.tree_config_pb2 import DecisionTreeConfig, Leaf, TreeNode

_logger = logging.getLogger(__name__)


def best_of(lists: Iterable[tuple[int, Any, Any, Any]], config: LearnerConfig) -> Candidate | None:
    """The best split of a layer; None if none is good.

    Args:
      lists: For each feature its place, nodes, gains and serialized splits: one or none.
      config: Whether splits that gain nothing are left out.

    Raises:
      InvalidArgumentError: Bytes are no ObliviousSplitInfo.
    """
    best: Candidate | None = None
    for handler, _, gains, splits in lists:
        for gain, serialized in zip(gains, np.asarray(splits, object).tolist(), strict=True):
            if config.pruning_mode == LearnerConfig.PRE_PRUNE and gain < 0:
                continue
            try:
                split = ObliviousSplitInfo.FromString(bytes(serialized))
            except DecodeError:
                raise invalid("Unable to parse split info.") from None
            if len(split.children) != 2 * len(split.children_parent_id):
                raise invalid(
                    f"A split of {len(split.children_parent_id)} nodes has {len(split.children)} "
                    "children"
                )
            is_split = split.split_node.WhichOneof("node")
            if not is_split or not all(leaf.WhichOneof("leaf") for leaf in split.children):
                continue
            if best is None or gain > best.gain:
                best = Candidate(handler, gain, split)
    return best


def grow(ensemble: Ensemble, best: Candidate | None, step: Step) -> None:
    """Adds a layer to the tree that grows, or begins a tree; ends it if it is deep enough."""
    if best is None:
        _logger.warning(NO_SPLITS)
        return
    tree = growable_tree(ensemble, step)
    _split(tree, best, step.config)


def _split(tree: DecisionTreeConfig, best: Candidate, config: LearnerConfig) -> None:
    nodes = [TreeNode.FromString(node.SerializeToString()) for node in tree.nodes]
    depth = next((at for at, node in enumerate(nodes) if node.HasField("leaf")), len(nodes))
    leaves = nodes[depth:]
    children: dict[int, list[Leaf]] = {}
    for place, parent in enumerate(best.split.children_parent_id):
        if not depth <= parent < len(nodes):
            raise invalid(f"Invalid node {parent} to split: the leaves are {depth} and behind")
        children[parent - depth] = list(best.split.children[2 * place : 2 * place + 2])
    del tree.nodes[depth:]
    split = tree.nodes.add()
    split.CopyFrom(best.split.split_node)
    split.node_metadata.gain = float(best.gain)
    metadata = split.node_metadata
    for place, node in enumerate(leaves):
        metadata.original_oblivious_leaves.add().CopyFrom(node.leaf)
        for child in children.get(place, [node.leaf, node.leaf]):
            made = child if place not in children else merged(node.leaf, child, config)
            tree.nodes.add().leaf.CopyFrom(made)
