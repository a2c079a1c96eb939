"""Kernels of sums of many tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow import dtypes
from dataflow.errors import InvalidArgumentError
from dataflow.kernels.precision import reuse
from dataflow.kernels.registry import FLOATS, KernelNode, kernel

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


@kernel("AddN", "AccumulateNV2", aliases_input=True, dtypes={"T": _NUMBERS})
def add_n(node: KernelNode, xp: Any) -> Callable[..., Any]:
    add = xp.add

    def run(first: Any, *others: Any) -> Any:
        shape = first.shape
        for position, other in enumerate(others, 1):
            if other.shape != shape:
                raise InvalidArgumentError(
                    None,
                    None,
                    f"Inputs to operation {node.name} of type {node.op} must have the same size "
                    f"and shape.  Input 0: {_text(shape)} != input {position}: "
                    f"{_text(other.shape)}",
                )
        if not others:
            return first
        total = add(first, others[0])
        for other in others[1:]:
            total = add(total, other, out=reuse(total))
        return total

    return run


def _text(shape: tuple[int, ...]) -> str:
    return f"[{','.join(map(str, shape))}]"
