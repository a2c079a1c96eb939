"""A tree as arrays, and the way of examples through it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.threads.stopping import look
from dataflow.proto.boosted_trees_pb2 import Leaf, Node, Tree


def leaf_values(leaf: Leaf) -> list[float]:
    """The logits of a leaf."""
    return list(leaf.vector.value) if leaf.HasField("vector") else [leaf.scalar]


def node_values(node: Node) -> list[float]:
    """The logits of a leaf, or those that a split had when it was one; none, if it had none."""
    if node.HasField("leaf"):
        return leaf_values(node.leaf)
    has_values = node.metadata.HasField("original_leaf")
    return leaf_values(node.metadata.original_leaf) if has_values else []


class Features:
    """The buckets of a batch of examples, by feature and dimension."""

    def __init__(self, features: Sequence[Any]) -> None:
        """Takes a vector, or a matrix with a column for each dimension, for each feature.

        Raises:
          InvalidArgumentError: A feature is neither, or has another number of examples.
        """
        columns = []
        for place, feature in enumerate(features):
            shape = np.shape(feature)
            if len(shape) not in (1, 2):
                raise invalid(
                    "Each bucketized feature must be a vector or a matrix, received shape "
                    f"{shape_text(shape)} at index {place}"
                )
            if shape[0] != np.shape(features[0])[0]:
                raise invalid(
                    "All bucketized features must have the same number of examples, got "
                    f"{np.shape(features[0])[0]} and {shape[0]} at index {place}"
                )
            columns.append(np.reshape(feature, (shape[0], -1) if shape[0] else (0, 1)))
        self.widths = np.array([column.shape[1] for column in columns])
        self.starts = np.cumsum(self.widths) - self.widths
        self.buckets = np.concatenate(columns, axis=1)

    def __len__(self) -> int:
        return len(self.buckets)


class TreeArrays:
    """The nodes of a tree, by their ids; never changes."""

    def __init__(self, tree: Tree, place: int, logits: int) -> None:
        """Reads a message.

        Args:
          tree: The tree.
          place: Its id, for messages.
          logits: How many logits leaves have.

        Raises:
          InvalidArgumentError: A node has another number of logits.
        """
        self._place = place
        columns = np.array([_columns(node) for node in tree.nodes], np.int64)
        columns = columns.reshape(len(tree.nodes), 6)
        kinds, self.features, self._dimensions, self._thresholds, self._left, self._right = (
            columns.T
        )
        self.is_leaf = kinds == _LEAF
        self._has_value = kinds == _VALUE
        self._is_unknown = kinds == _UNKNOWN
        rows = [node_values(node) for node in tree.nodes]
        for node, row in enumerate(rows):
            if row and len(row) != logits:
                raise invalid(f"Node {node} of tree {place} has {len(row)} logits, not {logits}")
        filled = np.array([row or [0.0] * logits for row in rows], np.float32)
        self.values = filled.reshape(len(rows), logits)
        """The logits of all nodes, a row for each; 0 for those that have none."""

    def __len__(self) -> int:
        return len(self.is_leaf)

    def check_ids(self, ids: Any) -> None:
        """Checks that there are nodes of these ids.

        Raises:
          InvalidArgumentError: There is one that is not there.
        """
        wrong = (ids < 0) | (ids >= len(self))
        if wrong.any():
            node = int(ids[wrong][0])
            raise invalid(f"Tree {self._place} has {len(self)} nodes, and none of id {node}")

    def leaves(self, features: Features, rows: Any, starts: Any) -> Any:
        """The leaves at which examples arrive.

        Args:
          features: The buckets of all examples.
          rows: Which of them are meant.
          starts: From which nodes they go.

        Raises:
          InvalidArgumentError: A node is not there, or no split that can be decided; or the tree
            leads in a circle.
        """
        at = np.array(starts, np.int64)
        for _ in self.steps(features, rows, at):
            pass
        return at

    def steps(self, features: Features, rows: Any, at: Any) -> Iterator[tuple[Any, Any]]:
        """Sends examples from node to node until all are at leaves.

        Args:
          features: The buckets of all examples.
          rows: Which of them are meant.
          at: Where they are; is written to.

        Yields:
          After each step, the places of those that took it, and the features they were split by.

        Raises:
          InvalidArgumentError: As `leaves` does.
        """
        look()
        self.check_ids(at)
        going = np.flatnonzero(~self.is_leaf[at])
        for _ in range(len(self)):
            if not going.size:
                return
            splits = at[going]
            at[going] = self._next(features, rows[going], splits)
            yield going, self.features[splits]
            going = going[~self.is_leaf[at[going]]]
        if going.size:
            raise invalid(f"Tree {self._place} leads in a circle through node {at[going[0]]}")

    def _next(self, features: Features, rows: Any, at: Any) -> Any:
        """The nodes that come behind splits, on the ways of examples."""
        unknown = self._is_unknown[at]
        if unknown.any():
            raise invalid(
                f"Node {at[unknown][0]} of tree {self._place} is neither a leaf nor a split of "
                "buckets"
            )
        feature, dimension = self.features[at], self._dimensions[at]
        count = len(features.widths)
        wrong = (feature < 0) | (feature >= count)
        if wrong.any():
            raise invalid(
                f"Node {at[wrong][0]} of tree {self._place} splits by feature "
                f"{feature[wrong][0]}, and there are {count} features"
            )
        wrong = (dimension < 0) | (dimension >= features.widths[feature])
        if wrong.any():
            raise invalid(
                f"Node {at[wrong][0]} of tree {self._place} splits by dimension "
                f"{dimension[wrong][0]} of feature {feature[wrong][0]}, which has "
                f"{features.widths[feature[wrong][0]]}"
            )
        buckets = features.buckets[rows, features.starts[feature] + dimension]
        thresholds = self._thresholds[at]
        goes_left = np.where(self._has_value[at], buckets == thresholds, buckets <= thresholds)
        found = np.where(goes_left, self._left[at], self._right[at])
        self.check_ids(found)
        return found


_LEAF, _THRESHOLD, _VALUE, _UNKNOWN = range(4)
"""What a node is."""


def _columns(node: Node) -> tuple[int, ...]:
    """Kind, feature, dimension, threshold or value, and the ids of both children."""
    kind = node.WhichOneof("node")
    if kind == "leaf":
        return _LEAF, 0, 0, 0, 0, 0
    if kind == "bucketized_split":
        split = node.bucketized_split
        return (
            _THRESHOLD,
            split.feature_id,
            split.dimension_id,
            split.threshold,
            split.left_id,
            split.right_id,
        )
    if kind == "categorical_split":
        equal = node.categorical_split
        return (
            _VALUE,
            equal.feature_id,
            equal.dimension_id,
            equal.value,
            equal.left_id,
            equal.right_id,
        )
    return _UNKNOWN, 0, 0, 0, 0, 0
