"""Kernel of ExtractImagePatches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.errors import OutOfRangeError, UnimplementedError
from dataflow.kernels.contract.element_types import NUMBERS
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text


@kernel("ExtractImagePatches", dtypes={"T": NUMBERS})
def patches(node: KernelNode, xp: Any) -> Callable[..., Any]:
    (high, wide), strides, rates = (_spatial(node, n) for n in ("ksizes", "strides", "rates"))
    same = node.attr("padding") == b"SAME"

    def run(images: Any) -> Any:
        if images.ndim != 4:
            raise invalid(f"input must be 4-dimensional{shape_text(images.shape)}")
        plans = [
            _plan(size, taps, stride, rate, same)
            for size, taps, stride, rate in zip(
                images.shape[1:3], (high, wide), strides, rates, strict=True
            )
        ]
        (rows, above, below), (columns, left, right) = plans
        batch, height, width, channels = images.shape
        padded = xp.zeros(
            (batch, height + above + below, width + left + right, channels), images.dtype
        )
        padded[:, above : above + height, left : left + width] = images
        result = xp.empty((batch, rows, columns, high, wide, channels), images.dtype)
        for i in range(high):
            for j in range(wide):
                first, second = i * rates[0], j * rates[1]
                result[:, :, :, i, j] = padded[
                    :,
                    first : first + rows * strides[0] : strides[0],
                    second : second + columns * strides[1] : strides[1],
                ][:, :rows, :columns]
        return result.reshape(batch, rows, columns, high * wide * channels)

    return run


def _spatial(node: KernelNode, name: str) -> tuple[int, int]:
    values = node.attr(name)
    if values[0] != 1 or values[3] != 1:
        raise UnimplementedError(None, None, f"Only support {name} across space.")
    if values[1] < 1 or values[2] < 1:
        raise OutOfRangeError(None, None, f"{name} is out of range.")
    return values[1], values[2]


def _plan(size: int, taps: int, stride: int, rate: int, same: bool) -> tuple[int, int, int]:
    """Number of windows along a dimension, and the border before and after."""
    window = taps + (taps - 1) * (rate - 1)
    if not same:
        count = (size - window + stride) // stride
        if count < 0:
            raise invalid(
                f"Computed output size would be negative: {count} [input_size: {size}, "
                f"effective_filter_size: {window}, stride: {stride}]"
            )
        return count, 0, 0
    count = -(-size // stride)
    border = max(0, (count - 1) * stride + window - size)
    return count, border // 2, border - border // 2
