"""Kernels that quantize numbers, and bring quantized ones into other ranges."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from dataflow.errors import UnimplementedError
from dataflow.kernels.contract.carriers import carried, carrier, quantized
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.ops.quantization.steps import (
    Range,
    bound,
    half_away,
    limits,
    number_of,
    numbers,
    requantized,
    steps,
)
from dataflow.values import dtypes
from dataflow.values.dtypes import DType

_F = np.float32
_LARGEST: Final = np.finfo(np.float32).max


def _by_slices(
    function: Callable[[Any, Any, Any], Sequence[Any]], x: Any, low: Any, high: Any, axis: int
) -> list[Any]:
    """A function of a tensor and two bounds, of each slice along an axis; of all if it is -1."""
    if axis == -1:
        for name, value in (("min_range", low), ("max_range", high)):
            if np.size(value) != 1 or np.ndim(value) > 1:
                raise invalid(f"{name} must be a scalar, but got shape {shape_text(value.shape)}")
        return list(function(x, _F(np.reshape(low, ())), _F(np.reshape(high, ()))))
    if axis >= x.ndim:
        raise invalid(f"Axis must be less than input dimension rank ({x.ndim}) but got axis {axis}")
    count = x.shape[axis]
    for name, value in (("min_range", low), ("max_range", high)):
        if np.shape(value) != (count,):
            raise invalid(
                f"{name} must be a vector with one element for each of the {count} slices, but "
                f"got shape {shape_text(np.shape(value))}"
            )
    slices = np.moveaxis(x, axis, 0)
    found = [function(slices[i], low[i], high[i]) for i in range(count)]
    if not found:
        whole, *rest = function(x, _F(0), _F(1))
        return [whole, *(np.empty(0, np.float32) for _ in rest)]
    whole, *rest = (list(parts) for parts in zip(*found, strict=True))
    return [np.moveaxis(np.stack(whole), 0, axis), *(np.array(r, np.float32) for r in rest)]


@kernel("QuantizeV2", device="CPU")
def quantize(node: KernelNode, xp: Any) -> Callable[..., Any]:
    mode, dtype, axis = node.attr("mode"), node.attr("T"), node.attr("axis")
    even = node.attr("round_mode") == b"HALF_TO_EVEN"
    if even and mode != b"SCALED":
        raise invalid(
            f"Round mode 'HALF_TO_EVEN' only supported for mode 'SCALED', b is '{mode.decode()}'."
        )
    least_gap, narrow = _F(node.attr("ensure_minimum_range")), bool(node.attr("narrow_range"))

    if mode == b"MIN_FIRST" and axis != -1:
        raise UnimplementedError(
            None, None, "MIN_FIRST mode is not implemented for Quantize with axis != -1."
        )

    def part(x: Any, low: Any, high: Any) -> tuple[Any, Any, Any]:
        if high < low:
            raise invalid("input_max_range must be larger than input_min_range.")
        least = np.minimum(_F(0), low)
        gap = max(_F(1), max(abs(low), abs(high))) * least_gap
        most = np.maximum(_F(0), np.maximum(high, _F(least + gap)))
        if mode == b"SCALED":
            return _scaled(x, dtype, (least, most), narrow, even)
        if mode == b"MIN_FIRST":
            return _from_least(x, dtype, (least, most)), least, most
        return _combined(x, dtype, (least, most)), least, most

    def run(x: Any, low: Any, high: Any) -> tuple[Any, Any, Any]:
        with np.errstate(all="ignore"):
            whole, least, most = _by_slices(part, x, low, high, axis)
        return quantized(whole, dtype), least, most

    return run


def _from_least(x: Any, dtype: DType, span: Range) -> Any:
    if dtype is not dtypes.quint8:
        return steps(x, dtype, span)
    # TensorFlow counts these from the least number, not from the step of 0.
    scale = _F(255) / _F(span[1] - span[0])
    return np.clip(np.rint((x - span[0]) * scale), 0, 255).astype(np.uint8)


def _combined(x: Any, dtype: DType, span: Range) -> Any:
    lowest, highest = limits(dtype)
    scale = _F(_F(highest - lowest) / _F(span[1] - span[0]))
    moved = (np.maximum(np.minimum(x, span[1]), span[0]) - span[0]) * scale
    if lowest == 0:
        return (moved + _F(0.5)).astype(np.int64).astype(carrier(dtype))
    half = _F((highest - lowest + 1) / 2)
    found = half_away(moved - half)
    return found.astype(np.int32).astype(carrier(dtype))


def _scaled(x: Any, dtype: DType, span: Range, narrow: bool, even: bool) -> tuple[Any, Any, Any]:
    lowest, highest = limits(dtype)
    lowest += narrow
    sides = [
        _F(_F(step) / end) if step * float(end) > 0 else _LARGEST
        for step, end in ((lowest, span[0]), (highest, span[1]))
    ]
    scale = min(sides)
    least, most = _F(_F(lowest) / scale), _F(_F(highest) / scale)
    scaled = np.maximum(np.minimum(x, most), least) * scale
    found = np.rint(scaled) if even else half_away(scaled)
    return found.astype(np.int32).astype(carrier(dtype)), least, most


@kernel("Dequantize", device="CPU")
def dequantize(node: KernelNode, xp: Any) -> Callable[..., Any]:
    mode, axis, dtype = node.attr("mode"), node.attr("axis"), node.input_dtypes[0]
    target = node.attr("dtype")
    if target is dtypes.bfloat16 and mode == b"MIN_FIRST":
        raise invalid(
            "When output type is bfloat16, Mode string must be 'MIN_COMBINED' or 'SCALED', is "
            f"'{mode.decode()}'."
        )
    lowest, highest = limits(dtype)
    half = _F((highest - lowest + 1) / 2) if lowest else _F(0)
    least = lowest + bool(node.attr("narrow_range"))

    def part(x: Any, low: Any, high: Any) -> tuple[Any]:
        if mode == b"MIN_FIRST":
            if axis != -1:
                raise UnimplementedError(
                    None, None, "MIN_FIRST mode is not implemented for Dequantize with axis != -1."
                )
            return (numbers(x, dtype, (low, high)),)
        if mode == b"MIN_COMBINED":
            scale = _F(_F(high - low) / _F(highest - lowest))
            return ((x.astype(np.float32) + half) * scale + low,)
        scale = _F(high / _F(highest))
        if lowest:
            scale = max(_F(low / _F(least)), scale)
        return (x.astype(np.float32) * scale,)

    def run(x: Any, low: Any, high: Any) -> Any:
        with np.errstate(all="ignore"):
            (found,) = _by_slices(part, carried(x), low, high, axis)
        return np.ascontiguousarray(found, target.as_numpy_dtype)

    return run


def _used(values: Any, span: Range) -> Range:
    """What the least and the greatest step of an array stand for; the former 0 at most."""
    lowest, highest = limits(dtypes.qint32)
    least = int(np.min(values, initial=highest))
    most = int(np.max(values, initial=lowest))
    low, high = (_F(number_of(step, dtypes.qint32, span)) for step in (least, most))
    return min(_F(0), low), high


_FROM_32: Final = {"Tinput": (dtypes.qint32,), "out_type": (dtypes.quint8,)}


@kernel("QuantizeDownAndShrinkRange", device="CPU", dtypes=_FROM_32)
def shrink(node: KernelNode, xp: Any) -> Callable[..., Any]:
    source, target = node.input_dtypes[0], node.attr("out_type")

    def run(x: Any, low: Any, high: Any) -> tuple[Any, Any, Any]:
        values = carried(x)
        span = bound(low, "input_min"), bound(high, "input_max")
        new = _used(values, span)
        return quantized(requantized(values, source, span, target, new), target), *new

    return run


@kernel(
    "Requantize",
    device="CPU",
    dtypes={"Tinput": (dtypes.qint32,), "out_type": (dtypes.quint8, dtypes.qint8)},
)
def requantize(node: KernelNode, xp: Any) -> Callable[..., Any]:
    source, target = node.input_dtypes[0], node.attr("out_type")

    def run(x: Any, low: Any, high: Any, new_low: Any, new_high: Any) -> tuple[Any, Any, Any]:
        span = bound(low, "input_min"), bound(high, "input_max")
        new = bound(new_low, "requested_output_min"), bound(new_high, "requested_output_max")
        if not new[0] <= 0:
            raise invalid(f"requested_output_min must be <= 0, but got {new[0]:g}")
        if not new[1] >= new[0]:
            raise invalid(
                "requested_output_max must be >= requested_output_min, but got "
                f"{new[1]:g} and {new[0]:g}"
            )
        found = requantized(carried(x), source, span, target, new)
        return quantized(found, target), *new

    return run


@kernel("RequantizationRange", device="CPU", dtypes={"Tinput": (dtypes.qint32,)})
def requantization_range(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(x: Any, low: Any, high: Any) -> tuple[Any, Any]:
        return _used(carried(x), (bound(low, "input_min"), bound(high, "input_max")))

    return run


def _channel_ranges(x: Any, low: Any, high: Any) -> Any:
    """The greater absolute bound of each channel.

    Raises:
      InvalidArgumentError: There is not one for each of them.
    """
    if x.ndim != 4:
        raise invalid(f"Current RequantizeOp requires 4D tensor, but got rank {x.ndim}")
    for name, value in (("input_min", low), ("input_max", high)):
        if value.ndim != 1:
            raise invalid(f"{name} must be rank 1 but is rank {value.ndim}")
        if len(value) != x.shape[-1]:
            raise invalid(f"{name} has incorrect size, expected {x.shape[-1]} was {len(value)}")
    return np.maximum(np.abs(low), np.abs(high))


@kernel("RequantizationRangePerChannel", device="CPU", dtypes={"T": (dtypes.qint32,)})
def channel_range(node: KernelNode, xp: Any) -> Callable[..., Any]:
    clip = _F(node.attr("clip_value_max"))

    def run(x: Any, low: Any, high: Any) -> tuple[Any, Any]:
        values = carried(x)
        ranges = _channel_ranges(values, low, high)
        rows = values.reshape(-1, values.shape[-1]).astype(np.int64)
        greatest = np.max(np.abs(rows), axis=0, initial=0).astype(np.float32)
        found = np.max(ranges * greatest / _F(1 << 31), initial=np.finfo(np.float32).tiny)
        top = min(_F(found), clip)
        return (_F(0) if np.min(rows, initial=0) >= 0 else -top), top

    return run


@kernel(
    "RequantizePerChannel",
    device="CPU",
    dtypes={"T": (dtypes.qint32,), "out_type": (dtypes.quint8, dtypes.qint8)},
)
def requantize_channels(node: KernelNode, xp: Any) -> Callable[..., Any]:
    target = node.attr("out_type")
    factor = _F(127 if target is dtypes.qint8 else 255)
    lowest, highest = limits(target)

    def run(x: Any, low: Any, high: Any, new_low: Any, new_high: Any) -> tuple[Any, Any, Any]:
        values = carried(x)
        ranges = _channel_ranges(values, low, high)
        new = bound(new_low, "requested_output_min"), bound(new_high, "requested_output_max")
        wanted = max(abs(new[0]), abs(new[1]))
        with np.errstate(all="ignore"):
            scales = factor * (ranges / wanted / _F(1 << 31))
            found = np.clip(np.rint(values.astype(np.float32) * scales), lowest, highest)
            return quantized(np.nan_to_num(found).astype(np.int32), target), *new

    return run
