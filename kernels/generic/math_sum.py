"""Kernels of sums of many tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow import dtypes
from dataflow.kernels.invalid import invalid
from dataflow.kernels.precision import reuse
from dataflow.kernels.registry import FLOATS, KernelNode, kernel
from dataflow.kernels.shape_text import shape_text

_NUMBERS = (
    *FLOATS,
    dtypes.int8,
    dtypes.int16,
    dtypes.int32,
    dtypes.int64,
    dtypes.uint8,
    dtypes.uint16,
    dtypes.uint32,
    dtypes.uint64,
    dtypes.complex64,
    dtypes.complex128,
)


@kernel(
    "AddN",
    "AccumulateNV2",
    elementwise=True,
    takes_out=True,
    aliases_input=True,
    dtypes={"T": _NUMBERS},
)
def add_n(node: KernelNode, xp: Any) -> Callable[..., Any]:
    add = xp.add

    def run(first: Any, *others: Any, out: Any = None) -> Any:
        shape = first.shape
        for position, other in enumerate(others, 1):
            if other.shape != shape:
                raise invalid(
                    f"Inputs to operation {node.name} of type {node.op} must have the same size "
                    f"and shape.  Input 0: {shape_text(shape)} != input {position}: "
                    f"{shape_text(other.shape)}",
                )
        if not others:
            return first
        total = add(first, others[0], out=out)
        for other in others[1:]:
            total = add(total, other, out=reuse(total))
        return total

    return run
