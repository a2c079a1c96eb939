"""The best split of a whole layer by one feature: the same for all of its nodes."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.gradient_trees.gains import Leaves, Limits, Sums
from dataflow.kernels.gradient_trees.splits import LEAST_GAIN, starts_of
from dataflow.kernels.threads.stopping import look


@dataclass(frozen=True, slots=True)
class BestOfLayer:
    """A split, and what each node of the layer becomes."""

    partitions: Any
    gain: Any
    feature: int
    """The bucket up to which, or the category with which, examples go left."""
    left: Leaves
    right: Leaves


def dense(partitions: Any, buckets: Any, sums: Sums, ratio: Any, limits: Limits) -> BestOfLayer:
    """A split between two buckets.

    Args:
      partitions: The node of each row, in order.
      buckets: Its bucket.
      sums: A row for each node and bucket, in this order.
      ratio: By what sums are multiplied.
      limits: What keeps trees small.

    Raises:
      InvalidArgumentError: The nodes are not in order, or sums have a wrong shape.
    """
    look()
    bounds = starts_of(partitions)
    tried = np.unique(buckets)
    left, wholes = [], []
    for start, end in itertools.pairwise(bounds):
        rows = sums[start:end][None]
        wholes.append(rows.running()[0, -1] * ratio)
        places = np.searchsorted(buckets[start:end], tried, side="right") - 1
        left.append(_picked((rows * ratio).running()[0], places))
    return _best(partitions[bounds[:-1]], tried, wholes, left, limits)


def _picked(sums: Sums, places: Any) -> Sums:
    """The sums at places; those below 0 have none."""
    found = sums[np.maximum(places, 0)]
    found.gradients[places < 0], found.hessians[places < 0] = 0, 0
    return found


def categorical(
    partitions: Any, features: Any, sums: Sums, ratio: Any, limits: Limits, bias: int
) -> BestOfLayer:
    """A split into those that have a category, which go left, and the others.

    Args:
      partitions: The node of each row, in order.
      features: Its category; that of the first row of each node stands for all of its examples.
      sums: A row for each node and category, in this order.
      ratio: By what sums are multiplied.
      limits: What keeps trees small.
      bias: The category of the first row of each node.

    Raises:
      InvalidArgumentError: The nodes are not in order, the first row of one is another, or sums
        have a wrong shape.
    """
    look()
    bounds = starts_of(partitions)
    several = np.flatnonzero(np.diff(bounds) >= 2)
    firsts, behind = bounds[several], bounds[several + 1]
    if (features[firsts] != bias).any():
        raise invalid("Bias feature ID missing.")
    named = [features[first + 1 : end] for first, end in zip(firsts, behind, strict=True)]
    tried = np.unique(np.concatenate(named))
    wholes, left = [], []
    for first, ids in zip(firsts, named, strict=True):
        wholes.append(sums[first] * ratio)
        places = np.minimum(np.searchsorted(ids, tried), len(ids) - 1)
        is_there = ids[places] == tried
        rows = sums[first + 1 : first + 1 + len(ids)] * ratio
        left.append(_picked(rows, np.where(is_there, places, -1)))
    return _best(partitions[firsts], tried, wholes, left, limits)


def _best(
    partitions: Any, tried: Any, wholes: list[Sums], left: list[Sums], limits: Limits
) -> BestOfLayer:
    """The split that gains most in all nodes.

    Args:
      partitions: The nodes.
      tried: The buckets or categories.
      wholes: The sums of each node.
      left: For each node, the sums of what goes left, a row for each of `tried`.
      limits: What keeps trees small.
    """
    whole = Sums(*(np.stack([getattr(w, n) for w in wholes]) for n in ("gradients", "hessians")))
    ours = Sums(*(np.stack([getattr(w, n) for w in left]) for n in ("gradients", "hessians")))
    leaves, others = limits.leaves(ours, 2), limits.leaves(whole[:, None] - ours, 2)
    before = limits.leaves(whole, 1)
    with np.errstate(all="ignore"):
        gains = np.cumsum(leaves.gains + others.gains, axis=0, dtype=np.float32)[-1]
        candidates = np.where(gains > LEAST_GAIN, gains, -np.inf)
        place = int(candidates.argmax())
        gain = np.float32(max(candidates[place], LEAST_GAIN))
        for each in before.gains:
            gain = np.float32(gain - each)
        gain = np.float32(gain - np.float32(len(partitions)) * limits.tree_complexity)
    return BestOfLayer(partitions, gain, int(tried[place]), leaves[:, place], others[:, place])
