"""Sums of gradients and hessians by node and bucket."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.threads.stopping import look

_AT_ONCE: Final = 1 << 21
"""About how many values of a sparse feature are written out at a time."""


def check_ids(ids: Any, count: int, what: str) -> None:
    """Checks that ids are in [0, count).

    Raises:
      InvalidArgumentError: One is not.
    """
    wrong = np.flatnonzero((ids < 0) | (ids >= count))
    if wrong.size:
        place = int(wrong[0])
        value = int(np.ravel(ids)[place])
        if value < 0:
            raise invalid(f"{what} {place}th entry should be >=0, got: {value}")
        raise invalid(f"{what} {place}th entry should be < {count}, got: {value}")


def summed(nodes: Any, buckets: Any, values: Any, splits: int, bucket_count: int) -> Any:
    """Sums of examples' values by node and bucket, in float64, one example after the other.

    Args:
      nodes: The node of each example, in [0, splits).
      buckets: The bucket of each example, in [0, bucket_count).
      values: A matrix with a row for each example.
      splits: How many nodes there may be.
      bucket_count: How many buckets there are.

    Returns:
      Of shape (splits, bucket_count, columns of values), float32.
    """
    look()
    keys = nodes.astype(np.int64) * bucket_count + buckets
    count = splits * bucket_count
    columns = [np.bincount(keys, weights=column, minlength=count) for column in values.T]
    shape = (splits, bucket_count, values.shape[1])
    with np.errstate(all="ignore"):
        return np.stack(columns, axis=1).astype(np.float32).reshape(shape)


def summed_sparse(
    nodes: Any, values: Any, indices: Any, buckets: Any, dimensions: int, missing: int
) -> tuple[Any, Any]:
    """Sums by node, dimension of a sparse feature and bucket, in float32.

    Args:
      nodes: The node of each example.
      values: A matrix with a row for each example.
      indices: Examples and dimensions where the feature has a value, in order.
      buckets: The buckets there.
      dimensions: How many dimensions the feature has.
      missing: The bucket of where it has no value.

    Returns:
      The node, dimension and bucket of each sum, in order, and the sums as rows.
    """
    examples, size = len(nodes), missing + 1
    width = max(1, _AT_ONCE // max(examples, 1))
    names, rows = np.unique(nodes, return_inverse=True)
    found = [np.zeros((3, 0), np.int64)]
    sums = [np.zeros((0, values.shape[1]), np.float32)]
    for start in range(0, dimensions, width):
        look()
        here = min(width, dimensions - start)
        part = (indices[:, 1] >= start) & (indices[:, 1] < start + here)
        written = np.full((examples, here), missing, np.int64)
        written[indices[part, 0], indices[part, 1] - start] = buckets[part]
        keys = (rows.reshape(-1, 1) * here + np.arange(here)) * size + written
        unique, places = np.unique(keys, return_inverse=True)
        added = np.zeros((len(unique), values.shape[1]), np.float32)
        with np.errstate(all="ignore"):
            np.add.at(added, places.ravel(), np.repeat(values, here, axis=0))
        node_places, dimension_places = np.divmod(unique // size, here)
        found.append(np.stack([names[node_places], start + dimension_places, unique % size]))
        sums.append(added)
    keys, added = np.concatenate(found, axis=1), np.concatenate(sums)
    order = np.lexsort(keys[::-1])
    return keys[:, order].T, added[order]
