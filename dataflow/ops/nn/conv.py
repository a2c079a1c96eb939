"""Convolutions over two and three spatial dimensions: the ops and their gradients."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.graph.operation import Operation
from dataflow.ops.basic.shape_parts import Size
from dataflow.ops.basic.single import single
from dataflow.ops.math.types import NN_FLOAT
from dataflow.ops.nn.window import (
    Dims,
    Padding,
    join_dims,
    paddings,
    spatial_values,
    split_dims,
    windowed_size,
)
from dataflow.schema.opdef import MISSING_GRADIENT, InferenceContext, ShapeFunction, define_op
from dataflow.schema.shape_functions import merge_dim, with_rank
from dataflow.values.shapes import TensorShape

_PADDING = "padding: {'SAME', 'VALID', 'EXPLICIT'}"
_ATTRS_2D = (
    "strides: list(int)",
    "use_cudnn_on_gpu: bool = true",
    _PADDING,
    "explicit_paddings: list(int) = []",
    "data_format: {'NHWC', 'NCHW'} = 'NHWC'",
    "dilations: list(int) = [1, 1, 1, 1]",
)
_ATTRS_3D = (
    "strides: list(int) >= 5",
    "padding: {'SAME', 'VALID'}",
    "data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'",
    "dilations: list(int) = [1, 1, 1, 1, 1]",
)
_EARLY_TYPES = "T: {half, float32, float64}"
_EARLY_ATTRS = (
    "strides: list(int) >= 5",
    "padding: {'SAME', 'VALID'}",
    "dilations: list(int) = [1, 1, 1, 1, 1]",
)
_TYPES_2D = "T: {half, bfloat16, float32, float64, int32}"


def _like_input(index: int) -> ShapeFunction:
    return lambda c: with_rank(c.input(index), 5)


def check_lengths(c: InferenceContext, op_type: str, rank: int, data_format: bytes) -> None:
    """Refuses strides and dilations that have not one value a dimension.

    Raises:
      ValueError: They have more or fewer.
    """
    dilations, strides = c.attr("dilations"), c.attr("strides")
    if len(dilations) != rank + 2:
        raise ValueError(
            f"{op_type} requires the dilation attribute to contain {rank + 2} values, but got: "
            f"{len(dilations)}"
        )
    if len(strides) != rank + 2:
        raise ValueError(
            f"{op_type} on data format {data_format.decode()} requires the stride attribute to "
            f"contain {rank + 2} values, but got: {len(strides)}"
        )


def _conv_shape(c: InferenceContext, rank: int) -> TensorShape:
    data_format = c.attr("data_format")

    def pads() -> tuple[bytes, tuple[tuple[int, int], ...]]:
        explicit = paddings(c, rank, data_format) if rank == 2 else ((0, 0),) * rank
        return c.attr("padding"), explicit

    return convolved_shape(c, rank, data_format, pads)


def convolved_shape(
    c: InferenceContext, rank: int, data_format: bytes, pads: Padding
) -> TensorShape:
    """The shape of a convolution of the first input with the second.

    Args:
      c: What is known of the inputs, and the attrs.
      rank: Number of spatial axes.
      data_format: Order of the dimensions.
      pads: Gives the padding.

    Raises:
      ValueError: Shapes or attrs do not fit.
    """
    images = split_dims(c.input(0), rank, data_format)
    filters = with_rank(c.input(1), rank + 2).dims_tuple or ()
    check_lengths(c, f"Conv{rank}D", rank, data_format)
    strides = spatial_values(c.attr("strides"), data_format)
    dilations = spatial_values(c.attr("dilations"), data_format)
    _check_depths(images.channels, filters[-2], filters[-1])
    padding, explicit = pads()
    spatial = tuple(
        windowed_size(size, window, stride, padding, dilation, amounts)
        for size, window, stride, dilation, amounts in zip(
            images.spatial, filters[:-2], strides, dilations, explicit, strict=True
        )
    )
    return join_dims(Dims(images.batch, spatial, filters[-1]), data_format)


def _check_depths(depth: Size, filter_depth: Size, width: Size) -> None:
    if depth is None or filter_depth is None:
        return
    if filter_depth == 0:
        raise ValueError("Depth of filter must not be 0")
    if depth % filter_depth:
        raise ValueError(
            f"Depth of input ({depth}) is not a multiple of input depth of filter ({filter_depth})"
        )
    groups = depth // filter_depth
    if groups > 1 and width is not None and width % groups:
        raise ValueError(
            f"Depth of output ({width}) is not a multiple of the number of groups ({groups})"
        )


def _conv2d_shape(c: InferenceContext) -> TensorShape:
    return _conv_shape(c, 2)


def _conv3d_shape(c: InferenceContext) -> TensorShape:
    return _conv_shape(c, 3)


def _input_gradient_shape(c: InferenceContext) -> TensorShape:
    """That of the input: from its sizes, with the batch of the gradient."""
    data_format = c.attr("data_format")
    filters = with_rank(c.input(1), 4).dims_tuple or ()
    gradient = split_dims(c.input(2), 2, data_format)
    merge_dim(gradient.channels, filters[-1])
    sizes = c.constant_as_shape(0).dims_tuple
    if sizes is None:
        return join_dims(Dims(gradient.batch, (None, None), None), data_format)
    if len(sizes) == 2:
        return join_dims(Dims(gradient.batch, sizes, filters[-2]), data_format)
    if len(sizes) != 4:
        raise ValueError(
            "Conv2DBackpropInput requires input_sizes to contain 4 values or 2 values, but got: "
            f"{len(sizes)}"
        )
    given = split_dims(TensorShape.of(sizes), 2, data_format)
    merge_dim(given.batch, gradient.batch)
    return join_dims(Dims(gradient.batch, given.spatial, given.channels), data_format)


def sizes_as_shape(index: int, rank: int) -> ShapeFunction:
    """The output's shape is the value of an input, a vector of `rank` sizes."""

    def shape(c: InferenceContext) -> TensorShape:
        return with_rank(c.constant_as_shape(index), rank)

    return shape


def slide(op: Operation) -> dict[str, Any]:
    """The attrs that the gradient of a convolution takes over.

    They are all that the op declares but the types: what else a node may bear, as its colocation
    or its compilation, is said of that node alone.
    """
    declared = [attr.name for attr in op.op_def.attrs if attr.name not in ("T", "Tshape")]
    return {name: op.attrs[name] for name in declared}


def _conv2d_gradient(op: Operation, grad: Any) -> Any:
    x, filters = op.inputs
    x_shape, filter_shape = array_shape.shape_n([x, filters])
    return (
        single("Conv2DBackpropInput", x_shape, filters, grad, **slide(op)),
        single("Conv2DBackpropFilter", x, filter_shape, grad, **slide(op)),
    )


def _input_gradient_gradient(op: Operation, grad: Any) -> Any:
    _, filters, out_backprop = op.inputs
    filter_shape = array_shape.shape(filters)
    return (
        None,
        single("Conv2DBackpropFilter", grad, filter_shape, out_backprop, **slide(op)),
        single("Conv2D", grad, filters, **slide(op)),
    )


def _filter_gradient_gradient(op: Operation, grad: Any) -> Any:
    x, _, out_backprop = op.inputs
    return (
        single("Conv2DBackpropInput", array_shape.shape(x), grad, out_backprop, **slide(op)),
        None,
        single("Conv2D", x, grad, **slide(op)),
    )


def _conv3d_gradient(op: Operation, grad: Any) -> Any:
    x, filters = op.inputs
    x_shape, filter_shape = array_shape.shape_n([x, filters])
    return (
        single("Conv3DBackpropInputV2", x_shape, filters, grad, **slide(op)),
        single("Conv3DBackpropFilterV2", x, filter_shape, grad, **slide(op)),
    )


def _input_gradient_3d_gradient(op: Operation, grad: Any) -> Any:
    _, filters, out_backprop = op.inputs
    filter_shape = array_shape.shape(filters)
    return (
        None,
        single("Conv3DBackpropFilterV2", grad, filter_shape, out_backprop, **slide(op)),
        single("Conv3D", grad, filters, **slide(op)),
    )


def _filter_gradient_3d_gradient(op: Operation, grad: Any) -> Any:
    x, _, out_backprop = op.inputs
    return (
        single("Conv3DBackpropInputV2", array_shape.shape(x), grad, out_backprop, **slide(op)),
        None,
        single("Conv3D", x, grad, **slide(op)),
    )


define_op(
    "Conv2D",
    inputs="input: T, filter: T",
    outputs="output: T",
    attrs=[_TYPES_2D, *_ATTRS_2D],
    shape=_conv2d_shape,
    gradient=_conv2d_gradient,
    doc="Convolution of images with a filter of shape (height, width, in channels, out channels).",
)
define_op(
    "Conv2DBackpropInput",
    inputs="input_sizes: int32, filter: T, out_backprop: T",
    outputs="output: T",
    attrs=[_TYPES_2D, *_ATTRS_2D],
    shape=_input_gradient_shape,
    gradient=_input_gradient_gradient,
    doc="The gradient of Conv2D with respect to the images; also the transposed convolution.",
)
define_op(
    "Conv2DBackpropFilter",
    inputs="input: T, filter_sizes: int32, out_backprop: T",
    outputs="output: T",
    attrs=[NN_FLOAT, *_ATTRS_2D],
    shape=sizes_as_shape(1, 4),
    gradient=_filter_gradient_gradient,
    doc="The gradient of Conv2D with respect to the filter.",
)
define_op(
    "Conv3D",
    inputs="input: T, filter: T",
    outputs="output: T",
    attrs=[NN_FLOAT, *_ATTRS_3D],
    shape=_conv3d_shape,
    gradient=_conv3d_gradient,
    doc="Convolution of volumes with a filter of (depth, height, width, in, out channels).",
)
define_op(
    "Conv3DBackpropInput",
    inputs="input: T, filter: T, out_backprop: T",
    outputs="output: T",
    attrs=[_EARLY_TYPES, *_EARLY_ATTRS],
    shape=_like_input(0),
    gradient=MISSING_GRADIENT,
    doc="Conv3DBackpropInputV2, for volumes like `input`; only in graphs before version 10.",
)
define_op(
    "Conv3DBackpropFilter",
    inputs="input: T, filter: T, out_backprop: T",
    outputs="output: T",
    attrs=[_EARLY_TYPES, *_EARLY_ATTRS],
    shape=_like_input(1),
    gradient=MISSING_GRADIENT,
    doc="Conv3DBackpropFilterV2, for a filter like `filter`; only in graphs before version 10.",
)
define_op(
    "Conv3DBackpropInputV2",
    inputs="input_sizes: Tshape, filter: T, out_backprop: T",
    outputs="output: T",
    attrs=[NN_FLOAT, *_ATTRS_3D, "Tshape: {int32, int64} = int32"],
    shape=sizes_as_shape(0, 5),
    gradient=_input_gradient_3d_gradient,
    doc="The gradient of Conv3D with respect to the volumes.",
)
define_op(
    "Conv3DBackpropFilterV2",
    inputs="input: T, filter_sizes: int32, out_backprop: T",
    outputs="output: T",
    attrs=[NN_FLOAT, *_ATTRS_3D],
    shape=sizes_as_shape(1, 5),
    gradient=_filter_gradient_3d_gradient,
    doc="The gradient of Conv3D with respect to the filter.",
)
