"""tf.compat.v2.image where it is not tf.image: pixels lie at their centers."""

from __future__ import annotations

from dataflow.library.images.resizing import resize_about_centers, resize_about_centers_with_pad
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
