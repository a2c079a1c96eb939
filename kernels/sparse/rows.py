"""Sparse tensors cut into rows, and rows put side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.sparse.coordinates import check_order, outside, sizes_of

Parts = tuple[Any, Any, Any]
"""Indices, values and shape."""


def check_ranks(indices: Any, values: Any, shape: Any) -> None:
    """Raises an error unless the three have the ranks of a sparse tensor's parts."""
    for name, array, rank in (("indices", indices, 2), ("values", values, 1), ("shape", shape, 1)):
        if array.ndim != rank:
            kind = "a matrix" if rank == 2 else "a vector"
            raise invalid(
                f"Input {name} should be {kind} but received shape {shape_text(array.shape)}"
            )


def rows_of(indices: Any, values: Any, shape: Any) -> list[Parts]:
    """Each row of a sparse tensor, also those without elements.

    Raises:
      InvalidArgumentError: It has less than two dimensions, or is not in order.
    """
    check_ranks(indices, values, shape)
    if shape.size < 2:
        raise invalid(f"Rank of input SparseTensor should be > 1, but saw rank: {shape.size}")
    if len(indices) != values.size:
        raise invalid(
            "indices and values rows (indexing dimension) must match. (indices = "
            f"{len(indices)}, values = {values.size})"
        )
    if indices.shape[1] != shape.size:
        raise invalid(
            "Number of dimensions must match second dimension of indices. Got "
            f"{shape.size} dimensions, indices shape: {shape_text(indices.shape)}"
        )
    count = sizes_of(shape)[0]
    check_order(indices, shape, outside(indices, shape))
    if count > max(1 << 24, 64 * len(indices)):
        raise invalid(f"A sparse tensor of {count} rows has too many to keep them one by one")
    ends = np.searchsorted(indices[:, 0], np.arange(count), side="right").tolist()
    within, rest = np.ascontiguousarray(indices[:, 1:]), shape[1:]
    starts = [0, *ends[:-1]]
    return [(within[a:b], values[a:b], rest) for a, b in zip(starts, ends, strict=True)]


def side_by_side(tensors: Sequence[Parts], what: str) -> Parts:
    """Sparse tensors as the rows of one, whose shape is large enough for all.

    Args:
      tensors: The sparse tensors; there is one at least.
      what: What the error calls that in which they differ.

    Raises:
      InvalidArgumentError: Their ranks differ.
    """
    rank = tensors[0][2].size
    for place, (_, _, shape) in enumerate(tensors):
        if shape.size != rank:
            more = 1 if what == "rank" else 0
            raise invalid(
                f"Inconsistent {what} across SparseTensors: rank prior to SparseTensor[{place}] "
                f"was: {rank + more} but rank of SparseTensor[{place}] is: {shape.size + more}"
            )
    counts = [len(indices) for indices, _, _ in tensors]
    rows = np.repeat(np.arange(len(tensors)), counts)
    within = np.concatenate([indices for indices, _, _ in tensors])
    sizes = np.max([shape for _, _, shape in tensors], axis=0)
    return (
        np.concatenate([rows[:, None], within], axis=1),
        np.concatenate([values for _, values, _ in tensors]),
        np.concatenate([[len(tensors)], sizes]).astype(np.int64),
    )
