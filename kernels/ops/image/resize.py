"""Kernels that resize images, and their gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.images import resizing
from dataflow.kernels.images.resizing import Convention
from dataflow.kernels.ops.image.checks import check_bytes, check_images, new_size, vector_of_two

_IMAGES: dict[str, Any] = {"host_inputs": ("images", "size"), "host_outputs": ("resized_images",)}


def _convention(node: KernelNode) -> Convention:
    aligned, centered = bool(node.attr("align_corners")), bool(node.attr("half_pixel_centers"))
    if aligned and centered:
        raise invalid("If half_pixel_centers is True, align_corners must be False.")
    return Convention(aligned, centered)


@kernel("ResizeBilinear", **_IMAGES)
def bilinear(node: KernelNode, xp: Any) -> Callable[..., Any]:
    way = _convention(node)
    return lambda images, size: resizing.bilinear(images, new_size(images, size), way)


@kernel("ResizeBicubic", **_IMAGES)
def cubic(node: KernelNode, xp: Any) -> Callable[..., Any]:
    way = _convention(node)
    return lambda images, size: resizing.cubic(images, new_size(images, size), way)


@kernel("ResizeNearestNeighbor", **_IMAGES)
def nearest(node: KernelNode, xp: Any) -> Callable[..., Any]:
    way = _convention(node)
    return lambda images, size: resizing.nearest(images, new_size(images, size), way)


@kernel("ResizeArea", **_IMAGES)
def area(node: KernelNode, xp: Any) -> Callable[..., Any]:
    aligned = bool(node.attr("align_corners"))
    return lambda images, size: resizing.area(images, new_size(images, size), aligned)


@kernel(
    "ResizeBilinearGrad",
    "ResizeBicubicGrad",
    host_inputs=("grads", "original_image"),
    host_outputs=("output",),
)
def gradient(node: KernelNode, xp: Any) -> Callable[..., Any]:
    way = _convention(node)
    compute = (
        resizing.bilinear_gradient if node.op == "ResizeBilinearGrad" else resizing.cubic_gradient
    )

    def run(grads: Any, original: Any) -> Any:
        check_images(grads, "input_grad")
        check_images(original, "original_image")
        if not original.shape[1] or not original.shape[2]:
            raise invalid("original dimensions must be positive")
        if not grads.shape[1] or not grads.shape[2]:
            raise invalid("resized dimensions must be positive")
        return compute(grads, original.shape[1:3], original.dtype, way)

    return run


@kernel("ResizeNearestNeighborGrad", host_inputs=("grads", "size"), host_outputs=("output",))
def nearest_gradient(node: KernelNode, xp: Any) -> Callable[..., Any]:
    way = _convention(node)

    def run(grads: Any, size: Any) -> Any:
        check_images(grads)
        height, width = vector_of_two(size, "shape_t")
        if height <= 0 or width <= 0:
            raise invalid("shape_t's elements must be positive")
        shape = (grads.shape[0], height, width, grads.shape[3])
        check_bytes(shape, grads.dtype.itemsize)
        if not grads.shape[1] or not grads.shape[2]:
            return np.zeros(shape, grads.dtype)
        return resizing.nearest_gradient(grads, (height, width), way)

    return run
