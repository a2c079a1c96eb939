"""The kernel that puts coordinates in order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.sparse.coordinates import check_parts, row_major


@kernel(
    "SparseReorder",
    host_inputs=("input_indices", "input_values", "input_shape"),
    host_outputs=("output_indices", "output_values"),
)
def sparse_reorder(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(indices: Any, values: Any, shape: Any) -> Any:
        check_parts(indices, values, shape)
        order = row_major(indices)
        return indices[order], values[order]

    return run
