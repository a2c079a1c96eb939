"""Images in other color spaces: grey, YIQ, YUV."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.broadcast as array_broadcast
import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.shape as array_shape
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.images.checks import checked_gray_image
from dataflow.library.images.conversion import convert_image_dtype
from dataflow.ops.linalg.tensordot import tensordot
from dataflow.values import dtypes

_GRAY = [0.2989, 0.587, 0.114]
"""Rec. 601."""
_YIQ = [
    [0.299, 0.59590059, 0.2115],
    [0.587, -0.27455667, -0.52273617],
    [0.114, -0.32134392, 0.31119955],
]
_FROM_YIQ = [
    [1, 1, 1],
    [0.95598634, -0.27201283, -1.10674021],
    [0.6208248, -0.64720424, 1.70423049],
]
_YUV = [
    [0.299, -0.14714119, 0.61497538],
    [0.587, -0.28886916, -0.51496512],
    [0.114, 0.43601035, -0.10001026],
]
_FROM_YUV = [[1, 1, 1], [0, -0.394642334, 2.03206185], [1.13988303, -0.58062185, 0]]


def rgb_to_grayscale(images: Any, name: str | None = None) -> Tensor:
    """RGB images in one channel.

    Args:
      images: Channels last.
      name: Name of the operation.
    """
    with name_scope(name, "rgb_to_grayscale", [images]) as scope:
        images = convert_to_tensor(images, name="images")
        floats = convert_image_dtype(images, dtypes.float32)
        gray = array_shape.expand_dims(tensordot(floats, _GRAY, [-1, -1]), -1)
        return convert_image_dtype(gray, images.dtype, name=scope)


def grayscale_to_rgb(images: Any, name: str | None = None) -> Tensor:
    """Images of one channel as RGB.

    Args:
      images: Channels last.
      name: Name of the operation.

    Raises:
      ValueError: There is not one channel.
    """
    with name_scope(name, "grayscale_to_rgb", [images]) as scope:
        images = checked_gray_image(convert_to_tensor(images, name="images"))
        rank: Any = array_shape.rank(images)
        others = array_fill.ones(array_shape.expand_dims(rank - 1, 0), dtype=dtypes.int32)
        multiples = array_concat.concat([others, array_shape.expand_dims(3, 0)], 0)
        result = array_broadcast.tile(images, multiples, name=scope)
        result.set_shape(images.shape[:-1].concatenate([3]))
        return result


def rgb_to_yiq(images: Any) -> Tensor:
    """RGB images as YIQ: luminance and two chrominances of NTSC.

    Args:
      images: Floats from 0 to 1, channels last.
    """
    return _converted(images, _YIQ)


def yiq_to_rgb(images: Any) -> Tensor:
    """YIQ images as RGB; see `rgb_to_yiq`."""
    return _converted(images, _FROM_YIQ)


def rgb_to_yuv(images: Any) -> Tensor:
    """RGB images as YUV: luminance and two chrominances of PAL.

    Args:
      images: Floats from 0 to 1, channels last.
    """
    return _converted(images, _YUV)


def yuv_to_rgb(images: Any) -> Tensor:
    """YUV images as RGB; see `rgb_to_yuv`."""
    return _converted(images, _FROM_YUV)


def _converted(images: Any, matrix: Any) -> Tensor:
    images = convert_to_tensor(images, name="images")
    kernel = convert_to_tensor(matrix, dtype=images.dtype, name="kernel")
    return tensordot(images, kernel, axes=[[images.shape.ndims - 1], [0]])
