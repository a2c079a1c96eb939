"""Kernels of sums, products, joins and shapes of quantized tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.carriers import carried, quantized
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.rank import bounded
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.ops.array.shape import reshape as plain_reshape
from dataflow.kernels.ops.quantization.layers import scalar_range
from dataflow.kernels.ops.quantization.steps import (
    Range,
    limits,
    number_of,
    numbers,
    product_range,
    requantized,
    steps,
    sum_range,
    unclamped_step,
    width,
)
from dataflow.values import dtypes
from dataflow.values.dtypes import DType

_F = np.float32
_BYTES: Final = {
    "T1": (dtypes.quint8,),
    "T2": (dtypes.quint8,),
    "Toutput": (dtypes.qint32,),
}
_JOINED: Final = {"T": (dtypes.quint8, dtypes.qint32)}


def _check_shapes(x: Any, y: Any) -> None:
    try:
        np.broadcast_shapes(x.shape, y.shape)
    except ValueError:
        raise invalid(
            f"Incompatible shapes: {shape_text(x.shape)} vs. {shape_text(y.shape)}"
        ) from None


def _in_total(values: Any, dtype: DType, span: Range, total: Range) -> Any:
    """Steps of the sum's range: each of several steps is worth a whole number of them."""
    if values.size == 1:
        return requantized(values, dtype, span, dtypes.qint32, total)
    first, second = (
        unclamped_step(float(number_of(step, dtype, span)), dtypes.qint32, total) for step in (0, 1)
    )
    low, high = limits(dtypes.qint32)
    found = first + values.astype(np.int64) * (second - first)
    return np.clip(found, low, high).astype(np.int32)


@kernel("QuantizedAdd", device="CPU", dtypes=_BYTES)
def add(node: KernelNode, xp: Any) -> Callable[..., Any]:
    (of_x, of_y), result = node.input_dtypes[:2], node.attr("Toutput")

    def run(x: Any, y: Any, min_x: Any, max_x: Any, min_y: Any, max_y: Any) -> tuple[Any, Any, Any]:
        range_x = scalar_range(min_x, max_x, "min_x", "max_x", "min_x")
        range_y = scalar_range(min_y, max_y, "min_y", "max_y", "min_y")
        _check_shapes(x, y)
        total = sum_range(range_x, range_y, 14)
        with np.errstate(all="ignore"):
            first = _in_total(carried(x), of_x, range_x, total)
            second = _in_total(carried(y), of_y, range_y, total)
            return quantized(first + second, result), *total

    return run


@kernel("QuantizedMul", device="CPU", dtypes=_BYTES)
def mul(node: KernelNode, xp: Any) -> Callable[..., Any]:
    (of_x, of_y), result = node.input_dtypes[:2], node.attr("Toutput")

    def run(x: Any, y: Any, min_x: Any, max_x: Any, min_y: Any, max_y: Any) -> tuple[Any, Any, Any]:
        range_x = scalar_range(min_x, max_x, "min_x", "max_x", "min_a")
        range_y = scalar_range(min_y, max_y, "min_y", "max_y", "min_b")
        _check_shapes(x, y)
        with np.errstate(all="ignore"):
            first = carried(x).astype(np.int64) - unclamped_step(0.0, of_x, range_x)
            second = carried(y).astype(np.int64) - unclamped_step(0.0, of_y, range_y)
            product = (first * second).astype(np.int32)
        low, high = product_range(width(of_x, range_x), width(of_y, range_y), result)
        return quantized(product, result), low, high

    return run


@kernel("QuantizedConcat", device="CPU", dtypes=_JOINED, host_inputs=("concat_dim",))
def concat(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype, count = node.attr("T"), node.attr("N")
    signed = dtype is dtypes.qint32

    def run(axis: Any, *inputs: Any) -> tuple[Any, Any, Any]:
        values = inputs[:count]
        lows, highs = inputs[count : 2 * count], inputs[2 * count :]
        for what, bounds in (("input_mins", lows), ("input_maxes", highs)):
            for value in bounds:
                if np.ndim(value):
                    raise invalid(
                        f"{what} must be scalars, but got shape {shape_text(value.shape)}"
                    )
        place = _place(axis, values)
        low, high = min(_F(0), *lows), max(highs)
        if signed:
            high = max(abs(low), abs(high))
            low = -high
        with np.errstate(all="ignore"):
            parts = [
                carried(value)
                if (least, most) == (low, high)
                else steps(numbers(carried(value), dtype, (least, most)), dtype, (low, high))
                for value, least, most in zip(values, lows, highs, strict=True)
            ]
        return quantized(np.concatenate(parts, place), dtype), _F(low), _F(high)

    return run


def _place(axis: Any, values: tuple[Any, ...]) -> int:
    """The axis to join along.

    Raises:
      InvalidArgumentError: It is none, or other axes have different sizes.
    """
    if np.ndim(axis):
        raise invalid(
            f"Concat dim tensor should be a scalar integer, but got shape {shape_text(axis.shape)}"
        )
    place, first = int(axis), values[0].shape
    if not 0 <= place < len(first):
        raise invalid(
            f"ConcatOp : Expected concatenating dimensions in the range [0, {len(first)}), but "
            f"got {place}"
        )
    for index, value in enumerate(values):
        shapes = f"shape[0] = {shape_text(first)} vs. shape[{index}] = {shape_text(value.shape)}"
        if value.ndim != len(first):
            raise invalid(f"ConcatOp : Ranks of all input tensors should match: {shapes}")
        if any(
            a != b for i, (a, b) in enumerate(zip(first, value.shape, strict=True)) if i != place
        ):
            raise invalid(f"ConcatOp : Dimensions of inputs should match: {shapes}")
    return place


@kernel("QuantizedReshape", device="CPU", dtypes=_JOINED, host_inputs=("shape",))
def reshape(node: KernelNode, xp: Any) -> Callable[..., Any]:
    change = bounded(plain_reshape(node, xp))

    def run(x: Any, shape: Any, low: Any, high: Any) -> tuple[Any, Any, Any]:
        for name, value in (("input_min", low), ("input_max", high)):
            if not (np.ndim(value) == 0 or np.shape(value) == (1,)):
                raise invalid(f"{name} must be a scalar or a vector of 1 element")
        return change(x, shape), *(_F(np.reshape(value, ())) for value in (low, high))

    return run
