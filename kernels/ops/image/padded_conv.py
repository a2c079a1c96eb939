"""Kernels of convolutions of images that are resized and mirrored at their edges before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.images import resizing
from dataflow.kernels.images.resizing import Convention
from dataflow.kernels.ops.array.pad import mirrored
from dataflow.kernels.ops.image.checks import new_size
from dataflow.kernels.ops.nn.conv import convolve


@kernel("FusedPadConv2D", host_inputs=("paddings",))
def convolve_padded(node: KernelNode, xp: Any) -> Callable[..., Any]:
    mode, convolved = node.attr("mode"), convolve(node, xp)

    def run(images: Any, paddings: Any, filters: Any) -> Any:
        if images.ndim == filters.ndim == 4 and images.shape[3] != filters.shape[2]:
            raise invalid(
                f"input and filter must have the same depth: {images.shape[3]} vs "
                f"{filters.shape[2]}"
            )
        return convolved(mirrored(xp, images, paddings, mode), filters)

    return run


@kernel("FusedResizeAndPadConv2D", device="CPU")
def convolve_resized(node: KernelNode, xp: Any) -> Callable[..., Any]:
    padded = convolve_padded(node, xp)
    way = Convention(node.attr("resize_align_corners"), False)

    def run(images: Any, size: Any, paddings: Any, filters: Any) -> Any:
        resized = resizing.bilinear(images, new_size(images, size), way)
        return padded(resized.astype(images.dtype, copy=False), paddings, filters)

    return run
