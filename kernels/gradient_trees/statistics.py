"""Sums of gradients and hessians by node, dimension and bucket, in the order in which they came."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from dataflow.kernels.boosted_trees.created import Created
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.threads.stopping import look

_LARGEST_TABLE: Final = 1 << 22
_MOST_PENDING: Final = 1 << 14
"""Rows that wait to be added, where there are fewer sums than that."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Nodes, (bucket, dimension) pairs, and a gradient and a hessian for each."""

    partitions: Any
    features: Any
    gradients: Any
    hessians: Any

    def __len__(self) -> int:
        return len(self.partitions)

    def check(self, shapes: tuple[tuple[int, ...], tuple[int, ...]] | None) -> None:
        """Checks the shapes.

        Args:
          shapes: Those of a gradient and of a hessian; None for any.

        Raises:
          InvalidArgumentError: They do not fit together.
        """
        if np.ndim(self.partitions) != 1:
            raise invalid(
                f"partition_ids must be a vector, got shape {shape_text(self.partitions.shape)}"
            )
        count = len(self.partitions)
        if np.ndim(self.features) != 2 or self.features.shape[1] != 2:
            raise invalid(
                "feature_ids must be a matrix of two columns, bucket and dimension, got shape "
                f"{shape_text(np.shape(self.features))}"
            )
        kinds = ("Gradients", self.gradients), ("Hessian", self.hessians)
        for place, (name, sums) in enumerate(kinds):
            if np.ndim(sums) < 1:
                raise invalid(f"{name} must have a row for each partition id, got a scalar")
            if shapes is not None and sums.shape[1:] != shapes[place]:
                raise invalid(
                    f"{name} dimensions must match: {shape_text(sums.shape[1:])}, "
                    f"{shape_text(shapes[place])}"
                )
        for name, rows in (("feature_ids", self.features), *kinds):
            if len(rows) < count:
                raise invalid(f"{name} has {len(rows)} rows, and there are {count} partition ids")


def empty(shapes: tuple[tuple[int, ...], tuple[int, ...]]) -> Rows:
    """No rows."""
    gradients, hessians = (np.zeros((0, *shape), np.float32) for shape in shapes)
    return Rows(np.zeros(0, np.int32), np.zeros((0, 2), np.int64), gradients, hessians)


def joined(parts: Sequence[Rows]) -> Rows:
    """Rows of several, one after the other."""
    return Rows(
        np.concatenate([part.partitions for part in parts]),
        np.concatenate([part.features for part in parts]),
        np.concatenate([part.gradients for part in parts]),
        np.concatenate([part.hessians for part in parts]),
    )


def summed(rows: Rows) -> Rows:
    """A row for each node, dimension and bucket, in this order: the float32 sums of its rows.

    There may be more features and gradients than nodes: what is behind counts nothing.
    """
    look()
    count = len(rows)
    if not count:
        return Rows(
            np.zeros(0, np.int32),
            np.zeros((0, 2), np.int64),
            np.zeros((0, *rows.gradients.shape[1:]), np.float32),
            np.zeros((0, *rows.hessians.shape[1:]), np.float32),
        )
    buckets, dimensions = rows.features[:count].T
    firsts, places = _grouped(rows.partitions, dimensions, buckets)
    sums = []
    with np.errstate(all="ignore"):
        for values in (rows.gradients[:count], rows.hessians[:count]):
            total = np.zeros((len(firsts), *values.shape[1:]), np.float32)
            np.add.at(total, places, values)
            sums.append(total)
    return Rows(
        rows.partitions[firsts].astype(np.int32),
        rows.features[firsts].astype(np.int64),
        *sums,
    )


def _grouped(partitions: Any, dimensions: Any, buckets: Any) -> tuple[Any, Any]:
    """Where each different key comes first, by the order of keys, and the key of each row."""
    columns, sizes = [], []
    for column in (partitions, dimensions, buckets):
        low, high = int(column.min()), int(column.max())
        if high - low < _LARGEST_TABLE:
            columns.append(column.astype(np.int64) - low)
            sizes.append(high - low + 1)
        else:
            named, places = np.unique(column, return_inverse=True)
            columns.append(places.ravel())
            sizes.append(len(named))
    codes = (columns[0] * sizes[1] + columns[1]) * sizes[2] + columns[2]
    size = sizes[0] * sizes[1] * sizes[2]
    if size > max(_MOST_PENDING, 8 * len(codes)):
        _, firsts, places = np.unique(codes, return_index=True, return_inverse=True)
        return firsts, places.ravel()
    first_of = np.full(size, -1, np.int64)
    first_of[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    present = first_of >= 0
    return first_of[present], (np.cumsum(present) - 1)[codes]


class Accumulator:
    """Sums that grow until they are taken, and their stamp."""

    def __init__(self, stamp: int, gradient: tuple[int, ...], hessian: tuple[int, ...]) -> None:
        """Nothing is added yet.

        Args:
          stamp: What tells this state from others.
          gradient: The shape of a gradient.
          hessian: That of a hessian.
        """
        self.stamp = stamp
        self.shapes = gradient, hessian
        self.updates = 0
        self._parts: list[Rows] = []

    def add(self, rows: Rows) -> None:
        """Adds rows.

        Raises:
          InvalidArgumentError: Gradients or hessians have other shapes.
        """
        rows.check(self.shapes)
        self.updates += 1
        self._parts.append(rows)
        waiting = sum(map(len, self._parts[1:]))
        if waiting > max(_MOST_PENDING, 2 * len(self._parts[0])):
            self.sums()

    def sums(self) -> Rows:
        """A row for each node, dimension and bucket, in order."""
        if not self._parts:
            return empty(self.shapes)
        found = summed(joined(self._parts))
        self._parts = [found]
        return found

    def clear(self, stamp: int) -> None:
        """Forgets all, and has another stamp."""
        self._parts, self.updates, self.stamp = [], 0, stamp

    def replace(self, stamp: int, updates: int, rows: Rows) -> None:
        """Takes the place of what was added.

        Raises:
          InvalidArgumentError: Gradients or hessians have other shapes.
        """
        rows.check(self.shapes)
        self.clear(stamp)
        self.add(rows)
        self.updates = updates


class ScalarStatistics(Created[Accumulator]):
    """What the handle of sums refers to, whose gradients are numbers."""

    kind = "N10tensorflow13boosted_trees24StatsAccumulatorResourceIffEE"


class TensorStatistics(Created[Accumulator]):
    """What the handle of sums refers to, whose gradients are vectors."""

    kind = "N10tensorflow13boosted_trees24StatsAccumulatorResourceISt6vectorIfSaIfEES4_EE"
