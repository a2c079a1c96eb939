"""The kernel that makes a dense tensor of a sparse one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.reductions.repeated_rows import assign
from dataflow.kernels.sparse.coordinates import check_order, flat, outside


@kernel("SparseToDense", host_inputs=("sparse_indices", "output_shape"), grows=True)
def sparse_to_dense(node: KernelNode, xp: Any) -> Callable[..., Any]:
    checks = bool(node.attr("validate_indices"))
    dtype = node.output_dtypes[0].as_numpy_dtype

    def run(indices: Any, shape: Any, values: Any, default: Any) -> Any:
        _check(indices, shape, values, default)
        for size in shape.tolist():
            if size < 0:
                raise invalid(f"Dimension {size} must be >= 0")
        rows = indices.reshape(indices.shape[0] if indices.ndim > 1 else -1, shape.size)
        beyond = outside(rows, shape)
        if checks:
            check_order(rows, shape, beyond)
        elif beyond.any():
            raise invalid(f"Indices are not valid (out of bounds).  Shape: {shape_text(shape)}")
        sizes = tuple(shape.tolist())
        whole = xp.full(sizes, default[()], dtype)
        if len(rows):
            places, vector = xp.asarray(flat(rows, sizes)), whole.reshape(-1)
            if values.ndim:
                assign(xp, vector, places, values)
            else:
                vector[places] = values
        return whole

    return run


def _check(indices: Any, shape: Any, values: Any, default: Any) -> None:
    if indices.ndim > 2:
        raise invalid(
            "sparse_indices should be a scalar, vector, or matrix, got shape "
            f"{shape_text(indices.shape)}"
        )
    count = len(indices) if indices.ndim else 1
    rank = indices.shape[1] if indices.ndim > 1 else 1
    if shape.ndim != 1:
        raise invalid(f"output_shape must be rank 1, got shape {shape_text(shape.shape)}")
    if shape.size != rank:
        raise invalid(
            f"output_shape has incorrect number of elements: {shape.size} should be: {rank}"
        )
    if np.shape(values) not in ((), (count,)):
        raise invalid(
            f"sparse_values has incorrect shape {shape_text(np.shape(values))}, should be [] or "
            f"[{count}]"
        )
    if np.ndim(default):
        raise invalid("default_value should be a scalar.")
