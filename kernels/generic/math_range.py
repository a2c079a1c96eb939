"""Kernels of number sequences."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from dataflow import dtypes
from dataflow.errors import InvalidArgumentError
from dataflow.kernels.registry import FLOATS, KernelNode, kernel


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
            if value.ndim:
                raise _refused(f"{name} must be a scalar, not shape {_text(value.shape)}")
        first, end, step = number(start), number(limit), number(delta)
        if not step:
            raise _refused(f"Requires delta != 0: {step}")
        if step > 0 and first > end:
            raise _refused(f"Requires start <= limit when delta > 0: {first}/{end}")
        if step < 0 and first < end:
            raise _refused(f"Requires start >= limit when delta < 0: {first}/{end}")
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
                raise _refused(f"{name} must be a scalar, not shape {_text(value.shape)}")
        if num <= 0:
            raise _refused(f"Requires num > 0: {num}")
        return xp.linspace(float(start), float(stop), int(num), dtype=dtype)

    return run


def _refused(text: str) -> InvalidArgumentError:
    return InvalidArgumentError(None, None, text)


def _text(shape: tuple[int, ...]) -> str:
    return f"[{','.join(map(str, shape))}]"
