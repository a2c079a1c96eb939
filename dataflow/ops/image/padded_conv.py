"""Convolutions of images that are resized and mirrored at their edges before, in one op."""

from __future__ import annotations

from dataflow.ops.basic.shape_parts import Size, add
from dataflow.ops.nn.window import windowed_size
from dataflow.schema.opdef import MISSING_GRADIENT, InferenceContext, define_op
from dataflow.schema.shape_functions import merge, merge_dim, with_rank
from dataflow.values.shapes import TensorShape

_ATTRS = ("mode: {'REFLECT', 'SYMMETRIC'}", "strides: list(int)", "padding: {'SAME', 'VALID'}")


def _padded_shape(c: InferenceContext) -> TensorShape:
    images = with_rank(c.input(0), 4).dims_tuple or ()
    return _convolved(c, images, 1)


def _resized_shape(c: InferenceContext) -> TensorShape:
    images = with_rank(c.input(0), 4).dims_tuple or ()
    merge(c.input(1), TensorShape([2]))
    size = c.constant_as_shape(1).dims_tuple or (None, None)
    return _convolved(c, (images[0], *size, images[3]), 2)


def _convolved(c: InferenceContext, images: tuple[Size, ...], place: int) -> TensorShape:
    """The shape behind the convolution, whose paddings and filter are inputs from `place` on."""
    (rows, _) = with_rank(c.input(place), 2).dims_tuple or (None, None)
    if rows is not None:
        with_rank(c.input(0), rows)
    merge(c.input(place), TensorShape([4, 2]))
    widths = c.constant(place)
    padded: tuple[Size, ...] = (None,) * 4
    if widths is not None:
        padded = tuple(
            add(size, int(sum(both))) for size, both in zip(images, widths.tolist(), strict=True)
        )
    filters = with_rank(c.input(place + 1), 4).dims_tuple or ()
    strides = c.attr("strides")
    if len(strides) != 4:
        raise ValueError(
            f"Conv2D requires the stride attribute to contain 4 values, but got: {len(strides)}"
        )
    merge_dim(padded[3], filters[2])
    spatial = (
        windowed_size(size, window, stride, c.attr("padding"))
        for size, window, stride in zip(padded[1:3], filters[:2], strides[1:3], strict=True)
    )
    return TensorShape.of((padded[0], *spatial, filters[3]))


define_op(
    "FusedPadConv2D",
    inputs="input: T, paddings: int32, filter: T",
    outputs="output: T",
    attrs=["T: {half, bfloat16, float32, float64}", *_ATTRS],
    shape=_padded_shape,
    gradient=MISSING_GRADIENT,
    doc="Convolution of images with a border that mirrors them.",
)
define_op(
    "FusedResizeAndPadConv2D",
    inputs="input: T, size: int32, paddings: int32, filter: T",
    outputs="output: T",
    attrs=["T: {half, float32, float64}", "resize_align_corners: bool = false", *_ATTRS],
    shape=_resized_shape,
    gradient=MISSING_GRADIENT,
    doc="Convolution of images that are resized bilinearly, with a border that mirrors them.",
)
