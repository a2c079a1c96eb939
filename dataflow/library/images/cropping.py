"""Parts of images, and images with borders."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.pad as array_pad
import dataflow.ops.array.shape as array_shape
import dataflow.ops.array.slice as array_slice
import dataflow.ops.math.binary as math_binary
import dataflow.ops.math.compare as math_compare
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.images.checks import (
    alone,
    as_batch,
    checked_image,
    dimensions,
    image_checks,
    is_tensor,
    required,
)
from dataflow.library.inspection import get_static_value
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.grouping import with_dependencies
from dataflow.values import dtypes


def central_crop(image: Any, central_fraction: Any) -> Tensor:
    """The middle of an image.

    Args:
      image: `[height, width, channels]`, or a batch of them.
      central_fraction: How much of the height and of the width stays, in (0, 1].

    Raises:
      ValueError: The fraction is another one, or the image has another rank.
    """
    with name_scope(None, "central_crop", [image]):
        image = convert_to_tensor(image, name="image")
        refusal = "central_fraction must be within (0, 1]"
        fraction = get_static_value(central_fraction)
        if fraction is not None:
            if fraction <= 0.0 or fraction > 1.0:
                raise ValueError(refusal)
            if fraction == 1.0:
                whole: Tensor = image
                return whole
        else:
            inside = math_compare.logical_or(central_fraction > 0.0, central_fraction <= 1.0)
            image = with_dependencies(required(inside, refusal), image)
        checked_image(image)
        rank = image.shape.ndims
        if rank not in (3, 4):
            raise ValueError(
                f"`image` should either be a Tensor with rank = 3 or rank = 4. Had rank = {rank}."
            )
        high, wide = _size_known(image, rank - 3), _size_known(image, rank - 2)
        above, known_high = _start(high, central_fraction, fraction)
        left, known_wide = _start(wide, central_fraction, fraction)
        high, wide = high - above * 2, wide - left * 2
        before = [0] * (rank - 3)
        begin: Any = array_concat.stack([*before, above, left, 0])
        size: Any = array_concat.stack([*(-1 for _ in before), high, wide, -1])
        channels = image.shape[rank - 1]
        batch = [image.shape[0]] if rank == 4 else []
        result = array_slice.slice(image, begin, size)
        known = [high if known_high else None, wide if known_wide else None]
        result.set_shape([*batch, *known, channels])
        return result


def _size_known(image: Any, axis: int) -> Any:
    """A size, as a number if building knows it."""
    known = image.shape.as_list()[axis]
    return _size(image, axis) if known is None else known


def _start(size: Any, fraction: Any, known: Any) -> tuple[Any, bool]:
    """Where the middle begins along an axis, and whether it is a number."""
    if known is not None and not is_tensor(size):
        return int((float(size) - float(size) * known) / 2), True
    whole: Any = cast(size, dtypes.float64)
    return cast((whole - whole * cast(fraction, dtypes.float64)) / 2, dtypes.int32), False


def pad_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Tensor:
    """An image with borders of zeros.

    Args:
      image: `[height, width, channels]`, or a batch of them.
      offset_height: Rows of zeros above.
      offset_width: Columns of zeros on the left.
      target_height: Height of the result.
      target_width: Width of the result.

    Raises:
      ValueError: The image does not fit, an offset is negative, or the rank is another one.
    """
    with name_scope(None, "pad_to_bounding_box", [image]):
        image, is_batch = as_batch(image)
        batch, height, width, depth = dimensions(image, 4)
        right = target_width - offset_width - width
        below = target_height - offset_height - height
        checks = image_checks(image)
        checks += required(offset_height >= 0, "offset_height must be >= 0")
        checks += required(offset_width >= 0, "offset_width must be >= 0")
        checks += required(right >= 0, "width must be <= target - offset")
        checks += required(below >= 0, "height must be <= target - offset")
        image = with_dependencies(checks, image)
        borders = array_concat.stack([0, 0, offset_height, below, offset_width, right, 0, 0])
        padded: Any = array_pad.pad(image, array_shape.reshape(borders, [4, 2]))
        padded.set_shape(_known(batch, target_height, target_width, depth))
        return alone(padded, is_batch)


def crop_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Tensor:
    """A part of an image.

    Args:
      image: `[height, width, channels]`, or a batch of them.
      offset_height: The part's first row.
      offset_width: The part's first column.
      target_height: Its height.
      target_width: Its width.

    Raises:
      ValueError: It does not lie in the image, or the rank is another one.
    """
    with name_scope(None, "crop_to_bounding_box", [image]):
        image, is_batch = as_batch(image)
        checks = image_checks(image)
        batch, height, width, depth = dimensions(image, 4)
        checks += required(offset_width >= 0, "offset_width must be >= 0.")
        checks += required(offset_height >= 0, "offset_height must be >= 0.")
        checks += required(target_width > 0, "target_width must be > 0.")
        checks += required(target_height > 0, "target_height must be > 0.")
        checks += required(
            width >= target_width + offset_width, "width must be >= target + offset."
        )
        checks += required(
            height >= target_height + offset_height, "height must be >= target + offset."
        )
        image = with_dependencies(checks, image)
        begin = array_concat.stack([0, offset_height, offset_width, 0])
        count, channels = _size(image, 0), _size(image, 3)
        size = array_concat.stack([count, target_height, target_width, channels])
        cropped: Any = array_slice.slice(image, begin, size)
        cropped.set_shape(_known(batch, target_height, target_width, depth))
        return alone(cropped, is_batch)


def resize_image_with_crop_or_pad(image: Any, target_height: Any, target_width: Any) -> Tensor:
    """An image cut to a size around its middle, or given borders of zeros.

    Args:
      image: `[height, width, channels]`, or a batch of them.
      target_height: Height of the result.
      target_width: Width of the result.

    Raises:
      ValueError: A size is not positive, or the rank is another one.
    """
    with name_scope(None, "resize_image_with_crop_or_pad", [image]):
        image, is_batch = as_batch(image)
        checks = image_checks(image)
        checks += required(target_width > 0, "target_width must be > 0.")
        checks += required(target_height > 0, "target_height must be > 0.")
        image = with_dependencies(checks, image)
        if is_tensor(target_height):
            target_height = with_dependencies(checks, target_height)
        if is_tensor(target_width):
            target_width = with_dependencies(checks, target_width)
        _, height, width, _ = dimensions(image, 4)
        more_width = target_width - width
        crop_left, pad_left = larger(-more_width // 2, 0), larger(more_width // 2, 0)
        more_height = target_height - height
        crop_above, pad_above = larger(-more_height // 2, 0), larger(more_height // 2, 0)
        cropped = crop_to_bounding_box(
            image,
            crop_above,
            crop_left,
            _smaller(target_height, height),
            _smaller(target_width, width),
        )
        resized: Any = pad_to_bounding_box(
            cropped, pad_above, pad_left, target_height, target_width
        )
        _, new_height, new_width, _ = dimensions(resized, 4)
        checks = required(_same(new_height, target_height), "resized height is not correct.")
        checks += required(_same(new_width, target_width), "resized width is not correct.")
        resized = with_dependencies(checks, resized)
        return alone(resized, is_batch)


resize_with_crop_or_pad = resize_image_with_crop_or_pad


def larger(x: Any, y: Any) -> Any:
    """The larger one of two numbers, each known or not."""
    return math_binary.maximum(x, y) if is_tensor(x) or is_tensor(y) else max(x, y)


def _smaller(x: Any, y: Any) -> Any:
    return math_binary.minimum(x, y) if is_tensor(x) or is_tensor(y) else min(x, y)


def _same(x: Any, y: Any) -> Any:
    return math_compare.equal(x, y) if is_tensor(x) or is_tensor(y) else x == y


def _size(image: Any, axis: int) -> Any:
    sizes: Any = array_shape.shape(image)
    return sizes[axis]


def _known(*sizes: Any) -> list[Any]:
    return [None if is_tensor(size) else size for size in sizes]
