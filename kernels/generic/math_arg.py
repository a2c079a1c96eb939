"""Kernels that find the place of an extreme element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow import dtypes
from dataflow.kernels.invalid import invalid
from dataflow.kernels.registry import FLOATS, KernelNode, kernel
from dataflow.kernels.shape_text import shape_text

_ORDERED = (
    *FLOATS,
    dtypes.int8,
    dtypes.int16,
    dtypes.int32,
    dtypes.int64,
    dtypes.uint8,
    dtypes.uint16,
    dtypes.uint32,
    dtypes.uint64,
    dtypes.bool,
)


@kernel("ArgMax", "ArgMin", dtypes={"T": _ORDERED}, host_inputs=("dimension",))
def arg(node: KernelNode, xp: Any) -> Callable[..., Any]:
    find = xp.argmax if node.op == "ArgMax" else xp.argmin
    dtype = node.attr("output_type").as_numpy_dtype

    def run(x: Any, dimension: Any) -> Any:
        if dimension.ndim:
            raise invalid(
                f"dim must be a scalar, but received tensor of shape: {shape_text(dimension.shape)}"
            )
        axis, rank = int(dimension), x.ndim
        if not -rank <= axis < rank:
            raise invalid(f"Expected dimension in the range [{-rank}, {rank}), but got {axis}")
        if not x.shape[axis]:
            raise invalid(f"Reduction axis {axis} is empty in shape {shape_text(x.shape)}")
        return find(x, axis=axis).astype(dtype)

    return run
