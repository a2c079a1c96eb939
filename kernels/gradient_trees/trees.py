"""A tree as examples see it: the ways to its leaves, and what these add to logits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.gradient_trees.features import Features
from dataflow.kernels.threads.stopping import look
from dataflow.proto.tree_config_pb2 import DecisionTreeConfig, Leaf, TreeNode

_BINARY = {
    "dense_float_binary_split": lambda node: node.dense_float_binary_split,
    "sparse_float_binary_split_default_left": (
        lambda node: node.sparse_float_binary_split_default_left.split
    ),
    "sparse_float_binary_split_default_right": (
        lambda node: node.sparse_float_binary_split_default_right.split
    ),
    "categorical_id_binary_split": lambda node: node.categorical_id_binary_split,
    "categorical_id_set_membership_binary_split": (
        lambda node: node.categorical_id_set_membership_binary_split
    ),
}
_OBLIVIOUS = ("oblivious_dense_float_binary_split", "oblivious_categorical_id_binary_split")
"""Each of them splits a whole layer; all leaves of the last layer stand behind the last one."""


def binary_split(node: TreeNode) -> Any:
    """The part of a node with the ids of its two children; None for a leaf and other nodes."""
    kind = node.WhichOneof("node")
    return _BINARY[kind](node) if kind in _BINARY else None


def leaf_values(leaf: Leaf) -> tuple[list[int], list[float]]:
    """The classes of a leaf, and what it adds to their logits."""
    if leaf.HasField("sparse_vector"):
        return list(leaf.sparse_vector.index), list(leaf.sparse_vector.value)
    values = list(leaf.vector.value)
    return list(range(len(values))), values


class TreeArrays:
    """A tree that does not change."""

    def __init__(self, tree: DecisionTreeConfig, place: int) -> None:
        """Reads a message; `place` is the tree's id, for messages."""
        self._nodes = list(tree.nodes)
        self._place = place
        self._kinds = [node.WhichOneof("node") for node in self._nodes]
        self._values: dict[int, Any] = {}

    def __len__(self) -> int:
        return len(self._nodes)

    def values(self, logits: int) -> Any:
        """What the nodes add to logits, a row for each: 0 where a node is no leaf.

        Raises:
          InvalidArgumentError: A leaf is of a class that is not there, or has no values.
        """
        if logits not in self._values:
            self._values[logits] = self._read_values(logits)
        return self._values[logits]

    def _read_values(self, logits: int) -> Any:
        found = np.zeros((len(self._nodes), logits), np.float32)
        for at, (kind, node) in enumerate(zip(self._kinds, self._nodes, strict=True)):
            if kind != "leaf":
                continue
            if node.leaf.WhichOneof("leaf") is None:
                raise invalid(f"Node {at} of tree {self._place} is a leaf without values")
            classes, values = leaf_values(node.leaf)
            if len(classes) != len(values):
                raise invalid(
                    f"Node {at} of tree {self._place} has {len(classes)} classes and "
                    f"{len(values)} values"
                )
            for index, value in zip(classes, values, strict=True):
                if not 0 <= index < logits:
                    raise invalid(
                        f"Node {at} of tree {self._place} has a value for logit {index}, and "
                        f"there are {logits}"
                    )
                found[at, index] += np.float32(value)
        return found

    def leaves(self, features: Features) -> Any:
        """The ids of the leaves at which examples arrive, int32.

        Raises:
          InvalidArgumentError: A node is not there, or none of those that are known; a feature is
            not there; or the tree leads in a circle.
        """
        look()
        if not self._nodes:
            raise invalid(f"Invalid tree: tree {self._place} has no nodes")
        if self._kinds[0] in _OBLIVIOUS:
            return self._leaves_of_layers(features)
        found = np.zeros(len(features), np.int32)
        waiting: list[tuple[int, Any]] = [(0, None)]
        visited = 0
        while waiting:
            at, rows = waiting.pop()
            visited += 1
            if visited > len(self._nodes):
                raise invalid(f"Tree {self._place} leads in a circle through node {at}")
            if not 0 <= at < len(self._nodes):
                raise invalid(
                    f"Tree {self._place} has {len(self._nodes)} nodes, and none of id {at}"
                )
            if self._kinds[at] == "leaf":
                found[... if rows is None else rows] = at
                continue
            split = binary_split(self._nodes[at])
            if split is None:
                raise self._unknown(at)
            left = self._goes_left(at, features, rows)
            for child, going in ((split.right_id, ~left), (split.left_id, left)):
                chosen = np.flatnonzero(going) if rows is None else rows[going]
                if chosen.size:
                    waiting.append((child, chosen))
        return found

    def _leaves_of_layers(self, features: Features) -> Any:
        """The same, of a tree in which all nodes of a layer are split alike."""
        offsets = np.zeros(len(features), np.int32)
        for at, kind in enumerate(self._kinds):
            if kind == "leaf":
                leaves = offsets + np.int32(at)
                if leaves.size and int(leaves.max()) >= len(self._nodes):
                    raise invalid(
                        f"Tree {self._place} has {len(self._nodes)} nodes, and none of id "
                        f"{int(leaves.max())}"
                    )
                return leaves
            if kind not in _OBLIVIOUS:
                raise self._unknown(at)
            offsets = 2 * offsets + ~self._goes_left(at, features, None)
        raise invalid(f"Tree {self._place} has no leaves")

    def _unknown(self, at: int) -> Exception:
        return invalid(
            f"Invalid node in tree: node {at} of tree {self._place} is neither a leaf nor a split "
            "that is known there"
        )

    def _goes_left(self, at: int, features: Features, rows: Any) -> Any:
        """Which of some examples go left at a split; `rows` is None for all."""
        kind = self._kinds[at]
        split = getattr(self._nodes[at], kind)
        if kind.startswith("sparse"):
            split = split.split
        pick: Callable[[Any], Any] = (lambda x: x) if rows is None else (lambda x: x[rows])
        of_kind: dict[str, Sequence[Any]] = {"dense": features.dense, "sparse": features.sparse}
        columns = of_kind.get(kind.removeprefix("oblivious_").split("_")[0], features.categories)
        if not 0 <= split.feature_column < len(columns):
            raise invalid(
                f"Node {at} of tree {self._place} splits by feature {split.feature_column}, and "
                f"there are {len(columns)} of its kind"
            )
        column = columns[split.feature_column]
        if kind.endswith("dense_float_binary_split"):
            return pick(column) <= np.float32(split.threshold)
        if kind.startswith("sparse"):
            has, values = column.of_dimension(split.dimension_id)
            below = pick(values) <= np.float32(split.threshold)
            return below & pick(has) if kind.endswith("right") else below | ~pick(has)
        if kind.endswith("set_membership_binary_split"):
            has = np.zeros(len(features), bool)
            for category in split.feature_ids:
                has = has | column.have(category)
            return pick(has)
        return pick(column.have(split.feature_id))
