"""The best split of each node by a sparse feature, from the sums that are not 0."""

from __future__ import annotations

from typing import Any

import numpy as np

from dataflow.kernels.boosted_trees import splits
from dataflow.kernels.boosted_trees.splits import Regularization
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.threads.stopping import look

_Row = tuple[int, float, int, int, float, float, bytes]
"""Id of a node, gain, dimension, bucket, contributions of both sides, kind."""


def best_of_sparse(indices: Any, values: Any, shape: Any, limits: Regularization) -> Any:
    """The best splits, for one logit.

    Args:
      indices: Node, dimension, bucket and statistic of each sum, a row for each; those of a node
        stand together. The last bucket is that of examples without a value.
      values: The sums.
      shape: How many nodes, dimensions, buckets and statistics there are.
      limits: The regularization.

    Returns:
      Ids, gains, dimensions and buckets, contributions as matrices, and kinds.

    Raises:
      InvalidArgumentError: There are no two statistics, or an index is not within the shape.
    """
    sizes = [int(size) for size in shape]
    _check(indices, sizes)
    starts = np.flatnonzero(np.diff(indices[:, 0], prepend=-1))
    ends = np.append(starts[1:], len(indices))[: len(starts)].tolist()
    rows: list[_Row] = []
    for start, end in zip(starts.tolist(), ends, strict=True):
        look()
        row = _best_of_node(indices[start:end], values[start:end], sizes, limits)
        if row is not None:
            rows.append(row)
    columns = list(zip(*rows, strict=True)) if rows else [()] * 7
    kinds = np.empty(len(rows), object)
    kinds[:] = columns[6]
    return (
        np.array(columns[0], np.int32),
        np.array(columns[1], np.float32),
        np.array(columns[2], np.int32),
        np.array(columns[3], np.int32),
        np.array(columns[4], np.float32).reshape(-1, 1),
        np.array(columns[5], np.float32).reshape(-1, 1),
        kinds,
    )


def _check(indices: Any, sizes: list[int]) -> None:
    if sizes[2] < 1 or sizes[3] < 2:
        raise invalid(
            "stats_summary_shape must have a bucket and two statistics at least, got "
            f"{sizes[2]} and {sizes[3]}"
        )
    # TensorFlow does not look at the number of nodes, nor at that of dimensions.
    for column, what in ((2, "Bucket"), (3, "Stat dim")):
        wrong = np.flatnonzero((indices[:, column] < 0) | (indices[:, column] >= sizes[column]))
        if wrong.size:
            raise invalid(
                f"{what} in stats_summary_indices must be in [0, {sizes[column]}), got "
                f"{indices[wrong[0], column]} at index {wrong[0]}"
            )
    wrong = np.flatnonzero((indices[:, :2] < 0).any(axis=1))
    if wrong.size:
        raise invalid(
            f"stats_summary_indices must not be negative, got {indices[wrong[0]].tolist()} at "
            f"index {wrong[0]}"
        )


def _best_of_node(
    indices: Any, values: Any, sizes: list[int], limits: Regularization
) -> _Row | None:
    """The best split of the node whose sums these are; None if it has none."""
    names, places = np.unique(indices[:, 1], return_inverse=True)
    buckets = sizes[2]
    sums = np.zeros((len(names), buckets, sizes[3]), np.float32)
    sums[places.ravel(), indices[:, 2], indices[:, 3]] = values
    given = np.zeros((len(names), buckets), np.bool_)
    given[places.ravel(), indices[:, 2]] = True
    sums = sums[:, :, :2]
    whole = np.cumsum(sums[0], axis=0, dtype=np.float32)[-1]
    if whole[1] < limits.min_node_weight or buckets == 1:
        return None
    until = np.cumsum(sums[:, :-1], axis=1, dtype=np.float32)
    missing = sums[:, -1:]
    left = np.stack([until, until + missing], axis=2)
    right = np.stack([whole - until, whole - missing - until], axis=2)
    gains, on_left, on_right = splits.gains_of(left, right, 1, limits)
    # Where there is no sum, the gain is that of the bucket before.
    gains = np.where(given[:, :-1, None], gains, np.float32("nan"))
    best, found = splits.first_of_largest(gains.reshape(1, -1))
    if not found[0]:
        return None
    dimension, bucket, side = np.unravel_index(int(best[0]), gains.shape)
    before = splits.gains_of_nodes(whole[None], 1, limits)[0]
    with np.errstate(all="ignore"):
        gain = gains[dimension, bucket, side] - before - limits.tree_complexity
    return (
        int(indices[0, 0]),
        gain,
        int(names[dimension]),
        int(bucket),
        on_left[dimension, bucket, side, 0],
        on_right[dimension, bucket, side, 0],
        splits.DEFAULT_LEFT if side else splits.DEFAULT_RIGHT,
    )
