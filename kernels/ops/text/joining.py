"""Kernel that joins strings along dimensions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.errors import OutOfRangeError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel


@kernel("ReduceJoin", host_inputs=("inputs", "reduction_indices"), host_outputs=("output",))
def reduce_join(node: KernelNode, xp: Any) -> Callable[..., Any]:
    separator, keeps = node.attr("separator"), node.attr("keep_dims")

    def run(value: Any, axes: Any) -> Any:
        array = np.asarray(value, object)
        rank, gone = array.ndim, []
        for axis in np.ravel(axes).tolist():
            if not -rank <= axis < rank:
                raise OutOfRangeError(
                    None,
                    None,
                    f"Invalid reduction dimension {axis} for input with {rank} dimension(s)",
                )
            if axis % rank in gone:
                raise invalid(f"Duplicate reduction dimension {axis}")
            gone.append(axis % rank)
        left = [axis for axis in range(rank) if axis not in gone]
        # The dimension that is joined first varies fastest.
        ordered = array.transpose(left + gone[::-1])
        shape = ordered.shape[: len(left)]
        joined = np.empty(int(np.prod(shape)), object)
        rows = ordered.reshape(joined.size, int(np.prod(ordered.shape[len(left) :])))
        joined[:] = [separator.join(row) for row in rows.tolist()]
        if keeps:
            shape = tuple(1 if axis in gone else array.shape[axis] for axis in range(rank))
        return joined.reshape(shape)

    return run
