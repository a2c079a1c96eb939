"""How the pixels of images differ from their neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np

import dataflow.ops.array.broadcast as array_broadcast
import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.pad as array_pad
import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.unary as math_unary
import dataflow.ops.nn.separable as nn_separable
import dataflow.ops.reductions.reduce as reductions
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.constant import constant

_SOBEL = np.array([[[-1, -2, -1], [0, 0, 0], [1, 2, 1]], [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]])
"""The filters for rows and for columns."""


def total_variation(images: Any, name: str | None = None) -> Tensor:
    """The sum of the differences of neighbouring pixels.

    Args:
      images: A tensor `[height, width, channels]`, or a batch of them.
      name: Name scope of the operations.

    Returns:
      A number, or one for each image.

    Raises:
      ValueError: The rank is another one.
    """
    with name_scope(name, "total_variation"):
        rank = images.shape.ndims
        if rank == 3:
            down = images[1:, :, :] - images[:-1, :, :]
            across = images[:, 1:, :] - images[:, :-1, :]
            axis = None
        elif rank == 4:
            down = images[:, 1:, :, :] - images[:, :-1, :, :]
            across = images[:, :, 1:, :] - images[:, :, :-1, :]
            axis = [1, 2, 3]
        else:
            raise ValueError("'images' must be either 3 or 4-dimensional.")
        vertical: Any = reductions.reduce_sum(math_unary.abs(down), axis=axis)
        total: Tensor = vertical + reductions.reduce_sum(math_unary.abs(across), axis=axis)
    return total


def image_gradients(image: Any) -> tuple[Tensor, Tensor]:
    """The differences of each pixel to the next one below, and to the next one on the right.

    Those of the last row and column are zero.

    Args:
      image: A tensor `[batch, height, width, channels]`.

    Raises:
      ValueError: The rank is another one.
    """
    if image.shape.ndims != 4:
        raise ValueError(
            f"image_gradients expects a 4D tensor [batch_size, h, w, d], not {image.shape}."
        )
    shape = array_shape.shape(image)
    batch, height, width, depth = array_concat.unstack(shape)
    down = image[:, 1:, :, :] - image[:, :-1, :, :]
    across = image[:, :, 1:, :] - image[:, :, :-1, :]
    row = array_concat.stack([batch, 1, width, depth])
    down = array_concat.concat([down, array_fill.zeros(row, image.dtype)], 1)
    down = array_shape.reshape(down, shape)
    column = array_concat.stack([batch, height, 1, depth])
    across = array_concat.concat([across, array_fill.zeros(column, image.dtype)], 2)
    return down, array_shape.reshape(across, shape)


def sobel_edges(image: Any) -> Tensor:
    """Sobel's filters for edges, with reflected borders.

    Args:
      image: A tensor of floats `[batch, height, width, channels]`.

    Returns:
      `[batch, height, width, channels, 2]`: the slopes of rows and of columns.
    """
    static = image.shape
    shape: Any = array_shape.shape(image)
    filters = constant(np.expand_dims(_SOBEL.transpose(1, 2, 0), -2), dtype=image.dtype)
    filters = array_broadcast.tile(filters, [1, 1, shape[-1], 1], name="sobel_filters")
    padded = array_pad.pad(image, [[0, 0], [1, 1], [1, 1], [0, 0]], mode="REFLECT")
    output = nn_separable.depthwise_conv2d(padded, filters, [1, 1, 1, 1], "VALID")
    result = array_shape.reshape(output, shape=array_concat.concat([shape, [len(_SOBEL)]], 0))
    result.set_shape(static.concatenate([len(_SOBEL)]))
    return result
