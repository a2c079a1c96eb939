"""Trees as examples see them: their logits, and the ways to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dataflow.kernels.boosted_trees.trees import Features, TreeArrays
from dataflow.kernels.contract.invalid import invalid
from dataflow.proto.boosted_trees_pb2 import DebugOutput, TreeMetadata


@dataclass(frozen=True, slots=True)
class Moves:
    """Where the nodes of a tree went when it was pruned."""

    place: int
    ids: Any
    changes: Any
    """By how much logits changed, a row for each former node."""

    @classmethod
    def of(cls, metadata: TreeMetadata, place: int, logits: int) -> Moves | None:
        """Reads them; None if nothing was pruned.

        Raises:
          InvalidArgumentError: Another number of logits changed.
        """
        updates = metadata.post_pruned_nodes_meta
        if not updates:
            return None
        for node, update in enumerate(updates):
            if len(update.logit_change) != logits:
                raise invalid(
                    f"Node {node} of tree {place} changed {len(update.logit_change)} logits when "
                    f"it was pruned, not {logits}"
                )
        ids = np.array([update.new_node_id for update in updates], np.int64)
        changes = np.array([update.logit_change for update in updates], np.float32)
        return cls(place, ids, changes)

    def moved(self, nodes: Any) -> tuple[Any, Any]:
        """The present nodes of former ones, and by how much logits changed.

        Raises:
          InvalidArgumentError: There was no such node.
        """
        if nodes.size and nodes.max() >= len(self.ids):
            raise invalid(
                f"Tree {self.place} had {len(self.ids)} nodes when it was pruned, and none of id "
                f"{nodes.max()}"
            )
        return self.ids[nodes], self.changes[nodes]


@dataclass(frozen=True, slots=True)
class GrownTree:
    """A tree, by what its logits are multiplied, and where its former nodes are."""

    arrays: TreeArrays
    weight: Any
    moves: Moves | None


class Forest:
    """Trees at one moment, whatever becomes of the ensemble."""

    def __init__(self, trees: Sequence[GrownTree], logits: int) -> None:
        """Takes the trees, whose leaves have as many logits."""
        self._trees = trees
        self._logits = logits

    def predicted(self, features: Features) -> Any:
        """The logits of examples: the sums over all trees, a row for each."""
        sums = np.zeros((len(features), self._logits), np.float32)
        rows = np.arange(len(features))
        roots = np.zeros(len(features), np.int64)
        for tree in self._trees:
            sums += tree.weight * tree.arrays.values[tree.arrays.leaves(features, rows, roots)]
        return sums

    def predicted_since(self, features: Features, trees: Any, nodes: Any) -> tuple[Any, Any, Any]:
        """What has to be added to logits of examples that were at certain nodes.

        Args:
          features: The examples.
          trees: The ids of the trees that were the last ones then.
          nodes: The ids of the nodes at which examples were; less than 0 for none.

        Returns:
          The differences, a row for each example, and the ids of the last tree and of the nodes.

        Raises:
          InvalidArgumentError: There is no such tree or node.
        """
        sums = np.zeros((len(features), self._logits), np.float32)
        count = len(self._trees)
        if not count:
            return sums, trees, np.zeros_like(nodes)
        wrong = (trees < 0) | (trees >= count)
        if wrong.any():
            raise invalid(f"The ensemble has {count} trees, and none of id {trees[wrong][0]}")
        at = np.zeros(len(features), np.int64)
        for place in range(int(trees.min(initial=count - 1)), count):
            tree, rows = self._trees[place], np.flatnonzero(trees <= place)
            starts = np.zeros(len(rows), np.int64)
            partial = np.zeros((len(rows), self._logits), np.float32)
            here = np.flatnonzero((trees[rows] == place) & (nodes[rows] >= 0))
            starts[here] = nodes[rows[here]]
            if tree.moves is not None:
                starts[here], partial[here] = tree.moves.moved(starts[here])
            tree.arrays.check_ids(starts)
            values = tree.arrays.values
            partial[here] -= values[starts[here]]
            at[rows] = tree.arrays.leaves(features, rows, starts)
            sums[rows] += tree.weight * (partial + values[at[rows]])
        return sums, np.full_like(trees, count - 1), at.astype(np.int32)

    def explained(self, features: Features) -> list[bytes]:
        """For each example, as a DebugOutput, what it is split by and its logits after each split.

        Raises:
          InvalidArgumentError: There are no trees.
        """
        if not self._trees:
            raise invalid("The ensemble has no trees: there is nothing to explain")
        count = len(features)
        told = [DebugOutput() for _ in range(count)]
        rows = np.arange(count)
        past = np.zeros(count, np.float32)
        first = self._trees[0]
        first.arrays.check_ids(np.zeros(1, np.int64))
        logit = np.full(count, first.weight * first.arrays.values[0, 0], np.float32)
        for each, value in zip(told, logit.tolist(), strict=True):
            each.logits_path.append(value)
        for place, tree in enumerate(self._trees):
            at = np.zeros(count, np.int64)
            for going, split_by in tree.arrays.steps(features, rows, at):
                logit[going] = tree.weight * tree.arrays.values[at[going], 0]
                shown = logit[going] + past[going]
                ways = zip(going.tolist(), split_by.tolist(), shown.tolist(), strict=True)
                for row, feature, value in ways:
                    told[row].feature_ids.append(feature)
                    told[row].logits_path.append(value)
            # A bias is told apart from trees that have not begun to grow.
            past += logit if place == 0 else np.where(at > 0, logit, np.float32(0))
        return [each.SerializeToString() for each in told]
