"""What leaves predict: counts of classes, dense or of those seen, or means of targets."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.proto.generic_tree_model_pb2 import Leaf
from dataflow.proto.tensor_forest_params_pb2 import (
    MODEL_DENSE_CLASSIFICATION,
    MODEL_REGRESSION,
    TensorForestParams,
)


class Side(NamedTuple):
    """What one side of a split has counted."""

    weight: np.float32
    values: np.ndarray
    labels: np.ndarray | None = None
    """The classes that values are of; None if there is one of each class or target."""


class Leaves:
    """The models of a tree's leaves, by the leaves' nodes."""

    def __init__(self, params: TensorForestParams) -> None:
        """A tree has no leaf yet."""
        self.outputs = params.num_outputs
        self._regresses = params.leaf_type == MODEL_REGRESSION

    def start(self, node: int) -> None:
        """Gives a node an empty model."""
        raise NotImplementedError

    def take(self, node: int, side: Side) -> None:
        """Gives a node the model of a side of a split."""
        raise NotImplementedError

    def add(self, nodes: np.ndarray, classes: np.ndarray, weights: np.ndarray) -> None:
        """Counts examples."""
        raise NotImplementedError

    def rows(self, nodes: np.ndarray) -> np.ndarray:
        """The values of each node, float32."""
        raise NotImplementedError

    def forget(self, node: int) -> None:
        """A node is no leaf any more."""

    def read(self, node: int, leaf: Leaf) -> None:
        """Takes a model from a message."""
        raise NotImplementedError

    def write(self, node: int, leaf: Leaf) -> None:
        """Puts a model into a message."""
        raise NotImplementedError


class DenseLeaves(Leaves):
    """A row of values for each leaf."""

    def __init__(self, params: TensorForestParams) -> None:
        """A tree has no leaf yet."""
        super().__init__(params)
        self._values = np.zeros((8, self.outputs), np.float32)

    def _reserve(self, node: int) -> None:
        if node >= len(self._values):
            grown = np.zeros((max(node + 1, 2 * len(self._values)), self.outputs), np.float32)
            grown[: len(self._values)] = self._values
            self._values = grown

    def start(self, node: int) -> None:
        self._reserve(node)
        self._values[node] = 0

    def take(self, node: int, side: Side) -> None:
        self.start(node)
        values = side.values / side.weight if self._regresses else side.values
        if side.labels is None:
            self._values[node] = values
        else:
            self._values[node, side.labels] = values

    def add(self, nodes: np.ndarray, classes: np.ndarray, weights: np.ndarray) -> None:
        if self._regresses:
            return
        np.add.at(self._values.reshape(-1), nodes * np.int64(self.outputs) + classes, weights)

    def rows(self, nodes: np.ndarray) -> np.ndarray:
        found: np.ndarray = self._values[nodes]
        return found

    def read(self, node: int, leaf: Leaf) -> None:
        values = leaf.vector.value
        if len(values) < self.outputs:
            raise invalid(
                f"The leaf of node {node} has {len(values)} values, the forest {self.outputs}"
                " outputs"
            )
        self.start(node)
        self._values[node] = [value.float_value for value in values[: self.outputs]]

    def write(self, node: int, leaf: Leaf) -> None:
        leaf.vector.SetInParent()
        for value in self._values[node].tolist():
            leaf.vector.value.add().float_value = value


class SparseLeaves(Leaves):
    """The classes that each leaf has seen; a leaf that was read may have a row of all."""

    def __init__(self, params: TensorForestParams) -> None:
        """A tree has no leaf yet."""
        super().__init__(params)
        self._maps: dict[int, dict[int, np.float32] | None] = {}
        self._rows: dict[int, np.ndarray] = {}

    def start(self, node: int) -> None:
        self._maps[node] = None

    def take(self, node: int, side: Side) -> None:
        labels = range(self.outputs) if side.labels is None else side.labels.tolist()
        self._maps[node] = dict(zip(labels, side.values, strict=True))

    def add(self, nodes: np.ndarray, classes: np.ndarray, weights: np.ndarray) -> None:
        for node, label, weight in zip(nodes.tolist(), classes.tolist(), weights, strict=True):
            if node in self._rows:
                self._rows[node][label] += weight
                continue
            counts = self._maps[node]
            if counts is None:
                counts = self._maps[node] = {}
            counts[label] = np.float32(counts.get(label, np.float32(0)) + weight)

    def rows(self, nodes: np.ndarray) -> np.ndarray:
        known, places = np.unique(nodes, return_inverse=True)
        table = np.zeros((len(known), self.outputs), np.float32)
        for row, node in zip(table, known.tolist(), strict=True):
            if node in self._rows:
                row[:] = self._rows[node]
            for label, value in (self._maps.get(node) or {}).items():
                if 0 <= label < self.outputs:
                    row[label] = value
        return table[places.reshape(-1)]

    def forget(self, node: int) -> None:
        self._maps.pop(node, None)
        self._rows.pop(node, None)

    def read(self, node: int, leaf: Leaf) -> None:
        if leaf.HasField("vector"):
            values = np.zeros(self.outputs, np.float32)
            found = [value.float_value for value in leaf.vector.value][: self.outputs]
            values[: len(found)] = found
            self._rows[node] = values
        else:
            entries = leaf.sparse_vector.sparse_value.items()
            counts = {label: np.float32(value.float_value) for label, value in entries}
            self._maps[node] = counts if leaf.HasField("sparse_vector") else None

    def write(self, node: int, leaf: Leaf) -> None:
        if node in self._rows:
            for value in self._rows[node].tolist():
                leaf.vector.value.add().float_value = value
            return
        counts = self._maps.get(node)
        if counts is not None:
            leaf.sparse_vector.SetInParent()
            for label, count in counts.items():
                leaf.sparse_vector.sparse_value[label].float_value = float(count)


def make_leaves(params: TensorForestParams) -> Leaves:
    """The models that a forest's parameters ask for."""
    is_dense = params.leaf_type in (MODEL_DENSE_CLASSIFICATION, MODEL_REGRESSION)
    return DenseLeaves(params) if is_dense else SparseLeaves(params)
