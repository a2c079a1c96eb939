"""Kernels of sums and maxima of sparse tensors over axes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.errors import InternalError
from dataflow.kernels.contract.element_types import NUMBERS
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.sparse.coordinates import flat, row_major, sizes_of
from dataflow.kernels.sparse.groups import starts_of_runs

_INPUTS = ("input_indices", "input_values", "input_shape", "reduction_axes")
_FUNCTIONS = {"Sum": np.add, "Max": np.maximum}


@kernel(
    "SparseReduceSum",
    "SparseReduceMax",
    dtypes={"T": NUMBERS},
    host_inputs=_INPUTS,
    host_outputs=("output",),
)
def sparse_reduce(node: KernelNode, xp: Any) -> Callable[..., Any]:
    reduce, keeps = _reducer(node), node.attr("keep_dims")

    def run(indices: Any, values: Any, shape: Any, axes: Any) -> Any:
        groups, found, kept, sizes = reduce(indices, values, shape, axes)
        rest = tuple(sizes[axis] for axis in kept)
        total = math.prod(rest)
        places = flat(groups, rest)
        wrong = np.flatnonzero((places < 0) | (places >= total))
        if wrong.size:
            raise InternalError(
                None,
                None,
                f"Obtained a write index of {places[wrong[0]]} which is outside of bounds of "
                f"[0, {total})",
            )
        dense = np.zeros(total, values.dtype)
        dense[places] = found
        if keeps:
            return dense.reshape([sizes[i] if i in kept else 1 for i in range(len(sizes))])
        return dense.reshape(rest)

    return run


@kernel(
    "SparseReduceSumSparse",
    "SparseReduceMaxSparse",
    dtypes={"T": NUMBERS},
    host_inputs=_INPUTS,
    host_outputs=("output_indices", "output_values", "output_shape"),
)
def sparse_reduce_sparse(node: KernelNode, xp: Any) -> Callable[..., Any]:
    reduce, keeps = _reducer(node), node.attr("keep_dims")

    def run(indices: Any, values: Any, shape: Any, axes: Any) -> Any:
        groups, found, kept, sizes = reduce(indices, values, shape, axes)
        if not keeps:
            return groups, found, np.array([sizes[axis] for axis in kept], np.int64)
        wide = np.zeros((len(groups), len(sizes)), np.int64)
        wide[:, kept] = groups
        ones = [size if axis in kept else 1 for axis, size in enumerate(sizes)]
        return wide, found, np.array(ones, np.int64)

    return run


def _reducer(node: KernelNode) -> Callable[..., Any]:
    function = _FUNCTIONS["Sum" if "Sum" in node.op else "Max"]

    def reduce(indices: Any, values: Any, shape: Any, axes: Any) -> Any:
        """The groups' coordinates, what they come to, the axes that stay, and all sizes."""
        if shape.ndim != 1:
            raise invalid(
                f"Expected input_shape to be a vector; got shape: {shape_text(shape.shape)}"
            )
        axes = np.asarray(axes)
        if axes.ndim > 1:
            raise invalid(
                "Expected reduction_axes to be a scalar or a vector; got shape: "
                f"{shape_text(axes.shape)}"
            )
        sizes = sizes_of(shape)
        if values.ndim != 1:
            raise invalid(f"vals must be a vec, but got: {shape_text(values.shape)}")
        if not indices.ndim or len(indices) != values.size:
            count = len(indices) if indices.ndim else 1
            raise invalid(
                "indices and values rows (indexing dimension) must match. (indices = "
                f"{count}, values = {values.size})"
            )
        rank = len(sizes)
        for axis in axes.ravel().tolist():
            if not -rank <= axis < rank:
                raise invalid(
                    f"Invalid reduction dimension {axis}, for input with {rank} dimensions."
                )
        if indices.ndim != 2 or indices.shape[1] != rank:
            raise invalid(
                f"Input indices must be a matrix with {rank} columns, but the shape is "
                f"{shape_text(indices.shape)}"
            )
        gone = {axis % rank for axis in axes.ravel().tolist()}
        kept = [axis for axis in range(rank) if axis not in gone]
        within = indices[:, [*kept, *sorted(gone)]]
        order = row_major(within)
        groups, ordered = within[order][:, : len(kept)], values[order]
        starts = starts_of_runs(groups)
        if not starts.size:
            return groups, ordered, kept, sizes
        return groups[starts], function.reduceat(ordered, starts, dtype=values.dtype), kept, sizes

    return reduce
