"""Kernels of crops and glimpses, on the host."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.errors import OutOfRangeError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.images import crops
from dataflow.kernels.ops.image.checks import check_bytes

_BOXES = ("boxes", "box_ind")


@kernel("CropAndResize", host_inputs=("image", *_BOXES, "crop_size"), host_outputs=("crops",))
def crop_and_resize(node: KernelNode, xp: Any) -> Callable[..., Any]:
    smooth = node.attr("method") == b"bilinear"
    outside = float(np.float32(node.attr("extrapolation_value")))

    def run(image: Any, boxes: Any, owners: Any, size: Any) -> Any:
        _check_images(image, "input image must be 4-D")
        _check_boxes(boxes, owners)
        if np.ndim(size) != 1:
            raise invalid(f"crop_size must be 1-D{shape_text(np.shape(size))}")
        if len(size) != 2:
            raise invalid(f"crop_size must have two elements{shape_text(np.shape(size))}")
        if not (image.shape[1] and image.shape[2]):
            raise invalid("image dimensions must be positive")
        crop = int(size[0]), int(size[1])
        if min(crop) <= 0:
            raise invalid("crop dimensions must be positive")
        check_bytes((len(boxes), *crop, image.shape[3]), 4)
        _check_owners(owners, len(image))
        return crops.crop_and_resize(image, boxes, owners, crop, smooth, outside)

    return run


@kernel(
    "CropAndResizeGradImage",
    host_inputs=("grads", *_BOXES, "image_size"),
    host_outputs=("output",),
)
def image_gradient(node: KernelNode, xp: Any) -> Callable[..., Any]:
    smooth = node.attr("method") == b"bilinear"
    dtype = node.output_dtypes[0].as_numpy_dtype

    def run(grads: Any, boxes: Any, owners: Any, size: Any) -> Any:
        _check_grads(grads)
        _check_boxes(boxes, owners)
        if len(grads) != len(boxes):
            raise invalid("boxes and grads have incompatible shape")
        if np.ndim(size) != 1:
            raise invalid(f"image_size must be 1-D{shape_text(np.shape(size))}")
        if len(size) != 4:
            raise invalid(f"image_size must have 4 elements{shape_text(np.shape(size))}")
        shape = tuple(int(each) for each in size)
        if shape[1] <= 0 or shape[2] <= 0 or shape[0] < 0:
            raise invalid("image dimensions must be positive")
        if shape[3] != grads.shape[3]:
            raise invalid("image_size and grads are incompatible")
        check_bytes(shape, np.dtype(dtype).itemsize)
        _check_owners(owners, shape[0])
        return crops.image_gradient(grads, boxes, owners, shape, dtype, smooth)

    return run


@kernel("CropAndResizeGradBoxes", host_inputs=("grads", "image", *_BOXES), host_outputs=("output",))
def boxes_gradient(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(grads: Any, image: Any, boxes: Any, owners: Any) -> Any:
        _check_grads(grads)
        _check_images(image, "input image must be 4-D")
        if not (image.shape[1] and image.shape[2]):
            raise invalid("image dimensions must be positive")
        if image.shape[3] != grads.shape[3]:
            raise invalid("image, grads depth differ")
        _check_boxes(boxes, owners)
        if len(grads) != len(boxes):
            raise invalid("boxes and grads have incompatible shape")
        _check_owners(owners, len(image))
        return crops.boxes_gradient(grads, image, boxes, owners)

    return run


def _check_images(image: Any, refusal: str) -> None:
    if image.ndim != 4:
        raise invalid(f"{refusal}{shape_text(image.shape)}")


def _check_grads(grads: Any) -> None:
    _check_images(grads, "grads image must be 4-D")
    if not (grads.shape[1] and grads.shape[2]):
        raise invalid("grads dimensions must be positive")


def _check_boxes(boxes: Any, owners: Any) -> None:
    if boxes.ndim != 2:
        raise invalid(f"boxes must be 2-D, got: {shape_text(boxes.shape)}")
    if boxes.shape[1] != 4:
        raise invalid("boxes must have 4 columns")
    if owners.ndim != 1:
        raise invalid(f"box_indices must be rank 1 but is shape {shape_text(owners.shape)}")
    if len(owners) != len(boxes):
        raise invalid("box_index has incompatible shape")
    if not np.isfinite(boxes).all():
        raise invalid("Boxes contains at least one element that is not finite")


def _check_owners(owners: Any, count: int) -> None:
    if owners.size and not (owners.min() >= 0 and owners.max() < count):
        raise OutOfRangeError(None, None, "box_index has values outside [0, batch_size)")


@kernel(
    "ExtractGlimpse",
    "ExtractGlimpseV2",
    host_inputs=("input", "size", "offsets"),
    host_outputs=("glimpse",),
)
def glimpse(node: KernelNode, xp: Any) -> Callable[..., Any]:
    centered, normalized = bool(node.attr("centered")), bool(node.attr("normalized"))
    # The first version halves what it takes of every offset, and takes it to the window's middle.
    halves = node.op == "ExtractGlimpse" or (centered and normalized)
    noise = b"uniform" if node.attr("uniform_noise") else node.attr("noise")
    generator = np.random.Generator(np.random.SFC64())

    def run(images: Any, size: Any, offsets: Any) -> Any:
        _check_glimpse(images, size, offsets)
        window = np.array([int(size[0]), int(size[1])])
        shape = np.array(images.shape[1:3], np.float32)
        check_bytes((len(images), *map(int, window), images.shape[3]), 4)
        places = offsets * shape if normalized else offsets.astype(np.float32)
        if centered:
            places = (places / 2 if halves else places) + shape / 2
        if halves:
            places = places - window.astype(np.float32) / 2
        bound = np.float32(1 << 30)
        starts = np.clip(np.nan_to_num(places), -bound, bound).astype(np.int64)
        result = np.zeros((len(images), *window, images.shape[3]), np.float32)
        for image, start, target in zip(images, starts, result, strict=True):
            _look_through(image, start, target, noise, generator)
        return result

    return run


def _check_glimpse(images: Any, size: Any, offsets: Any) -> None:
    if images.ndim != 4:
        raise invalid(
            "input must be 4-dimensional (batch_size, height, width, depth)"
            f"{shape_text(images.shape)}"
        )
    if np.shape(size) != (2,):
        raise invalid(
            f"input must be a vector of size 2 (height, width){shape_text(np.shape(size))}"
        )
    if min(size) < 0:
        raise invalid(f"Expected a non-negative size, got {min(size)}")
    if offsets.ndim != 2:
        raise invalid(f"input must be a matrix{shape_text(offsets.shape)}")
    if len(offsets) != len(images):
        raise invalid(f"first dimension should be batch{shape_text(offsets.shape)}")
    if offsets.shape[1] != 2:
        raise invalid(f"second dimension should be of size 2 (y,x){shape_text(offsets.shape)}")


def _look_through(
    image: Any, start: Any, target: Any, noise: bytes, generator: np.random.Generator
) -> None:
    """Fills a window with what it shows of an image, and noise of the image's channels."""
    height, width = target.shape[:2]
    y, x = int(start[0]), int(start[1])
    top, bottom = max(y, 0), min(y + height, image.shape[0])
    left, right = max(x, 0), min(x + width, image.shape[1])
    if image.size and (top > y or bottom < y + height or left > x or right < x + width):
        if noise == b"uniform":
            least, most = image.min((0, 1)), image.max((0, 1))
            target[...] = least + generator.random(target.shape, np.float32) * (most - least)
        elif noise == b"gaussian":
            spread = image.std((0, 1), dtype=np.float32)
            target[...] = image.mean((0, 1)) + spread * generator.standard_normal(
                target.shape, np.float32
            )
    if top < bottom and left < right:
        target[top - y : bottom - y, left - x : right - x] = image[top:bottom, left:right]
