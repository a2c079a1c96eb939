"""Kernel of quantized images in another size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.carriers import carried, quantized
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.ops.quantization.steps import bound
from dataflow.values import dtypes

_F = np.float32
_BITS: Final = {dtypes.quint8: 7, dtypes.qint32: 30}
"""Behind the point, of the shares that neighbours have."""


@dataclass(frozen=True, slots=True)
class _Axis:
    """Where the elements of an axis of the result come from."""

    lower: Any
    upper: Any
    share: Any
    """Of the upper neighbour."""


def _axis(size: int, wanted: int, corners: bool, half: bool) -> _Axis:
    if corners and wanted > 1:
        scale = _F(_F(size - 1) / _F(wanted - 1))
    else:
        scale = _F(_F(size) / _F(wanted))
    places = np.arange(wanted).astype(np.float32)
    at = (places + _F(0.5)) * scale - _F(0.5) if half else places * scale
    floor = np.floor(at)
    below = floor.astype(np.int64)
    return _Axis(np.maximum(below, 0), np.minimum(below + 1, size - 1), at - floor)


@kernel("QuantizedResizeBilinear", device="CPU", host_inputs=("size",))
def resize(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.input_dtypes[0]
    corners, half = bool(node.attr("align_corners")), bool(node.attr("half_pixel_centers"))

    def run(images: Any, size: Any, low: Any, high: Any) -> tuple[Any, Any, Any]:
        span = bound(low, "min"), bound(high, "max")
        if images.ndim != 4:
            raise invalid(f"input must be 4-dimensional{shape_text(images.shape)}")
        if size.shape != (2,):
            raise invalid(
                f"shape_t must be 1-dimensional and of 2 elements{shape_text(size.shape)}"
            )
        wanted = [int(each) for each in size]
        if min(wanted) <= 0:
            raise invalid("output dimensions must be positive")
        if 0 in images.shape[1:3]:
            raise invalid("input image must be of non-zero size")
        axes = [
            _axis(have, want, corners, half)
            for have, want in zip(images.shape[1:3], wanted, strict=True)
        ]
        values = carried(images)
        if dtype is dtypes.float32:
            return _floating(values, *axes), *span
        return quantized(_fixed(values, _BITS[dtype], *axes), dtype), *span

    return run


def _corners(values: Any, rows: _Axis, columns: _Axis) -> tuple[Any, Any, Any, Any]:
    above, below = values[:, rows.lower], values[:, rows.upper]
    return (
        above[:, :, columns.lower],
        above[:, :, columns.upper],
        below[:, :, columns.lower],
        below[:, :, columns.upper],
    )


def _floating(values: Any, rows: _Axis, columns: _Axis) -> Any:
    first, second, third, fourth = _corners(values, rows, columns)
    across, down = columns.share[:, None], rows.share[:, None, None]
    top = first + (second - first) * across
    bottom = third + (fourth - third) * across
    return top + (bottom - top) * down


def _fixed(values: Any, bits: int, rows: _Axis, columns: _Axis) -> Any:
    # On their way elements of 32 bits become float32 numbers, which have 24.
    exact = values.astype(np.float32).astype(np.int64)
    first, second, third, fourth = _corners(exact, rows, columns)
    one = 1 << bits
    across, down = ((axis.share * _F(one)).astype(np.int64) for axis in (columns, rows))
    top = first * one + (second - first) * across[:, None]
    bottom = third * one + (fourth - third) * across[:, None]
    found = top + _quotient(bottom - top, one) * down[:, None, None]
    return _quotient(found + one // 2, one)


def _quotient(values: Any, divisor: int) -> Any:
    """Divided toward 0, as C does."""
    return np.where(values < 0, -(-values // divisor), values // divisor)
