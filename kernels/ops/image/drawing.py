"""Kernels that draw boxes, on the host."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text

_COLORS: Final = np.array(
    [
        (1, 1, 0, 1),
        (0, 0, 1, 1),
        (1, 0, 0, 1),
        (0, 1, 0, 1),
        (0.5, 0, 0.5, 1),
        (0.5, 0.5, 0, 1),
        (0.5, 0, 0, 1),
        (0, 0, 0.5, 1),
        (0, 1, 1, 1),
        (1, 0, 1, 1),
    ],
    np.float32,
)
"""Yellow, blue, red, lime, purple, olive, maroon, navy, aqua, fuchsia."""
_FAR: Final = np.float32(1 << 30)
_INPUTS = ("images", "boxes")


@kernel("DrawBoundingBoxes", host_inputs=_INPUTS, host_outputs=("output",))
def draw(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return lambda images, boxes: _drawn(images, boxes, _COLORS)


@kernel("DrawBoundingBoxesV2", host_inputs=(*_INPUTS, "colors"), host_outputs=("output",))
def draw_colored(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(images: Any, boxes: Any, colors: Any) -> Any:
        _check(images, boxes)
        if colors.ndim != 2:
            raise invalid(f"colors must be a 2-D matrix{shape_text(colors.shape)}")
        if colors.shape[1] < images.shape[3]:
            raise invalid(
                "colors must have equal or more channels than the image provided: "
                f"{shape_text(colors.shape)}"
            )
        return _drawn(images, boxes, colors if len(colors) else _COLORS)

    return run


def _check(images: Any, boxes: Any) -> None:
    if images.ndim != 4:
        raise invalid("The rank of the images should be 4")
    if boxes.ndim != 3:
        raise invalid("The rank of the boxes tensor should be 3")
    if len(images) != len(boxes):
        raise invalid("The batch sizes should be the same")
    if images.shape[3] not in (1, 3, 4):
        raise invalid("Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA)")
    if boxes.shape[2] != 4:
        raise invalid(
            f"The size of the third dimension of the box must be 4. Received: {boxes.shape[2]}"
        )


def _drawn(images: Any, boxes: Any, colors: Any) -> Any:
    _check(images, boxes)
    channels = images.shape[3]
    table = colors[:, :channels].astype(images.dtype)
    if channels == 1 and colors is _COLORS:
        # On a grey image they are all white.
        table = np.ones_like(table)
    result = images.copy()
    reach = np.array(images.shape[1:3] * 2, np.float32) - np.float32(1)
    places = np.clip(np.nan_to_num(boxes * reach), -_FAR, _FAR).astype(np.int64)
    for image, corners in zip(result, places, strict=True):
        for number, corner in enumerate(corners):
            _draw(image, corner, table[number % len(table)])
    return result


def _draw(image: Any, corner: Any, color: Any) -> None:
    """Draws the sides that lie in the image of a box that is not turned round."""
    height, width = image.shape[:2]
    top, left, bottom, right = (int(each) for each in corner)
    if top > bottom or left > right:
        return
    if top >= height or bottom < 0 or left >= width or right < 0:
        return
    rows = slice(max(top, 0), min(bottom, height - 1) + 1)
    columns = slice(max(left, 0), min(right, width - 1) + 1)
    if top >= 0:
        image[top, columns] = color
    if bottom < height:
        image[bottom, columns] = color
    if left >= 0:
        image[rows, left] = color
    if right < width:
        image[rows, right] = color
