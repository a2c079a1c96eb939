"""An ensemble of trees: a TreeEnsemble message that grows, and its stamp."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from google.protobuf.message import DecodeError

from dataflow.kernels.boosted_trees.created import Created
from dataflow.kernels.boosted_trees.forest import Forest, GrownTree, Moves
from dataflow.kernels.boosted_trees.trees import TreeArrays
from dataflow.kernels.contract.invalid import invalid
from dataflow.proto.boosted_trees_pb2 import Tree, TreeEnsemble, TreeMetadata

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
        self._grown: dict[int, list[GrownTree | None]] = {}
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
        self._grown = {}

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
        for known in self._grown.values():
            if 0 <= place < len(known):
                known[place] = None
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

    def forest(self, logits: int) -> Forest:
        """The trees as they are now, for examples.

        Args:
          logits: How many logits leaves have.

        Raises:
          InvalidArgumentError: Leaves have another number, or the message does not say by what a
            tree's logits are multiplied.
        """
        known = self._grown.setdefault(logits, [])
        known += [None] * (self.tree_count - len(known))
        for place in range(self.tree_count):
            if known[place] is None:
                known[place] = self._read(place, logits)
        return Forest([tree for tree in known if tree is not None], logits)

    def _read(self, place: int, logits: int) -> GrownTree:
        weights, metadata = self.message.tree_weights, self.message.tree_metadata
        if place >= len(weights):
            raise invalid(f"Tree {place} has no weight: there are those of {len(weights)} trees")
        arrays = TreeArrays(self.message.trees[place], place, logits)
        moves = None
        if place < len(metadata) and metadata[place].is_finalized:
            moves = Moves.of(metadata[place], place, logits)
        return GrownTree(arrays, np.float32(weights[place]), moves)

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


class EnsembleResource(Created[Ensemble]):
    """What the handle of an ensemble refers to."""

    kind = "N10tensorflow28BoostedTreesEnsembleResourceE"
