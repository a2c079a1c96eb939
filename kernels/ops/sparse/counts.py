"""Kernels that count integers, in sparse tensors or as sparse counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.sparse.coordinates import check_parts, check_within, sizes_of


@kernel(
    "SparseBincount",
    host_inputs=("indices", "values", "dense_shape", "size", "weights"),
    host_outputs=("output",),
)
def sparse_bincount(node: KernelNode, xp: Any) -> Callable[..., Any]:
    is_binary = node.attr("binary_output")
    dtype = np.dtype(node.attr("T").as_numpy_dtype)

    def run(indices: Any, values: Any, shape: Any, size: Any, weights: Any) -> Any:
        if np.ndim(size):
            raise invalid(f"Shape must be rank 0 but is rank {np.ndim(size)}")
        count = int(size)
        if count < 0:
            raise invalid(f"size ({count}) must be non-negative")
        check_parts(indices, values, shape)
        check_within(indices, shape)
        weights = np.asarray(weights).ravel()
        if weights.size not in (0, values.size):
            raise invalid(
                f"There are {weights.size} weights of {values.size} values; there must be as many, "
                "or none"
            )
        if not shape.size:
            raise invalid("The shape of a sparse tensor whose values are counted is empty")
        is_counted = (values >= 0) & (values < count)
        is_matrix = shape.size > 1
        rows = sizes_of(shape)[0] if is_matrix else 1
        found = np.zeros((rows, count), dtype)
        places = (indices[is_counted, 0] if is_matrix else 0, values[is_counted])
        if is_binary:
            found[places] = 1
        else:
            np.add.at(found, places, weights[is_counted] if weights.size else dtype.type(1))
        return found if is_matrix else found[0]

    return run


_OUTPUTS = ("output_indices", "output_values", "output_dense_shape")


@kernel(
    "SparseCountSparseOutput",
    host_inputs=("indices", "values", "dense_shape", "weights"),
    host_outputs=_OUTPUTS,
)
def sparse_counts(node: KernelNode, xp: Any) -> Callable[..., Any]:
    count = counter(node)

    def run(indices: Any, values: Any, shape: Any, weights: Any) -> Any:
        for name, array, rank, word in (
            ("indices", indices, 2, "a 2-dimensional tensor"),
            ("values", values, 1, "a vector"),
            ("shape", shape, 1, "a vector"),
        ):
            if np.ndim(array) != rank:
                raise invalid(f"Input {name} must be {word}. Got: {shape_text(np.shape(array))}")
        if len(values) != len(indices):
            raise invalid(
                f"Number of values must match first dimension of indices.Got {len(values)} values, "
                f"indices shape: {shape_text(indices.shape)}"
            )
        if shape.size != indices.shape[1]:
            raise invalid(
                "Number of dimensions must match second dimension of indices.Got "
                f"{shape.size} dimensions, indices shape: {shape_text(indices.shape)}"
            )
        if not shape.size:
            raise invalid("The shape argument requires at least one element.")
        wrong = np.argwhere((indices < 0) | (indices >= shape))
        if wrong.size:
            row, column = wrong[0]
            raise invalid(
                f"Invalid index value at {row}: dimension {column} has value "
                f"{indices[row, column]} which is not in [0, {shape[column]}) (as given by dense "
                f"shape {shape_text(shape)}"
            )
        _check_weights(weights, values, "values")
        is_vector = shape.size == 1
        rows = 1 if is_vector else int(shape[0])
        if rows < 1:
            raise invalid(f"Cannot allocate {rows} batches, is the dense shape too wide?")
        places = np.zeros(len(values), np.int64) if is_vector else indices[:, 0]
        found, counts, size = count(places, values, weights)
        if is_vector:
            return found[:, 1:], counts, np.array([size], np.int64)
        return found, counts, np.array([rows, size], np.int64)

    return run


@kernel("DenseCountSparseOutput", host_inputs=("values", "weights"), host_outputs=_OUTPUTS)
def dense_counts(node: KernelNode, xp: Any) -> Callable[..., Any]:
    count = counter(node)

    def run(values: Any, weights: Any) -> Any:
        values = np.asarray(values)
        if values.ndim not in (1, 2):
            raise invalid(
                f"Input must be a 1 or 2-dimensional tensor. Got: {shape_text(values.shape)}"
            )
        _check_weights(weights, values, "data")
        rows = np.arange(len(values)) if values.ndim == 2 else np.zeros(1, np.int64)
        places = np.repeat(rows, values.shape[-1])
        found, counts, size = count(places, values.ravel(), weights)
        if values.ndim == 1:
            return found[:, 1:], counts, np.array([size], np.int64)
        return found, counts, np.array([len(values), size], np.int64)

    return run


def _check_weights(weights: Any, values: Any, what: str) -> None:
    if np.size(weights) and np.shape(weights) != values.shape:
        raise invalid(
            f"Weights and {what} must have the same shape. Weight shape: "
            f"{shape_text(np.shape(weights))}; {what} shape: {shape_text(values.shape)}"
        )


def counter(node: KernelNode) -> Callable[[Any, Any, Any], tuple[Any, Any, int]]:
    """Counts pairs of a row and an integer, as the attrs of the node say."""
    least, limit = node.attr("minlength"), node.attr("maxlength")
    is_binary = node.attr("binary_output")
    dtype = np.dtype(node.attr("output_type").as_numpy_dtype)

    def count(rows: Any, values: Any, weights: Any) -> tuple[Any, Any, int]:
        """Rows and integers that are there, how often, and how large the last dimension is."""
        if (values < 0).any():
            raise invalid("Input values must all be non-negative")
        is_counted = values < limit if limit >= 0 else np.ones(values.shape, bool)
        counted = values[is_counted].astype(np.int64)
        pairs = np.stack([rows[is_counted], counted], axis=1).astype(np.int64)
        found, codes = np.unique(pairs, axis=0, return_inverse=True)
        totals = np.zeros(len(found), dtype)
        weights = np.ravel(weights)
        if is_binary:
            totals[:] = 1
        else:
            added = weights[is_counted] if weights.size else dtype.type(1)
            np.add.at(totals, codes.reshape(-1), added)
        size = limit if limit >= 0 else max(int(counted.max(initial=0)) + 1, least)
        return found, totals, size

    return count
