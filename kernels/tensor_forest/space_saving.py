"""Statistics of the most frequent classes in little room: the SpaceSaving algorithm of Metwally,
Agrawal and El Abbadi, Efficient computation of frequent and top-k elements in data streams."""

from __future__ import annotations

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.tensor_forest.classes import Classes
from dataflow.kernels.tensor_forest.counting import Best
from dataflow.kernels.tensor_forest.hash_order import HashOrder
from dataflow.kernels.tensor_forest.impurity import LARGEST, weighted_gini
from dataflow.kernels.tensor_forest.leaves import Side
from dataflow.kernels.tensor_forest.values import sparse_values, write_sparse
from dataflow.proto.fertile_stats_pb2 import FertileSlot
from dataflow.proto.generic_tree_model_pb2 import SparseVector
from dataflow.proto.tensor_forest_params_pb2 import TensorForestParams

_ZERO = np.float32(0)


class Tracked:
    """Weights of the classes that were met most, each too large by at most the smallest."""

    def __init__(self, room: int, classes: int) -> None:
        """Nothing was met yet.

        Args:
          room: How many classes are kept.
          classes: How many there are.
        """
        self._room, self._classes = room, classes
        self._order = HashOrder()
        self.weights: dict[int, np.float32] = {}
        self._smallest = -1

    def add(self, label: int, weight: np.float32) -> None:
        """Meets a class."""
        if label in self.weights:
            self.weights[label] += weight
            if label == self._smallest:
                self._find_smallest()
            return
        if len(self.weights) == self._room:
            # The new class takes the place, and the weight, of the one that was met least.
            weight = self.weights.pop(self._smallest) + weight
            self._order.discard(self._smallest)
        self.weights[label] = np.float32(weight)
        self._order.add(label)
        if len(self.weights) == self._room:
            self._find_smallest()

    def _find_smallest(self) -> None:
        self._smallest = min(self._order, key=lambda label: float(self.weights[label]))

    def _doubtful(self) -> np.float32:
        return self.weights.get(self._smallest, _ZERO)

    def sum_and_squares(self) -> tuple[np.float32, np.float32]:
        """The sum of all weights, and that of the squares of what classes are likely to weigh."""
        doubtful = self._doubtful()
        shared = np.float32(float(doubtful) / 2 * self._room / self._classes)
        total = squares = _ZERO
        for label in self._order:
            total = total + self.weights[label]
            weight = np.float32(float(shared) + (float(self.weights[label]) - float(doubtful) / 2))
            squares = squares + weight * weight
        rest = np.float32(self._classes - self._room) * shared * shared
        return total, np.float32(squares + rest)

    def read(self, vector: SparseVector) -> None:
        """Takes weights from a message."""
        for label, weight in sparse_values(vector).items():
            self.weights[label] = np.float32(weight)
            self._order.add(label)
        if len(self.weights) == self._room:
            self._find_smallest()

    def write(self, vector: SparseVector) -> None:
        """Puts weights into a message."""
        write_sparse(vector, list(self.weights), np.array(list(self.weights.values()), np.float32))

    def side(self) -> Side:
        """What it has counted."""
        labels = np.array(list(self.weights), np.int64)
        values = np.array(list(self.weights.values()), np.float32)
        return Side(self.sum_and_squares()[0], values, labels)


class SpaceSaving(Classes):
    """Gini's impurity of the classes that are kept."""

    def __init__(self, params: TensorForestParams) -> None:
        """There is no slot yet.

        Raises:
          InvalidArgumentError: The parameters do not say how many classes are kept.
        """
        super().__init__(params)
        if params.num_classes_to_track < 1:
            raise invalid("num_classes_to_track must be set for STATS_FIXED_SIZE_SPARSE_GINI")
        self._sides: list[list[tuple[Tracked, Tracked]]] = []
        self._first_classes: list[set[int]] = []

    def open(self, slot: int, depth: int) -> None:
        super().open(slot, depth)
        more = len(self.weights) - len(self._sides)
        self._sides += [[] for _ in range(more)]
        self._first_classes += [set() for _ in range(more)]
        self._sides[slot], self._first_classes[slot] = [], set()

    def _pairs(self, slot: int) -> list[tuple[Tracked, Tracked]]:
        sides, room = self._sides[slot], self.params.num_classes_to_track
        while len(sides) < self.candidates.counts[slot]:
            sides.append((Tracked(room, self.outputs), Tracked(room, self.outputs)))
        return sides

    def _count(self, slot: int, label: int, weight: np.float32, left: np.ndarray) -> None:
        for sides, is_left in zip(self._pairs(slot), left.tolist(), strict=True):
            sides[0 if is_left else 1].add(label, weight)
        if self._is_pure(slot):
            self._first_classes[slot].add(label)

    def _is_pure(self, slot: int) -> bool:
        return len(self._first_classes[slot]) <= 1

    def _remove(self, slot: int, place: int) -> None:
        self._pairs(slot).pop(place)
        super()._remove(slot, place)

    def _scores(self, slot: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        found = [
            (*left.sum_and_squares(), *right.sum_and_squares()) for left, right in self._pairs(slot)
        ]
        columns = np.array(found, np.float32).reshape(-1, 4).T
        left_sum, left_square, right_sum, right_square = columns
        scores = weighted_gini(left_sum, left_square, self.outputs) + weighted_gini(
            right_sum, right_square, self.outputs
        )
        return scores, left_sum, right_sum

    def best(self, slot: int) -> Best | None:
        scores, left_sum, right_sum = self._scores(slot)
        useful = (left_sum > 0) & (right_sum > 0) & (scores < LARGEST)
        if not useful.any():
            return None
        place = int(np.argmin(np.where(useful, scores, np.inf)))
        left, right = self._pairs(slot)[place]
        return Best(place, left.side(), right.side())

    def write(self, slot: int, message: FertileSlot) -> None:
        message.post_init_leaf_stats.weight_sum = float(self.weights[slot])
        for place, (left, right) in enumerate(self._pairs(slot)):
            candidate = message.candidates.add()
            self.candidates.write(slot, place, candidate.split)
            left.write(candidate.left_stats.classification.sparse_counts)
            right.write(candidate.right_stats.classification.sparse_counts)

    def read(self, slot: int, message: FertileSlot) -> None:
        self.weights[slot] = message.post_init_leaf_stats.weight_sum
        for candidate in message.candidates:
            if not self.candidates.read(slot, candidate.split):
                return
            left, right = self._pairs(slot)[-1]
            left.read(candidate.left_stats.classification.sparse_counts)
            right.read(candidate.right_stats.classification.sparse_counts)
