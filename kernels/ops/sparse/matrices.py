"""Kernels that make sparse matrices in variants, take them apart and turn them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.lists.sparse_matrix import checked, in_order
from dataflow.kernels.sparse.coordinates import (
    check_parts,
    check_within,
    outside,
    sizes_of,
)

_OTHER_TYPE = "dtype of input is not equal to 'type': {got} vs. {want}"
_PARTS = ("indices", "values", "dense_shape")


@kernel("SparseTensorToCSRSparseMatrix", host_inputs=_PARTS)
def from_parts(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.attr("T")

    def run(indices: Any, values: Any, shape: Any) -> Any:
        check_parts(indices, values, shape)
        if shape.size not in (2, 3):
            raise invalid(f"SparseTensor must have rank 2 or 3; but indices has rank: {shape.size}")
        sizes = sizes_of(shape)
        check_within(indices, shape)
        return in_order(sizes, dtype, indices, values)

    return run


@kernel("DenseToCSRSparseMatrix", host_inputs=("dense_input", "indices"))
def from_dense(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.attr("T")

    def run(dense: Any, indices: Any) -> Any:
        beyond = outside(indices, dense.shape)
        if beyond.any():
            place = int(beyond.argmax())
            shown = ", ".join(map(str, indices[place].tolist()))
            raise invalid(
                f"indices[{place}] = [{shown}] does not index into param shape "
                f"{shape_text(dense.shape)}"
            )
        return in_order(dense.shape, dtype, indices, dense[tuple(indices.T)])

    return run


@kernel("CSRSparseMatrixToSparseTensor", host_outputs=_PARTS)
def to_parts(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.attr("type")

    def run(matrix: Any) -> Any:
        text = "Expected a CSRSparseMatrix of type {want} but saw type: {got}"
        found = checked(matrix, text, dtype)
        return found.indices, found.values, np.array(found.sizes, np.int64)

    return run


@kernel("CSRSparseMatrixToDense", host_outputs=("dense_output",))
def to_dense(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.attr("type")

    def run(matrix: Any) -> Any:
        text = "Asked for a CSRSparseMatrix of type {want} but saw dtype: {got}"
        found = checked(matrix, text, dtype)
        dense = np.zeros(found.sizes, dtype.as_numpy_dtype)
        dense[tuple(found.indices.T)] = found.values
        return dense

    return run


@kernel(
    "CSRSparseMatrixComponents",
    host_inputs=("index",),
    host_outputs=("row_ptrs", "col_inds", "values"),
)
def components(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.attr("type")

    def run(matrix: Any, index: Any) -> Any:
        found, place = checked(matrix, _OTHER_TYPE, dtype), int(index)
        ends = found.ends
        if not 0 <= place < len(ends) - 1:
            raise invalid(f"index ({place}) not in [0, {len(ends) - 1})")
        start, end = ends[place], ends[place + 1]
        rows, columns = found.indices[start:end, -2:].T
        starts = np.searchsorted(rows, np.arange(found.sizes[-2] + 1))
        return starts.astype(np.int32), columns.astype(np.int32), found.values[start:end]

    return run


@kernel("SparseMatrixNNZ", host_outputs=("nnz",))
def count(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(matrix: Any) -> Any:
        found = checked(matrix, "")
        return np.diff(found.ends).astype(np.int32).reshape(found.batch)[()]

    return run


@kernel("SparseMatrixTranspose")
def transposed(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype, is_conjugated = node.attr("type"), node.attr("conjugate")

    def run(matrix: Any) -> Any:
        turned = checked(matrix, _OTHER_TYPE, dtype).transposed()
        return turned.conjugate() if is_conjugated else turned

    return run
