"""Kernels of fused batch normalization and its gradient.

Statistics are kept in float32.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.reductions.channels import as_long_rows, channel_sum, map_rows, repeated
from dataflow.values import dtypes

_STATISTICS = {"U": (dtypes.float32,)}

Normalize = Callable[[Any, Any, Any, Any, Any], tuple[Any, tuple[Any, Any, Any, Any]]]
"""`f(images, scale, offset, mean, variance)`: the result and the other outputs."""
Descend = Callable[[Any, Any, Any, Any, Any], tuple[Any, Any, Any]]
"""`f(dy, images, scale, mean, variance)`: gradients of the images, of scale and of offset."""


@kernel("FusedBatchNorm")
@kernel("FusedBatchNormV2", "FusedBatchNormV3", dtypes=_STATISTICS)
def batch_norm(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return normalization(node, xp, normalizing(node, xp))


def normalization(node: KernelNode, xp: Any, compute: Normalize) -> Callable[..., Any]:
    """The callable, by a function of images whose channels are last."""
    factor = np.float32(node.attr("exponential_avg_factor"))
    is_training = node.attr("is_training")
    rank = len(node.attr("data_format"))
    channels_first = node.attr("data_format").startswith(b"NC")
    reserved = (np.float32(0),) if node.op == "FusedBatchNormV3" else ()

    def run(x: Any, scale: Any, offset: Any, mean: Any, variance: Any) -> Any:
        _check_rank(x, rank)
        channels = x.shape[1 if channels_first else -1]
        for name, vector in (("scale", scale), ("offset", offset)):
            _check_vector("", name, vector, channels)
        if not is_training or factor != 1:
            when = (
                "When is_training=false, "
                if not is_training
                else "When exponential_avg_factor != 1, "
            )
            for name, vector in (("mean", mean), ("variance", variance)):
                _check_vector(when, name, vector, channels)
        images = xp.moveaxis(x, 1, -1) if channels_first else x
        y, outputs = compute(images, scale, offset, mean, variance)
        y = xp.moveaxis(y, -1, 1) if channels_first else y
        return (xp.ascontiguousarray(y).astype(x.dtype, copy=False), *outputs, *reserved)

    return run


def normalizing(node: KernelNode, xp: Any) -> Normalize:
    """The function, of any array library."""
    epsilon = np.float32(node.attr("epsilon"))
    factor = np.float32(node.attr("exponential_avg_factor"))
    is_training = node.attr("is_training")

    def compute(images: Any, scale: Any, offset: Any, mean: Any, variance: Any) -> Any:
        rows = as_long_rows(images)
        outputs = (mean, variance, mean, variance)
        centered = None
        if is_training:
            centered, outputs = _train(xp, rows, mean, variance, factor, images.shape[-1])
        middle = repeated(mean, rows)
        factors = repeated(scale / xp.sqrt(outputs[3] + epsilon), rows)
        offsets = repeated(offset, rows)

        def normalize(part: slice, out: Any) -> None:
            if centered is None:
                xp.subtract(rows[part], middle, out=out)
                out *= factors
            else:
                xp.multiply(centered[part], factors, out=out)
            out += offsets

        return map_rows(xp, rows, np.float32, normalize).reshape(images.shape), outputs

    return compute


def statistics(
    batch_mean: Any, batch_variance: Any, count: int, mean: Any, variance: Any, factor: Any
) -> tuple[Any, Any, Any, Any]:
    """Running mean and variance, and those of the batch."""
    unbiased = batch_variance * np.float32(count / max(1, count - 1))
    if factor == 1:
        return batch_mean, unbiased, batch_mean, batch_variance
    kept = np.float32(1) - factor
    running = kept * mean + factor * batch_mean, kept * variance + factor * unbiased
    return (*running, batch_mean, batch_variance)


def _train(
    xp: Any, rows: Any, mean: Any, variance: Any, factor: Any, channels: int
) -> tuple[Any, tuple[Any, Any, Any, Any]]:
    """The images less their mean; running mean and variance, and those of the batch."""
    if not rows.size:
        nothing = xp.full(channels, np.float32("nan"))
        zeros = xp.zeros(channels, np.float32)
        return rows.astype(np.float32), (nothing, nothing, zeros, zeros)
    count = rows.size // channels
    batch_mean = _sum(rows, channels) / np.float32(count)
    middle = repeated(batch_mean, rows)
    squares = xp.empty(rows.shape, np.float32)

    def center(part: slice, out: Any) -> None:
        xp.subtract(rows[part], middle, out=out)
        xp.square(out, out=squares[part])

    centered = map_rows(xp, rows, np.float32, center)
    batch_variance = _sum(squares, channels) / np.float32(count)
    return centered, statistics(batch_mean, batch_variance, count, mean, variance, factor)


@kernel("FusedBatchNormGrad")
@kernel("FusedBatchNormGradV2", "FusedBatchNormGradV3", dtypes=_STATISTICS)
def batch_norm_grad(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return gradient(node, xp, descending(node, xp))


def gradient(node: KernelNode, xp: Any, compute: Descend) -> Callable[..., Any]:
    """The callable, by a function of images whose channels are last."""
    rank = len(node.attr("data_format"))
    channels_first = node.attr("data_format").startswith(b"NC")
    result = node.output_dtypes[0].as_numpy_dtype
    zero = np.float32(0)

    def run(dy: Any, x: Any, scale: Any, mean: Any, variance: Any, *_: Any) -> Any:
        _check_rank(x, rank)
        if x.shape != dy.shape:
            raise invalid(
                f"x and y_backprop must have same shape, but x has shape {shape_text(x.shape)} and "
                f"y_backprop has shape {shape_text(dy.shape)}"
            )
        channels = x.shape[1 if channels_first else -1]
        names = ("scale", "reserve_space_1", "reserve_space_2")
        for name, vector in zip(names, (scale, mean, variance), strict=True):
            _check_vector("", name, vector, channels)
        if channels_first:
            x, dy = xp.moveaxis(x, 1, -1), xp.moveaxis(dy, 1, -1)
        dx, of_scale, of_offset = compute(dy, x, scale, mean, variance)
        dx = xp.moveaxis(dx, -1, 1) if channels_first else dx
        return (
            xp.ascontiguousarray(dx).astype(result, copy=False),
            of_scale,
            of_offset,
            zero,
            zero,
        )

    return run


def descending(node: KernelNode, xp: Any) -> Descend:
    """The function, of any array library."""
    epsilon = np.float32(node.attr("epsilon"))
    is_training = node.attr("is_training")

    def compute(dy: Any, x: Any, scale: Any, mean: Any, variance: Any) -> Any:
        channels = x.shape[-1]
        inverse = np.float32(1) / xp.sqrt(variance + epsilon)
        rows = as_long_rows(x)
        slope = as_long_rows(dy).astype(np.float32, copy=False)
        middle, factors = repeated(mean, rows), repeated(inverse, rows)
        products = xp.empty(rows.shape, np.float32)

        def normalize(part: slice, out: Any) -> None:
            xp.subtract(rows[part], middle, out=out)
            out *= factors
            xp.multiply(slope[part], out, out=products[part])

        normal = map_rows(xp, rows, np.float32, normalize)
        of_scale, of_offset = _sum(products, channels), _sum(slope, channels)
        count = np.float32(max(1, x.size // max(1, channels)))
        tilt = repeated(of_scale / count, rows)
        level = repeated(of_offset / count, rows)
        steps = repeated(scale * inverse, rows)

        def combine(part: slice, out: Any) -> None:
            if is_training and x.size:
                xp.multiply(normal[part], tilt, out=out)
                out += level
                xp.subtract(slope[part], out, out=out)
                out *= steps
            else:
                xp.multiply(slope[part], steps, out=out)

        dx = map_rows(xp, rows, np.float32, combine).reshape(x.shape)
        return dx, of_scale, of_offset

    return compute


def _sum(rows: Any, channels: int) -> Any:
    return channel_sum(rows.reshape(-1, channels) if rows.size else rows, np.float32)


def _check_rank(x: Any, rank: int) -> None:
    if x.ndim != rank:
        raise invalid(f"input must be {rank}-dimensional{shape_text(x.shape)}")


def _check_vector(when: str, name: str, vector: Any, channels: int) -> None:
    if vector.ndim != 1:
        raise invalid(f"{name} must be 1-dimensional{shape_text(vector.shape)}")
    if vector.shape[0] != channels:
        raise invalid(
            f"{when}{name} must have the same number of elements as the channels of x, got "
            f"{vector.shape[0]} and {channels}"
        )
