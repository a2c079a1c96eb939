"""What the leaves of a tree count: a slot for each leaf, which is cleared when it has split."""

from __future__ import annotations

import numpy as np
from google.protobuf.message import DecodeError

from dataflow.kernels.boosted_trees.created import Created
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.random.simple import Draws
from dataflow.kernels.tensor_forest.counting import Best, Counting
from dataflow.kernels.tensor_forest.examples import Examples, Targets
from dataflow.kernels.tensor_forest.gini import Gini
from dataflow.kernels.tensor_forest.hash_order import HashOrder
from dataflow.kernels.tensor_forest.node_tests import NodeTest
from dataflow.kernels.tensor_forest.regression import LeastSquares
from dataflow.kernels.tensor_forest.space_saving import SpaceSaving
from dataflow.proto import fertile_stats_pb2
from dataflow.proto.tensor_forest_params_pb2 import (
    COLLECTION_BASIC,
    STATS_DENSE_GINI,
    STATS_FIXED_SIZE_SPARSE_GINI,
    STATS_LEAST_SQUARES_REGRESSION,
    STATS_SPARSE_GINI,
    SplitCollectionType,
    StatsModelType,
    TensorForestParams,
)

_KINDS: dict[int, type[Counting]] = {
    STATS_DENSE_GINI: Gini,
    STATS_SPARSE_GINI: Gini,
    STATS_LEAST_SQUARES_REGRESSION: LeastSquares,
    STATS_FIXED_SIZE_SPARSE_GINI: SpaceSaving,
}
_NONE = -1


class FertileStats:
    """Statistics by nodes."""

    def __init__(self, params: TensorForestParams, serialized: bytes) -> None:
        """Reads a FertileStats message; the root's statistics if it has none.

        Raises:
          InvalidArgumentError: The bytes are none, or parameters ask for what is not there.
        """
        if params.collection_type != COLLECTION_BASIC:
            name = SplitCollectionType.Name(params.collection_type)
            raise invalid(f"Unknown split collection operator {name}: COLLECTION_BASIC is known")
        if params.stats_type not in _KINDS:
            raise invalid(
                f"Unknown grow stats type {StatsModelType.Name(params.stats_type)}, which"
                " TensorFlow lacks as well; model_name can be 'all_dense' or 'all_sparse'"
            )
        self.params = params
        self.replace(serialized)

    def replace(self, serialized: bytes) -> None:
        """Takes another message's place.

        Raises:
          InvalidArgumentError: The bytes are none.
        """
        try:
            message = fertile_stats_pb2.FertileStats.FromString(serialized)
        except DecodeError:
            raise invalid("Unable to parse stats config.") from None
        self._counting = _KINDS[self.params.stats_type](self.params)
        self._slots: dict[int, int] = {}
        self._depths: dict[int, int] = {}
        self._free: list[int] = []
        self._by_node = np.full(8, _NONE, np.int64)
        for each in message.node_to_slot:
            slot = self.open(each.node_id, each.depth)
            if each.HasField("post_init_leaf_stats"):
                self._counting.read(slot, each)
        if not self._slots:
            self.open(0, 0)

    def serialized(self) -> bytes:
        """A message; of what was counted only if the parameters ask for it."""
        message = fertile_stats_pb2.FertileStats()
        for node in sorted(self._slots):
            each = message.node_to_slot.add(node_id=node, depth=self._depths[node])
            if self.params.checkpoint_stats:
                self._counting.write(self._slots[node], each)
        return message.SerializeToString()

    def open(self, node: int, depth: int) -> int:
        """Gives a node empty statistics.

        Args:
          node: Its number.
          depth: How far it is from the root.

        Returns:
          The slot.

        Raises:
          InvalidArgumentError: The number is none.
        """
        if node < 0:
            raise invalid(f"Statistics are those of node {node}")
        if node not in self._slots:
            self._slots[node] = self._free.pop() if self._free else len(self._slots)
        slot = self._slots[node]
        self._depths[node] = depth
        if node >= len(self._by_node):
            more = max(node + 1, 2 * len(self._by_node)) - len(self._by_node)
            self._by_node = np.pad(self._by_node, (0, more), constant_values=_NONE)
        self._by_node[node] = slot
        self._counting.open(slot, depth)
        return slot

    def close(self, node: int) -> None:
        """Forgets a node that is no leaf any more."""
        self._free.append(self._slots.pop(node))
        self._by_node[node] = _NONE
        del self._depths[node]

    def depth(self, node: int) -> int:
        """How far a node is from the root.

        Raises:
          InvalidArgumentError: Nothing is counted there.
        """
        self._slot(node)
        return self._depths[node]

    def _slot(self, node: int) -> int:
        if node not in self._slots:
            raise invalid(f"Nothing is counted for node {node}: it is no leaf of the tree")
        return self._slots[node]

    def best(self, node: int) -> tuple[NodeTest, Best] | None:
        """The best split of a node, and what is on its sides; None if all are useless."""
        slot = self._slot(node)
        best = self._counting.best(slot)
        if best is None:
            return None
        columns, place = self._counting.candidates, best.place
        kind, feature = int(columns.kinds[slot, place]), int(columns.features[slot, place])
        return NodeTest(kind, feature, float(columns.kept[slot, place])), best

    def process(
        self, examples: Examples, targets: Targets, nodes: np.ndarray, draws: Draws
    ) -> np.ndarray:
        """Makes candidates of examples, counts the others.

        Args:
          examples: The examples.
          targets: What is known of them.
          nodes: The leaf of each.
          draws: Chooses features.

        Returns:
          Nodes that can split, int32.

        Raises:
          InvalidArgumentError: A node is none that counts.
        """
        slots = self._slots_of(nodes)
        if self._counting.counts_together and not (targets.weights < 0).any():
            finished = self._process_together(examples, targets, nodes, slots, draws)
        else:
            finished = self._process_singly(examples, targets, nodes, slots, draws)
        return np.array(list(HashOrder(finished)), np.int32)

    def _slots_of(self, nodes: np.ndarray) -> np.ndarray:
        known = (nodes >= 0) & (nodes < len(self._by_node))
        slots = np.where(known, self._by_node[np.where(known, nodes, 0)], _NONE)
        if (slots == _NONE).any():
            self._slot(int(nodes[slots == _NONE][0]))
        return slots

    def _propose(
        self, slot: int, examples: Examples, targets: Targets, row: int, feature: int
    ) -> None:
        threshold = examples.values(np.array([row]), np.array([feature]))[0]
        self._counting.propose(slot, examples, targets, row, feature, threshold)

    def _process_together(
        self,
        examples: Examples,
        targets: Targets,
        nodes: np.ndarray,
        slots: np.ndarray,
        draws: Draws,
    ) -> list[int]:
        counting = self._counting
        touched, first, which, counts = np.unique(
            slots, return_index=True, return_inverse=True, return_counts=True
        )
        which = which.reshape(-1)
        order = np.argsort(which, kind="stable")
        starts = np.cumsum(counts) - counts
        rank = np.empty(len(slots), np.int64)
        rank[order] = np.arange(len(slots)) - starts[which[order]]
        lacking = counting.lacking(touched)
        proposes = rank < lacking[which]
        made = np.flatnonzero(proposes)
        drawn = [examples.sample(row, draws) for row in made.tolist()]
        features = np.array([each for each in drawn if each is not None], np.int64)
        if len(features) < len(made):
            made = made[[each is not None for each in drawn]]
            rank[made] = self._ranks(slots[made])
        places = counting.candidates.counts[slots[made]] + rank[made]
        counting.candidates.add_all(slots[made], places, examples, made, features)
        if len(features) < len(drawn):
            # Who lacks features makes no candidate, and the next one is asked.
            return self._process_singly(
                examples, targets, nodes, slots, draws, np.flatnonzero(~proposes)
            )
        rows = np.flatnonzero(~proposes)
        were_finished = counting.are_finished(touched)
        weights = np.bincount(which[rows], targets.weights[rows], len(touched))
        near = 1.0001 * (counting.weights[touched] + weights) + 1 >= counting.enough[touched]
        near |= counting.weights[touched] + counts >= counting.enough[touched]
        states = {
            place: counting.state(int(touched[place]))
            for place in np.flatnonzero(near & ~were_finished).tolist()
        }
        counting.add_all(examples, targets, rows, slots[rows])
        found: list[tuple[int, int]] = []
        for place in np.flatnonzero(counting.are_finished(touched)).tolist():
            at = int(first[place])
            if not were_finished[place]:
                mine = order[starts[place] + lacking[place] : starts[place] + counts[place]]
                slot = int(touched[place])
                at = int(mine[counting.ends_at(slot, states[place], targets, mine)])
            found.append((at, int(nodes[first[place]])))
        return [node for _, node in sorted(found)]

    @staticmethod
    def _ranks(slots: np.ndarray) -> np.ndarray:
        """The how-manieth of its slot each example is."""
        _, which, counts = np.unique(slots, return_inverse=True, return_counts=True)
        order = np.argsort(which.reshape(-1), kind="stable")
        ranks = np.empty(len(slots), np.int64)
        ranks[order] = np.arange(len(slots)) - np.repeat(np.cumsum(counts) - counts, counts)
        return ranks

    def _process_singly(
        self,
        examples: Examples,
        targets: Targets,
        nodes: np.ndarray,
        slots: np.ndarray,
        draws: Draws,
        rows: np.ndarray | None = None,
    ) -> list[int]:
        counting, finished = self._counting, []
        everything = range(len(slots)) if rows is None else rows.tolist()
        for row in everything:
            slot = int(slots[row])
            if counting.is_initialized(slot):
                counting.add(slot, examples, targets, row)
            else:
                feature = examples.sample(row, draws)
                if feature is not None:
                    self._propose(slot, examples, targets, row, feature)
            if counting.are_finished(np.array([slot]))[0]:
                finished.append(int(nodes[row]))
        return finished

    def _count(self, slot: int, examples: Examples, targets: Targets, rows: list[int]) -> None:
        """Counts examples of a slot."""
        if self._counting.counts_together and not (targets.weights < 0).any():
            places = np.array(rows)
            self._counting.add_all(examples, targets, places, np.full(len(rows), slot))
            return
        for row in rows:
            self._counting.add(slot, examples, targets, row)

    def process_collated(
        self, examples: Examples, targets: Targets, nodes: np.ndarray, draws: Draws
    ) -> np.ndarray:
        """As `process`, leaf by leaf: a leaf that still waits for candidates counts nothing.

        Args:
          examples: The examples.
          targets: What is known of them.
          nodes: The leaf of each.
          draws: Chooses features.

        Raises:
          InvalidArgumentError: A node is none that counts.
        """
        self._slots_of(nodes)
        counting, finished = self._counting, HashOrder()
        for node in HashOrder(nodes.tolist()):
            rows = np.flatnonzero(nodes == node).tolist()
            slot = self._slots[node]
            if counting.is_initialized(slot):
                self._count(slot, examples, targets, rows)
                rows = []
            for row in rows:
                feature = examples.sample(row, draws)
                if feature is not None:
                    self._propose(slot, examples, targets, row, feature)
                if counting.is_initialized(slot):
                    break
            if counting.are_finished(np.array([slot]))[0]:
                finished.add(node)
        return np.array(list(finished), np.int32)


class FertileStatsResource(Created[FertileStats]):
    """Statistics that are made before they are used."""

    kind = "N10tensorflow12tensorforest20FertileStatsResourceE"
