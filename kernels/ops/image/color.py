"""Kernels of colors and contrast."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.errors import FailedPreconditionError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.images import colors
from dataflow.values import dtypes

_OUTPUT = ("output",)
_EARLY = (
    *(dtypes.uint8, dtypes.int8, dtypes.int16, dtypes.int32),
    *(dtypes.float32, dtypes.float64),
)


@kernel("RGBToHSV", "HSVToRGB", host_inputs=("images",), host_outputs=_OUTPUT)
def convert(node: KernelNode, xp: Any) -> Callable[..., Any]:
    compute = colors.to_hsv if node.op == "RGBToHSV" else colors.to_rgb

    def run(images: Any) -> Any:
        if images.ndim < 1:
            raise invalid(f"input must be at least 1D{shape_text(images.shape)}")
        if images.shape[-1] != 3:
            raise FailedPreconditionError(
                None,
                None,
                f"input must have 3 channels but input only has {images.shape[-1]} channels.",
            )
        return colors.by_pixels(images, compute)

    return run


@kernel("AdjustContrastv2", host_inputs=("images", "contrast_factor"), host_outputs=_OUTPUT)
def contrast(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(images: Any, factor: Any) -> Any:
        _check(images, factor, "contrast_factor")
        return _contrasted(images, factor).astype(images.dtype, copy=False)

    return run


@kernel(
    "AdjustContrast",
    host_inputs=("images", "contrast_factor", "min_value", "max_value"),
    host_outputs=_OUTPUT,
    dtypes={"T": _EARLY},
)
def early_contrast(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(images: Any, factor: Any, least: Any, most: Any) -> Any:
        _check(images, factor, "contrast_factor")
        for name, bound in (("min_value", least), ("max_value", most)):
            if bound.ndim:
                raise invalid(f"{name} must be scalar: {shape_text(bound.shape)}")
        return np.maximum(np.minimum(_contrasted(images, factor), most), least)

    return run


def _contrasted(images: Any, factor: Any) -> Any:
    wide = images.astype(np.float32, copy=False)
    if not images.size:
        return wide
    found = colors.with_contrast(wide.reshape(-1, *wide.shape[-3:]), np.float32(factor))
    return found.reshape(images.shape)


@kernel("AdjustHue", host_inputs=("images", "delta"), host_outputs=_OUTPUT)
def hue(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return _adjusting(colors.with_hue, "delta")


@kernel("AdjustSaturation", host_inputs=("images", "scale"), host_outputs=_OUTPUT)
def saturation(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return _adjusting(colors.with_saturation, "scale")


def _adjusting(adjust: Callable[[Any, Any], Any], name: str) -> Callable[..., Any]:
    def run(images: Any, amount: Any) -> Any:
        _check(images, amount, name)
        if images.shape[-1] != 3:
            raise invalid(
                f"input must have 3 channels but instead has {images.shape[-1]} channels."
            )
        by = np.float32(amount)
        wide = images.astype(np.float32, copy=False)
        found = colors.by_pixels(wide, lambda pixels: adjust(pixels, by))
        return found.astype(images.dtype, copy=False)

    return run


def _check(images: Any, amount: Any, name: str) -> None:
    if images.ndim < 3:
        raise invalid(f"input must be at least 3-D, got shape{shape_text(images.shape)}")
    if np.ndim(amount):
        raise invalid(f"{name} must be scalar: {shape_text(np.shape(amount))}")
