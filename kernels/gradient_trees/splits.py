"""The best split of each node by one feature, from sums by bucket."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.gradient_trees.gains import Leaves, Limits, Sums
from dataflow.kernels.threads.stopping import look

LEAST_GAIN: Final = np.finfo(np.float32).min


@dataclass(frozen=True, slots=True)
class Best:
    """The best splits, one for each node that can be split."""

    partitions: Any
    gains: Any
    rows: Any
    """Of the sums, which tell the bucket and the dimension."""
    left: Leaves
    right: Leaves
    goes_right: Any
    """Whether examples without a value go right."""


def starts_of(partitions: Any) -> Any:
    """Where the rows of each node begin, and at last how many rows there are.

    Raises:
      InvalidArgumentError: The nodes are not in order.
    """
    changes = np.diff(partitions)
    if (changes < 0).any():
        raise invalid("Input should be sorted.")
    if not len(partitions):
        return np.zeros(1, np.int64)
    return np.concatenate([[0], np.flatnonzero(changes) + 1, [len(partitions)]])


def _in_groups(sums: Sums, starts: Any, ends: Any) -> tuple[Sums, Any]:
    """Rows between starts and ends as matrices, with 0 behind the last one; and what is real."""
    places = starts[:, None] + np.arange(max(int((ends - starts).max(initial=1)), 1))
    real = places < ends[:, None]
    places = np.minimum(places, len(sums.gradients) - 1)
    gradients, hessians = (
        np.where(real.reshape(*real.shape, *[1] * (values.ndim - 1)), values[places], np.float32(0))
        for values in (sums.gradients, sums.hessians)
    )
    return Sums(gradients, hessians), real


def _candidates(gains: Any, real: Any) -> Any:
    """Gains, with less than all others where there is no candidate."""
    return np.where(real & (gains > LEAST_GAIN), gains, -np.inf)


def dense(partitions: Any, sums: Sums, ratio: Any, limits: Limits) -> Best:
    """Splits between two buckets: those up to one go left.

    Args:
      partitions: The node of each row, in order.
      sums: A row for each node and bucket, in this order.
      ratio: By what sums are multiplied.
      limits: What keeps trees small.

    Raises:
      InvalidArgumentError: The nodes are not in order, or sums have a wrong shape.
    """
    look()
    bounds = starts_of(partitions)
    starts, ends = bounds[:-1], bounds[1:]
    groups, real = _in_groups(sums, starts, ends)
    whole = groups.running()[:, -1] * ratio
    left = (groups * ratio).running()
    right = whole[:, None] - left
    ours, theirs = limits.leaves(left, 2), limits.leaves(right, 2)
    with np.errstate(all="ignore"):
        gains = _candidates(ours.gains + theirs.gains, real)
    each, places = np.arange(len(starts)), gains.argmax(axis=1)
    found = gains[each, places] > LEAST_GAIN
    return Best(
        partitions[starts],
        _net(gains[each, places], limits.leaves(whole, 1), limits),
        np.where(found, starts + places, 0),
        _where(found, ours[each, places]),
        _where(found, theirs[each, places]),
        np.zeros(len(starts), bool),
    )


def _net(best: Any, whole: Leaves, limits: Limits) -> Any:
    """By how much a split gains more than the node did before."""
    with np.errstate(all="ignore"):
        kept = np.maximum(best, LEAST_GAIN).astype(np.float32)
        return kept - whole.gains - limits.tree_complexity


def _where(found: Any, leaves: Leaves) -> Leaves:
    return Leaves(leaves.weights, leaves.exist & found, leaves.gains)


def sparse(
    partitions: Any, features: Any, sums: Sums, ratio: Any, limits: Limits, bias: int
) -> Best:
    """Splits between two buckets of a dimension, where examples may have no value.

    Args:
      partitions: The node of each row, in order.
      features: Bucket and dimension of each row; those of the first of each node stand for all of
        its examples.
      sums: A row for each node, dimension and bucket, in this order.
      ratio: By what sums are multiplied.
      limits: What keeps trees small.
      bias: The bucket of the first row of each node.

    Raises:
      InvalidArgumentError: The nodes are not in order, the first row of one is another, or sums
        have a wrong shape.
    """
    look()
    bounds = starts_of(partitions)
    has_values = np.diff(bounds) >= 2
    firsts, behind = bounds[:-1][has_values], bounds[1:][has_values]
    _check_bias(features, firsts, bias)
    if (features[firsts, 1] != 0).any():
        raise invalid("Bias feature ID must be with dimension 0.")
    whole = sums[firsts] * ratio
    starts, ends, owners = _dimensions(features[:, 1], firsts, behind)
    groups, real = _in_groups(sums, starts, ends)
    present = groups.running()[:, -1] * ratio
    root = whole[owners]
    left = (groups * ratio).running()
    right = present[:, None] - left
    # Where hardly an example lacks a value, those without one go left.
    may_go_right = real & ~(root - present).are_nothing(1)[:, None]
    ways = (
        (limits.leaves(root[:, None] - right, 2), limits.leaves(right, 2), real),
        (limits.leaves(left, 2), limits.leaves(root[:, None] - left, 2), may_go_right),
    )
    with np.errstate(all="ignore"):
        gains = np.stack([_candidates(a.gains + b.gains, ok) for a, b, ok in ways], axis=2)
    flat = gains.reshape(len(starts), -1)
    each, places = np.arange(len(starts)), flat.argmax(axis=1)
    tops = flat[each, places]
    chosen = np.array([_first_top(tops, owners == node) for node in range(len(firsts))], np.int64)
    rows, goes_right = np.divmod(places[chosen], 2)
    found = tops[chosen] > LEAST_GAIN
    goes_right = (goes_right == 1) & found
    return Best(
        partitions[firsts],
        _net(tops[chosen], limits.leaves(whole, 1), limits),
        np.where(found, starts[chosen] + rows, 0),
        _where(found, _either(ways[0][0], ways[1][0], goes_right, chosen, rows)),
        _where(found, _either(ways[0][1], ways[1][1], goes_right, chosen, rows)),
        goes_right,
    )


def _check_bias(features: Any, firsts: Any, bias: int) -> None:
    if (features[firsts, 0] != bias).any():
        raise invalid("Bias feature ID missing.")


def _dimensions(dimensions: Any, firsts: Any, behind: Any) -> tuple[Any, Any, Any]:
    """Where the rows of each node and dimension begin and end, and whose they are."""
    starts, ends, owners = [], [], []
    for owner, (first, end) in enumerate(zip(firsts + 1, behind, strict=True)):
        cuts = first + 1 + np.flatnonzero(np.diff(dimensions[first:end]))
        starts += [np.array([first]), cuts]
        ends += [cuts, np.array([end])]
        owners.append(np.full(len(cuts) + 1, owner))
    none = np.zeros(0, np.int64)
    return tuple(np.concatenate(parts or [none]) for parts in (starts, ends, owners))  # type: ignore[return-value]


def _first_top(tops: Any, ours: Any) -> int:
    return int(np.argmax(np.where(ours, np.maximum(tops, LEAST_GAIN), -np.inf)))


def _either(one: Leaves, other: Leaves, second: Any, groups: Any, rows: Any) -> Leaves:
    """Leaves of one kind, or of the other one."""
    a, b = one[groups, rows], other[groups, rows]
    return Leaves(
        np.where(second[:, None], b.weights, a.weights),
        np.where(second, b.exist, a.exist),
        np.where(second, b.gains, a.gains),
    )


def categorical(
    partitions: Any, features: Any, sums: Sums, ratio: Any, limits: Limits, bias: int
) -> Best:
    """Splits into those that have a category, which go left, and the others.

    The arguments and errors are those of `sparse`, with categories for buckets.
    """
    look()
    bounds = starts_of(partitions)
    has_values = np.diff(bounds) >= 2
    firsts, behind = bounds[:-1][has_values], bounds[1:][has_values]
    _check_bias(features, firsts, bias)
    whole = sums[firsts] * ratio
    groups, real = _in_groups(sums, firsts + 1, behind)
    left = groups * ratio
    ours, theirs = limits.leaves(left, 2), limits.leaves(whole[:, None] - left, 2)
    with np.errstate(all="ignore"):
        gains = ours.gains + theirs.gains
    candidates = _candidates(gains, real)
    each, places = np.arange(len(firsts)), candidates.argmax(axis=1)
    # The first category counts, whatever it gains.
    best = np.where(np.isfinite(candidates[each, places]), candidates[each, places], gains[:, 0])
    return Best(
        partitions[firsts],
        _net_of(best, limits.leaves(whole, 1), limits),
        firsts + 1 + places,
        ours[each, places],
        theirs[each, places],
        np.zeros(len(firsts), bool),
    )


def _net_of(best: Any, whole: Leaves, limits: Limits) -> Any:
    with np.errstate(all="ignore"):
        return best - whole.gains - limits.tree_complexity
