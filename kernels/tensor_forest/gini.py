"""Statistics of classes: counts on the left of each candidate, of all classes or those seen."""

from __future__ import annotations

from typing import Any

import numpy as np

from dataflow.kernels.tensor_forest.candidates import widened
from dataflow.kernels.tensor_forest.classes import Classes
from dataflow.kernels.tensor_forest.counting import Best, State
from dataflow.kernels.tensor_forest.examples import Examples, Targets
from dataflow.kernels.tensor_forest.finishing import is_plain
from dataflow.kernels.tensor_forest.impurity import LARGEST, sums_in_order, weighted_gini
from dataflow.kernels.tensor_forest.leaves import Side
from dataflow.kernels.tensor_forest.values import (
    filled,
    sparse_values,
    write_sparse,
    write_values,
)
from dataflow.proto.fertile_stats_pb2 import FertileSlot, LeafStat
from dataflow.proto.tensor_forest_params_pb2 import STATS_SPARSE_GINI, TensorForestParams

_PART = 1 << 14
"""Examples that are counted at once."""


class Gini(Classes):
    """Counts of classes, in a column for each class, or for each class that a slot has seen."""

    def __init__(self, params: TensorForestParams) -> None:
        """There is no slot yet."""
        super().__init__(params)
        self._is_sparse = self.sees_weightless = params.stats_type == STATS_SPARSE_GINI
        columns = 1 if self._is_sparse else self.outputs
        self._left = np.zeros((0, 1, columns), np.float32)
        self._total = np.zeros((0, columns), np.float32)
        self._on_left = np.zeros((0, 1, columns), bool)
        """Of sparse counts: whether a class was on the left at all."""
        self._seen = np.zeros(0, np.int64)
        self._columns: list[dict[int, int]] = []
        self._running = np.zeros((0, 1, 4), np.float32)
        """Sums and sums of squares, on the left and on the right."""
        self._runs = params.use_running_stats_method
        averages = params.initialize_average_splits
        self.counts_together = is_plain(params) and not self._runs and not averages

    def open(self, slot: int, depth: int) -> None:
        super().open(slot, depth)
        slots, width = len(self.weights), self.candidates.width
        for name in ("_left", "_on_left", "_running"):
            setattr(self, name, widened(getattr(self, name), slots, width))
        self._total, self._seen = widened(self._total, slots), widened(self._seen, slots)
        self._columns += [{} for _ in range(slots - len(self._columns))]
        for array in (self._left, self._on_left, self._running, self._total, self._seen):
            array[slot] = 0
        self._columns[slot] = {}

    def _column(self, slot: int, label: int) -> int:
        """Where a class is counted."""
        if not self._is_sparse:
            return label
        columns = self._columns[slot]
        if label not in columns:
            columns[label] = len(columns)
            if len(columns) > self._total.shape[1]:
                self._add_columns(2 * len(columns))
        return columns[label]

    def _add_columns(self, count: int) -> None:
        slots, width = self._left.shape[:2]
        self._left = widened(self._left, slots, width, count)
        self._on_left = widened(self._on_left, slots, width, count)
        self._total = widened(self._total, slots, count)

    def add_all(
        self, examples: Examples, targets: Targets, rows: np.ndarray, slots: np.ndarray
    ) -> None:
        for first in range(0, len(rows), _PART):
            part = slice(first, first + _PART)
            self._add_part(examples, targets, rows[part], slots[part])

    def _add_part(
        self, examples: Examples, targets: Targets, rows: np.ndarray, slots: np.ndarray
    ) -> None:
        classes, weights = targets.classes[rows], targets.weights[rows]
        if self._is_sparse:
            pairs = zip(slots.tolist(), classes.tolist(), strict=True)
            classes = np.array([self._column(*pair) for pair in pairs], np.int64)
        width, columns = self._left.shape[1:]
        example, place = np.nonzero(self.candidates.passed(examples, rows, slots))
        where = (slots[example] * np.int64(width) + place) * columns + classes[example]
        np.add.at(self._left.reshape(-1), where, weights[example])
        if self._is_sparse:
            self._on_left.reshape(-1)[where] = True
        np.add.at(self._total.reshape(-1), slots * np.int64(columns) + classes, weights)
        np.add.at(self.weights, slots, weights)
        touched = np.unique(slots)
        if self._is_sparse:
            self._seen[touched] = [len(self._columns[slot]) for slot in touched.tolist()]
        else:
            self._seen[touched] = np.count_nonzero(self._total[touched], axis=1)

    def _count(self, slot: int, label: int, weight: np.float32, left: np.ndarray) -> None:
        column = self._column(slot, label)
        places = np.flatnonzero(left)
        if self._runs:
            self._run(slot, column, weight, left)
        self._left[slot, places, column] += weight
        self._on_left[slot, places, column] = True
        if self._is_sparse:
            self._seen[slot] = len(self._columns[slot])
        else:
            self._seen[slot] += self._total[slot, column] == 0 and weight > 0
        self._total[slot, column] += weight

    def _run(self, slot: int, column: int, weight: np.float32, left: np.ndarray) -> None:
        on_left = self._left[slot, : len(left), column]
        old = np.where(left, on_left, self._total[slot, column] - on_left)
        new = old + weight
        places, side = np.arange(len(left)), np.where(left, 0, 2)
        running = self._running[slot]
        running[places, side] += weight
        running[places, side + 1] = running[places, side + 1] - old * old + new * new

    def _is_pure(self, slot: int) -> bool:
        return bool(self._seen[slot] <= 1)

    def _remove(self, slot: int, place: int) -> None:
        super()._remove(slot, place)
        for array in (self._left, self._on_left, self._running):
            array[slot, place:-1] = array[slot, place + 1 :]
            array[slot, -1] = 0

    def are_finished(self, slots: np.ndarray) -> np.ndarray:
        if not self.counts_together:
            return super().are_finished(slots)
        are: np.ndarray = (self.weights[slots] >= self.enough[slots]) & (self._seen[slots] > 1)
        return are

    def state(self, slot: int) -> State:
        classes = (
            set(self._columns[slot])
            if self._is_sparse
            else {int(each) for each in np.flatnonzero(self._total[slot])}
        )
        return State(self.weights[slot], classes)

    def _scores(self, slot: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        count = self.candidates.counts[slot]
        if self._runs:
            left_sum, left_square, right_sum, right_square = self._running[slot, :count].T
        else:
            left = self._left[slot, :count]
            right = self._total[slot] - left
            left_sum, right_sum = sums_in_order(left), sums_in_order(right)
            left_square, right_square = sums_in_order(left * left), sums_in_order(right * right)
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
        left = self._left[slot, place].copy()
        right = self._total[slot] - left
        weights = left_sum[place], right_sum[place]
        if not self._is_sparse:
            return Best(place, Side(weights[0], left), Side(weights[1], right))
        labels = np.array(list(self._columns[slot]), np.int64)
        on_left = self._on_left[slot, place, : len(labels)]
        on_right = ~on_left | (right[: len(labels)] > 0)
        return Best(
            place,
            Side(weights[0], left[: len(labels)][on_left], labels[on_left]),
            Side(weights[1], right[: len(labels)][on_right], labels[on_right]),
        )

    def write(self, slot: int, message: FertileSlot) -> None:
        message.post_init_leaf_stats.weight_sum = float(self.weights[slot])
        everything = np.ones(self._total.shape[1], bool)
        self._write(slot, message.post_init_leaf_stats, self._total[slot], everything)
        for place in range(self.candidates.counts[slot]):
            candidate = message.candidates.add()
            self.candidates.write(slot, place, candidate.split)
            left = self._left[slot, place], self._on_left[slot, place]
            self._write(slot, candidate.left_stats, *left)

    def _write(self, slot: int, stats: LeafStat, values: np.ndarray, there: np.ndarray) -> None:
        if not self._is_sparse:
            write_values(stats.classification.dense_counts, values)
            return
        labels = [label for label, column in self._columns[slot].items() if there[column]]
        columns = [self._columns[slot][label] for label in labels]
        write_sparse(stats.classification.sparse_counts, labels, values[columns])

    def read(self, slot: int, message: FertileSlot) -> None:
        stats = message.post_init_leaf_stats
        self.weights[slot] = stats.weight_sum
        for label, value in self._read(stats).items():
            column = self._column(slot, label)
            self._total[slot, column] = value
        seen = len(self._columns[slot]) if self._is_sparse else np.count_nonzero(self._total[slot])
        self._seen[slot] = seen
        for place, candidate in enumerate(message.candidates):
            if not self.candidates.read(slot, candidate.split):
                return
            for label, value in self._read(candidate.left_stats).items():
                column = self._column(slot, label)
                self._left[slot, place, column] = value
                self._on_left[slot, place, column] = True
            self._restart(slot, place)

    def _restart(self, slot: int, place: int) -> None:
        """Running sums are not in checkpoints: TensorFlow begins both sides with the left."""
        left = self._left[slot, place]
        total, squares = sums_in_order(left), sums_in_order(left * left)
        self._running[slot, place] = total, squares, total, squares

    def _read(self, stats: LeafStat) -> dict[int, Any]:
        if self._is_sparse:
            return sparse_values(stats.classification.sparse_counts)
        counts = filled(stats.classification.dense_counts, self.outputs)
        return dict(enumerate(counts))
