"""Kernels of fused batch normalization and its gradient.

Statistics are kept in float32. Sums run over one image at a time and then over images: one running
sum over all would lose digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow import dtypes
from dataflow.kernels.invalid import invalid
from dataflow.kernels.registry import KernelNode, kernel
from dataflow.kernels.shape_text import shape_text

_STATISTICS = {"U": (dtypes.float32,)}


@kernel("FusedBatchNorm")
@kernel("FusedBatchNormV2", "FusedBatchNormV3", dtypes=_STATISTICS)
def batch_norm(node: KernelNode, xp: Any) -> Callable[..., Any]:
    epsilon = np.float32(node.attr("epsilon"))
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
        centered, outputs = (
            _train(xp, images, mean, variance, factor)
            if is_training
            else (images - mean, (mean, variance, mean, variance))
        )
        centered *= scale / xp.sqrt(outputs[3] + epsilon)
        centered += offset
        y = xp.moveaxis(centered, -1, 1) if channels_first else centered
        return (xp.ascontiguousarray(y).astype(x.dtype, copy=False), *outputs, *reserved)

    return run


def _train(
    xp: Any, x: Any, mean: Any, variance: Any, factor: Any
) -> tuple[Any, tuple[Any, Any, Any, Any]]:
    """The images less their mean; running mean and variance, and those of the batch."""
    count = math.prod(x.shape[:-1])
    if not count:
        nothing = xp.full(x.shape[-1], np.float32("nan"))
        zeros = xp.zeros(x.shape[-1], np.float32)
        return x.astype(np.float32), (nothing, nothing, zeros, zeros)
    batch_mean = _sum(x) / np.float32(count)
    centered = x - batch_mean
    batch_variance = _sum(xp.square(centered)) / np.float32(count)
    unbiased = batch_variance * np.float32(count / max(1, count - 1))
    if factor == 1:
        return centered, (batch_mean, unbiased, batch_mean, batch_variance)
    kept = np.float32(1) - factor
    running = kept * mean + factor * batch_mean, kept * variance + factor * unbiased
    return centered, (*running, batch_mean, batch_variance)


@kernel("FusedBatchNormGrad")
@kernel("FusedBatchNormGradV2", "FusedBatchNormGradV3", dtypes=_STATISTICS)
def batch_norm_grad(node: KernelNode, xp: Any) -> Callable[..., Any]:
    epsilon = np.float32(node.attr("epsilon"))
    is_training = node.attr("is_training")
    rank = len(node.attr("data_format"))
    channels_first = node.attr("data_format").startswith(b"NC")
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
        inverse = np.float32(1) / xp.sqrt(variance + epsilon)
        normal = (x - mean) * inverse
        slope = dy.astype(np.float32, copy=False)
        of_scale, of_offset = _sum(slope * normal), _sum(slope)
        if is_training and x.size:
            count = np.float32(math.prod(x.shape[:-1]))
            normal *= of_scale / count
            slope = slope - of_offset / count
            slope -= normal
        dx = slope * (scale * inverse)
        dx = xp.moveaxis(dx, -1, 1) if channels_first else dx
        dx = xp.ascontiguousarray(dx).astype(node.output_dtypes[0].as_numpy_dtype, copy=False)
        return dx, of_scale, of_offset, zero, zero

    return run


def _sum(images: Any) -> Any:
    """Over all axes but the last."""
    inner = tuple(range(1, images.ndim - 1))
    return images.sum(axis=inner, dtype=np.float32).sum(axis=0)


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
