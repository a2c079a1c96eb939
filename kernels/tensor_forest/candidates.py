"""The splits that leaves try, in slots: columns of arrays, which examples pass together."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.tensor_forest.examples import CATEGORICAL, FLOAT, Examples
from dataflow.kernels.tensor_forest.node_tests import (
    AT_MOST,
    OTHER,
    decide,
    kind_of,
    read_test,
    write_test,
)
from dataflow.kernels.tensor_forest.parameters import at_depth
from dataflow.proto.generic_tree_model_pb2 import BinaryNode
from dataflow.proto.tensor_forest_params_pb2 import TensorForestParams


def widened(array: np.ndarray, *sizes: int) -> np.ndarray:
    """An array whose first dimensions have these sizes at least, the new places zero."""
    if all(map(operator.ge, array.shape, sizes)):
        return array
    more = [(0, max(0, size - have)) for size, have in zip(sizes, array.shape, strict=False)]
    more += [(0, 0)] * (array.ndim - len(more))
    return np.pad(array, more)


class Candidates:
    """Candidates of each slot, and how many a slot is to have."""

    def __init__(self, params: TensorForestParams) -> None:
        """There is no slot yet."""
        self._params = params
        self.features = np.zeros((0, 1), np.int64)
        self.thresholds = np.zeros((0, 1), np.float32)
        """By which examples are counted."""
        self.kept = np.zeros((0, 1), np.float32)
        """By which the node will split; averaged where the parameters ask for it."""
        self.kinds = np.zeros((0, 1), np.uint8)
        self.counts = np.zeros(0, np.int64)
        self.wanted = np.zeros(0, np.int64)

    @property
    def width(self) -> int:
        """How many candidates a slot has room for."""
        return self.features.shape[1]

    def open(self, slot: int, depth: int) -> None:
        """Empties a slot, for a leaf of a depth."""
        wanted = int(at_depth(self._params.num_splits_to_consider, depth, "num_splits_to_consider"))
        slots = len(self.counts) if slot < len(self.counts) else max(8, 2 * slot)
        width = max(wanted, self.width)
        for name in ("features", "thresholds", "kept", "kinds"):
            setattr(self, name, widened(getattr(self, name), slots, width))
        self.counts, self.wanted = widened(self.counts, slots), widened(self.wanted, slots)
        self.counts[slot], self.wanted[slot] = 0, wanted

    def add(self, slot: int, feature: int, threshold: Any, data_type: int) -> None:
        """Adds a candidate; there must be room."""
        place = self.counts[slot]
        self.features[slot, place] = feature
        self.thresholds[slot, place] = self.kept[slot, place] = threshold
        self.kinds[slot, place] = kind_of(data_type, self._params.inequality_test_type)
        self.counts[slot] += 1

    def add_all(
        self,
        slots: np.ndarray,
        places: np.ndarray,
        examples: Examples,
        rows: np.ndarray,
        features: np.ndarray,
    ) -> None:
        """Adds candidates that are made of examples.

        Args:
          slots: The slot of each.
          places: Which of the slot's candidates it becomes.
          examples: The examples.
          rows: Which of them each candidate is made of.
          features: The feature that it tests.
        """
        thresholds = examples.values(rows, features)
        self.features[slots, places] = features
        self.thresholds[slots, places] = self.kept[slots, places] = thresholds
        inequality = self._params.inequality_test_type
        kinds = np.array([kind_of(each, inequality) for each in (FLOAT, CATEGORICAL)], np.uint8)
        self.kinds[slots, places] = kinds[examples.types_of(features)]
        np.add.at(self.counts, slots, 1)

    def remove(self, slot: int, place: int) -> None:
        """Removes a candidate; those behind it move up."""
        for array in (self.features, self.thresholds, self.kept, self.kinds):
            array[slot, place:-1] = array[slot, place + 1 :]
        self.counts[slot] -= 1

    def passed(self, examples: Examples, rows: np.ndarray, slots: np.ndarray) -> np.ndarray:
        """Which candidates of their slot send examples to the left: a row for each example."""
        there = np.arange(self.width) < self.counts[slots][:, None]
        values = examples.values(rows[:, None], np.where(there, self.features[slots], 0))
        left: np.ndarray = decide(self.kinds[slots], values, self.thresholds[slots]) & there
        return left

    def passed_by(self, examples: Examples, row: int, slot: int) -> np.ndarray:
        """The same for one example."""
        count = self.counts[slot]
        values = examples.values(np.array([row]), self.features[slot, :count])
        return decide(self.kinds[slot, :count], values, self.thresholds[slot, :count])

    def write(self, slot: int, place: int, node: BinaryNode) -> None:
        """Puts a candidate into a message."""
        write_test(
            node,
            int(self.kinds[slot, place]),
            int(self.features[slot, place]),
            float(self.kept[slot, place]),
            self._params.inequality_test_type,
        )

    def read(self, slot: int, node: BinaryNode) -> bool:
        """Takes a candidate from a message, unless the slot has as many as it is to have.

        Raises:
          InvalidArgumentError: Its test is of a kind that candidates do not have.
        """
        if self.counts[slot] >= self.wanted[slot]:
            return False
        test = read_test(node, "a candidate")
        if test.kind == OTHER:
            raise invalid(f"Candidates test one feature by one value, got {node}")
        self.add(slot, test.feature, test.threshold, AT_MOST)
        self.kinds[slot, self.counts[slot] - 1] = test.kind
        return True
