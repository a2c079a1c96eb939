"""What trees are grown by, as estimators are given it."""

from __future__ import annotations

from typing import Any, NamedTuple


class TreeHParams(NamedTuple):
    """How many trees there are, how deep they are, and what splits cost."""

    n_trees: int
    max_depth: int
    learning_rate: float
    l1: float
    l2: float
    tree_complexity: float
    min_node_weight: float
    center_bias: bool
    pruning_mode: Any
    quantile_sketch_epsilon: float

    @property
    def max_splits(self) -> int:
        """The most nodes of a tree that can be split."""
        return (1 << self.max_depth) - 1
