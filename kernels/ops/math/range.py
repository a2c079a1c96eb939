"""Kernels of number sequences."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from dataflow.kernels.contract.element_types import FLOATS
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.values import dtypes


@kernel(
    "Range",
    dtypes={"Tidx": (*FLOATS, dtypes.int32, dtypes.int64)},
    host_inputs=("start", "limit", "delta"),
)
def range_(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.output_dtypes[0].as_numpy_dtype
    is_integer = node.output_dtypes[0].is_integer
    number = int if is_integer else float

    def run(start: Any, limit: Any, delta: Any) -> Any:
        for name, value in (("start", start), ("limit", limit), ("delta", delta)):
            if value.size != 1 or value.ndim > 1:
                raise invalid(f"{name} must be a scalar, not shape {shape_text(value.shape)}")
        first, end, step = (number(v.item()) for v in (start, limit, delta))
        if not step:
            raise invalid(f"Requires delta != 0: {step}")
        if step > 0 and first > end:
            raise invalid(f"Requires start <= limit when delta > 0: {first}/{end}")
        if step < 0 and first < end:
            raise invalid(f"Requires start >= limit when delta < 0: {first}/{end}")
        if is_integer:
            return xp.arange(first, end, step, dtype=dtype)
        count = math.ceil(abs((end - first) / step))
        return (xp.arange(count) * step + first).astype(dtype)

    return run


@kernel(
    "LinSpace",
    dtypes={"T": (dtypes.float32, dtypes.float64)},
    host_inputs=("start", "stop", "num"),
)
def linspace(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.output_dtypes[0].as_numpy_dtype

    def run(start: Any, stop: Any, num: Any) -> Any:
        for name, value in (("start", start), ("stop", stop), ("num", num)):
            if value.ndim:
                raise invalid(f"{name} must be a scalar, not shape {shape_text(value.shape)}")
        if num <= 0:
            raise invalid(f"Requires num > 0: {num}")
        return xp.linspace(float(start), float(stop), int(num), dtype=dtype)

    return run
