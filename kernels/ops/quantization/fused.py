"""Kernels of layers of int8 nets in one op: convolutions and products, and what follows them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.carriers import carried
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.convolution import convolution, depthwise
from dataflow.kernels.convolution.sliding import attr_or, sliding
from dataflow.kernels.convolution.windows import Window, make_window
from dataflow.kernels.ops.quantization.endings import (
    Ending,
    reach_of,
    step_around_zero,
    unquantized_bias,
)
from dataflow.kernels.ops.quantization.layers import checked_matrices
from dataflow.kernels.ops.quantization.steps import bound, limits, product_range, symmetric_width
from dataflow.kernels.ops.quantization.sums import exact_sums
from dataflow.values import dtypes
from dataflow.values.dtypes import DType

_F = np.float32
_BIASES: Final = (dtypes.float32, dtypes.qint32)


def _types(op: str) -> dict[str, tuple[DType, ...]]:
    """The element types of a convolution that TensorFlow has a kernel for."""
    requantizes = op.endswith("Requantize")
    found: dict[str, tuple[DType, ...]] = {
        "Tinput": (dtypes.quint8,),
        "Tfilter": (dtypes.qint8,),
        "out_type": (dtypes.qint32,),
    }
    if op.startswith("QuantizedConv2DWithBias") and "Sum" not in op:
        found["Tinput"] = (dtypes.quint8, dtypes.qint8)
    if requantizes:
        found["out_type"] = (dtypes.quint8 if "Relu" in op else dtypes.qint8,)
        if "WithBias" in op:
            found["Tbias"] = _BIASES
    if requantizes and "Sum" in op:
        found["Tsummand"] = (dtypes.qint8 if "Signed" in op else dtypes.quint8,)
    return found


def _sums_of(node: KernelNode) -> Callable[[Any, Any], Any]:
    """The function of images and a filter that gives the convolution's sums."""
    moves, apart = sliding(node, 2), "Depthwise" in node.op
    pads: Sequence[int] = attr_or(node, "padding_list", ())
    padding = b"EXPLICIT" if pads else moves.padding
    explicit = ((pads[2], pads[3]), (pads[4], pads[5])) if pads else moves.explicit

    def windows_over(images: Any, filters: Any) -> list[Window]:
        return [
            make_window(size, taps, stride, dilation, padding, amounts)
            for size, taps, stride, dilation, amounts in zip(
                images.shape[1:3],
                filters.shape[:2],
                moves.strides,
                moves.dilations,
                explicit,
                strict=True,
            )
        ]

    def together(images: Any, filters: Any) -> Any:
        depth, inner = images.shape[3], filters.shape[2]
        if not inner or depth % inner:
            raise invalid(
                f"input depth must be evenly divisible by filter depth: {depth} vs {inner}"
            )
        if filters.shape[3] % (depth // inner):
            raise invalid(
                f"Depth of output ({filters.shape[3]}) is not a multiple of the number of groups "
                f"({depth // inner})"
            )
        windows = windows_over(images, filters)
        return exact_sums(
            lambda x, w: convolution.convolve(np, x, w, windows), images, filters, depth == inner
        )

    def separate(images: Any, filters: Any) -> Any:
        if images.shape[3] != filters.shape[2]:
            raise invalid(
                "input and filter must have the same depth: "
                f"{images.shape[3]} vs {filters.shape[2]}"
            )
        windows = windows_over(images, filters)
        # Each sum is over the window only.
        rows = filters.reshape(*filters.shape[:2], 1, -1)
        return exact_sums(
            lambda x, w: depthwise.convolve(np, x, w.reshape(filters.shape), windows),
            images,
            rows,
            False,
        )

    return separate if apart else together


def _check_convolution(
    images: Any, filters: Any, low: Any, high: Any, bias: Any, apart: bool
) -> None:
    """Refuses shapes that do not fit.

    Raises:
      InvalidArgumentError: They do not.
    """
    for name, value in (("input", images), ("filter", filters)):
        if value.ndim != 4:
            raise invalid(f"{name} must be rank 4 but is rank {value.ndim}")
    outputs = filters.shape[3] * (filters.shape[2] if apart else 1)
    if np.shape(low) != np.shape(high) or not np.size(low):
        raise invalid(
            "`min_ and max_filter` must have same shape and contain at least one element."
        )
    if np.ndim(low) > 1 or np.size(low) not in (1, outputs):
        raise invalid(
            f"`min_filter` and `max_filter` must have 1 or {outputs} elements, but have shape "
            f"{shape_text(np.shape(low))}"
        )
    _check_bias(bias, outputs)


def _check_bias(bias: Any, outputs: int) -> None:
    if bias is not None and bias.shape != (outputs,):
        raise invalid(
            f"bias must be a vector with {outputs} elements, but has shape {shape_text(bias.shape)}"
        )


def _convolve(node: KernelNode, xp: Any) -> Callable[..., Any]:
    of_input, result = node.input_dtypes[0], node.attr("out_type")
    sums_of, apart = _sums_of(node), "Depthwise" in node.op
    biased, summed = "WithBias" in node.op, "Sum" in node.op
    requantizes = node.op.endswith("Requantize")
    # TensorFlow reads a summand with a sign where it writes the output.
    highest = limits(dtypes.qint8)[1] if "Signed" in node.op else None
    ending = Ending("Relu" in node.op, result, highest)

    def run(images: Any, filters: Any, *rest: Any) -> tuple[Any, Any, Any]:
        bias, rest = (rest[0], rest[1:]) if biased else (None, rest)
        low, high = bound(rest[0], "min_input"), bound(rest[1], "max_input")
        low_filter, high_filter = rest[2:4]
        _check_convolution(images, filters, low_filter, high_filter, bias, apart)
        sums = sums_of(carried(images), carried(filters))
        source = step_around_zero(low, high, of_input)
        weight = step_around_zero(low_filter, high_filter, dtypes.qint8)
        if bias is not None:
            reaches = reach_of(low, high), reach_of(low_filter, high_filter)
            bias = unquantized_bias(bias, *reaches, of_input)
        if requantizes:
            new = bound(rest[4], "min_freezed_output"), bound(rest[5], "max_freezed_output")
            step, bounds = step_around_zero(*new, result), new
        else:
            # All channels get the widest step, though each has a range of its own.
            widest = step_around_zero(np.min(low_filter), np.max(high_filter), dtypes.qint8)
            step = widest * source
            second = symmetric_width(dtypes.qint8, (low_filter, high_filter))
            bounds = product_range(symmetric_width(of_input, (low, high)), second, result)
        added = _summand(rest[6 if requantizes else 4 :], sums.shape) if summed else None
        return ending.of(sums, source * weight, bias, added, step), *bounds

    return run


def _summand(inputs: Sequence[Any], shape: tuple[int, ...]) -> Any:
    """What is added, as numbers: it is such, or steps with their range.

    Raises:
      InvalidArgumentError: It does not have the output's shape, or an end of the range is no
        scalar.
    """
    summand, *span = inputs
    if summand.shape != shape:
        raise invalid(
            f"summand must have the output's shape {shape_text(shape)}, but has "
            f"{shape_text(summand.shape)}"
        )
    if not span:
        return summand
    ends = bound(span[0], "min_freezed_summand"), bound(span[1], "max_freezed_summand")
    values = carried(summand)
    dtype = dtypes.qint8 if values.dtype == np.int8 else dtypes.quint8
    return values.astype(np.float32) * step_around_zero(*ends, dtype)


for _op in (
    "QuantizedConv2DPerChannel",
    "QuantizedConv2DAndRelu",
    "QuantizedConv2DAndRequantize",
    "QuantizedConv2DAndReluAndRequantize",
    "QuantizedConv2DWithBias",
    "QuantizedConv2DWithBiasAndRelu",
    "QuantizedConv2DWithBiasAndRequantize",
    "QuantizedConv2DWithBiasAndReluAndRequantize",
    "QuantizedConv2DWithBiasSumAndRelu",
    "QuantizedConv2DWithBiasSumAndReluAndRequantize",
    "QuantizedConv2DWithBiasSignedSumAndReluAndRequantize",
    "QuantizedDepthwiseConv2D",
    "QuantizedDepthwiseConv2DWithBias",
    "QuantizedDepthwiseConv2DWithBiasAndRelu",
    "QuantizedDepthwiseConv2DWithBiasAndReluAndRequantize",
):
    kernel(_op, device="CPU", dtypes=_types(_op))(_convolve)


def _multiply(node: KernelNode, xp: Any) -> Callable[..., Any]:
    (of_a, of_b), result = node.input_dtypes[:2], node.attr("Toutput")
    turned = node.attr("transpose_a"), node.attr("transpose_b")
    lowest_first = node.attr("input_quant_mode") == b"MIN_FIRST"
    ending = Ending("Relu" in node.op, result)
    names = "min_a", "max_a", "min_b", "max_b", "min_freezed_output", "max_freezed_output"

    def run(a: Any, b: Any, bias: Any, *ends: Any) -> Any:
        low, high, low_b, high_b, *new = map(bound, ends, names)
        a, b = checked_matrices(a, b, turned)
        _check_bias(bias, b.shape[1])
        a, b = carried(a), carried(b)
        reach = _F(high - low) if lowest_first else reach_of(low, high)
        weight = step_around_zero(low_b, high_b, of_b)
        worth = _F(reach / _F(limits(of_a)[1])) * weight
        found = unquantized_bias(bias, reach, reach_of(low_b, high_b), of_a)
        if lowest_first and found is bias:
            # Step 0 stands for the lowest number; a bias of 32 bits has what that adds in it.
            found = bias + b.sum(0, dtype=np.int64).astype(np.float32) * _F(low * weight)
        requantizes = new and result is not dtypes.float32
        step = step_around_zero(new[0], new[1], result) if requantizes else worth
        values = ending.of(exact_sums(np.matmul, a, b), worth, found, None, step)
        if result is dtypes.float32:
            return values
        if new:
            return values, *new
        widths = symmetric_width(of_a, (low, high)), symmetric_width(of_b, (low_b, high_b))
        return values, *product_range(*widths, result)

    return run


for _op, _results in (
    ("QuantizedMatMulWithBias", dtypes.qint32),
    ("QuantizedMatMulWithBiasAndRelu", dtypes.qint32),
    ("QuantizedMatMulWithBiasAndRequantize", dtypes.quint8),
    ("QuantizedMatMulWithBiasAndReluAndRequantize", dtypes.quint8),
    ("QuantizedMatMulWithBiasAndDequantize", dtypes.float32),
):
    _biases: dict[str, tuple[DType, ...]] = {} if _op.endswith("AndRelu") else {"Tbias": _BIASES}
    kernel(
        _op,
        device="CPU",
        dtypes={
            "T1": (dtypes.quint8,),
            "T2": (dtypes.qint8,),
            "Toutput": (_results,),
            **_biases,
        },
    )(_multiply)
