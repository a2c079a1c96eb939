"""Kernels of sums of sparse tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.element_types import NUMBERS
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.sparse.coordinates import flat, row_major

_PARTS = tuple(f"{name}_{part}" for name in "ab" for part in ("indices", "values", "shape"))


@kernel(
    "SparseAdd",
    dtypes={"T": NUMBERS},
    host_inputs=(*_PARTS, "thresh"),
    host_outputs=("sum_indices", "sum_values", "sum_shape"),
)
def sparse_add(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(*inputs: Any) -> Any:
        a, b, least = inputs[:3], inputs[3:6], inputs[6]
        _check(a, b, least)
        indices = np.concatenate([a[0], b[0]])
        values = np.concatenate([a[1], b[1]])
        order = row_major(indices)
        # Rows that `take` picks and columns that are compared take a third of the time.
        indices, values, is_of_b = indices.take(order, 0), values[order], order >= len(a[0])
        # An element of one that stands beside one of the other at the same place.
        is_second = np.zeros(len(indices), bool)
        is_second[1:] = is_of_b[1:] & ~is_of_b[:-1]
        for column in indices.T:
            is_second[1:] &= column[1:] == column[:-1]
        seconds = np.flatnonzero(is_second)
        values[seconds - 1] += values[seconds]
        is_kept = ~is_second
        is_kept[seconds - 1] = np.abs(values[seconds - 1]) >= least
        kept = np.flatnonzero(is_kept)
        return indices.take(kept, 0), values[kept], a[2]

    return run


def _check(a: Any, b: Any, least: Any) -> None:
    for part, rank, name in ((0, 2, "indices"), (1, 1, "values"), (2, 1, "shapes")):
        if a[part].ndim != rank or b[part].ndim != rank:
            what = {0: "matrices", 1: "vectors", 2: "a vector"}[part]
            colon = "" if part == 2 else ":"
            raise invalid(
                f"Input {name} should be {what} but received shapes{colon} "
                f"{shape_text(a[part].shape)} and {shape_text(b[part].shape)}"
            )
    if len(a[0]) != a[1].size or len(b[0]) != b[1].size:
        raise invalid(
            f"Expected {len(a[0])} and {len(b[0])} non-empty input values, got {a[1].size} and "
            f"{b[1].size}"
        )
    if a[2].size != b[2].size:
        sizes = [" ".join(map(str, each[2].tolist())) for each in (a, b)]
        raise invalid(f"Operands do not have the same ranks; got shapes: {' and '.join(sizes)}")
    for place, (mine, other) in enumerate(zip(a[2].tolist(), b[2].tolist(), strict=True)):
        if mine != other:
            raise invalid(
                f"Operands' shapes do not match: got {mine} and {other} for dimension {place}"
            )
    columns = a[0].shape[1], b[0].shape[1]
    if columns[0] != columns[1]:
        raise invalid(
            f"Input indices must have the same dimension, got {columns[0]} and {columns[1]}"
        )
    if columns[0] != a[2].size:
        raise invalid(
            "Second dimension of a_indices and length of a_shape must match, got "
            f"{columns[0]} and {a[2].size}"
        )
    if least.ndim:
        raise invalid(
            f"The magnitude threshold must be a scalar: got shape {shape_text(least.shape)}"
        )


@kernel(
    "SparseAddGrad",
    dtypes={"T": NUMBERS},
    host_inputs=("backprop_val_grad", "a_indices", "b_indices", "sum_indices"),
    host_outputs=("a_val_grad", "b_val_grad"),
)
def sparse_add_gradient(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(grad: Any, a: Any, b: Any, total: Any) -> Any:
        if not a.ndim == b.ndim == total.ndim == 2:
            shapes = " and ".join(shape_text(each.shape) for each in (a, b, total))
            raise invalid(f"Input indices should be matrices but received shapes: {shapes}")
        if grad.ndim != 1:
            raise invalid(
                "Input backprop_val_grad should be a vector but received shape: "
                f"{shape_text(grad.shape)}"
            )
        if grad.size != len(total):
            raise invalid(
                "# elements of backprop_val_grad and # rows of sum_indices should match (#nnz of "
                f"sum): got {grad.size} and {len(total)}"
            )
        if not a.shape[1] == b.shape[1] == total.shape[1]:
            raise invalid(
                "The densified operands should have the same ndims; for A, B, sum got: "
                f"{a.shape[1]}{b.shape[1]}{total.shape[1]}"
            )
        return _found(a, total, grad), _found(b, total, grad)

    return run


def _found(indices: Any, total: Any, grad: Any) -> Any:
    """The gradient at each of the coordinates; 0 where the sum has none."""
    both = np.concatenate([total, indices])
    _, codes = np.unique(both, axis=0, return_inverse=True)
    codes = codes.reshape(-1)
    table = np.zeros(int(codes.max(initial=-1)) + 1, grad.dtype)
    table[codes[: len(total)]] = grad
    return table[codes[len(total) :]]


@kernel(
    "SparseTensorDenseAdd",
    dtypes={"T": NUMBERS},
    host_inputs=("a_indices", "a_shape"),
)
def sparse_dense_add(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(indices: Any, values: Any, shape: Any, b: Any) -> Any:
        if indices.ndim != 2:
            raise invalid(
                f"Input a_indices should be a matrix but received shape: "
                f"{shape_text(indices.shape)}"
            )
        if values.ndim != 1 or shape.ndim != 1:
            raise invalid(
                "Inputs a_values and a_shape should be vectors but received shapes: "
                f"{shape_text(values.shape)} and {shape_text(shape.shape)}"
            )
        for mine, other in ((len(indices), values.size), (indices.shape[1], shape.size)):
            if mine != other:
                raise invalid(f"Dimensions {mine} and {other} are not compatible")
        if shape.size != b.ndim:
            raise invalid(f"Two operands have different ranks; received: {shape.size} and {b.ndim}")
        for place, (mine, other) in enumerate(zip(shape.tolist(), b.shape, strict=True)):
            if mine != other:
                raise invalid(
                    f"Dimension {place} does not equal (no broadcasting is supported): sparse "
                    f"side {mine} vs dense side {other}"
                )
        beyond = (indices < 0) | (indices >= shape)
        if beyond.any():
            row, column = np.argwhere(beyond)[0]
            raise invalid(
                f"Sparse tensor has an invalid index on dimension {column}: a_indices({row},"
                f"{column}) = {indices[row, column]}, dense tensor shape: "
                f"{' '.join(map(str, b.shape))}"
            )
        total = b.copy()
        if values.size:
            xp.add.at(total.reshape(-1), xp.asarray(flat(indices, b.shape)), values)
        return total

    return run
