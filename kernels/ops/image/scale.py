"""Kernels that scale and move images, on the host."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.images.spans import KERNELS, spans
from dataflow.kernels.images.taps import resampled
from dataflow.kernels.ops.image.checks import check_bytes, check_images

_MOVE = ("scale", "translation")


@kernel(
    "ScaleAndTranslate",
    host_inputs=("images", "size", *_MOVE),
    host_outputs=("resized_images",),
)
def scale_and_translate(node: KernelNode, xp: Any) -> Callable[..., Any]:
    kind, smooths = _kernel(node)

    def run(images: Any, size: Any, scale: Any, shift: Any) -> Any:
        check_images(images)
        if np.ndim(size) != 1:
            raise invalid(f"output_shape_t must be 1-dimensional{shape_text(np.shape(size))}")
        if len(size) != 2:
            raise invalid(f"output_shape_t must have two elements{shape_text(np.shape(size))}")
        new_size = int(size[0]), int(size[1])
        if min(new_size) <= 0:
            raise invalid("output dimensions must be positive")
        if images.shape[3] <= 0:
            raise invalid("image must have at least one channel")
        if images.shape[1] <= 0 or images.shape[2] <= 0:
            raise invalid("input image must be of non-zero size")
        check_bytes((len(images), *new_size, images.shape[3]), 4)
        scales, shifts = _pair(scale), _pair(shift)
        _check_scales(scales)
        rows, columns = (
            spans(old, new, by, move, kind, smooths)
            for old, new, by, move in zip(images.shape[1:3], new_size, scales, shifts, strict=True)
        )
        return resampled(images, rows, columns, new_size, "rows")

    return run


@kernel(
    "ScaleAndTranslateGrad",
    host_inputs=("grads", "original_image", *_MOVE),
    host_outputs=("output",),
)
def scale_and_translate_gradient(node: KernelNode, xp: Any) -> Callable[..., Any]:
    kind, smooths = _kernel(node)

    def run(grads: Any, original: Any, scale: Any, shift: Any) -> Any:
        check_images(grads, "input_grad")
        check_images(original, "original_image")
        scales, shifts = _pair(scale), _pair(shift)
        _check_scales(scales)
        size = original.shape[1], original.shape[2]
        if not (size[0] and size[1] and grads.shape[1] and grads.shape[2]):
            return np.zeros((len(grads), *size, grads.shape[3]), np.float32)
        rows, columns = (
            spans(old, new, by, move, kind, smooths).turned(old)
            for old, new, by, move in zip(size, grads.shape[1:3], scales, shifts, strict=True)
        )
        return resampled(grads, rows, columns, size, "columns")

    return run


def _kernel(node: KernelNode) -> tuple[bytes, bool]:
    kind = bytes(node.attr("kernel_type"))
    if kind not in KERNELS:
        raise invalid(f"Unrecognized kernel type: {kind.decode(errors='replace')}")
    return kind, bool(node.attr("antialias"))


def _pair(values: Any) -> tuple[float, float]:
    if np.ndim(values) != 1:
        raise invalid(f"t must be 1-dimensional{shape_text(np.shape(values))}")
    if len(values) != 2:
        raise invalid(f"t must have two elements{shape_text(np.shape(values))}")
    return float(values[0]), float(values[1])


def _check_scales(scales: tuple[float, float]) -> None:
    if not min(scales) > 0:
        raise invalid("Scale must be greater than zero.")
