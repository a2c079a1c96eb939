"""Depthwise convolution, which keeps the input's channels apart: the ops and their gradients."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.graph.operation import Operation
from dataflow.ops.basic.shape_parts import multiply
from dataflow.ops.basic.single import single
from dataflow.ops.math.types import NN_FLOAT
from dataflow.ops.nn.conv import sizes_as_shape, slide
from dataflow.ops.nn.window import (
    Dims,
    Padding,
    join_dims,
    paddings,
    spatial_values,
    split_dims,
    windowed_size,
)
from dataflow.schema.opdef import InferenceContext, define_op
from dataflow.schema.shape_functions import merge_dim, with_rank
from dataflow.values.shapes import TensorShape

_ATTRS = (
    NN_FLOAT,
    "strides: list(int)",
    "padding: {'SAME', 'VALID', 'EXPLICIT'}",
    "explicit_paddings: list(int) = []",
    "data_format: {'NHWC', 'NCHW'} = 'NHWC'",
    "dilations: list(int) = [1, 1, 1, 1]",
)


def _shape(c: InferenceContext) -> TensorShape:
    data_format = c.attr("data_format")
    return apart_shape(c, data_format, lambda: (c.attr("padding"), paddings(c, 2, data_format)))


def apart_shape(c: InferenceContext, data_format: bytes, pads: Padding) -> TensorShape:
    """The shape of a convolution that keeps channels apart.

    Args:
      c: What is known of the inputs, and the attrs.
      data_format: Order of the dimensions.
      pads: Gives the padding.

    Raises:
      ValueError: Shapes or attrs do not fit.
    """
    images = split_dims(c.input(0), 2, data_format)
    filters = with_rank(c.input(1), 4).dims_tuple or ()
    for name, values in (("stride", c.attr("strides")), ("dilations", c.attr("dilations"))):
        if len(values) != 4:
            raise ValueError(
                f"DepthwiseConv2D requires the {name} attribute to contain 4 values, but got: "
                f"{len(values)}"
            )
    strides = spatial_values(c.attr("strides"), data_format)
    dilations = spatial_values(c.attr("dilations"), data_format)
    depth = merge_dim(images.channels, filters[2])
    padding, explicit = pads()
    spatial = tuple(
        windowed_size(size, window, stride, padding, dilation, amounts)
        for size, window, stride, dilation, amounts in zip(
            images.spatial,
            filters[:2],
            strides,
            dilations,
            explicit,
            strict=True,
        )
    )
    return join_dims(Dims(images.batch, spatial, multiply(depth, filters[3])), data_format)


def _gradient(op: Operation, grad: Any) -> Any:
    x, filters = op.inputs
    of_input = single(
        "DepthwiseConv2dNativeBackpropInput", array_shape.shape(x), filters, grad, **slide(op)
    )
    of_filter = single(
        "DepthwiseConv2dNativeBackpropFilter", x, array_shape.shape(filters), grad, **slide(op)
    )
    return of_input, of_filter


def _input_gradient_gradient(op: Operation, grad: Any) -> Any:
    _, filters, out_backprop = op.inputs
    of_filter = single(
        "DepthwiseConv2dNativeBackpropFilter",
        grad,
        array_shape.shape(filters),
        out_backprop,
        **slide(op),
    )
    return None, of_filter, single("DepthwiseConv2dNative", grad, filters, **slide(op))


def _filter_gradient_gradient(op: Operation, grad: Any) -> Any:
    x, _, out_backprop = op.inputs
    of_input = single(
        "DepthwiseConv2dNativeBackpropInput",
        array_shape.shape(x),
        grad,
        out_backprop,
        **slide(op),
    )
    return of_input, None, single("DepthwiseConv2dNative", x, grad, **slide(op))


define_op(
    "DepthwiseConv2dNative",
    inputs="input: T, filter: T",
    outputs="output: T",
    attrs=_ATTRS,
    shape=_shape,
    gradient=_gradient,
    doc="Convolution of each channel with filters of (height, width, channels, multiplier).",
)
define_op(
    "DepthwiseConv2dNativeBackpropInput",
    inputs="input_sizes: int32, filter: T, out_backprop: T",
    outputs="output: T",
    attrs=_ATTRS,
    shape=sizes_as_shape(0, 4),
    gradient=_input_gradient_gradient,
    doc="The gradient of DepthwiseConv2dNative with respect to the images.",
)
define_op(
    "DepthwiseConv2dNativeBackpropFilter",
    inputs="input: T, filter_sizes: int32, out_backprop: T",
    outputs="output: T",
    attrs=_ATTRS,
    shape=sizes_as_shape(1, 4),
    gradient=_filter_gradient_gradient,
    doc="The gradient of DepthwiseConv2dNative with respect to the filter.",
)
