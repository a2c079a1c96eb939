"""Images in another size: bilinear, nearest neighbour, bicubic, area."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.ops.image.sizes import REAL, resized
from dataflow.schema.opdef import (
    MISSING_GRADIENT,
    NOT_DIFFERENTIABLE,
    Gradient,
    InferenceContext,
    define_op,
)
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape

_ALIGNED = "align_corners: bool = false"
_CENTERED = "half_pixel_centers: bool = false"


def _convention(op: Operation) -> dict[str, Any]:
    return {name: op.attrs[name] for name in ("align_corners", "half_pixel_centers")}


def _bilinear_gradient(op: Operation, grad: Any) -> Any:
    return [single("ResizeBilinearGrad", grad, op.inputs[0], **_convention(op)), None]


def _cubic_gradient(op: Operation, grad: Any) -> Any:
    if op.inputs[0].dtype.base_dtype not in (dtypes.float32, dtypes.float64):
        return [None, None]
    return [single("ResizeBicubicGrad", grad, op.inputs[0], **_convention(op)), None]


def _nearest_gradient(op: Operation, grad: Any) -> Any:
    image = op.inputs[0]
    size: Any = image.shape[1:3]
    if not size.is_fully_defined():
        whole: Any = array_shape.shape(image)
        size = whole[1:3]
    else:
        size = size.as_list()
    return [single("ResizeNearestNeighborGrad", grad, size, **_convention(op)), None]


def _like_original(c: InferenceContext) -> TensorShape:
    return c.input(1)


_BILINEAR = "{int8, uint8, int16, uint16, int32, int64, bfloat16, half, float32, float64, bfloat16}"
"""As TensorFlow has it: one type is named twice."""


def _define(name: str, output: str, convention: tuple[str, ...], grad: Gradient, doc: str) -> None:
    define_op(
        name,
        inputs="images: T, size: int32",
        outputs=f"resized_images: {output}",
        attrs=[f"T: {_BILINEAR if name == 'ResizeBilinear' else REAL}", *convention],
        shape=resized,
        gradient=grad,
        doc=doc,
    )


_BOTH = (_ALIGNED, _CENTERED)
_define("ResizeBilinear", "float32", _BOTH, _bilinear_gradient, "Resized by bilinear sampling.")
_define("ResizeBicubic", "float32", _BOTH, _cubic_gradient, "Resized by cubic convolution.")
_define("ResizeNearestNeighbor", "T", _BOTH, _nearest_gradient, "Resized by copying pixels.")
_define("ResizeArea", "float32", (_ALIGNED,), MISSING_GRADIENT, "Resized by means of areas.")

for _name, _types, _grad in (
    ("ResizeBilinearGrad", "{float32, bfloat16, half, float64}", NOT_DIFFERENTIABLE),
    ("ResizeBicubicGrad", "{float32, float64}", MISSING_GRADIENT),
):
    define_op(
        _name,
        inputs="grads: float32, original_image: T",
        outputs="output: T",
        attrs=[f"T: {_types}", _ALIGNED, _CENTERED],
        shape=_like_original,
        gradient=_grad,
        doc=f"The gradient of {_name.removesuffix('Grad')}.",
    )

define_op(
    "ResizeNearestNeighborGrad",
    inputs="grads: T, size: int32",
    outputs="output: T",
    attrs=["T: {uint8, int8, int32, half, float32, float64, bfloat16}", _ALIGNED, _CENTERED],
    shape=resized,
    gradient=MISSING_GRADIENT,
    doc="The gradient of ResizeNearestNeighbor; `size` is that of its images.",
)


def resize_bilinear(
    images: Any,
    size: Any,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Tensor:
    """Images in another size, each pixel a mean of the four around its place.

    Args:
      images: `[batch, height, width, channels]`, of a real type.
      size: New height and width, int32.
      align_corners: The corner pixels of both lie at the same place.
      name: Name of the operation.
      half_pixel_centers: Pixels lie at their centers.

    Returns:
      float32.
    """
    return single(
        "ResizeBilinear",
        images,
        size,
        align_corners=align_corners,
        half_pixel_centers=half_pixel_centers,
        name=name,
    )


def resize_bicubic(
    images: Any,
    size: Any,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Tensor:
    """Images in another size, each pixel a cubic convolution of the 16 around its place.

    Args:
      images: `[batch, height, width, channels]`, of a real type.
      size: New height and width, int32.
      align_corners: The corner pixels of both lie at the same place.
      name: Name of the operation.
      half_pixel_centers: Pixels lie at their centers; a of Keys (1981) is then -0.5, else -0.75.

    Returns:
      float32.
    """
    return single(
        "ResizeBicubic",
        images,
        size,
        align_corners=align_corners,
        half_pixel_centers=half_pixel_centers,
        name=name,
    )


def resize_nearest_neighbor(
    images: Any,
    size: Any,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Tensor:
    """Images in another size, each pixel a copy of the nearest one.

    Args:
      images: `[batch, height, width, channels]`, of a real type.
      size: New height and width, int32.
      align_corners: The corner pixels of both lie at the same place.
      name: Name of the operation.
      half_pixel_centers: Pixels lie at their centers.

    Returns:
      The type of `images`.
    """
    return single(
        "ResizeNearestNeighbor",
        images,
        size,
        align_corners=align_corners,
        half_pixel_centers=half_pixel_centers,
        name=name,
    )


def resize_area(
    images: Any, size: Any, align_corners: bool = False, name: str | None = None
) -> Tensor:
    """Images in another size, each pixel the mean of the area that it covers.

    Args:
      images: `[batch, height, width, channels]`, of a real type.
      size: New height and width, int32.
      align_corners: The corner pixels of both lie at the same place.
      name: Name of the operation.

    Returns:
      float32.
    """
    return single("ResizeArea", images, size, align_corners=align_corners, name=name)
