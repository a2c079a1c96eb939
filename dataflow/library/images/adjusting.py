"""Brightness, contrast, gamma, hue, saturation, and loss by JPEG of images."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.binary as math_binary
import dataflow.ops.math.division as math_division
import dataflow.ops.math.unary as math_unary
import dataflow.ops.reductions.reduce as reductions
import dataflow.ops.reductions.statistics as statistics
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.dispatch import unary
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.images.checks import checked_image, is_tensor, required
from dataflow.library.images.conversion import as_floats, convert_image_dtype
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.grouping import with_dependencies
from dataflow.ops.basic.single import single
from dataflow.values import dtypes


@unary
def adjust_brightness(image: Any, delta: Any) -> Tensor:
    """An image with a number added to all of its pixels.

    Args:
      image: An image of any shape; integers are worked with as numbers from 0 to 1.
      delta: The number.
    """
    with name_scope(None, "adjust_brightness", [image, delta]) as scope:
        image = convert_to_tensor(image, name="image")
        floats = as_floats(image)
        adjusted = math_binary.add(floats, cast(delta, floats.dtype), name=scope)
        return convert_image_dtype(adjusted, image.dtype, saturate=True)


def adjust_contrast(images: Any, contrast_factor: Any) -> Tensor:
    """Images whose pixels differ more from the mean of their channel.

    Args:
      images: `[..., height, width, channels]`.
      contrast_factor: How much more.
    """
    with name_scope(None, "adjust_contrast", [images, contrast_factor]) as scope:
        images = convert_to_tensor(images, name="images")
        adjusted = single("AdjustContrastv2", as_floats(images), contrast_factor, name=scope)
        return convert_image_dtype(adjusted, images.dtype, saturate=True)


@unary
def adjust_gamma(image: Any, gamma: Any = 1, gain: Any = 1) -> Tensor:
    """gain * image ** gamma.

    Args:
      image: An image of any shape; integers are worked with as numbers from 0 to 1.
      gamma: The exponent.
      gain: The factor.

    Raises:
      ValueError: `gamma` is negative.
    """
    with name_scope(None, "adjust_gamma", [image, gamma, gain]):
        image = convert_to_tensor(image, name="image")
        floats = as_floats(image)
        checks = required(gamma >= 0, "Gamma should be a non-negative real number.")
        if checks:
            gamma = with_dependencies(checks, gamma)
        return convert_image_dtype(gain * floats**gamma, image.dtype, saturate=True)


def adjust_hue(image: Any, delta: Any, name: str | None = None) -> Tensor:
    """An RGB image whose colors are turned on the wheel of colors.

    Args:
      image: Channels last.
      delta: By how many turns, -1 to 1.
      name: Name scope of the operations.
    """
    with name_scope(name, "adjust_hue", [image]):
        image = convert_to_tensor(image, name="image")
        adjusted = single("AdjustHue", as_floats(image), delta)
        return convert_image_dtype(adjusted, image.dtype)


def adjust_saturation(image: Any, saturation_factor: Any, name: str | None = None) -> Tensor:
    """An RGB image with stronger or weaker colors.

    Args:
      image: Channels last.
      saturation_factor: How much stronger.
      name: Name scope of the operations.
    """
    with name_scope(name, "adjust_saturation", [image]):
        image = convert_to_tensor(image, name="image")
        adjusted = single("AdjustSaturation", as_floats(image), saturation_factor)
        return convert_image_dtype(adjusted, image.dtype)


def adjust_jpeg_quality(
    image: Any, jpeg_quality: Any, dct_method: str = "", name: str | None = None
) -> Tensor:
    """An image as it is after it was a JPEG file.

    Args:
      image: `[height, width, channels]` with 1 or 3 channels.
      jpeg_quality: From 0 to 100, a scalar.
      dct_method: How the file is decoded: "INTEGER_FAST", "INTEGER_ACCURATE" or "".
      name: Name scope of the operations.
    """
    with name_scope(name, "adjust_jpeg_quality", [image]):
        image = convert_to_tensor(image, name="image")
        channels = image.shape.as_list()[-1]
        bytes_ = convert_image_dtype(image, dtypes.uint8, saturate=True)
        if not is_tensor(jpeg_quality):
            jpeg_quality = convert_to_tensor(jpeg_quality, dtype=dtypes.int32)
        file = single("EncodeJpegVariableQuality", bytes_, jpeg_quality)
        decoded = single("DecodeJpeg", file, channels=channels, dct_method=dct_method)
        return convert_image_dtype(decoded, image.dtype, saturate=True)


def per_image_standardization(image: Any) -> Tensor:
    """Each image less its mean, over its standard deviation or what that is at least.

    Args:
      image: `[..., height, width, channels]`.

    Returns:
      float32.
    """
    with name_scope(None, "per_image_standardization", [image]) as scope:
        image = checked_image(convert_to_tensor(image, name="image"))
        image = cast(image, dtypes.float32)
        sizes: Any = array_shape.shape(image)
        pixels = reductions.reduce_prod(sizes[-3:])
        axes = [-1, -2, -3]
        mean = reductions.reduce_mean(image, axis=axes, keepdims=True)
        deviation = statistics.reduce_std(image, axis=axes, keepdims=True)
        # An image of one color is not divided by zero.
        least = math_unary.rsqrt(cast(pixels, dtypes.float32))
        deviation = math_binary.maximum(deviation, least)
        image -= mean
        return math_division.divide(image, deviation, name=scope)
