"""What statistics of classes share: candidates that are averaged, given up, or win early."""

from __future__ import annotations

import numpy as np

from dataflow.kernels.tensor_forest.counting import Counting
from dataflow.kernels.tensor_forest.examples import Examples, Targets
from dataflow.kernels.tensor_forest.finishing import Early
from dataflow.kernels.tensor_forest.node_tests import EQUAL
from dataflow.proto.tensor_forest_params_pb2 import TensorForestParams


class Classes(Counting):
    """Statistics of classes."""

    def __init__(self, params: TensorForestParams) -> None:
        """There is no slot yet."""
        super().__init__(params)
        self._early: list[Early | None] = []
        self._half: list[dict[int, int]] = []
        """Candidates that wait for an example of another class, and the class of their first."""

    def open(self, slot: int, depth: int) -> None:
        super().open(slot, depth)
        more = len(self.weights) - len(self._early)
        self._early += [None] * more
        self._half += [{} for _ in range(more)]
        self._early[slot] = Early(self.params, depth, int(self.enough[slot]))
        self._half[slot] = {}

    def is_initialized(self, slot: int) -> bool:
        full = super().is_initialized(slot)
        return full and bool(self.weights[slot] > 0 or not self._half[slot])

    def propose(
        self,
        slot: int,
        examples: Examples,
        targets: Targets,
        row: int,
        feature: int,
        threshold: np.float32,
    ) -> None:
        place = int(self.candidates.counts[slot])
        super().propose(slot, examples, targets, row, feature, threshold)
        if not self.params.initialize_average_splits:
            return
        half, label = self._half[slot], int(targets.classes[row])
        is_new = self.candidates.counts[slot] > place
        if is_new and self.candidates.kinds[slot, place] != EQUAL:
            half[place] = label
        for other in [each for each, first in half.items() if first != label]:
            tested = self.candidates.features[slot, other : other + 1]
            value = examples.values(np.array([row]), tested)[0]
            kept = self.candidates.kept
            kept[slot, other] = (kept[slot, other] + value) / np.float32(2)
            del half[other]

    def add(self, slot: int, examples: Examples, targets: Targets, row: int) -> None:
        label, weight = int(targets.classes[row]), targets.weights[row]
        self._count(slot, label, weight, self.candidates.passed_by(examples, row, slot))
        self.weights[slot] += weight
        early, total = self._early[slot], self.weights[slot]
        assert early is not None
        if early.looks_for_end(total):
            early.compare(self._scores(slot)[0], total, self.outputs)
        if self.is_finished(slot) or not early.looks_for_worst(total):
            return
        for place in early.worst(self._scores(slot)[0], total, self.outputs):
            self._remove(slot, place)

    def is_finished(self, slot: int) -> bool:
        """Whether a slot can split."""
        early = self._early[slot]
        basic = self.weights[slot] >= self.enough[slot] and not self._is_pure(slot)
        return bool(basic or (early is not None and early.is_finished))

    def are_finished(self, slots: np.ndarray) -> np.ndarray:
        return np.array([self.is_finished(slot) for slot in slots.tolist()], bool)

    def _count(self, slot: int, label: int, weight: np.float32, left: np.ndarray) -> None:
        """Counts an example.

        Args:
          slot: Where.
          label: Its class.
          weight: What it weighs.
          left: Which candidates send it to the left.
        """
        raise NotImplementedError

    def _is_pure(self, slot: int) -> bool:
        """Whether a slot has seen one class only."""
        raise NotImplementedError

    def _scores(self, slot: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Of each candidate the impurity, and what is on the left and on the right."""
        raise NotImplementedError

    def _remove(self, slot: int, place: int) -> None:
        """Gives up a candidate."""
        self.candidates.remove(slot, place)
