"""Colors of images: hue, saturation and value; contrast."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.concat as array_concat
import dataflow.ops.math.binary as math_binary
import dataflow.ops.math.division as math_division
import dataflow.ops.math.unary as math_unary
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.shape_parts import with_size
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import (
    MISSING_GRADIENT,
    NOT_DIFFERENTIABLE,
    InferenceContext,
    define_op,
)
from dataflow.schema.shape_functions import rank_at_least, with_rank, with_rank_at_least
from dataflow.values.shapes import TensorShape

_FLOATS = "T: {half, bfloat16, float32, float64} = float32"
_TWO_FLOATS = "T: {half, float32} = float32"


def _colors_shape(c: InferenceContext) -> TensorShape:
    """The last dimension is 3."""
    shape = with_rank_at_least(c.input(0), 1)
    dims = shape.dims_tuple
    if dims is None:
        return shape
    return TensorShape.of((*dims[:-1], with_size(dims[-1], 3)))


def _early_contrast_shape(c: InferenceContext) -> TensorShape:
    for bound in (2, 3):
        with_rank(c.input(bound), 0)
    return _contrast_shape(c)


def _contrast_shape(c: InferenceContext) -> TensorShape:
    shape = with_rank_at_least(c.input(0), 3)
    with_rank(c.input(1), 0)
    return shape


def _where(condition: Any, dtype: Any) -> Any:
    return cast(condition, dtype)


def _over(x: Any) -> Any:
    """1 / x, and 0 where x is 0."""
    return math_division.div_no_nan(cast(1.0, x.dtype), x)


def _hsv_gradient(op: Operation, grad: Any) -> Any:
    """The gradient by the formulas that are behind the six sextants of the wheel of colors.

    Value is the largest color, saturation what the smallest lacks of it, hue the way of the middle
    one between both; each color's slope has a part for each of its places among the three.
    """
    image: Any = op.inputs[0]
    hsv: Any = op.outputs[0]
    reds, greens, blues = image[..., 0], image[..., 1], image[..., 2]
    saturation, value = hsv[..., 1], hsv[..., 2]
    dtype = image.dtype
    red_most = _where((reds >= blues) & (reds >= greens), dtype)
    green_most = _where((greens > reds) & (greens >= blues), dtype)
    blue_most = _where((blues > reds) & (blues > greens), dtype)
    red_least = _where((reds < blues) & (reds < greens), dtype)
    green_least = _where((greens <= reds) & (greens < blues), dtype)
    blue_least = _where((blues <= reds) & (blues <= greens), dtype)
    has_red, has_green, has_blue = (_where(each > 0, dtype) for each in (reds, greens, blues))

    def saturation_slope(has: Any, own: Any, most: Any, least: Any, others: Any) -> Any:
        (other, other_most, other_least), (third, third_most, third_least) = others
        as_most = most * (other_least * other + third_least * third)
        as_least = least * -1 * _over(other_most * other + third_most * third)
        return has * (as_most * _over(math_unary.square(own)) + as_least)

    red = (reds, red_most, red_least)
    green = (greens, green_most, green_least)
    blue = (blues, blue_most, blue_least)
    saturations = [
        saturation_slope(has_red, *red, (green, blue)),
        saturation_slope(has_green, *green, (red, blue)),
        saturation_slope(has_blue, *blue, (green, red)),
    ]
    flat = _over(math_unary.square(saturation)) * _over(math_unary.square(value))
    hues = [
        has_red * red_most * -1 * (greens - blues) * flat
        + has_green * green_most * red_least * (blues - greens) * _over(_squared(reds, greens))
        + has_green * green_most * blue_least * -1 * _over(greens - blues)
        + has_blue * blue_most * red_least * (blues - greens) * _over(_squared(blues, reds))
        + has_blue * blue_most * green_least * _over(blues - greens),
        has_green * green_most * -1 * (blues - reds) * flat
        + has_red * red_most * green_least * (reds - blues) * _over(_squared(reds, greens))
        + has_red * red_most * blue_least * _over(reds - blues)
        + has_blue * blue_most * green_least * (reds - blues) * _over(_squared(blues, greens))
        + has_blue * blue_most * red_least * -1 * _over(blues - reds),
        has_blue * blue_most * -1 * (reds - greens) * flat
        + has_red * red_most * blue_least * (greens - reds) * _over(_squared(reds, blues))
        + has_red * red_most * green_least * -1 * _over(reds - greens)
        + has_green * green_most * blue_least * (greens - reds) * _over(_squared(greens, blues))
        + has_green * green_most * red_least * _over(greens - reds),
    ]
    of_hue, of_saturation, of_value = grad[..., 0], grad[..., 1], grad[..., 2]
    slopes = [
        of_value * most + of_saturation * strength + of_hue * (60 * turn / 360)
        for most, strength, turn in zip(
            (red_most, green_most, blue_most), saturations, hues, strict=True
        )
    ]
    return [array_concat.stack(slopes, axis=-1)]


def _squared(x: Any, y: Any) -> Any:
    return math_unary.square(math_binary.subtract(x, y))


define_op(
    "RGBToHSV",
    inputs="images: T",
    outputs="output: T",
    attrs=[_FLOATS],
    shape=_colors_shape,
    gradient=_hsv_gradient,
    doc="Red, green and blue as hue, saturation and value, each from 0 to 1.",
)
define_op(
    "HSVToRGB",
    inputs="images: T",
    outputs="output: T",
    attrs=[_FLOATS],
    shape=_colors_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="Hue, saturation and value, each from 0 to 1, as red, green and blue.",
)
define_op(
    "AdjustContrast",
    inputs="images: T, contrast_factor: float32, min_value: float32, max_value: float32",
    outputs="output: float32",
    attrs=["T: {uint8, int8, int16, int32, int64, float32, float64}"],
    shape=_early_contrast_shape,
    gradient=MISSING_GRADIENT,
    doc="AdjustContrastv2 between two bounds; only in graphs before version 2.",
)
define_op(
    "AdjustContrastv2",
    inputs="images: T, contrast_factor: float32",
    outputs="output: T",
    attrs=[_TWO_FLOATS],
    shape=_contrast_shape,
    gradient=MISSING_GRADIENT,
    doc="Images further from the mean of each channel.",
)
define_op(
    "AdjustHue",
    inputs="images: T, delta: float32",
    outputs="output: T",
    attrs=[_TWO_FLOATS],
    shape=rank_at_least(3),
    gradient=MISSING_GRADIENT,
    doc="RGB images with other hues.",
)
define_op(
    "AdjustSaturation",
    inputs="images: T, scale: float32",
    outputs="output: T",
    attrs=[_TWO_FLOATS],
    shape=rank_at_least(3),
    gradient=MISSING_GRADIENT,
    doc="RGB images with other saturations.",
)


def rgb_to_hsv(images: Any, name: str | None = None) -> Tensor:
    """Red, green and blue as hue, saturation and value, each from 0 to 1.

    Args:
      images: Floats from 0 to 1, the last dimension is 3.
      name: Name of the operation.
    """
    return single("RGBToHSV", images, name=name)


def hsv_to_rgb(images: Any, name: str | None = None) -> Tensor:
    """Hue, saturation and value, each from 0 to 1, as red, green and blue.

    Args:
      images: Floats from 0 to 1, the last dimension is 3.
      name: Name of the operation.
    """
    return single("HSVToRGB", images, name=name)
