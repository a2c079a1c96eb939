"""Images in another size, by a method of one's choice."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.binary as math_binary
import dataflow.ops.math.rounding as math_rounding
from dataflow.graph.constant_value import constant_value_as_shape
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.dispatch import dispatched
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.images.checks import alone, as_batch, dimensions, image_checks, required
from dataflow.library.images.cropping import larger, pad_to_bounding_box
from dataflow.ops.array.shape import expand_dims
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.grouping import with_dependencies
from dataflow.ops.basic.single import single
from dataflow.ops.image.resize import (
    resize_area,
    resize_bicubic,
    resize_bilinear,
    resize_nearest_neighbor,
)
from dataflow.values import dtypes

_FILTERS = ("lanczos3", "lanczos5", "gaussian", "mitchellcubic")
_SMOOTH = {"bilinear": "triangle", "bicubic": "keyscubic"}
"""Methods that interpolate -> the filters that they are where pixels become fewer."""


class ResizeMethod:
    """How the pixels of a resized image are made."""

    BILINEAR = 0
    NEAREST_NEIGHBOR = 1
    BICUBIC = 2
    AREA = 3


_WAYS: dict[Any, Callable[..., Any]] = {
    ResizeMethod.BILINEAR: resize_bilinear,
    "bilinear": resize_bilinear,
    ResizeMethod.NEAREST_NEIGHBOR: resize_nearest_neighbor,
    "nearest": resize_nearest_neighbor,
    ResizeMethod.BICUBIC: resize_bicubic,
    "bicubic": resize_bicubic,
    ResizeMethod.AREA: resize_area,
    "area": resize_area,
}


@dispatched
def resize_images(
    images: Any,
    size: Any,
    method: Any = ResizeMethod.BILINEAR,
    align_corners: bool = False,
    preserve_aspect_ratio: bool = False,
    name: str | None = None,
) -> Tensor:
    """Images in another size; the images themselves if they have it already.

    Args:
      images: `[height, width, channels]`, or a batch of them.
      size: New height and width, int32.
      method: A `ResizeMethod`.
      align_corners: The corner pixels of both lie at the same place.
      preserve_aspect_ratio: The result is as large as fits into `size` without distortion.
      name: Name scope of the operations.

    Returns:
      float32 unless pixels are copied.

    Raises:
      ValueError: The rank is unknown or another one, `size` is none, or there is no such method.
    """
    way = functools.partial(_by_method, method, align_corners=align_corners)
    return _resized(images, size, way, preserve_aspect_ratio, name)


def _by_method(method: Any, images: Tensor, size: Any, **how: bool) -> Tensor:
    if method not in _WAYS:
        raise ValueError("Resize method is not implemented.")
    resized: Tensor = _WAYS[method](images, size, **how)
    return resized


def resize_about_centers(
    images: Any,
    size: Any,
    method: str = "bilinear",
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: str | None = None,
) -> Tensor:
    """Images in another size, whose pixels lie at their centers: TensorFlow 2's `tf.image.resize`.

    Args:
      images: `[height, width, channels]`, or a batch of them.
      size: New height and width, int32.
      method: "bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5", "gaussian" or
        "mitchellcubic".
      preserve_aspect_ratio: The result is as large as fits into `size` without distortion.
      antialias: Filters reach further where pixels become fewer, so that none is left out.
      name: Name scope of the operations.

    Returns:
      float32 unless pixels are copied.

    Raises:
      ValueError: The rank is unknown or another one, `size` is none, or there is no such method.
    """
    if not isinstance(method, str):
        raise ValueError("Resize method is not implemented.")
    smooth = _SMOOTH.get(method) if antialias else None
    if smooth is not None or method in _FILTERS:
        way: Callable[..., Tensor] = functools.partial(_filtered, smooth or method, antialias)
    elif method == "area":
        way = functools.partial(_by_method, method)
    else:
        way = functools.partial(_by_method, method, half_pixel_centers=True)
    return _resized(images, size, way, preserve_aspect_ratio, name, keeps_same=False)


def _filtered(kernel: str, antialias: bool, images: Tensor, size: Tensor) -> Tensor:
    """Images of whose pixels each is a mean of those that a filter reaches."""
    old: Any = cast(array_shape.shape(images)[1:3], dtypes.float32)
    scale = cast(size, dtypes.float32) / old
    shift = array_fill.zeros([2])
    return single(
        "ScaleAndTranslate", images, size, scale, shift, kernel_type=kernel, antialias=antialias
    )


def _resized(
    images: Any,
    size: Any,
    way: Callable[..., Any],
    preserve_aspect_ratio: bool,
    name: str | None,
    keeps_same: bool = True,
) -> Tensor:
    """Images in another size; those that have it already pass as they are if `keeps_same`."""
    with name_scope(name, "resize", [images, size]):
        images = convert_to_tensor(images, name="images")
        rank = images.shape.ndims
        if rank is None:
            raise ValueError("'images' contains no shape.")
        if rank not in (3, 4):
            raise ValueError("'images' must have either 3 or 4 dimensions.")
        if rank == 3:
            images = expand_dims(images, 0)
        _, height, width, _ = images.shape.as_list()
        size = _as_size(size)
        new_height, new_width = constant_value_as_shape(size).with_rank(2).as_list()
        if preserve_aspect_ratio:
            size = _largest_inside(images, size)
            new_height, new_width = _known_inside((height, width), (new_height, new_width))
        is_same = None not in (new_height, new_width) and (new_height, new_width) == (height, width)
        if is_same and keeps_same:
            return alone(images, rank == 4)
        images = way(images, size)
        images.set_shape([None, new_height, new_width, None])
        return alone(images, rank == 4)


resize = resize_images


def _as_size(size: Any) -> Any:
    try:
        tensor = convert_to_tensor(size, dtypes.int32, name="size")
    except (TypeError, ValueError):
        raise ValueError("'size' must be a 1-D int32 Tensor") from None
    if not tensor.shape.is_compatible_with([2]):
        raise ValueError("'size' must be a 1-D Tensor of 2 elements: new_height, new_width")
    return tensor


def _largest_inside(images: Any, size: Any) -> Any:
    """The largest size inside of one that has the images' proportions."""
    _, height, width, _ = dimensions(images, 4)
    high: Any = cast(size[0], dtypes.float32)
    scale_height = high / cast(height, dtypes.float32)
    wide: Any = cast(size[1], dtypes.float32)
    scale_width = wide / cast(width, dtypes.float32)
    scale: Any = math_binary.minimum(scale_height, scale_width)
    sizes = [
        cast(math_rounding.round(scale * cast(each, dtypes.float32)), dtypes.int32)
        for each in (height, width)
    ]
    return convert_to_tensor(sizes, dtypes.int32, name="size")


def _known_inside(old: Sequence[int | None], new: Sequence[int | None]) -> Any:
    """The largest size inside of one, as far as building knows both."""
    if None in old or None in new or 0 in old:
        return None, None
    have = np.array(old, np.float32)
    scale = (np.array(new, np.float32) / have).min()
    return [int(size) for size in np.rint(scale * have)]


def resize_image_with_pad(
    image: Any,
    target_height: Any,
    target_width: Any,
    method: Any = ResizeMethod.BILINEAR,
    align_corners: bool = False,
) -> Tensor:
    """An image in the largest size that fits without distortion, with borders of zeros.

    Args:
      image: `[height, width, channels]`, or a batch of them.
      target_height: Height of the result.
      target_width: Width of the result.
      method: A `ResizeMethod`.
      align_corners: The corner pixels of both lie at the same place.

    Raises:
      ValueError: A size is not positive, or the rank is another one.
    """
    way = functools.partial(resize_images, method=method, align_corners=align_corners)
    return _with_pad(image, target_height, target_width, way)


def resize_about_centers_with_pad(
    image: Any,
    target_height: Any,
    target_width: Any,
    method: str = "bilinear",
    antialias: bool = False,
) -> Tensor:
    """An image in the largest size that fits without distortion, with borders of zeros.

    TensorFlow 2's `tf.image.resize_with_pad`.

    Args:
      image: `[height, width, channels]`, or a batch of them.
      target_height: Height of the result.
      target_width: Width of the result.
      method: As `resize_about_centers` takes it.
      antialias: Filters reach further where pixels become fewer, so that none is left out.

    Raises:
      ValueError: A size is not positive, or the rank is another one.
    """
    way = functools.partial(resize_about_centers, method=method, antialias=antialias)
    return _with_pad(image, target_height, target_width, way)


def _with_pad(
    image: Any, target_height: Any, target_width: Any, way: Callable[..., Tensor]
) -> Tensor:
    with name_scope(None, "resize_image_with_pad", [image]):
        image, is_batch = as_batch(image)
        checks = image_checks(image)
        checks += required(target_width > 0, "target_width must be > 0.")
        checks += required(target_height > 0, "target_height must be > 0.")
        image = with_dependencies(checks, image)
        _, height, width, _ = dimensions(image, 4)
        high: Any = cast(height, dtypes.float32)
        wide: Any = cast(width, dtypes.float32)
        new_high: Any = cast(target_height, dtypes.float32)
        new_wide: Any = cast(target_width, dtypes.float32)
        ratio = larger(wide / new_wide, high / new_high)
        resized_high, resized_wide = high / ratio, wide / ratio
        sizes = [
            cast(math_rounding.floor(each), dtypes.int32) for each in (resized_high, resized_wide)
        ]
        above, left = (new_high - resized_high) / 2, (new_wide - resized_wide) / 2
        above, left = math_rounding.floor(above), math_rounding.floor(left)
        offset_height = larger(0, cast(above, dtypes.int32))
        offset_width = larger(0, cast(left, dtypes.int32))
        padded: Any = pad_to_bounding_box(
            way(image, sizes), offset_height, offset_width, target_height, target_width
        )
        dimensions(padded, 4)
        return alone(padded, is_batch)
