"""Kernels that count integers in rows of different lengths."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.errors import ResourceExhaustedError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.ops.sparse.counts import counter

_MOST: Final = 1 << 33


def _rows(splits: Any, count: int) -> Any:
    """The row of each value; splits that go back leave their row empty."""
    if splits[0]:
        raise invalid(f"Splits must start with 0, not with {splits[0]}")
    if splits[-1] != count:
        raise invalid(
            f"Splits must end with the number of values, got {splits[-1]} instead of {count}"
        )
    # A value is in the first row whose end lies behind it.
    ends = np.maximum.accumulate(splits[1:])
    return np.searchsorted(ends, np.arange(count), side="right")


@kernel(
    "RaggedBincount",
    host_inputs=("splits", "values", "size", "weights"),
    host_outputs=("output",),
)
def ragged_bincount(node: KernelNode, xp: Any) -> Callable[..., Any]:
    is_binary = node.attr("binary_output")
    dtype = np.dtype(node.attr("T").as_numpy_dtype)

    def run(splits: Any, values: Any, size: Any, weights: Any) -> Any:
        if np.ndim(size):
            raise invalid(f"Shape must be rank 0 but is rank {np.ndim(size)}")
        width = int(size)
        if width < 0:
            raise invalid(f"size ({width}) must be non-negative")
        splits, values, weights = np.ravel(splits), np.ravel(values), np.ravel(weights)
        if not splits.size:
            raise invalid("Splits must be non-empty")
        rows = _rows(splits, values.size)
        if weights.size not in (0, values.size):
            raise invalid(f"There are {weights.size} weights of {values.size} values")
        if (values < 0).any():
            raise invalid("Input must be non-negative")
        if (splits.size - 1) * width > _MOST:
            raise ResourceExhaustedError(
                None, None, f"OOM when allocating tensor with shape[{splits.size - 1},{width}]"
            )
        is_counted = values < width
        found = np.zeros((splits.size - 1, width), dtype)
        places = (rows[is_counted], values[is_counted])
        if is_binary:
            found[places] = 1
        else:
            np.add.at(found, places, weights[is_counted] if weights.size else dtype.type(1))
        return found

    return run


@kernel(
    "RaggedCountSparseOutput",
    host_inputs=("splits", "values", "weights"),
    host_outputs=("output_indices", "output_values", "output_dense_shape"),
)
def ragged_counts(node: KernelNode, xp: Any) -> Callable[..., Any]:
    count = counter(node)

    def run(splits: Any, values: Any, weights: Any) -> Any:
        if np.size(weights) and np.shape(weights) != np.shape(values):
            raise invalid(
                "Weights and values must have the same shape. Weight shape: "
                f"{shape_text(np.shape(weights))}; values shape: {shape_text(np.shape(values))}"
            )
        splits, values = np.ravel(splits), np.ravel(values)
        if splits.size < 2:
            raise invalid("Must provide at least 2 elements for the splits argument")
        rows = _rows(splits, values.size)
        found, counts, size = count(rows, values, weights)
        return found, counts, np.array([splits.size - 1, size], np.int64)

    return run
