"""What every kind of statistics does: candidates in slots, and counts of examples beside them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dataflow.kernels.tensor_forest.candidates import Candidates, widened
from dataflow.kernels.tensor_forest.examples import Examples, Targets
from dataflow.kernels.tensor_forest.leaves import Side
from dataflow.kernels.tensor_forest.parameters import at_depth
from dataflow.proto.fertile_stats_pb2 import FertileSlot
from dataflow.proto.tensor_forest_params_pb2 import TensorForestParams


class Best(NamedTuple):
    """A slot's best candidate."""

    place: int
    left: Side
    right: Side


class State(NamedTuple):
    """How much a slot has seen."""

    weight: np.float32
    classes: set[int] | None
    """None if there are no classes."""


class Counting:
    """Statistics of slots."""

    def __init__(self, params: TensorForestParams) -> None:
        """There is no slot yet."""
        self.params = params
        self.outputs = params.num_outputs
        self.candidates = Candidates(params)
        self.weights = np.zeros(0, np.float32)
        """What the examples weigh that were counted."""
        self.enough = np.zeros(0, np.int64)
        """With how much a slot can split."""

    counts_together = False
    """Whether examples of a step can be counted all at once."""
    sees_weightless = False
    """Whether an example that weighs nothing shows its class all the same."""

    def open(self, slot: int, depth: int) -> None:
        """Empties a slot, for a leaf of a depth."""
        self.candidates.open(slot, depth)
        slots = len(self.candidates.counts)
        self.weights, self.enough = widened(self.weights, slots), widened(self.enough, slots)
        self.weights[slot] = 0
        split_after = at_depth(self.params.split_after_samples, depth, "split_after_samples")
        self.enough[slot] = int(split_after)

    def lacking(self, slots: np.ndarray) -> np.ndarray:
        """How many candidates slots still wait for, before they count examples."""
        candidates = self.candidates
        lacking = candidates.wanted[slots] - candidates.counts[slots]
        return np.where(self.weights[slots] > 0, 0, np.maximum(lacking, 0))

    def is_initialized(self, slot: int) -> bool:
        """Whether a slot counts examples by now."""
        candidates = self.candidates
        full = candidates.counts[slot] == candidates.wanted[slot]
        return bool(self.weights[slot] > 0 or full)

    def propose(
        self,
        slot: int,
        examples: Examples,
        targets: Targets,
        row: int,
        feature: int,
        threshold: np.float32,
    ) -> None:
        """Adds a candidate that was made of an example."""
        if self.candidates.counts[slot] < self.candidates.wanted[slot]:
            self.candidates.add(slot, feature, threshold, examples.type_of(feature))

    def add_all(
        self, examples: Examples, targets: Targets, rows: np.ndarray, slots: np.ndarray
    ) -> None:
        """Counts examples, each in its slot."""
        raise NotImplementedError

    def add(self, slot: int, examples: Examples, targets: Targets, row: int) -> None:
        """Counts an example."""
        one = np.array([row])
        self.add_all(examples, targets, one, np.array([slot]))

    def are_finished(self, slots: np.ndarray) -> np.ndarray:
        """Whether slots can split."""
        raise NotImplementedError

    def state(self, slot: int) -> State:
        """What must be known of a slot to say with which example it can split."""
        return State(self.weights[slot], None)

    def ends_at(self, slot: int, state: State, targets: Targets, rows: np.ndarray) -> int:
        """Which of a step's examples, in order, was the first with which a slot could split.

        Args:
          slot: A slot that can split after them.
          state: What it was before them.
          targets: What is known of examples.
          rows: The examples.
        """
        weights = np.ones(len(rows), np.float32)
        if state.classes is not None:
            weights = targets.weights[rows]
        can_end = np.add.accumulate(np.r_[state.weight, weights])[1:] >= self.enough[slot]
        if state.classes is not None and len(state.classes) < 2:
            counted = (weights > 0) | self.sees_weightless
            labels = targets.classes[rows]
            first = next(iter(state.classes), labels[np.argmax(counted)])
            can_end &= np.logical_or.accumulate(counted & (labels != first))
        return int(np.argmax(can_end)) if can_end.any() else len(rows) - 1

    def best(self, slot: int) -> Best | None:
        """The best candidate; None if all are useless."""
        raise NotImplementedError

    def write(self, slot: int, message: FertileSlot) -> None:
        """Puts what was counted into a message."""
        raise NotImplementedError

    def read(self, slot: int, message: FertileSlot) -> None:
        """Takes it from a message, into an open slot."""
        raise NotImplementedError
