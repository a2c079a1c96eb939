"""Images turned by angles, moved, and seen through projective transformations."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.shape as array_shape
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.single import single
from dataflow.ops.math.trig import cos, sin
from dataflow.values import dtypes

_TYPES = (
    dtypes.uint8,
    dtypes.int32,
    dtypes.int64,
    dtypes.float16,
    dtypes.float32,
    dtypes.float64,
)


def rotate(
    images: Any, angles: Any, interpolation: str = "NEAREST", name: str | None = None
) -> Tensor:
    """Images turned round their middles, against the clock.

    Args:
      images: `[batch, height, width, channels]`, one image, or one without channels.
      angles: In radians, a scalar or one for each image.
      interpolation: "NEAREST" or "BILINEAR".
      name: Name scope of the operations.

    Raises:
      TypeError: The element type or the rank is another one.
    """
    with name_scope(name, "rotate"):
        images = _checked(images)
        batch = _as_batch(images)
        height, width = (_size(batch, axis) for axis in (1, 2))
        transforms = angles_to_projective_transforms(angles, height, width)
        return _like(images, transform(batch, transforms, interpolation=interpolation))


def translate(
    images: Any, translations: Any, interpolation: str = "NEAREST", name: str | None = None
) -> Tensor:
    """Images moved to the right and down.

    Args:
      images: `[batch, height, width, channels]`, one image, or one without channels.
      translations: `[dx, dy]` in pixels, or a row for each image.
      interpolation: "NEAREST" or "BILINEAR".
      name: Name scope of the operations.
    """
    with name_scope(name, "translate"):
        moves = translations_to_projective_transforms(translations)
        return transform(images, moves, interpolation=interpolation)


def transform(
    images: Any,
    transforms: Any,
    interpolation: str = "NEAREST",
    output_shape: Any = None,
    name: str | None = None,
) -> Tensor:
    """Images whose pixels lie elsewhere in others.

    With `[a, b, c, d, e, f, g, h]` and k = g x + h y + 1 the pixel at (x, y) is what the image has
    at ((a x + b y + c) / k, (d x + e y + f) / k), and 0 where that lies outside.

    Args:
      images: `[batch, height, width, channels]`, one image, or one without channels.
      transforms: Eight numbers, or a row for each image.
      interpolation: "NEAREST" or "BILINEAR".
      output_shape: Height and width of the result, those of the images if None.
      name: Name scope of the operations.

    Raises:
      TypeError: The element type or a rank is another one.
      ValueError: `output_shape` is not of two numbers.
    """
    with name_scope(name, "transform"):
        images = _checked(images)
        rows: Any = convert_to_tensor(transforms, name="transforms", dtype=dtypes.float32)
        if rows.shape.ndims is None:
            raise TypeError("transform_or_transforms rank must be statically known")
        if rows.shape.ndims not in (1, 2):
            raise TypeError("Transforms should have rank 1 or 2.")
        batch = _as_batch(images)
        if output_shape is None:
            sizes: Any = array_shape.shape(batch)
            size = sizes[1:3]
        else:
            size = convert_to_tensor(output_shape, dtypes.int32, name="output_shape")
            if not size.shape.is_compatible_with([2]):
                raise ValueError(
                    "output_shape must be a 1-D Tensor of 2 elements: new_height, new_width,"
                    f" not of shape {size.shape}"
                )
        if rows.shape.ndims == 1:
            rows = rows[None]
        found = single("ImageProjectiveTransformV2", batch, rows, size, interpolation=interpolation)
        return _like(images, found)


def angles_to_projective_transforms(
    angles: Any, image_height: Any, image_width: Any, name: str | None = None
) -> Tensor:
    """The transformations that turn images of a size round their middles.

    Args:
      angles: In radians, a scalar or a vector.
      image_height: Height of the images.
      image_width: Width of the images.
      name: Name scope of the operations.

    Returns:
      A row of eight numbers for each angle.

    Raises:
      TypeError: The rank of `angles` is another one.
    """
    with name_scope(name, "angles_to_projective_transforms"):
        turns: Any = convert_to_tensor(angles, name="angles", dtype=dtypes.float32)
        if turns.shape.ndims == 0:
            turns = turns[None]
        elif turns.shape.ndims != 1:
            raise TypeError("Angles should have rank 0 or 1.")
        across = (
            (image_width - 1) - (cos(turns) * (image_width - 1) - sin(turns) * (image_height - 1))
        ) / 2.0
        down = (
            (image_height - 1) - (sin(turns) * (image_width - 1) + cos(turns) * (image_height - 1))
        ) / 2.0
        count = _count(turns)
        columns = [
            cos(turns)[:, None],
            -sin(turns)[:, None],
            across[:, None],
            sin(turns)[:, None],
            cos(turns)[:, None],
            down[:, None],
        ]
        return array_concat.concat([*columns, _filled(0, count, 2)], axis=1)


def translations_to_projective_transforms(translations: Any, name: str | None = None) -> Tensor:
    """The transformations that move images.

    Args:
      translations: `[dx, dy]`, or a row for each image.
      name: Name scope of the operations.

    Returns:
      A row of eight numbers for each of them.

    Raises:
      TypeError: The rank is another one.
    """
    with name_scope(name, "translations_to_projective_transforms"):
        moves: Any = convert_to_tensor(translations, name="translations", dtype=dtypes.float32)
        if moves.shape.ndims is None:
            raise TypeError("translation_or_translations rank must be statically known")
        if moves.shape.ndims == 1:
            moves = moves[None]
        elif moves.shape.ndims != 2:
            raise TypeError("Translations should have rank 1 or 2.")
        count = _count(moves)
        x_row = [_filled(1, count), _filled(0, count), -moves[:, 0, None]]
        y_row = [_filled(0, count), _filled(1, count), -moves[:, 1, None]]
        return array_concat.concat([*x_row, *y_row, _filled(0, count, 2)], axis=1)


def _size(batch: Any, axis: int) -> Any:
    """Height or width of images, as a vector of one number."""
    sizes: Any = array_shape.shape(batch)
    size: Any = cast(sizes[axis], dtypes.float32)
    return size[None]


def _count(rows: Any) -> Any:
    sizes: Any = array_shape.shape(rows)
    return sizes[0]


def _filled(value: int, count: Any, columns: int = 1) -> Any:
    fill = array_fill.ones if value else array_fill.zeros
    return fill([count, columns], dtypes.float32)


def _checked(images: Any) -> Any:
    images = convert_to_tensor(images, name="images")
    if images.dtype.base_dtype not in _TYPES:
        raise TypeError(f"Invalid dtype {images.dtype}.")
    if images.shape.ndims is None:
        raise TypeError("image_or_images rank must be statically known")
    if images.shape.ndims not in (2, 3, 4):
        raise TypeError("Images should have rank between 2 and 4.")
    return images


def _as_batch(images: Any) -> Any:
    rank = images.shape.ndims
    return images if rank == 4 else images[None] if rank == 3 else images[None, :, :, None]


def _like(images: Any, batch: Any) -> Tensor:
    """A batch in as many dimensions as the images had."""
    rank = images.shape.ndims
    result: Tensor = batch if rank == 4 else batch[0] if rank == 3 else batch[0, :, :, 0]
    return result
