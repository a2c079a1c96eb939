"""An ensemble of trees: a TreeEnsemble message, its stamp, and what examples see of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from google.protobuf.message import DecodeError

from dataflow.kernels.boosted_trees.created import Created
from dataflow.kernels.boosted_trees.trees import Features, TreeArrays
from dataflow.kernels.contract.invalid import invalid
from dataflow.proto.boosted_trees_pb2 import DebugOutput, Tree, TreeEnsemble, TreeMetadata

TREE_WEIGHT: Final = 1.0
"""Of a tree: the learning rate is part of its leaves."""


class Ensemble:
    """Trees, and how far they have grown."""

    def __init__(self, stamp: int, serialized: bytes) -> None:
        """Reads a message.

        Args:
          stamp: What tells this state from others.
          serialized: A TreeEnsemble as bytes.

        Raises:
          InvalidArgumentError: They are none.
        """
        self.stamp = 0
        self.message = TreeEnsemble()
        self._arrays: list[TreeArrays | None] = []
        self.replace(stamp, serialized)

    def replace(self, stamp: int, serialized: bytes) -> None:
        """Takes another message's place.

        Raises:
          InvalidArgumentError: The bytes are none.
        """
        try:
            message = TreeEnsemble.FromString(serialized)
        except DecodeError:
            raise invalid("Unable to parse tree ensemble proto.") from None
        self.message, self.stamp = message, stamp
        self._arrays = []

    @property
    def tree_count(self) -> int:
        """How many trees there are."""
        return len(self.message.trees)

    def serialized(self) -> bytes:
        """The message as bytes."""
        return self.message.SerializeToString()

    def tree(self, place: int) -> Tree:
        """A tree that is about to change.

        Raises:
          InvalidArgumentError: There is none of this id.
        """
        self.forget(place)
        return self.message.trees[self._checked(place)]

    def metadata(self, place: int) -> TreeMetadata:
        """What is known of a tree.

        Raises:
          InvalidArgumentError: The message does not say.
        """
        found = self.message.tree_metadata
        if not 0 <= place < len(found):
            raise invalid(f"Tree {place} has no metadata: there are those of {len(found)} trees")
        return found[place]

    def forget(self, place: int) -> None:
        """Says that a tree has changed."""
        if 0 <= place < len(self._arrays):
            self._arrays[place] = None

    def arrays(self, place: int) -> TreeArrays:
        """A tree as arrays."""
        tree = self.message.trees[self._checked(place)]
        self._arrays += [None] * (self.tree_count - len(self._arrays))
        found = self._arrays[place]
        if found is None:
            found = self._arrays[place] = TreeArrays(tree, place)
        return found

    def weight(self, place: int) -> Any:
        """By what a tree's logits are multiplied, a float32.

        Raises:
          InvalidArgumentError: The message does not say.
        """
        found = self.message.tree_weights
        if not 0 <= place < len(found):
            raise invalid(f"Tree {place} has no weight: there are those of {len(found)} trees")
        return np.float32(found[place])

    def _checked(self, place: int) -> int:
        if not 0 <= place < self.tree_count:
            raise invalid(f"The ensemble has {self.tree_count} trees, and none of id {place}")
        return place

    def add_tree(self, values: Sequence[float]) -> int:
        """Adds a tree of one leaf with these logits; gives its id."""
        leaf = self.message.trees.add().nodes.add().leaf
        if len(values) == 1:
            leaf.scalar = values[0]
            leaf.SetInParent()
        else:
            leaf.vector.value.extend(values)
        self.message.tree_weights.append(TREE_WEIGHT)
        self.message.tree_metadata.add()
        return self.tree_count - 1

    def logits(self, features: Features, logits: int) -> Any:
        """The logits of examples: the sums over all trees, a row for each."""
        sums = np.zeros((len(features), logits), np.float32)
        rows = np.arange(len(features))
        roots = np.zeros(len(features), np.int64)
        for place in range(self.tree_count):
            tree, weight = self.arrays(place), self.weight(place)
            values, _ = tree.values(logits)
            sums += weight * values[tree.leaves(features, rows, roots)]
        return sums

    def logits_since(
        self, features: Features, trees: Any, nodes: Any, logits: int
    ) -> tuple[Any, Any, Any]:
        """What has to be added to logits of examples that were at certain nodes.

        Args:
          features: The examples.
          trees: The ids of the trees that were the last ones then.
          nodes: The ids of the nodes at which examples were; less than 0 for none.
          logits: How many logits there are.

        Returns:
          The differences, a row for each example, and the ids of the last tree and of the nodes.
        """
        sums = np.zeros((len(features), logits), np.float32)
        last = self.tree_count - 1
        if last < 0:
            return sums, trees, np.zeros_like(nodes)
        for place in np.unique(trees):
            self._checked(int(place))
        at = np.zeros(len(features), np.int64)
        for place in range(int(trees.min(initial=last)), last + 1):
            tree, weight = self.arrays(place), self.weight(place)
            values, _ = tree.values(logits)
            rows = np.flatnonzero(trees <= place)
            partial = np.zeros((len(rows), logits), np.float32)
            here = np.flatnonzero((trees[rows] == place) & (nodes[rows] >= 0))
            starts = np.zeros(len(rows), np.int64)
            starts[here], partial[here] = self._moved(place, nodes[rows[here]], logits)
            tree.check_ids(starts)
            partial[here] -= values[starts[here]]
            at[rows] = tree.leaves(features, rows, starts)
            sums[rows] += weight * (partial + values[at[rows]])
        return sums, np.full_like(trees, last), at.astype(np.int32)

    def _moved(self, place: int, nodes: Any, logits: int) -> tuple[Any, Any]:
        """Where nodes of a tree have gone by pruning, and by how much logits have changed."""
        known = self.message.tree_metadata
        if not nodes.size or place >= len(known) or not known[place].is_finalized:
            return nodes, np.float32(0)
        updates = known[place].post_pruned_nodes_meta
        if not updates:
            return nodes, np.float32(0)
        if nodes.max() >= len(updates):
            raise invalid(
                f"Tree {place} had {len(updates)} nodes when it was pruned, and none of id "
                f"{nodes.max()}"
            )
        ids = np.array([update.new_node_id for update in updates], np.int64)
        changes = np.zeros((len(updates), logits), np.float32)
        for node, update in enumerate(updates):
            if len(update.logit_change) != logits:
                raise invalid(
                    f"Node {node} of tree {place} changed {len(update.logit_change)} logits when "
                    f"it was pruned, not {logits}"
                )
            changes[node] = update.logit_change
        return ids[nodes], changes[nodes]

    def explained(self, features: Features) -> list[bytes]:
        """For each example, as a DebugOutput, what it is split by and its logits after each split.

        Raises:
          InvalidArgumentError: There are no trees.
        """
        if not self.tree_count:
            raise invalid("The ensemble has no trees: there is nothing to explain")
        count = len(features)
        paths: list[list[float]] = [[] for _ in range(count)]
        splits: list[list[int]] = [[] for _ in range(count)]
        rows = np.arange(count)
        past = np.zeros(count, np.float32)
        root, _ = self.arrays(0).values(1)
        self.arrays(0).check_ids(np.zeros(1, np.int64))
        logit = np.full(count, self.weight(0) * root[0, 0], np.float32)
        for path, value in zip(paths, logit.tolist(), strict=True):
            path.append(value)
        for place in range(self.tree_count):
            tree, weight = self.arrays(place), self.weight(place)
            values, _ = tree.values(1)
            at = np.zeros(count, np.int64)
            # Leaves are where all ways end, so that steps are as many as there are nodes at most.
            tree.leaves(features, rows, at)
            going = rows[~tree.is_leaf[at]]
            while going.size:
                split_by = tree.features[at[going]].tolist()
                at[going] = tree.step(features, going, at[going])
                logit[going] = weight * values[at[going], 0]
                shown = (logit[going] + past[going]).tolist()
                for row, feature, value in zip(going.tolist(), split_by, shown, strict=True):
                    splits[row].append(feature)
                    paths[row].append(value)
                going = going[~tree.is_leaf[at[going]]]
            past += logit if place == 0 else np.where(at > 0, logit, np.float32(0))
        return [
            DebugOutput(feature_ids=ids, logits_path=path).SerializeToString()
            for ids, path in zip(splits, paths, strict=True)
        ]


class EnsembleResource(Created[Ensemble]):
    """What the handle of an ensemble refers to."""

    kind = "N10tensorflow28BoostedTreesEnsembleResourceE"
