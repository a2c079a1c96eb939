"""Crops of images: boxes in one size, glimpses."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.shape_parts import Size, with_size
from dataflow.ops.basic.single import single
from dataflow.ops.image.sizes import size_input
from dataflow.schema.opdef import (
    MISSING_GRADIENT,
    NOT_DIFFERENTIABLE,
    Gradient,
    InferenceContext,
    define_op,
)
from dataflow.schema.shape_functions import merge_dim, with_rank
from dataflow.values import dtypes
from dataflow.values.deprecated_args import renamed
from dataflow.values.shapes import TensorShape

_TYPES = "T: {uint8, uint16, int8, int16, int32, int64, half, float32, float64}"
_METHOD = "method: {'bilinear', 'nearest'} = 'bilinear'"


def _crops_shape(c: InferenceContext) -> TensorShape:
    channels = (with_rank(c.input(0), 4).dims_tuple or (None,) * 4)[3]
    boxes, four = with_rank(c.input(1), 2).dims_tuple or (None, None)
    indices = with_rank(c.input(2), 1).dims_tuple or (None,)
    boxes = merge_dim(boxes, indices[0])
    with_size(four, 4)
    height, width = size_input(c, 3)
    return TensorShape.of((boxes, height, width, channels))


def _image_gradient_shape(c: InferenceContext) -> TensorShape:
    return with_rank(c.constant_as_shape(3), 4)


def _boxes_gradient_shape(c: InferenceContext) -> TensorShape:
    return c.input(2)


def _crops_gradient(op: Operation, grad: Any) -> Any:
    image, boxes, indices, _ = op.inputs
    of_image = None
    if image.dtype.base_dtype in (dtypes.float16, dtypes.float32, dtypes.float64):
        shape: Any = image.shape
        size = shape.as_list() if shape.is_fully_defined() else array_shape.shape(image)
        attrs = {"T": op.attrs["T"], "method": op.attrs["method"]}
        of_image = single("CropAndResizeGradImage", grad, boxes, indices, size, **attrs)
    of_boxes = single("CropAndResizeGradBoxes", grad, image, boxes, indices)
    return [of_image, of_boxes, None, None]


define_op(
    "CropAndResize",
    inputs="image: T, boxes: float32, box_ind: int32, crop_size: int32",
    outputs="crops: float32",
    attrs=[_TYPES, _METHOD, "extrapolation_value: float = 0.0"],
    shape=_crops_shape,
    gradient=_crops_gradient,
    doc="Boxes of images, each resized to one size.",
)
define_op(
    "CropAndResizeGradImage",
    inputs="grads: float32, boxes: float32, box_ind: int32, image_size: int32",
    outputs="output: T",
    attrs=["T: {float32, half, float64}", _METHOD],
    shape=_image_gradient_shape,
    gradient=MISSING_GRADIENT,
    doc="The gradient of CropAndResize with respect to the images.",
)
define_op(
    "CropAndResizeGradBoxes",
    inputs="grads: float32, image: T, boxes: float32, box_ind: int32",
    outputs="output: float32",
    attrs=[_TYPES, "method: {'bilinear'} = 'bilinear'"],
    shape=_boxes_gradient_shape,
    gradient=MISSING_GRADIENT,
    doc="The gradient of CropAndResize with respect to the boxes.",
)


def _glimpse_shape(c: InferenceContext) -> TensorShape:
    batch: Size
    batch, _, _, channels = with_rank(c.input(0), 4).dims_tuple or (None,) * 4
    offsets, two = with_rank(c.input(2), 2).dims_tuple or (None, None)
    batch = merge_dim(batch, offsets)
    with_size(two, 2)
    height, width = size_input(c, 1)
    if c.attr("uniform_noise") and c.attr("noise") not in (b"", b"uniform"):
        raise ValueError("The uniform_noise should not be True when noise is not uniform")
    return TensorShape.of((batch, height, width, channels))


def _define_glimpse(name: str, gradient: Gradient) -> None:
    define_op(
        name,
        inputs="input: float32, size: int32, offsets: float32",
        outputs="glimpse: float32",
        attrs=[
            "centered: bool = true",
            "normalized: bool = true",
            "uniform_noise: bool = true",
            "noise: string = 'uniform'",
        ],
        shape=_glimpse_shape,
        gradient=gradient,
        doc="A window of each image; what lies outside of the image is noise.",
    )


_define_glimpse("ExtractGlimpse", NOT_DIFFERENTIABLE)
_define_glimpse("ExtractGlimpseV2", MISSING_GRADIENT)


def crop_and_resize(
    image: Any,
    boxes: Any,
    box_ind: Any = None,
    crop_size: Any = None,
    method: str = "bilinear",
    extrapolation_value: float = 0,
    name: str | None = None,
    box_indices: Any = None,
) -> Tensor:
    """Boxes of images, each resized to one size.

    Args:
      image: `[batch, height, width, channels]`, of a real type.
      boxes: `[boxes, 4]`: y1, x1, y2, x2, of which 0 to 1 is the image. y1 > y2 turns the crop
        upside down.
      box_ind: The image of each box, int32.
      crop_size: Height and width of the crops, int32.
      method: "bilinear" or "nearest".
      extrapolation_value: What lies outside of the image.
      name: Name of the operation.
      box_indices: New name of `box_ind`.

    Returns:
      float32 `[boxes, height, width, channels]`.
    """
    return single(
        "CropAndResize",
        image,
        boxes,
        renamed("box_indices", box_indices, "box_ind", box_ind),
        crop_size,
        method=method,
        extrapolation_value=extrapolation_value,
        name=name,
    )


def extract_glimpse(
    input: Any,
    size: Any,
    offsets: Any,
    centered: bool = True,
    normalized: bool = True,
    uniform_noise: bool = True,
    name: str | None = None,
) -> Tensor:
    """A window of each image; what lies outside of the image is noise.

    Args:
      input: float32 `[batch, height, width, channels]`.
      size: Height and width of the window, int32.
      offsets: `[batch, 2]`: y and x of the window's middle.
      centered: (0, 0) is the middle of the image, not its upper left corner.
      normalized: Offsets are in sizes of the image, not in pixels.
      uniform_noise: Noise is spread evenly, else it is normal.
      name: Name of the operation.
    """
    return single(
        "ExtractGlimpse",
        input,
        size,
        offsets,
        centered=centered,
        normalized=normalized,
        uniform_noise=uniform_noise,
        name=name,
    )
