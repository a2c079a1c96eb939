"""Kernel that counts the integers in a sparse tensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
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
