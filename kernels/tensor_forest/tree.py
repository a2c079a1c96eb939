"""A tree of a forest: nodes as columns of arrays, which examples pass together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from google.protobuf.message import DecodeError

from dataflow.kernels.boosted_trees.created import Created
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.tensor_forest.examples import Examples
from dataflow.kernels.tensor_forest.leaves import Side, make_leaves
from dataflow.kernels.tensor_forest.node_tests import (
    OTHER,
    Decide,
    NodeTest,
    decide,
    features_of,
    read_test,
    write_test,
)
from dataflow.proto.fertile_stats_pb2 import TreePath
from dataflow.proto.generic_tree_model_pb2 import BinaryNode, Model, TreeNode
from dataflow.proto.tensor_forest_params_pb2 import TensorForestParams

_NONE = -1


class DecisionTree:
    """Nodes and their leaves' models."""

    def __init__(self, params: TensorForestParams, serialized: bytes) -> None:
        """Reads a Model message; a tree of one leaf if it has no node.

        Raises:
          InvalidArgumentError: The bytes are none, or nodes cannot be used.
        """
        self.params = params
        self.replace(serialized)

    def replace(self, serialized: bytes) -> None:
        """Takes another message's place.

        Raises:
          InvalidArgumentError: The bytes are none, or nodes cannot be used.
        """
        try:
            model = Model.FromString(serialized)
        except DecodeError:
            raise invalid("Unable to parse tree  config.") from None
        nodes = model.decision_tree.nodes
        count = max(1, len(nodes))
        self.leaves = make_leaves(self.params)
        self._count = count
        self._children = np.full((count, 2), _NONE, np.int32)
        self._ids = np.full(count, _NONE, np.int32)
        self._features = np.zeros(count, np.int64)
        self._thresholds = np.zeros(count, np.float32)
        self._kinds = np.zeros(count, np.uint8)
        self._others: dict[int, tuple[BinaryNode, Decide]] = {}
        if not nodes:
            self.leaves.start(0)
        for place, node in enumerate(nodes):
            self._read(place, node, nodes)

    def _read(self, place: int, node: TreeNode, nodes: Sequence[TreeNode]) -> None:
        if node.HasField("node_id"):
            self._ids[place] = node.node_id.value
        if node.HasField("leaf"):
            self.leaves.read(place, node.leaf)
            return
        split = node.binary_node
        test = read_test(split, f"node {place}")
        for side, child in enumerate((split.left_child_id.value, split.right_child_id.value)):
            if not 0 <= child < self._count:
                raise invalid(f"Node {place} has child {child}, and the tree {self._count} nodes")
            # The child tells its own number, which may be another one.
            child = nodes[child].node_id.value if nodes[child].HasField("node_id") else child
            if not place < child < self._count:
                raise invalid(f"Node {child} cannot be a child of node {place}: it comes before")
            self._children[place, side] = child
        self._set_test(place, test, split)

    def _set_test(self, place: int, test: NodeTest, split: BinaryNode) -> None:
        self._kinds[place], self._features[place] = test.kind, test.feature
        self._thresholds[place] = test.threshold
        if test.decide is not None:
            self._others[place] = split, test.decide

    @property
    def count(self) -> int:
        """How many nodes there are, leaves included."""
        return self._count

    def is_leaf(self, nodes: np.ndarray) -> np.ndarray:
        """Whether nodes are leaves.

        Raises:
          InvalidArgumentError: A number is no node's.
        """
        if len(nodes) and not 0 <= int(nodes.min()) <= int(nodes.max()) < self._count:
            raise invalid(
                f"Nodes must be in [0, {self._count}), got {nodes.min()} to {nodes.max()}"
            )
        is_end: np.ndarray = self._children[nodes, 0] == _NONE
        return is_end

    def find_leaves(self, examples: Examples) -> np.ndarray:
        """The leaf of each example, int32."""
        found = np.zeros(examples.count, np.int32)
        rows = np.arange(examples.count)
        rows = rows[self._children[found[rows], 0] != _NONE]
        while len(rows):
            nodes = found[rows]
            found[rows] = self._children[
                nodes, np.where(self._goes_left(examples, rows, nodes), 0, 1)
            ]
            rows = rows[self._children[found[rows], 0] != _NONE]
        return found

    def _goes_left(self, examples: Examples, rows: np.ndarray, nodes: np.ndarray) -> np.ndarray:
        kinds = self._kinds[nodes]
        if self._others and (kinds == OTHER).any():
            passed = np.zeros(len(rows), bool)
            for node in np.unique(nodes).tolist():
                here = nodes == node
                if node in self._others:
                    passed[here] = self._others[node][1](examples, rows[here])
                else:
                    values = examples.values(rows[here], self._features[nodes[here]])
                    passed[here] = decide(kinds[here], values, self._thresholds[nodes[here]])
            return passed
        return decide(kinds, examples.values(rows, self._features[nodes]), self._thresholds[nodes])

    def predictions(self, nodes: np.ndarray) -> np.ndarray:
        """What leaves predict, as rows: chances of classes, or means of targets."""
        rows = self.leaves.rows(nodes)
        if self.params.is_regression or not rows.size:
            return rows
        total = np.add.accumulate(rows, axis=1)[:, -1:]
        return np.where(total > 0, rows / np.where(total > 0, total, np.float32(1)), rows)

    def paths(self, nodes: np.ndarray) -> np.ndarray:
        """The nodes from the root to leaves, as TreePath messages."""
        above = {
            int(child): place
            for place in range(self._count)
            for child in self._children[place]
            if child != _NONE
        }
        known: dict[int, bytes] = {}
        for leaf in np.unique(nodes).tolist():
            way = [leaf]
            while way[-1]:
                way.append(above[way[-1]])
            path = TreePath()
            for place in reversed(way):
                self._write(place, path.nodes_visited.add())
            known[leaf] = path.SerializeToString()
        found = np.empty(len(nodes), object)
        found[:] = [known[leaf] for leaf in nodes.tolist()]
        return found

    def serialized(self) -> bytes:
        """The tree as a Model message."""
        model = Model()
        for place in range(self._count):
            self._write(place, model.decision_tree.nodes.add())
        return model.SerializeToString()

    def _write(self, place: int, node: TreeNode) -> None:
        if self._ids[place] != _NONE:
            node.node_id.value = int(self._ids[place])
        if self._children[place, 0] == _NONE:
            node.leaf.SetInParent()
            self.leaves.write(place, node.leaf)
            return
        split = node.binary_node
        if place in self._others:
            split.CopyFrom(self._others[place][0])
        else:
            write_test(
                split,
                int(self._kinds[place]),
                int(self._features[place]),
                float(self._thresholds[place]),
                self.params.inequality_test_type,
            )
        split.left_child_id.value, split.right_child_id.value = self._children[place].tolist()

    def split(self, node: int, test: NodeTest, left: Side, right: Side) -> tuple[int, int]:
        """Makes two leaves below one.

        Args:
          node: The leaf.
          test: What sends examples to the left.
          left: What the left leaf begins with.
          right: What the right one begins with.

        Returns:
          The new leaves' numbers.
        """
        first = self._count
        self._reserve(first + 2)
        self._count += 2
        for place, side in ((first, left), (first + 1, right)):
            self._ids[place] = place
            self.leaves.take(place, side)
        self.leaves.forget(node)
        self._children[node] = first, first + 1
        self._set_test(node, test, BinaryNode())
        return first, first + 1

    def _reserve(self, count: int) -> None:
        have = len(self._ids)
        if count > have:
            more = max(count, 2 * have) - have
            self._children = np.pad(self._children, ((0, more), (0, 0)), constant_values=_NONE)
            self._ids = np.pad(self._ids, (0, more), constant_values=_NONE)
            self._features = np.pad(self._features, (0, more))
            self._thresholds = np.pad(self._thresholds, (0, more))
            self._kinds = np.pad(self._kinds, (0, more))

    def feature_counts(self, features: int) -> np.ndarray:
        """How many nodes look at each feature, int32.

        Raises:
          InvalidArgumentError: A node looks at one that the forest does not have.
        """
        inner = np.flatnonzero(self._children[: self._count, 0] != _NONE)
        plain = inner[self._kinds[inner] != OTHER]
        seen = self._features[plain].tolist()
        seen += [each for split, _ in self._others.values() for each in features_of(split)]
        if any(not 0 <= feature < features for feature in seen):
            raise invalid(
                f"A node tests feature {max(seen)}, and the forest's num_features is {features}"
            )
        return np.bincount(np.array(seen, np.int64), minlength=features).astype(np.int32)


class DecisionTreeResource(Created[DecisionTree]):
    """A tree that is made before it is used."""

    kind = "N10tensorflow12tensorforest20DecisionTreeResourceE"
