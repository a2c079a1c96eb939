"""Kernels of norms of quantized numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.carriers import carried, quantized
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.ops.quantization.steps import (
    bound,
    number_of,
    numbers,
    requantized,
    step_of,
    steps,
)
from dataflow.values import dtypes

_F = np.float32


def _mean(values: Any) -> Any:
    """Of each image's channels; exact where all are equal."""
    images, height, width, depth = values.shape
    rows = np.ascontiguousarray(np.moveaxis(values, 3, 1)).reshape(images, depth, height * width)
    sums = np.sum(rows, axis=2) / np.float32(height * width)
    return sums.reshape(images, 1, 1, depth)


@kernel("QuantizedInstanceNorm", device="CPU", dtypes={"T": (dtypes.quint8,)})
def instance_norm(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype, given = node.input_dtypes[0], node.attr("output_range_given")
    wanted = _F(node.attr("given_y_min")), _F(node.attr("given_y_max"))
    if given and not wanted[0] < wanted[1]:
        raise invalid(f"given_y_min must be less than given_y_max : {wanted[0]:g} >= {wanted[1]:g}")
    epsilon, least_gap = _F(node.attr("variance_epsilon")), _F(node.attr("min_separation"))

    def run(x: Any, low: Any, high: Any) -> tuple[Any, Any, Any]:
        span = bound(low, "x_min"), bound(high, "x_max")
        if not span[0] < span[1]:
            raise invalid(f"input_min must be less than input_max : {span[0]:g} >= {span[1]:g}")
        if x.ndim != 4:
            raise invalid(f"input must be rank 4 but is rank {x.ndim}")
        if not x.size:
            raise invalid(f"input must not be empty, but has shape {shape_text(x.shape)}")
        values = numbers(carried(x), dtype, span)
        centered = values - _mean(values)
        variance = _mean(np.square(centered))
        normed = centered * (_F(1) / np.sqrt(variance + epsilon))
        least, most = wanted if given else (np.min(normed), np.max(normed))
        if not given and most - least < least_gap:
            most = _F(least + least_gap)
        with np.errstate(all="ignore"):
            return quantized(steps(normed, dtype, (least, most)), dtype), least, most

    return run


@kernel(
    "QuantizedBatchNormWithGlobalNormalization",
    device="CPU",
    dtypes={"Tinput": (dtypes.quint8,), "out_type": (dtypes.qint32,)},
)
def batch_norm(node: KernelNode, xp: Any) -> Callable[..., Any]:
    source, result = node.input_dtypes[0], node.attr("out_type")
    epsilon = _F(node.attr("variance_epsilon"))
    scaled = node.attr("scale_after_normalization")
    # What is usual fits in, with 11 bits below 1.
    total = -_F(1 << 20), _F(1 << 20)
    one = step_of(1.0, result, total)
    kinds = ("input", "mean", "var", "beta", "gamma")
    plurals = ("means", "variance values", "beta values", "gamma values")

    def in_steps(part: Any) -> Any:
        return np.array([step_of(float(each), result, total) for each in part], np.int32)

    def parameters(values: list[Any], spans: list[tuple[Any, Any]]) -> tuple[Any, Any]:
        mean, variance, beta, gamma = (
            number_of(value, source, span) for value, span in zip(values, spans, strict=True)
        )
        scale = _F(1) / np.sqrt(variance + epsilon)
        if scaled:
            scale = scale * gamma
        offset = -mean * scale + beta
        return in_steps(scale), in_steps(offset)

    def run(*inputs: Any) -> tuple[Any, Any, Any]:
        values = [carried(value) for value in inputs[::3]]
        spans = [
            (bound(low, f"{kind}_min"), bound(high, f"{kind}_max"))
            for kind, low, high in zip(kinds, inputs[1::3], inputs[2::3], strict=True)
        ]
        images, *vectors = values
        if images.ndim != 4:
            raise invalid(f"input must be 4-dimensional{shape_text(images.shape)}")
        for kind, plural, vector in zip(kinds[1:], plurals, vectors, strict=True):
            if vector.ndim != 1:
                raise invalid(f"{kind} must be 1-dimensional{shape_text(vector.shape)}")
            if vector.shape[0] != images.shape[3]:
                raise invalid(
                    f"Must provide as many {plural} as the last dimension of the input tensor: "
                    f"{shape_text(vector.shape)} vs. {shape_text(images.shape)}"
                )
        with np.errstate(all="ignore"):
            scale, offset = parameters(vectors, spans[1:])
            moved = requantized(images, source, spans[0], result, total)
            products = moved * scale
            # Integers of C are divided toward 0.
            quotients = np.trunc(products / float(one)).astype(np.int32)
            return quantized(quotients + offset, result), *total

    return run
