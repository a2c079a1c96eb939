"""Statistics of numbers: sums and sums of squares on the left of each candidate."""

from __future__ import annotations

import numpy as np

from dataflow.kernels.tensor_forest.candidates import widened
from dataflow.kernels.tensor_forest.counting import Best, Counting
from dataflow.kernels.tensor_forest.examples import Examples, Targets
from dataflow.kernels.tensor_forest.leaves import Side
from dataflow.kernels.tensor_forest.values import filled, write_values
from dataflow.proto.fertile_stats_pb2 import FertileSlot
from dataflow.proto.tensor_forest_params_pb2 import TensorForestParams

_PART = 1 << 14
"""Examples that are counted at once."""


class LeastSquares(Counting):
    """The lower the targets' variance on both sides, the better. Weights do not matter."""

    counts_together = True

    def __init__(self, params: TensorForestParams) -> None:
        """There is no slot yet."""
        super().__init__(params)
        self._sums = np.zeros((0, 1, self.outputs), np.float32)
        self._squares = np.zeros((0, 1, self.outputs), np.float32)
        self._left = np.zeros((0, 1), np.int64)
        self._total = np.zeros((0, self.outputs), np.float32)
        self._total_squares = np.zeros((0, self.outputs), np.float32)

    def open(self, slot: int, depth: int) -> None:
        super().open(slot, depth)
        slots, width = len(self.weights), self.candidates.width
        for name in ("_sums", "_squares", "_left"):
            setattr(self, name, widened(getattr(self, name), slots, width))
        self._total = widened(self._total, slots)
        self._total_squares = widened(self._total_squares, slots)
        for array in (self._sums, self._squares, self._left, self._total, self._total_squares):
            array[slot] = 0

    def add_all(
        self, examples: Examples, targets: Targets, rows: np.ndarray, slots: np.ndarray
    ) -> None:
        for first in range(0, len(rows), _PART):
            part = slice(first, first + _PART)
            self._add_part(examples, targets, rows[part], slots[part])

    def _add_part(
        self, examples: Examples, targets: Targets, rows: np.ndarray, slots: np.ndarray
    ) -> None:
        numbers = targets.numbers[rows]
        squares = numbers * numbers
        example, place = np.nonzero(self.candidates.passed(examples, rows, slots))
        where = slots[example] * np.int64(self.candidates.width) + place
        np.add.at(self._left.reshape(-1), where, 1)
        for output in range(self.outputs):
            column = where * self.outputs + output
            np.add.at(self._sums.reshape(-1), column, numbers[example, output])
            np.add.at(self._squares.reshape(-1), column, squares[example, output])
            total = slots * np.int64(self.outputs) + output
            np.add.at(self._total.reshape(-1), total, numbers[:, output])
            np.add.at(self._total_squares.reshape(-1), total, squares[:, output])
        np.add.at(self.weights, slots, np.float32(1))

    def are_finished(self, slots: np.ndarray) -> np.ndarray:
        are: np.ndarray = self.weights[slots] >= self.enough[slots]
        return are

    def best(self, slot: int) -> Best | None:
        count = self.candidates.counts[slot]
        left = self._left[slot, :count].astype(np.float32)
        right = self.weights[slot] - left
        sums, squares = self._sums[slot, :count], self._squares[slot, :count]
        variance = np.zeros(count, np.float32)
        with np.errstate(all="ignore"):
            for output in range(self.outputs):
                mean = sums[:, output] / left
                variance += squares[:, output] / left - mean * mean
                mean = (self._total[slot, output] - sums[:, output]) / right
                rest = self._total_squares[slot, output] - squares[:, output]
                variance += rest / right - mean * mean
        useful = (left > 0) & (right > 0) & (variance < np.finfo(np.float32).max)
        if not useful.any():
            return None
        place = int(np.argmin(np.where(useful, variance, np.inf)))
        return Best(
            place,
            Side(left[place], sums[place].copy()),
            Side(right[place], self._total[slot] - sums[place]),
        )

    def write(self, slot: int, message: FertileSlot) -> None:
        stats = message.post_init_leaf_stats
        stats.weight_sum = float(self.weights[slot])
        write_values(stats.regression.mean_output, self._total[slot])
        write_values(stats.regression.mean_output_squares, self._total_squares[slot])
        for place in range(self.candidates.counts[slot]):
            candidate = message.candidates.add()
            self.candidates.write(slot, place, candidate.split)
            left = candidate.left_stats
            write_values(left.regression.mean_output, self._sums[slot, place])
            write_values(left.regression.mean_output_squares, self._squares[slot, place])
            left.weight_sum = float(self._left[slot, place])

    def read(self, slot: int, message: FertileSlot) -> None:
        stats = message.post_init_leaf_stats
        self.weights[slot] = stats.weight_sum
        self._total[slot] = filled(stats.regression.mean_output, self.outputs)
        self._total_squares[slot] = filled(stats.regression.mean_output_squares, self.outputs)
        for place, candidate in enumerate(message.candidates):
            if not self.candidates.read(slot, candidate.split):
                return
            left = candidate.left_stats
            self._sums[slot, place] = filled(left.regression.mean_output, self.outputs)
            squares = left.regression.mean_output_squares
            self._squares[slot, place] = filled(squares, self.outputs)
            self._left[slot, place] = int(left.weight_sum)
