"""A tree grows: leaves that have seen enough split."""

from __future__ import annotations

import numpy as np

from dataflow.kernels.tensor_forest.fertile_stats import FertileStats
from dataflow.kernels.tensor_forest.tree import DecisionTree


def grow(tree: DecisionTree, stats: FertileStats, finished: np.ndarray, most_nodes: int) -> None:
    """Splits leaves, one after the other, while the tree may have more nodes.

    A leaf without a useful candidate begins anew.

    Args:
      tree: The tree.
      stats: What its leaves have counted.
      finished: The leaves.
      most_nodes: With how many nodes a tree stops growing.

    Raises:
      InvalidArgumentError: A number is no leaf's.
    """
    for node in finished.tolist():
        if tree.count >= most_nodes:
            return
        depth = stats.depth(node)
        found = stats.best(node)
        if found is None:
            stats.open(node, depth)
            continue
        test, best = found
        for child in tree.split(node, test, best.left, best.right):
            stats.open(child, depth + 1)
        stats.close(node)
