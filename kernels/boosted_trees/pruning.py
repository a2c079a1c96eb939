"""Splits of a tree that gained nothing are taken back when the tree is done."""

from __future__ import annotations

from typing import Any

import numpy as np

from dataflow.kernels.boosted_trees.trees import leaf_values
from dataflow.kernels.contract.invalid import invalid
from dataflow.proto.boosted_trees_pb2 import Node, Tree, TreeMetadata

_SPLITS = ("bucketized_split", "categorical_split")


def prune(tree: Tree, metadata: TreeMetadata, place: int, logits: int) -> None:
    """Makes leaves of splits whose gain is below 0 and whose children are leaves, from the leaves
    up, and writes down where each node has gone.

    Args:
      tree: The tree.
      metadata: Keeps where nodes have gone, by their former ids.
      place: The tree's id, for messages.
      logits: How many logits leaves have.

    Raises:
      InvalidArgumentError: A node is not there, or a child of two nodes.
    """
    parents: dict[int, int] = {}
    changes: dict[int, Any] = {}
    for node_id in reversed(_from_the_root(tree, place)):
        node = tree.nodes[node_id]
        children = _children(node)
        if not children or not node.metadata.gain < 0:
            continue
        if not all(tree.nodes[child].HasField("leaf") for child in children):
            continue
        before = np.zeros(logits, np.float32)
        if node.metadata.HasField("original_leaf"):
            before = np.array(leaf_values(node.metadata.original_leaf), np.float32)
        for child in children:
            parents[child] = node_id
            with np.errstate(all="ignore"):
                changes[child] = before - np.array(leaf_values(tree.nodes[child].leaf), np.float32)
        node.leaf.CopyFrom(node.metadata.original_leaf)
        node.leaf.SetInParent()
        node.ClearField("metadata")
    if parents:
        _renumber(tree, metadata, parents, changes, logits)


def _children(node: Node) -> tuple[int, ...]:
    kind = node.WhichOneof("node")
    if kind not in _SPLITS:
        return ()
    split = getattr(node, kind)
    return split.left_id, split.right_id


def _from_the_root(tree: Tree, place: int) -> list[int]:
    """The ids of nodes, each behind its parent."""
    order: list[int] = []
    waiting = [0] if tree.nodes else []
    known = set(waiting)
    while waiting:
        order.append(waiting.pop())
        for child in _children(tree.nodes[order[-1]]):
            if not 0 <= child < len(tree.nodes):
                raise invalid(f"Tree {place} has {len(tree.nodes)} nodes, and none of id {child}")
            if child in known:
                raise invalid(f"Node {child} of tree {place} has more than one parent")
            known.add(child)
            waiting.append(child)
    return order


def _renumber(
    tree: Tree,
    metadata: TreeMetadata,
    parents: dict[int, int],
    changes: dict[int, Any],
    logits: int,
) -> None:
    stay = [node for node in range(len(tree.nodes)) if node not in parents]
    ids = {old: new for new, old in enumerate(stay)}
    for node in range(len(tree.nodes)):
        moved, at = np.zeros(logits, np.float32), node
        while at in parents:
            with np.errstate(all="ignore"):
                moved = moved + changes[at]
            at = parents[at]
        metadata.post_pruned_nodes_meta.add(new_node_id=ids[at], logit_change=moved.tolist())
    kept = [tree.nodes[old] for old in stay]
    for node_message in kept:
        kind = node_message.WhichOneof("node")
        if kind in _SPLITS:
            split = getattr(node_message, kind)
            split.left_id, split.right_id = ids[split.left_id], ids[split.right_id]
    pruned = Tree(nodes=kept)
    tree.CopyFrom(pruned)
