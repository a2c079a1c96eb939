"""An ensemble of trees: a DecisionTreeEnsembleConfig message that grows, and its stamp."""

from __future__ import annotations

from bisect import insort
from collections.abc import Sequence
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError

from dataflow.kernels.boosted_trees.created import Created
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.gradient_trees.features import Features
from dataflow.kernels.gradient_trees.trees import TreeArrays
from dataflow.proto.tree_config_pb2 import (
    DecisionTreeConfig,
    DecisionTreeEnsembleConfig,
    DecisionTreeMetadata,
)


class Ensemble:
    """Trees, by what each is multiplied, and how far they have grown."""

    def __init__(self, stamp: int, serialized: bytes) -> None:
        """Reads a message.

        Args:
          stamp: What tells this state from others.
          serialized: A DecisionTreeEnsembleConfig as bytes.

        Raises:
          InvalidArgumentError: They are none.
        """
        self.stamp = stamp
        self.message = DecisionTreeEnsembleConfig()
        self._arrays: list[TreeArrays | None] = []
        self.replace(stamp, serialized)

    def replace(self, stamp: int, serialized: bytes) -> None:
        """Takes another message's place.

        Raises:
          InvalidArgumentError: The bytes are none.
        """
        try:
            message = DecisionTreeEnsembleConfig.FromString(serialized)
        except DecodeError:
            raise invalid("Unable to parse tree ensemble config.") from None
        self.message, self.stamp, self._arrays = message, stamp, []

    def serialized(self) -> bytes:
        """The message as bytes."""
        return self.message.SerializeToString()

    @property
    def tree_count(self) -> int:
        """How many trees there are, the growing one among them."""
        return len(self.message.trees)

    @property
    def is_last_done(self) -> bool:
        """Whether there is no tree that grows."""
        return not self.tree_count or self.last_metadata().is_finalized

    def last_metadata(self) -> DecisionTreeMetadata:
        """How far the last tree has grown.

        Raises:
          InvalidArgumentError: The message does not say.
        """
        found = self.message.tree_metadata
        if not found:
            raise invalid(
                f"The ensemble has {self.tree_count} trees, and tree_metadata says nothing of them"
            )
        return found[-1]

    def last_tree(self) -> DecisionTreeConfig:
        """The last tree, which is about to change."""
        self._arrays = self._arrays[: self.tree_count - 1]
        return self.message.trees[-1]

    def add_tree(self, weight: float) -> DecisionTreeConfig:
        """Adds a tree without nodes."""
        self.message.tree_weights.append(weight)
        self.message.tree_metadata.add().num_layers_grown = 1
        return self.message.trees.add()

    def remove_last_tree(self) -> None:
        """Takes the last tree away."""
        self._arrays = self._arrays[: self.tree_count - 1]
        for parts in (
            self.message.trees,
            self.message.tree_weights,
            self.message.tree_metadata,
        ):
            del parts[-1]

    def count_attempt(self) -> None:
        """Counts an attempt to add a layer, and a tree where a new one begins."""
        growing = self.message.growing_metadata
        growing.num_layers_attempted += 1
        if self.is_last_done:
            growing.num_trees_attempted += 1

    @property
    def used_handlers(self) -> list[int]:
        """The places of features that splits have used, sorted."""
        return list(self.message.growing_metadata.used_handler_ids)

    def add_used_handler(self, handler: int) -> None:
        """Remembers that a split has used a feature."""
        used = self.used_handlers
        if handler not in used:
            insort(used, handler)
            self.message.growing_metadata.used_handler_ids[:] = used

    def arrays(self, place: int) -> TreeArrays:
        """A tree for examples."""
        missing = self.tree_count - len(self._arrays)
        self._arrays += [None] * missing
        found = self._arrays[place]
        if found is None:
            found = self._arrays[place] = TreeArrays(self.message.trees[place], place)
        return found

    def chosen(self, places: Sequence[int]) -> list[TreeArrays]:
        """Some trees as they are now, whatever becomes of the ensemble.

        Raises:
          InvalidArgumentError: The message does not say by what one is multiplied.
        """
        weights = len(self.message.tree_weights)
        for place in places:
            if place >= weights:
                raise invalid(f"Tree {place} has no weight: there are those of {weights} trees")
        return [self.arrays(place) for place in places]


def predicted(
    trees: Sequence[TreeArrays], weights: Sequence[Any], features: Features, logits: int
) -> tuple[Any, list[Any]]:
    """Logits of examples, a row for each, and at which leaf of each tree each arrives.

    Args:
      trees: The trees.
      weights: By what each is multiplied, float32.
      features: The examples.
      logits: How many logits there are.

    Raises:
      InvalidArgumentError: A tree is none that can be walked through, or a leaf has other logits.
    """
    sums = np.zeros((len(features), logits), np.float32)
    leaves = []
    with np.errstate(all="ignore"):
        for tree, weight in zip(trees, weights, strict=True):
            at = tree.leaves(features)
            leaves.append(at)
            sums += (np.float32(weight) * tree.values(logits))[at]
    return sums, leaves


class EnsembleResource(Created[Ensemble]):
    """What the handle of an ensemble refers to."""

    kind = "N10tensorflow13boosted_trees6models28DecisionTreeEnsembleResourceE"
