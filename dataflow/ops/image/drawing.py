"""Boxes drawn on images."""

from __future__ import annotations

from typing import Any

from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.shape_parts import with_size
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import (
    MISSING_GRADIENT,
    NOT_DIFFERENTIABLE,
    InferenceContext,
    define_op,
)
from dataflow.schema.shape_functions import unchanged, with_rank, with_rank_at_least
from dataflow.values.shapes import TensorShape

_T = "T: {float32, half} = float32"


def _drawn_shape(c: InferenceContext) -> TensorShape:
    shape = with_rank_at_least(c.input(0), 3)
    if shape.rank is not None:
        channels = (with_rank(shape, 4).dims_tuple or ())[3]
        if channels not in (None, 1, 3, 4):
            raise ValueError("Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA)")
    boxes = with_rank(c.input(1), 3)
    with_size((boxes.dims_tuple or (None,) * 3)[2], 4)
    return c.input(0)


define_op(
    "DrawBoundingBoxes",
    inputs="images: T, boxes: float32",
    outputs="output: T",
    attrs=[_T],
    shape=_drawn_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="Images with boxes of ten colors in turns.",
)
define_op(
    "DrawBoundingBoxesV2",
    inputs="images: T, boxes: float32, colors: float32",
    outputs="output: T",
    attrs=[_T],
    shape=unchanged,
    gradient=MISSING_GRADIENT,
    doc="Images with boxes of colors in turns.",
)


def draw_bounding_boxes(
    images: Any, boxes: Any, name: str | None = None, colors: Any = None
) -> Tensor:
    """Images with boxes drawn on them.

    Args:
      images: Floats `[batch, height, width, channels]`, with 1, 3 or 4 channels.
      boxes: `[batch, boxes, 4]`: y1, x1, y2, x2, of which 0 to 1 is the image.
      name: Name of the operation.
      colors: A color in each row, taken in turns; ten of our own if None.
    """
    if colors is None:
        return single("DrawBoundingBoxes", images, boxes, name=name)
    return single("DrawBoundingBoxesV2", images, boxes, colors, name=name)
