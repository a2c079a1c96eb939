"""Kernel of ExtractVolumePatches."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

from dataflow.errors import OutOfRangeError, UnimplementedError
from dataflow.kernels.contract.element_types import REAL
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text


@kernel("ExtractVolumePatches", dtypes={"T": REAL})
def patches(node: KernelNode, xp: Any) -> Callable[..., Any]:
    taps, strides = (_spatial(node, name) for name in ("ksizes", "strides"))
    same = node.attr("padding") == b"SAME"

    def run(volumes: Any) -> Any:
        if volumes.ndim != 5:
            raise invalid(f"input must be 5-dimensional{shape_text(volumes.shape)}")
        batch, *sizes, channels = volumes.shape
        plans = [
            _plan(size, window, stride, same)
            for size, window, stride in zip(sizes, taps, strides, strict=True)
        ]
        counts = [count for count, _, _ in plans]
        whole = [
            size + before + after for size, (_, before, after) in zip(sizes, plans, strict=True)
        ]
        padded = xp.zeros((batch, *whole, channels), volumes.dtype)
        inner = (
            slice(before, before + size) for size, (_, before, _) in zip(sizes, plans, strict=True)
        )
        padded[(slice(None), *inner)] = volumes
        result = xp.empty((batch, *counts, *taps, channels), volumes.dtype)
        for place in itertools.product(*(range(window) for window in taps)):
            seen = tuple(
                slice(first, first + count * stride, stride)
                for first, count, stride in zip(place, counts, strides, strict=True)
            )
            kept = tuple(slice(count) for count in counts)
            result[(slice(None), slice(None), slice(None), slice(None), *place)] = padded[
                (slice(None), *seen)
            ][(slice(None), *kept)]
        return result.reshape(batch, *counts, math.prod(taps) * channels)

    return run


def _spatial(node: KernelNode, name: str) -> tuple[int, int, int]:
    values = node.attr(name)
    if len(values) != 5:
        raise invalid(f"Sliding window {name} field must specify 5 dimensions")
    if values[0] != 1 or values[4] != 1:
        raise UnimplementedError(None, None, f"Only support {name} across space.")
    if min(values) < 1:
        raise OutOfRangeError(None, None, f"{name} is out of range.")
    return values[1], values[2], values[3]


def _plan(size: int, window: int, stride: int, same: bool) -> tuple[int, int, int]:
    """Number of windows along a dimension, and the border before and after."""
    if not same:
        return max(0, (size - window + stride) // stride), 0, 0
    count = -(-size // stride)
    border = max(0, (count - 1) * stride + window - size)
    return count, border // 2, border - border // 2
