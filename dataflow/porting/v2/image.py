"""tf.compat.v2.image where it is not tf.image: pixels lie at their centers."""

from __future__ import annotations

from typing import Any

from dataflow.graph.tensor import Tensor
from dataflow.library.images.resizing import resize_about_centers, resize_about_centers_with_pad
from dataflow.ops.basic.single import single
from dataflow.porting.v2.respell import respelled

resize = resize_about_centers
resize_with_pad = resize_about_centers_with_pad
crop_and_resize = respelled(
    "image.crop_and_resize",
    "image boxes box_indices crop_size",
    method="bilinear",
    extrapolation_value=0.0,
    name=None,
)
draw_bounding_boxes = respelled("image.draw_bounding_boxes", "images boxes colors", name=None)
sample_distorted_bounding_box = respelled(
    "image.sample_distorted_bounding_box",
    "image_size bounding_boxes",
    seed=0,
    min_object_covered=0.1,
    aspect_ratio_range=None,
    area_range=None,
    max_attempts=None,
    use_image_if_no_bounding_boxes=None,
    name=None,
)


def extract_glimpse(
    input: Any,
    size: Any,
    offsets: Any,
    centered: bool = True,
    normalized: bool = True,
    noise: str = "uniform",
    name: str | None = None,
) -> Tensor:
    """A window of each image; what lies outside of the image is noise.

    Args:
      input: float32 `[batch, height, width, channels]`.
      size: Height and width of the window, int32.
      offsets: `[batch, 2]`: y and x of the window's middle.
      centered: (0, 0) is the middle of the image, not its upper left corner.
      normalized: Offsets are in sizes of the image, not in pixels.
      noise: "uniform", "gaussian" or "zero".
      name: Name of the operation.
    """
    how = {"centered": centered, "normalized": normalized, "noise": noise}
    return single("ExtractGlimpseV2", input, size, offsets, uniform_noise=False, name=name, **how)


class ResizeMethod:
    """The ways of `resize`, by their names."""

    BILINEAR = "bilinear"
    NEAREST_NEIGHBOR = "nearest"
    BICUBIC = "bicubic"
    AREA = "area"
    LANCZOS3 = "lanczos3"
    LANCZOS5 = "lanczos5"
    GAUSSIAN = "gaussian"
    MITCHELLCUBIC = "mitchellcubic"
