"""The best split of each node, from sums of gradients and hessians by bucket."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from dataflow.kernels.boosted_trees.gains import weights_and_gains

LEAST_GAIN: Final = np.finfo(np.float32).min
"""What a gain must exceed to count."""
_TOLERANCE: Final = np.float32(1e-15)
"""By how much a gain must be larger."""
DEFAULT_LEFT: Final = b"INEQUALITY_DEFAULT_LEFT"
DEFAULT_RIGHT: Final = b"INEQUALITY_DEFAULT_RIGHT"
EQUALITY: Final = b"EQUALITY_DEFAULT_RIGHT"
KINDS: Final = (DEFAULT_LEFT, DEFAULT_RIGHT, EQUALITY)
"""Names of SplitTypeWithDefault, as ops give them."""


@dataclass(frozen=True, slots=True)
class Regularization:
    """What keeps trees small, as float32 numbers."""

    l1: Any
    l2: Any
    tree_complexity: Any
    min_node_weight: Any


@dataclass(frozen=True, slots=True)
class Candidates:
    """Ways to split nodes, for each node in the same order: gains of shape (nodes, ways), float32,
    contributions to logits of shape (nodes, ways, logits), and what the ways are."""

    gains: Any
    left: Any
    right: Any
    dimensions: Any
    buckets: Any
    kinds: Any

    def best(self) -> Best:
        """The first of the best ways for each node."""
        places, found = first_of_largest(self.gains)
        nodes = np.arange(len(places))
        return Best(
            found,
            self.gains[nodes, places],
            self.left[nodes, places],
            self.right[nodes, places],
            self.dimensions[places],
            self.buckets[places],
            self.kinds[places],
        )


@dataclass(frozen=True, slots=True)
class Best:
    """A way for each node, where one was found: the columns of a table."""

    found: Any
    gains: Any
    left: Any
    right: Any
    dimensions: Any
    buckets: Any
    kinds: Any

    def of(self, kept: Any) -> Best:
        """The rows that are kept."""
        columns = (getattr(self, name)[kept] for name in self.__slots__)
        return Best(*columns)

    def or_better(self, other: Best) -> tuple[Best, Any]:
        """For each node the way that gains more, the own one where both gain the same; and where
        it is the other one."""
        taken = other.found & (~self.found | (other.gains > self.gains))

        def either(ours: Any, theirs: Any) -> Any:
            return np.where(taken.reshape(-1, *[1] * (np.ndim(ours) - 1)), theirs, ours)

        pairs = (
            (getattr(self, name), getattr(other, name))
            for name in ("gains", "left", "right", "dimensions", "buckets", "kinds")
        )
        return Best(self.found | other.found, *(either(*pair) for pair in pairs)), taken


def first_of_largest(gains: Any) -> tuple[Any, Any]:
    """The places of the largest gains of rows: of those that are nearly as large, the first.

    Args:
      gains: A matrix of float32.

    Returns:
      The places, and whether there is one: a NaN is none, nor is what does not exceed the least.
    """
    if not gains.shape[1]:
        return np.zeros(len(gains), np.intp), np.zeros(len(gains), np.bool_)
    counted = np.where(np.isnan(gains), -np.inf, gains).astype(np.float32)
    places = counted.argmax(axis=1)
    largest = counted[np.arange(len(places)), places]
    with np.errstate(all="ignore"):
        near = (largest[:, None] - counted < _TOLERANCE) & (counted < largest[:, None])
    for row in np.flatnonzero(near.any(axis=1)):
        best = LEAST_GAIN
        for place in range(counted.shape[1]):
            gain = counted[row, place]
            with np.errstate(all="ignore"):
                if gain - best >= _TOLERANCE:
                    best, places[row] = gain, place
    return places, largest > LEAST_GAIN


def gains_of(left: Any, right: Any, logits: int, limits: Regularization) -> tuple[Any, Any, Any]:
    """What ways to split gain together, and what they contribute to the logits of both sides.

    Args:
      left: Sums on the left, of shape (..., gradients and hessians).
      right: The same on the right.
      logits: How many are gradients.
      limits: The regularization.
    """
    sides = [
        weights_and_gains(side[..., :logits], side[..., logits:], limits.l1, limits.l2)
        for side in (left, right)
    ]
    with np.errstate(all="ignore"):
        return sides[0][1] + sides[1][1], sides[0][0], sides[1][0]


def by_threshold(sums: Any, logits: int, limits: Regularization) -> Candidates:
    """Ways to split by whether a bucket is at most a threshold.

    Args:
      sums: Of shape (nodes, dimensions, buckets, gradients and hessians), float32. The last bucket
        has the examples without a value, which may go to either side.
      logits: How many are gradients.
      limits: The regularization.
    """
    nodes, dimensions, buckets, statistics = sums.shape
    running = np.cumsum(sums, axis=2, dtype=np.float32)
    until, whole, missing = running[:, :, :-1], running[:, :, -1:], sums[:, :, -1:]
    with_missing = until + missing
    left = np.stack([with_missing, until], axis=3)
    ways = dimensions * (buckets - 1) * 2
    shape = (nodes, ways, statistics)
    right = (whole[:, :, :, None] - left).reshape(shape)
    gains, on_left, on_right = gains_of(left.reshape(shape), right, logits, limits)
    places = np.indices((dimensions, buckets - 1, 2)).reshape(3, ways)
    kinds = np.array([DEFAULT_LEFT, DEFAULT_RIGHT], object)
    return Candidates(gains, on_left, on_right, places[0], places[1], kinds[places[2]])


def by_value(sums: Any, whole: Any, logits: int, limits: Regularization) -> Candidates:
    """Ways to split by whether a bucket is a certain one.

    Args:
      sums: As above; examples without a value go right.
      whole: The sums of each node.
      logits: How many are gradients.
      limits: The regularization.
    """
    nodes, dimensions, buckets, statistics = sums.shape
    ways = dimensions * (buckets - 1)
    left = sums[:, :, :-1].reshape(nodes, ways, statistics)
    gains, on_left, on_right = gains_of(left, whole[:, None] - left, logits, limits)
    places = np.indices((dimensions, buckets - 1)).reshape(2, ways)
    kinds = np.full(ways, EQUALITY, object)
    return Candidates(gains, on_left, on_right, places[0], places[1], kinds)


def whole_of(sums: Any) -> Any:
    """The sums of nodes: those of all buckets of the first dimension, one added after the other."""
    return np.cumsum(sums[:, 0], axis=1, dtype=np.float32)[:, -1]


def gains_of_nodes(whole: Any, logits: int, limits: Regularization) -> Any:
    """What nodes gain that are not split."""
    return weights_and_gains(whole[:, :logits], whole[:, logits:], limits.l1, limits.l2)[1]
