"""Kernels of layers on quantized numbers: products, convolutions, activations and pooling."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.carriers import carried, quantized
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.convolution import convolution
from dataflow.kernels.convolution.windows import interior, make_window, outputs
from dataflow.kernels.ops.quantization.steps import (
    Range,
    bound,
    limits,
    numbers,
    product_range,
    step_of,
    steps,
    sum_range,
    symmetric_width,
    unclamped_step,
    width,
)
from dataflow.kernels.ops.quantization.sums import around_zero, exact_sums
from dataflow.kernels.pooling.geometry import bound_geometry
from dataflow.values import dtypes
from dataflow.values.dtypes import DType

_F = np.float32
_BYTES: Final = (dtypes.quint8, dtypes.qint8)


def scalar_range(low: Any, high: Any, low_name: str, high_name: str, least: str) -> Range:
    """A range of which `high` is the greater end.

    Args:
      low: The lower end.
      high: The upper one.
      low_name: Its input, in errors.
      high_name: The other's.
      least: What the error calls the lower end.

    Raises:
      InvalidArgumentError: An end is no scalar, or they are in the wrong order.
    """
    for value, name in ((low, low_name), (high, high_name)):
        if np.ndim(value):
            raise invalid(f"{name} must be a scalar, but got shape{shape_text(value.shape)}")
    if not high > low:
        raise invalid(f"{high_name} must be larger than {least}.")
    return _F(low), _F(high)


def checked_matrices(a: Any, b: Any, turned: tuple[bool, bool]) -> tuple[Any, Any]:
    """Two matrices as they are multiplied: each as it is, or turned.

    Raises:
      InvalidArgumentError: They are none, or do not fit.
    """
    for place, value in enumerate((a, b)):
        if value.ndim != 2:
            raise invalid(f"In[{place}] is not a matrix")
    left, right = (m.T if turn else m for m, turn in zip((a, b), turned, strict=True))
    if left.shape[1] != right.shape[0]:
        raise invalid(
            f"Matrix size-incompatible: In[0]: {shape_text(a.shape)}, In[1]: {shape_text(b.shape)}"
        )
    return left, right


@kernel(
    "QuantizedMatMul",
    device="CPU",
    dtypes={"T1": (dtypes.quint8,), "T2": (dtypes.quint8,), "Toutput": (dtypes.qint32,)},
)
def matmul(node: KernelNode, xp: Any) -> Callable[..., Any]:
    (of_a, of_b), result = node.input_dtypes[:2], node.attr("Toutput")
    turned = node.attr("transpose_a"), node.attr("transpose_b")

    def run(a: Any, b: Any, min_a: Any, max_a: Any, min_b: Any, max_b: Any) -> tuple[Any, Any, Any]:
        range_a = scalar_range(min_a, max_a, "min_a", "max_a", "min_a")
        range_b = scalar_range(min_b, max_b, "min_b", "max_b", "min_b")
        a, b = checked_matrices(a, b, turned)
        left = around_zero(carried(a), unclamped_step(0.0, of_a, range_a))
        right = around_zero(carried(b), unclamped_step(0.0, of_b, range_b))
        sums = exact_sums(np.matmul, left, right)
        low, high = product_range(width(of_a, range_a), width(of_b, range_b), result)
        return quantized(sums, result), low, high

    return run


class _Strides:
    """What a node says of how its window moves."""

    def __init__(self, node: KernelNode) -> None:
        strides, dilations = node.attr("strides"), node.attr("dilations")
        if len(strides) != 4 or len(dilations) != 4:
            raise invalid("Sliding window strides field must specify 4 dimensions")
        if strides[1] != strides[2]:
            raise invalid(
                "Current implementation only supports equal length strides in the row and column "
                "dimensions."
            )
        if strides[0] != 1 or strides[3] != 1:
            raise invalid(
                "Current implementation does not yet support strides in the batch and depth "
                "dimensions."
            )
        if strides[1] <= 0:
            raise invalid(f"Stride must be > 0, but got {strides[1]}")
        if dilations[1] != 1 or dilations[2] != 1:
            raise invalid(
                "Current implementation only supports dilated rate as 1 in the row and column "
                "dimensions."
            )
        if dilations[0] != 1 or dilations[3] != 1:
            raise invalid(
                "Current implementation does not yet support dilations in the batch and depth "
                "dimensions."
            )
        self.stride = strides[1]
        self.padding = node.attr("padding")

    def convolve(self, images: Any, filters: Any) -> Any:
        """The sums; padding counts as 0."""
        windows = [
            make_window(images.shape[i + 1], filters.shape[i], self.stride, 1, self.padding)
            for i in range(2)
        ]
        return convolution.convolve(np, images, filters, windows)


@kernel(
    "QuantizedConv2D",
    device="CPU",
    dtypes={
        "Tinput": (dtypes.quint8,),
        "Tfilter": (dtypes.quint8, dtypes.qint8),
        "out_type": (dtypes.qint32,),
    },
)
def conv2d(node: KernelNode, xp: Any) -> Callable[..., Any]:
    (of_images, of_filter), result = node.input_dtypes[:2], node.attr("out_type")
    moves = _Strides(node)
    # A filter with a sign has 0 as step 0, and TensorFlow takes the images as if they had, too.
    centered = of_filter is dtypes.qint8

    def run(images: Any, filters: Any, *bounds: Any) -> tuple[Any, Any, Any]:
        names = ("min_input", "max_input", "min_filter", "max_filter")
        low, high, low_filter, high_filter = map(bound, bounds, names)
        for name, value in (("input", images), ("filter", filters)):
            if value.ndim != 4:
                raise invalid(f"{name} must be rank 4 but is rank {value.ndim}")
        if images.shape[3] != filters.shape[2]:
            raise invalid(
                "input and filter must have the same depth: "
                f"{images.shape[3]} vs {filters.shape[2]}"
            )
        spans = (low, high), (low_filter, high_filter)
        zeros = (
            (0, 0)
            if centered
            else (
                unclamped_step(0.0, of_images, spans[0]),
                unclamped_step(0.0, of_filter, spans[1]),
            )
        )
        sums = exact_sums(
            moves.convolve,
            around_zero(carried(images), zeros[0]),
            around_zero(carried(filters), zeros[1]),
        )
        second = (symmetric_width if centered else width)(of_filter, spans[1])
        return quantized(sums, result), *product_range(width(of_images, spans[0]), second, result)

    return run


def _added(first: Any, second: Any) -> Any:
    return (first.astype(np.int64) + second).astype(np.int32)


@kernel(
    "QuantizedBiasAdd",
    device="CPU",
    dtypes={"T1": _BYTES, "T2": _BYTES, "out_type": (dtypes.qint32,)},
)
def bias_add(node: KernelNode, xp: Any) -> Callable[..., Any]:
    of_values, of_bias = node.input_dtypes[:2]
    result = node.attr("out_type")

    def run(values: Any, bias: Any, *bounds: Any) -> tuple[Any, Any, Any]:
        names = ("min_input", "max_input", "min_bias", "max_bias")
        low, high, low_bias, high_bias = map(bound, bounds, names)
        if values.ndim < 2:
            raise invalid(f"Input tensor must be at least 2D: {shape_text(values.shape)}")
        if bias.ndim != 1:
            raise invalid(f"Biases must be 1D: {shape_text(bias.shape)}")
        if values.shape[-1] != bias.shape[0]:
            raise invalid(
                "Must provide as many biases as the last dimension of the input tensor: "
                f"{shape_text(bias.shape)} vs. {shape_text(values.shape)}"
            )
        span, bias_span = (low, high), (low_bias, high_bias)
        total = sum_range(span, bias_span, 17)
        with np.errstate(all="ignore"):
            first = steps(numbers(carried(values), of_values, span), result, total)
            second = steps(numbers(carried(bias), of_bias, bias_span), result, total)
        return quantized(_added(first, second), result), *total

    return run


_SAME: Final = (
    {"Tinput": (dtypes.quint8,), "out_type": (dtypes.quint8,)},
    {"Tinput": (dtypes.qint32,), "out_type": (dtypes.qint32,)},
)


@kernel("QuantizedRelu", "QuantizedRelu6", device="CPU", dtypes=_SAME[0])
@kernel("QuantizedRelu", "QuantizedRelu6", device="CPU", dtypes=_SAME[1])
def relu(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype, capped = node.input_dtypes[0], node.op == "QuantizedRelu6"

    def run(x: Any, low: Any, high: Any) -> tuple[Any, Any, Any]:
        span = bound(low, "min_input"), bound(high, "max_input")
        values = carried(x)
        found = np.maximum(values, values.dtype.type(step_of(0.0, dtype, span)))
        if capped:
            found = np.minimum(found, values.dtype.type(step_of(6.0, dtype, span)))
        return quantized(found, dtype), *span

    return run


def _checked_pool(x: Any, low: Any, high: Any) -> Range:
    for name, value in (("min_input", low), ("max_input", high)):
        if np.ndim(value):
            raise invalid(
                f"{name} shape must be rank 0 but is rank {np.ndim(value)}, received shape: "
                f"{shape_text(value.shape)}"
            )
    if x.ndim != 4:
        raise invalid("tensor_in must be 4-dimensional")
    return _F(low), _F(high)


@kernel("QuantizedMaxPool", "QuantizedAvgPool", device="CPU", dtypes={"T": _BYTES})
def pool(node: KernelNode, xp: Any) -> Callable[..., Any]:
    geometry, dtype = bound_geometry(node, 2), node.input_dtypes[0]
    if geometry.depth != 1:
        raise invalid("Quantized pooling of channels is not supported.")
    greatest = node.op == "QuantizedMaxPool"

    def run(x: Any, low: Any, high: Any) -> tuple[Any, Any, Any]:
        span = _checked_pool(x, low, high)
        found = _pooled(carried(x), geometry.windows(x.shape), dtype, greatest)
        return quantized(found, dtype), *span

    return run


def _pooled(x: Any, windows: Any, dtype: DType, greatest: bool) -> Any:
    lowest, highest = limits(dtype)
    sizes = (x.shape[0], *(w.padded for w in windows), x.shape[3])
    padded = np.full(sizes, lowest if greatest else 0, np.int32)
    padded[interior(windows)] = x
    shape = (x.shape[0], *outputs(windows), x.shape[3])
    found = np.full(shape, lowest if greatest else 0, np.int32)
    rows, columns = windows
    for i in range(rows.size):
        for j in range(columns.size):
            seen = padded[:, rows.tap(i), columns.tap(j)]
            found = np.maximum(found, seen) if greatest else found + seen
    if greatest:
        return found
    inside = np.zeros(sizes[1:3], np.int32)
    inside[tuple(w.interior for w in windows)] = 1
    counts = sum(
        inside[rows.tap(i), columns.tap(j)] for i in range(rows.size) for j in range(columns.size)
    )
    means = found / np.maximum(counts, 1)[:, :, None]
    return np.clip(np.rint(means), lowest, highest)
