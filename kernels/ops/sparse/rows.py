"""Kernels that fill the empty rows of sparse tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.sparse.coordinates import sizes_of


@kernel(
    "SparseFillEmptyRows",
    host_inputs=("indices", "values", "dense_shape", "default_value"),
    host_outputs=("output_indices", "output_values", "empty_row_indicator", "reverse_index_map"),
)
def fill_empty_rows(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(indices: Any, values: Any, shape: Any, default: Any) -> Any:
        _check(indices, values, shape, default)
        count = sizes_of(shape)[0]
        rows = indices[:, 0]
        _check_rows(rows, count)
        sizes = np.bincount(rows, minlength=count)
        is_empty = sizes == 0
        starts = np.cumsum(sizes + is_empty) - (sizes + is_empty)
        order = np.argsort(rows, kind="stable")
        # How many elements of its row come before an element, and where its row starts now.
        earlier = np.arange(rows.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        places = starts[rows[order]] + earlier
        filled = np.zeros((rows.size + int(is_empty.sum()), shape.size), np.int64)
        filled[starts[is_empty], 0] = np.flatnonzero(is_empty)
        filled[places] = indices[order]
        whole = np.full(len(filled), default[()], values.dtype)
        whole[places] = values[order]
        went_to = np.empty(rows.size, np.int64)
        went_to[order] = places
        return filled, whole, is_empty, went_to

    return run


def _check(indices: Any, values: Any, shape: Any, default: Any) -> None:
    if shape.ndim != 1:
        raise invalid(f"dense_shape must be a vector, saw: {shape_text(shape.shape)}")
    if indices.ndim != 2:
        raise invalid(f"indices must be a matrix, saw: {shape_text(indices.shape)}")
    if values.ndim != 1:
        raise invalid(f"values must be a vector, saw: {shape_text(values.shape)}")
    if len(indices) != values.size:
        raise invalid(
            f"The length of `values` ({values.size}) must match the first dimension of `indices` "
            f"({len(indices)})."
        )
    if indices.shape[1] != shape.size:
        raise invalid(
            f"The length of `dense_shape` ({shape.size}) must match the second dimension of "
            f"`indices` ({indices.shape[1]})."
        )
    if default.ndim:
        raise invalid(f"default_value must be a scalar, saw: {shape_text(default.shape)}")
    if not shape.size:
        raise invalid("Dense shape cannot be empty.")


def _check_rows(rows: Any, count: int) -> None:
    if not count and rows.size:
        raise invalid(
            f"Received SparseTensor with dense_shape[0] = 0 but indices.shape[0] = {rows.size}"
        )
    wrong = np.flatnonzero((rows < 0) | (rows >= count))
    if wrong.size:
        raise invalid(f"indices({wrong[0]}, 0) is invalid: {rows[wrong[0]]} >= {count}")


@kernel("SparseFillEmptyRowsGrad", "RaggedFillEmptyRowsGrad")
def fill_empty_rows_gradient(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.output_dtypes[0].as_numpy_dtype

    def run(places: Any, grad: Any) -> Any:
        if places.ndim != 1:
            raise invalid(f"reverse_index_map must be a vector, saw: {shape_text(places.shape)}")
        if grad.ndim != 1:
            raise invalid(f"grad_values must be a vector, saw: {shape_text(grad.shape)}")
        wrong = xp.flatnonzero((places < 0) | (places >= grad.size))
        if wrong.size:
            raise invalid(
                f"Elements in reverse index must be in [0, {grad.size}) but got {places[wrong[0]]}"
            )
        is_default = xp.ones(grad.size, bool)
        is_default[places] = False
        of_default = grad[is_default].sum(dtype=None if dtype == np.bool_ else dtype)
        return grad[places], xp.asarray(of_default, dtype)

    return run
