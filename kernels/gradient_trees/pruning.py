"""Takes splits back that gain nothing, once a tree is done."""

from __future__ import annotations

from dataflow.kernels.gradient_trees.trees import binary_split
from dataflow.proto.tree_config_pb2 import DecisionTreeConfig, TreeNode


def prune(tree: DecisionTreeConfig) -> None:
    """Makes leaves of splits whose gain is below 0 and behind which there are leaves only.

    Where no split is left that gains anything, no node is left.
    """
    nodes = [TreeNode.FromString(node.SerializeToString()) for node in tree.nodes]
    del tree.nodes[:]
    if not nodes:
        return
    _prune_from(0, nodes)
    tree.nodes.add().CopyFrom(nodes[0])
    new_ids = {0: 0}
    for old, node in enumerate(nodes):
        split = binary_split(node)
        if old not in new_ids or split is None:
            continue
        ids = []
        for child in (split.left_id, split.right_id):
            new_ids[child] = len(tree.nodes)
            ids.append(len(tree.nodes))
            tree.nodes.add().CopyFrom(nodes[child])
        moved = binary_split(tree.nodes[new_ids[old]])
        moved.left_id, moved.right_id = ids
    if len(tree.nodes) == 1 and tree.nodes[0].node_metadata.gain <= 0:
        del tree.nodes[:]


def _prune_from(root: int, nodes: list[TreeNode]) -> None:
    """Prunes what is behind a node, and then the node."""
    order, waiting = [], [root]
    while waiting:
        at = waiting.pop()
        split = binary_split(nodes[at])
        if split is not None:
            order.append(at)
            waiting += [split.left_id, split.right_id]
    for at in reversed(order):
        node = nodes[at]
        split, metadata = binary_split(node), node.node_metadata
        children = [split.left_id, split.right_id]
        if metadata.gain < 0 and all(nodes[child].HasField("leaf") for child in children):
            for child in children:
                nodes[child] = TreeNode()
            leaf = metadata.original_leaf
            pruned = TreeNode()
            pruned.leaf.CopyFrom(leaf)
            nodes[at] = pruned
        else:
            metadata.ClearField("original_leaf")
