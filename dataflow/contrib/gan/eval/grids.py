"""Many images as one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from dataflow.graph.tensor import Tensor
from dataflow.ops.array.concat import concat, unstack
from dataflow.ops.array.fill import zeros_like
from dataflow.ops.array.shape import expand_dims, reshape
from dataflow.ops.array.transpose import transpose


def image_grid(
    input_tensor: Any,
    grid_shape: Sequence[int],
    image_shape: Sequence[int] = (32, 32),
    num_channels: int = 3,
) -> Any:
    """A batch of one image: those of another batch, in rows and columns.

    Args:
      input_tensor: Images, or rows of their pixels.
      grid_shape: Rows and columns.
      image_shape: Height and width of an image.
      num_channels: Of an image.

    Raises:
      ValueError: The images are not as many, or of another shape.
    """
    rows, columns = grid_shape
    height, width = image_shape
    count, *shape = input_tensor.shape.as_list()
    if rows * columns != count:
        raise ValueError(f"Grid shape {grid_shape} incompatible with minibatch size {count}.")
    if len(shape) not in (1, 3):
        raise ValueError("Unrecognized input tensor format.")
    wanted = [height, width, num_channels]
    if shape != (wanted if len(shape) == 3 else [math.prod(wanted)]):
        raise ValueError(
            "Image shape and number of channels incompatible with input tensor. "
            f"{input_tensor.shape} vs {(height, width, num_channels)}"
        )
    images = reshape(input_tensor, [rows, columns, *wanted])
    return reshape(
        transpose(images, [0, 2, 1, 3, 4]), [1, rows * height, columns * width, num_channels]
    )


def image_reshaper(images: Any, num_cols: int | None = None) -> Any:
    """A batch of one image: some others in rows, black where there is none.

    Args:
      images: A batch of images, or a list of them.
      num_cols: How many are in a row; the root of their number if None.

    Raises:
      ValueError: The shape of an image is not known, or has neither one nor three channels.
    """
    if isinstance(images, Tensor):
        images = unstack(images)
    for image in images:
        image.shape.assert_has_rank(3)
        image.shape.assert_is_fully_defined()
        if image.shape.as_list()[-1] not in (1, 3):
            raise ValueError("image_reshaper only supports 1 or 3 channel images.")
    columns = num_cols or math.ceil(math.sqrt(len(images)))
    missing = -len(images) % columns
    images = [*images, *([zeros_like(images[-1])] * missing)]
    rows = [concat(images[at : at + columns], 1) for at in range(0, len(images), columns)]
    return expand_dims(concat(rows, 0), 0)
