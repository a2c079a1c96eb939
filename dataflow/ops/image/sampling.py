"""Random parts of images that hold enough of an object."""

from __future__ import annotations

from typing import Any

from dataflow.graph.apply_op import apply_op
from dataflow.graph.scopes import name_scope
from dataflow.ops.basic.shape_parts import with_size
from dataflow.schema.opdef import MISSING_GRADIENT, NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import merge, with_rank
from dataflow.values.shapes import TensorShape

_T = "T: {uint8, int8, int16, int32, int64}"
_SEEDS = ("seed: int = 0", "seed2: int = 0")
_WANTED = (
    "aspect_ratio_range: list(float) = [0.75, 1.33]",
    "area_range: list(float) = [0.05, 1.0]",
    "max_attempts: int = 100",
    "use_image_if_no_bounding_boxes: bool = false",
)


def _part_shapes(c: InferenceContext) -> list[TensorShape]:
    size = with_rank(c.input(0), 1).dims_tuple or (None,)
    with_size(size[0], 3)
    boxes = with_rank(c.input(1), 3).dims_tuple or (None,) * 3
    with_size(boxes[2], 4)
    if c.num_inputs > 2:
        with_rank(c.input(2), 0)
    if c.num_inputs > 3:
        with_size((with_rank(c.input(3), 1).dims_tuple or (None,))[0], 2)
    return [TensorShape.of((3,)), TensorShape.of((3,)), TensorShape.of((1, 1, 4))]


for _name, _covered, _more in (
    ("SampleDistortedBoundingBox", "", ("min_object_covered: float = 0.1",)),
    ("SampleDistortedBoundingBoxV2", ", min_object_covered: float32", ()),
):
    define_op(
        _name,
        inputs=f"image_size: T, bounding_boxes: float32{_covered}",
        outputs="begin: T, size: T, bboxes: float32",
        attrs=[_T, *_SEEDS, *_more, *_WANTED],
        shape=_part_shapes,
        gradient=NOT_DIFFERENTIABLE,
        doc="A random part of an image that holds enough of some object.",
        stateful=True,
    )


define_op(
    "StatelessSampleDistortedBoundingBox",
    inputs="image_size: T, bounding_boxes: float32, min_object_covered: float32, seed: Tseed",
    outputs="begin: T, size: T, bboxes: float32",
    attrs=[_T, "Tseed: {int32, int64}", *_WANTED],
    shape=_part_shapes,
    gradient=MISSING_GRADIENT,
    doc="A part of an image that holds enough of some object; two seeds decide which.",
)


def _crop_shape(c: InferenceContext) -> TensorShape:
    channels = (with_rank(c.input(0), 3).dims_tuple or (None,) * 3)[2]
    merge(c.input(1), TensorShape.of((2,)))
    height, width = c.constant_as_shape(1).dims_tuple or (None, None)
    return TensorShape.of((height, width, channels))


define_op(
    "RandomCrop",
    inputs="image: T, size: int64",
    outputs="output: T",
    attrs=["T: {uint8, int8, int16, int32, int64, float32, float64}", *_SEEDS],
    shape=_crop_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="A part of an image of a given size, all places as likely.",
    stateful=True,
)


def sample_distorted_bounding_box(
    image_size: Any,
    bounding_boxes: Any,
    seed: int | None = None,
    seed2: int | None = None,
    min_object_covered: Any = 0.1,
    aspect_ratio_range: Any = None,
    area_range: Any = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> Any:
    """A random part of an image that holds enough of some object.

    Args:
      image_size: Height, width and channels.
      bounding_boxes: The objects, `[1, objects, 4]`: y1, x1, y2, x2, from 0 to 1.
      seed: With `seed2` it decides what is drawn; 0 and 0, or None, draw others each time.
      seed2: See `seed`.
      min_object_covered: How much of some object the part holds at least.
      aspect_ratio_range: Least and largest width for the height; 0.75 and 1.33 if None.
      area_range: Least and largest part of the image; 0.05 and 1 if None.
      max_attempts: After so many the whole image is taken; 100 if None.
      use_image_if_no_bounding_boxes: Without objects the image is one.
      name: Name of the operation.

    Returns:
      Where the part begins and its size, as `tf.slice` takes them, and the part as a box
      `[1, 1, 4]`.
    """
    given = {
        "seed": seed,
        "seed2": seed2,
        "aspect_ratio_range": aspect_ratio_range,
        "area_range": area_range,
        "max_attempts": max_attempts,
        "use_image_if_no_bounding_boxes": use_image_if_no_bounding_boxes,
    }
    attrs = {key: value for key, value in given.items() if value is not None}
    with name_scope(name, "sample_distorted_bounding_box"):
        return apply_op(
            "SampleDistortedBoundingBoxV2",
            image_size,
            bounding_boxes,
            min_object_covered,
            name=name,
            **attrs,
        )
