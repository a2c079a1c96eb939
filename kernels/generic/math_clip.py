"""Kernel of clipping to an interval."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow import dtypes
from dataflow.kernels.invalid import invalid
from dataflow.kernels.registry import FLOATS, KernelNode, kernel
from dataflow.kernels.shape_text import shape_text

_TYPES = (
    *FLOATS,
    dtypes.int8,
    dtypes.int16,
    dtypes.int32,
    dtypes.int64,
    dtypes.uint8,
    dtypes.uint16,
    dtypes.complex64,
    dtypes.complex128,
)


@kernel("ClipByValue", elementwise=True, dtypes={"T": _TYPES})
def clip(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(t: Any, low: Any, high: Any) -> Any:
        if any(bound.ndim and bound.shape != t.shape for bound in (low, high)):
            raise invalid(
                "clip_value_min and clip_value_max must be either of the same shape as input, or "
                f"a scalar. input shape: {shape_text(t.shape)}clip_value_min shape: "
                f"{shape_text(low.shape)}clip_value_max shape: {shape_text(high.shape)}"
            )
        return xp.minimum(xp.maximum(t, low), high)

    return run
