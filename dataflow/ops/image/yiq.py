"""Colors turned, strengthened and brightened in YIQ space: an op of tf.contrib.image."""

from __future__ import annotations

from typing import Any

from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import MISSING_GRADIENT, InferenceContext, define_op
from dataflow.schema.shape_functions import with_rank_at_least
from dataflow.values.shapes import TensorShape


def _image_shape(c: InferenceContext) -> TensorShape:
    return with_rank_at_least(c.input(0), 3)


define_op(
    "AdjustHsvInYiq",
    inputs="images: T, delta_h: float, scale_s: float, scale_v: float",
    outputs="output: T",
    attrs=["T: {uint8, int8, int16, int32, int64, half, float32, float64}"],
    shape=_image_shape,
    gradient=MISSING_GRADIENT,
    doc="RGB images with other hues, saturations and values, changed in YIQ space.",
)


def adjust_hsv_in_yiq(images: Any, turn: Any, saturation: Any, value: Any) -> Tensor:
    """Makes the op.

    Args:
      images: float32, shape (..., height, width, 3).
      turn: How far hues turn, in radians; a scalar, as the next two.
      saturation: What I and Q are multiplied by.
      value: What Y, I and Q are multiplied by.

    Returns:
      Images of the same shape.

    Raises:
      ValueError: The images have fewer than three dimensions.
    """
    return single("AdjustHsvInYiq", images, turn, saturation, value)
