"""Arithmetic of steps: a quantized type's integers stand for numbers from one bound to another.

Each function rounds as TensorFlow's does: those for one number in float64, those for arrays in
float32 (kernels/quantization_utils.h has both).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dataflow.kernels.contract.carriers import carrier
from dataflow.kernels.contract.invalid import invalid
from dataflow.values.dtypes import DType

_F = np.float32
Range = tuple[Any, Any]
"""What the lowest and the highest step stand for, as float32."""


def limits(dtype: DType) -> tuple[int, int]:
    """The lowest and the highest step."""
    info = np.iinfo(carrier(dtype))
    return int(info.min), int(info.max)


def bound(value: Any, name: str) -> Any:
    """A bound as a float32 number.

    Raises:
      InvalidArgumentError: It is no scalar.
    """
    if np.ndim(value):
        raise invalid(f"`{name}` must be rank 0 but is rank {np.ndim(value)}")
    return _F(value)


def half_away(x: Any) -> Any:
    """The nearest integer; of two the one that is farther from 0."""
    fraction, whole = np.modf(x)
    return whole + np.trunc(fraction * 2)


def width(dtype: DType, span: Range) -> Any:
    """What one step is worth."""
    low, high = limits(dtype)
    return _F(_F(span[1] - span[0]) / _F(high - low))


def symmetric_width(dtype: DType, span: Range) -> Any:
    """What one step is worth if qint8 has no step for -128; of one range or of several."""
    low, high = limits(dtype)
    return _F(_F(span[1] - span[0]) / _F(high - max(low, -high)))


def product_range(first: Any, second: Any, result: DType) -> Range:
    """The range of products of steps that are worth `first` and `second`."""
    low, high = limits(result)
    step = _F(first * second)
    return _F(step * _F(low)), _F(step * _F(high))


def unclamped_step(number: float, dtype: DType, span: Range) -> int:
    """The step of a number, though it may be beyond the type's."""
    low, high = limits(dtype)
    if span[0] == span[1]:
        return low
    count = float(high - low + 1)
    scale = count / (float(_F(span[1] - span[0])) * (count / (count - 1.0)))
    first = half_away(float(span[0]) * scale)
    found = float(half_away(number * scale) - first)
    if not abs(found) < 2.0**62:
        raise invalid("A number is too far beyond the range to have a step.")
    return int(found) + low


def step_of(number: float, dtype: DType, span: Range) -> int:
    """The step of a number."""
    low, high = limits(dtype)
    return min(max(unclamped_step(number, dtype, span), low), high)


def number_of(step: Any, dtype: DType, span: Range) -> Any:
    """What a step, or an array of steps, stands for, computed in float64."""
    if span[0] == span[1]:
        return np.full(np.shape(step), span[0], np.float32)
    low, high = limits(dtype)
    count = float(high - low + 1)
    scale = float(_F(span[1] - span[0])) * (count / (count - 1.0)) / count
    least = _F(half_away(_F(span[0] / _F(scale))) * _F(scale))
    return (float(least) + (np.asarray(step, np.float64) - low) * scale).astype(np.float32)


def numbers(steps: Any, dtype: DType, span: Range) -> Any:
    """What the steps of an array stand for, computed in float32."""
    low, high = limits(dtype)
    scale = _F(float(_F(span[1] - span[0])) / float(high - low))
    least = span[0] if span[0] == span[1] else _F(half_away(_F(span[0] / scale)) * scale)
    return _F(least - _F(low) * scale) + np.asarray(steps).astype(np.float32) * scale


def steps(values: Any, dtype: DType, span: Range) -> Any:
    """The steps of the numbers of an array, computed in float32."""
    low, high = limits(dtype)
    scale = _F(0) if span[0] == span[1] else _F(float(high - low) / float(_F(span[1] - span[0])))
    first = _F(half_away(_F(span[0] * scale)) - _F(low))
    found = half_away(values * scale) - first
    top = min(_F(high), _F(2147483520.0))
    found = np.minimum(np.maximum(found, _F(low)), top)
    return found.astype(np.int32).astype(carrier(dtype))


def sum_range(first: Range, second: Range, bits: int) -> Range:
    """A range for sums: it is symmetrical, and by so many bits wider than both ranges."""
    highest = max(first[1], -first[0], second[1], -second[0])
    top = _F(highest * _F(1 << bits))
    return -top, top


def requantized(values: Any, source: DType, span: Range, target: DType, new: Range) -> Any:
    """Steps of a range as those of another range and type."""
    if source.name == "qint32" and target.name == "quint8":
        return _by_shifts(values, span, new)
    found = number_of(values, source, span)
    low, high = limits(target)
    if new[0] == new[1]:
        return np.full(np.shape(values), low, carrier(target))
    count = float(high - low + 1)
    scale = count / (float(_F(new[1] - new[0])) * (count / (count - 1.0)))
    steps_ = half_away(found.astype(np.float64) * scale) - half_away(float(new[0]) * scale) + low
    return np.minimum(np.maximum(steps_, low), high).astype(np.int64).astype(carrier(target))


def _by_shifts(values: Any, span: Range, new: Range) -> Any:
    """From 32 bits to 8 in fixed point, with 16 bits behind the point."""
    shift = 16
    old_range, new_range = _F(span[1] - span[0]), _F(new[1] - new[0])
    if new_range == 0:
        factor = scale = offset = 0
        reciprocal = _F(0)
    else:
        reciprocal = _F(255.0 / float(new_range))
        scale = _whole(255.0 * (1 << shift) * float(old_range) / float(new_range))
        factor = scale
        offset = _whole(float(new[0]) * 255.0 * (1 << shift) / float(new_range))
    middle = _F(float(_F(span[0] + span[1])) / 2.0)
    zero = _whole(float(_F(middle * reciprocal) * _F(1 << shift)))
    with np.errstate(over="ignore"):
        found = (np.asarray(values).astype(np.int64) * np.int64(factor)) >> 32
        found = found + np.int64(zero - offset + (1 << (shift - 1)))
    return np.clip(found >> shift, 0, 255).astype(np.uint8)


def _whole(value: float) -> int:
    """The integer part of what fits in 62 bits."""
    if not abs(value) < 2.0**62:
        raise invalid("The ranges are too different for fixed point arithmetic.")
    return int(value)
