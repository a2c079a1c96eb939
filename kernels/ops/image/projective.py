"""Kernels of projective transformations, on the host."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.images.projection import MODES, Way, transformed
from dataflow.kernels.ops.image.checks import check_bytes

_INPUTS = ("images", "transforms", "output_shape")
_OUTPUT = ("transformed_images",)


@kernel("ImageProjectiveTransformV2", host_inputs=_INPUTS, host_outputs=_OUTPUT)
def transform(node: KernelNode, xp: Any) -> Callable[..., Any]:
    run = _transforming(node)
    return lambda images, transforms, size: run(images, transforms, size, np.float32(0))


@kernel("ImageProjectiveTransformV3", host_inputs=(*_INPUTS, "fill_value"), host_outputs=_OUTPUT)
def transform_filled(node: KernelNode, xp: Any) -> Callable[..., Any]:
    run = _transforming(node)

    def filled(images: Any, transforms: Any, size: Any, fill: Any) -> Any:
        if np.ndim(fill):
            raise invalid(f"fill_value must be a scalar, got shape{shape_text(np.shape(fill))}")
        return run(images, transforms, size, np.float32(fill))

    return filled


def _transforming(node: KernelNode) -> Callable[..., Any]:
    interpolation, mode = bytes(node.attr("interpolation")), bytes(node.attr("fill_mode"))
    if interpolation not in (b"NEAREST", b"BILINEAR"):
        raise invalid(
            f"Invalid interpolation {interpolation.decode(errors='replace')}. "
            "Supported types: NEAREST, BILINEAR"
        )
    if mode not in MODES:
        raise invalid(
            f"Invalid mode {mode.decode(errors='replace')}. "
            "Supported types: REFLECT, WRAP, CONSTANT, NEAREST"
        )

    def run(images: Any, transforms: Any, size: Any, fill: Any) -> Any:
        if images.ndim != 4:
            raise invalid("Input images must have rank 4")
        rows = np.shape(transforms)
        if len(rows) != 2 or rows[1] != 8 or rows[0] not in (1, len(images)):
            raise invalid("Input transform should be num_images x 8 or 1 x 8")
        if np.ndim(size) != 1:
            raise invalid(f"output shape must be 1-dimensional{shape_text(np.shape(size))}")
        if len(size) != 2:
            raise invalid(f"output shape must have two elements{shape_text(np.shape(size))}")
        new_size = int(size[0]), int(size[1])
        if min(new_size) <= 0:
            raise invalid("output dimensions must be positive")
        check_bytes((len(images), *new_size, images.shape[3]), images.dtype.itemsize)
        way = Way(interpolation == b"BILINEAR", mode, fill)
        return transformed(images, transforms, new_size, way)

    return run
