"""Kernels that cut sparse tensors into pieces."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.errors import InternalError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.sparse.coordinates import check_parts, check_within, sizes_of
from dataflow.kernels.sparse.groups import merged

_PARTS = ("indices", "values", "shape")
_OUTPUTS = ("output_indices", "output_values", "output_shape")


@kernel("SparseSplit", host_inputs=("split_dim", *_PARTS), host_outputs=_OUTPUTS)
def sparse_split(node: KernelNode, xp: Any) -> Callable[..., Any]:
    count = node.attr("num_split")

    def run(axis: Any, indices: Any, values: Any, shape: Any) -> Any:
        if np.ndim(axis):
            raise invalid(
                f"Input axis should be a scalar but received shape {shape_text(np.shape(axis))}"
            )
        if indices.ndim != 2:
            raise invalid(
                f"Input indices should be a matrix but received shape {shape_text(indices.shape)}"
            )
        if values.ndim != 1:
            raise invalid(
                f"Input values should be a vector but received shape {shape_text(values.shape)}"
            )
        if shape.ndim != 1:
            raise invalid(
                f"Input shape should be a vector but received shape {shape_text(shape.shape)}"
            )
        check_parts(indices, values, shape)
        check_within(indices, shape)
        rank, place = shape.size, int(axis)
        if not -rank <= place < rank:
            raise invalid(f"Input axis should be in range [{-rank}, {rank}), got {place}")
        place %= rank
        size = sizes_of(shape)[place]
        if not 1 <= count <= size:
            raise invalid(
                "Input num_split should be between 1 and the splitting dimension size "
                f"({size}), got {count}"
            )
        shorter, longer = divmod(size, count)
        ends = np.cumsum([shorter + 1] * longer + [shorter] * (count - longer))
        piece = np.searchsorted(ends, indices[:, place], side="right")
        found: tuple[list[Any], list[Any], list[Any]] = ([], [], [])
        for number, end in enumerate(ends.tolist()):
            is_within = piece == number
            start = int(ends[number - 1]) if number else 0
            moved, sizes = indices[is_within], shape.copy()
            moved[:, place] -= start
            sizes[place] = end - start
            for column, part in zip(found, (moved, values[is_within], sizes), strict=True):
                column.append(part)
        return (*found[0], *found[1], *found[2])

    return run


@kernel("SparseSlice", host_inputs=(*_PARTS, "start", "size"), host_outputs=_OUTPUTS)
def sparse_slice(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(indices: Any, values: Any, shape: Any, start: Any, size: Any) -> Any:
        check_parts(indices, values, shape)
        for name, value in (("start", start), ("size", size)):
            if value.ndim != 1:
                raise invalid(
                    f"Input {name} should be a vector but received shape {shape_text(value.shape)}"
                )
            if value.size != shape.size:
                raise invalid(
                    f"Expected {name} to be a vector of length {shape.size} but got length "
                    f"{value.size}"
                )
        wrong = np.flatnonzero(size < 0)
        if wrong.size:
            raise invalid(f"Expected a non-negative size, got {size[wrong[0]]}")
        sizes = sizes_of(shape)
        left = [max(0, n - begin) for n, begin in zip(sizes, start.tolist(), strict=True)]
        box = np.array([min(a, b) for a, b in zip(size.tolist(), left, strict=True)], np.int64)
        moved = indices - start
        is_within = ((moved >= 0) & (moved < size)).all(axis=1)
        return moved[is_within], values[is_within], box

    return run


@kernel(
    "SparseSliceGrad",
    host_inputs=("backprop_val_grad", "input_indices", "input_start", "output_indices"),
    host_outputs=("val_grad",),
)
def sparse_slice_gradient(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(grad: Any, indices: Any, start: Any, places: Any) -> Any:
        if indices.ndim != 2 or places.ndim != 2:
            raise invalid(
                "Input and output indices should be matrices but received shapes: "
                f"{shape_text(indices.shape)} and {shape_text(places.shape)}"
            )
        if grad.ndim != 1:
            raise invalid(
                "Input backprop_val_grad should be a vector but received shape: "
                f"{shape_text(grad.shape)}"
            )
        if grad.size != len(places):
            raise invalid(
                "# elements of backprop_val_grad and # rows of indices should match (#nnz of "
                f"sum): got {grad.size} and {len(places)}"
            )
        if indices.shape[1] != places.shape[1]:
            raise invalid(
                "The input and output should have the same ndims: got: "
                f"{indices.shape[1]} and {places.shape[1]}"
            )
        if start.ndim != 1:
            raise invalid(
                f"The input_start should be a vector but received shape {shape_text(start.shape)}"
            )
        if start.size != indices.shape[1]:
            raise invalid(
                f"Expected input_start to be a vector of length {indices.shape[1]} but got length "
                f"{start.size}"
            )
        _, whole, piece = merged(indices, places + start)
        is_both = (whole >= 0) & (piece >= 0)
        if is_both.sum() != grad.size:
            raise InternalError(
                None,
                None,
                "Elements of backprop_val_grad aren't all propagated. Num elements:"
                f"{grad.size}, used: {is_both.sum()}",
            )
        found = np.zeros(len(indices), grad.dtype)
        found[whole[is_both]] = grad[piece[is_both]]
        return found

    return run
