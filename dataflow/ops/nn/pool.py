"""Pooling: the greatest or the mean of what a window sees; the ops and their gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.shape as array_shape
from dataflow.graph.operation import Operation
from dataflow.ops.basic.identity import stop_gradient
from dataflow.ops.basic.shape_parts import with_size
from dataflow.ops.basic.single import single
from dataflow.ops.math.types import NN_FLOAT, REAL
from dataflow.ops.nn.conv import sizes_as_shape
from dataflow.ops.nn.window import (
    Dims,
    channel_value,
    join_dims,
    paddings,
    spatial_values,
    split_dims,
    windowed_size,
)
from dataflow.schema.opdef import MISSING_GRADIENT, InferenceContext, ShapeFunction, define_op
from dataflow.schema.shape_functions import UNKNOWN, merge, with_rank
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape

_MAX_TYPES = (
    "T: {half, bfloat16, float32, float64, int32, int64, uint8, int16, int8, uint16, qint8}"
    " = float32"
)
_WINDOW = ("ksize: list(int) >= 4", "strides: list(int) >= 4")
_WINDOW_3D = ("ksize: list(int) >= 5", "strides: list(int) >= 5")
_PADDING = "padding: {'SAME', 'VALID'}"
_EXPLICIT = ("padding: {'SAME', 'VALID', 'EXPLICIT'}", "explicit_paddings: list(int) = []")
_FORMAT = "data_format: {'NHWC', 'NCHW'} = 'NHWC'"
_MAX_FORMAT = "data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'"
_FORMAT_3D = "data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'"
_VOLUME_TYPES = "{half, bfloat16, float32}"


def _data_format(c: InferenceContext) -> bytes:
    try:
        value: bytes = c.attr("data_format")
    except KeyError:
        return b"NHWC"
    return value


def _pooled(
    c: InferenceContext, rank: int, ksize: Sequence[int], strides: Sequence[int]
) -> TensorShape:
    """The output's shape: pooled in space, and along the channels by the maximum only."""
    data_format = _data_format(c)
    if data_format == b"NCHW_VECT_C":
        return TensorShape.of((None,) * 5)
    images = split_dims(c.input(0), rank, data_format)
    for name, values in (("stride", strides), ("ksize", ksize)):
        if len(values) != rank + 2:
            raise ValueError(
                f"Pooling requires the {name} attribute to contain {rank + 2} values, but got: "
                f"{len(values)}"
            )
    padding = c.attr("padding")
    pads: Sequence[tuple[int, int]] = ((0, 0),) * rank
    if padding == b"EXPLICIT" or _has_explicit(c):
        pads = paddings(c, rank, data_format)
    moves = spatial_values(strides, data_format)
    sizes = spatial_values(ksize, data_format)
    spatial = tuple(
        windowed_size(size, window, stride, padding, 1, pad)
        for size, window, stride, pad in zip(images.spatial, sizes, moves, pads, strict=True)
    )
    depth, depth_stride = channel_value(ksize, data_format), channel_value(strides, data_format)
    channels = images.channels
    if (depth, depth_stride) != (1, 1):
        channels = windowed_size(channels, depth, depth_stride, padding)
    return join_dims(Dims(images.batch, spatial, channels), data_format)


def _has_explicit(c: InferenceContext) -> bool:
    try:
        return bool(c.attr("explicit_paddings"))
    except KeyError:
        return False


def max_pool_shape(rank: int) -> ShapeFunction:
    """Gives the shape of the maxima of windows with so many spatial axes."""

    def shape(c: InferenceContext) -> TensorShape:
        return _pooled(c, rank, c.attr("ksize"), c.attr("strides"))

    return shape


def avg_pool_shape(c: InferenceContext) -> TensorShape:
    """Like the maximum's, but channels are not pooled."""
    data_format = _data_format(c)
    pooled = split_dims(_pooled(c, 2, c.attr("ksize"), c.attr("strides")), 2, data_format)
    channels = split_dims(c.input(0), 2, data_format).channels
    return join_dims(Dims(pooled.batch, pooled.spatial, channels), data_format)


def _sizes_shape(c: InferenceContext, first: int) -> TensorShape:
    """The output's shape where size and strides of the window are inputs."""
    with_rank(c.input(0), 4)
    values = []
    for index in (first, first + 1):
        value = c.constant(index)
        if value is None:
            return UNKNOWN
        with_size(value.size, 4)
        values.append(tuple(value.reshape(-1).tolist()))
    return _pooled(c, 2, *values)


def _max_v2_shape(c: InferenceContext) -> TensorShape:
    return _sizes_shape(c, 1)


def _second_order(c: InferenceContext, output: TensorShape) -> TensorShape:
    merge(c.input(0), c.input(2))
    merge(c.input(1), output)
    return output


def _max_grad_grad_shape(rank: int) -> ShapeFunction:
    def shape(c: InferenceContext) -> TensorShape:
        return _second_order(c, _pooled(c, rank, c.attr("ksize"), c.attr("strides")))

    return shape


def _max_grad_grad_v2_shape(c: InferenceContext) -> TensorShape:
    return _second_order(c, _sizes_shape(c, 3))


def _input_shape(rank: int) -> ShapeFunction:
    def shape(c: InferenceContext) -> TensorShape:
        return with_rank(c.input(0), rank + 2)

    return shape


def _argmax_shape(c: InferenceContext) -> list[TensorShape]:
    output = _pooled(c, 2, c.attr("ksize"), c.attr("strides"))
    return [output, output]


def _attrs(op: Operation, *names: str) -> dict[str, Any]:
    return {name: op.attrs[name] for name in ("ksize", "strides", "padding", *names)}


def _max_gradient(op: Operation, grad: Any) -> Any:
    attrs = _attrs(op, "explicit_paddings", "data_format")
    return single("MaxPoolGrad", op.inputs[0], op.outputs[0], grad, **attrs)


def _max_grad_gradient(op: Operation, grad: Any) -> Any:
    x, y, _ = op.inputs
    zeros = array_fill.zeros_like(x), array_fill.zeros_like(y)
    return *zeros, single("MaxPoolGradGrad", x, y, grad, **_attrs(op, "data_format"))


def _max_grad_grad_gradient(op: Operation, grad: Any) -> Any:
    x, y, _ = op.inputs
    zeros = array_fill.zeros_like(x), array_fill.zeros_like(y)
    return *zeros, single("MaxPoolGrad", x, y, grad, **_attrs(op, "data_format"))


def _v2_attrs(op: Operation) -> dict[str, Any]:
    return {name: op.attrs[name] for name in ("padding", "data_format")}


def _max_v2_gradient(op: Operation, grad: Any) -> Any:
    x, ksize, strides = op.inputs
    y = op.outputs[0]
    return single("MaxPoolGradV2", x, y, grad, ksize, strides, **_v2_attrs(op)), None, None


def _max_grad_v2_gradient(op: Operation, grad: Any) -> Any:
    x, y, _, ksize, strides = op.inputs
    zeros = array_fill.zeros_like(x), array_fill.zeros_like(y)
    second = single("MaxPoolGradGradV2", x, y, grad, ksize, strides, **_v2_attrs(op))
    return (*zeros, second, None, None)


def _argmax_gradient(op: Operation, grad: Any, _: Any) -> Any:
    attrs = _attrs(op, "include_batch_in_index")
    return single("MaxPoolGradWithArgmax", op.inputs[0], grad, op.outputs[1], **attrs)


def _avg_gradient(op: Operation, grad: Any) -> Any:
    shape = array_shape.shape(op.inputs[0], out_type=dtypes.int32)
    return single("AvgPoolGrad", shape, grad, **_attrs(op, "data_format"))


def _avg_grad_gradient(op: Operation, grad: Any) -> Any:
    return stop_gradient(op.inputs[0]), single("AvgPool", grad, **_attrs(op, "data_format"))


def _max3d_gradient(op: Operation, grad: Any) -> Any:
    attrs = _attrs(op, "data_format")
    return single("MaxPool3DGrad", op.inputs[0], op.outputs[0], grad, **attrs)


def _max3d_grad_gradient(op: Operation, grad: Any) -> Any:
    x, y, _ = op.inputs
    zeros = array_fill.zeros_like(x), array_fill.zeros_like(y)
    return *zeros, single("MaxPool3DGradGrad", x, y, grad, **_attrs(op, "data_format"))


def _max3d_grad_grad_gradient(op: Operation, grad: Any) -> Any:
    x, y, _ = op.inputs
    zeros = array_fill.zeros_like(x), array_fill.zeros_like(y)
    return *zeros, single("MaxPool3DGrad", x, y, grad, **_attrs(op, "data_format"))


def _avg3d_gradient(op: Operation, grad: Any) -> Any:
    shape = array_shape.shape(op.inputs[0])
    return single("AvgPool3DGrad", shape, grad, **_attrs(op, "data_format"))


def _avg3d_grad_gradient(op: Operation, grad: Any) -> Any:
    return stop_gradient(op.inputs[0]), single("AvgPool3D", grad, **_attrs(op, "data_format"))


_GRAD_INPUTS = "orig_input: T, orig_output: T, grad: T"

define_op(
    "MaxPool",
    inputs="input: T",
    outputs="output: T",
    attrs=[_MAX_TYPES, *_WINDOW, *_EXPLICIT, _MAX_FORMAT],
    shape=max_pool_shape(2),
    gradient=_max_gradient,
    doc="The greatest element of each window.",
)
define_op(
    "MaxPoolGrad",
    inputs=_GRAD_INPUTS,
    outputs="output: T",
    attrs=[*_WINDOW, *_EXPLICIT, _FORMAT, f"{REAL} = float32"],
    shape=_input_shape(2),
    gradient=_max_grad_gradient,
    doc="The gradient of MaxPool: goes to the first greatest element of each window.",
)
define_op(
    "MaxPoolGradGrad",
    inputs=_GRAD_INPUTS,
    outputs="output: T",
    attrs=[*_WINDOW, _PADDING, _FORMAT, REAL],
    shape=_max_grad_grad_shape(2),
    gradient=_max_grad_grad_gradient,
    doc="The gradient of MaxPoolGrad with respect to its gradient.",
)
define_op(
    "MaxPoolV2",
    inputs="input: T, ksize: int32, strides: int32",
    outputs="output: T",
    attrs=[_MAX_TYPES, _PADDING, _MAX_FORMAT],
    shape=_max_v2_shape,
    gradient=_max_v2_gradient,
    doc="MaxPool whose window is an input.",
)
define_op(
    "MaxPoolGradV2",
    inputs=f"{_GRAD_INPUTS}, ksize: int32, strides: int32",
    outputs="output: T",
    attrs=[_PADDING, _FORMAT, f"{REAL} = float32"],
    shape=_input_shape(2),
    gradient=_max_grad_v2_gradient,
    doc="MaxPoolGrad whose window is an input.",
)
define_op(
    "MaxPoolGradGradV2",
    inputs=f"{_GRAD_INPUTS}, ksize: int32, strides: int32",
    outputs="output: T",
    attrs=[_PADDING, _FORMAT, REAL],
    shape=_max_grad_grad_v2_shape,
    gradient=MISSING_GRADIENT,
    doc="MaxPoolGradGrad whose window is an input.",
)
define_op(
    "MaxPoolWithArgmax",
    inputs="input: T",
    outputs="output: T, argmax: Targmax",
    attrs=[
        *_WINDOW,
        "Targmax: {int32, int64} = int64",
        _PADDING,
        "include_batch_in_index: bool = false",
        REAL,
    ],
    shape=_argmax_shape,
    gradient=_argmax_gradient,
    doc="The greatest element of each window and its place in the flattened image.",
)
define_op(
    "MaxPoolGradWithArgmax",
    inputs="input: T, grad: T, argmax: Targmax",
    outputs="output: T",
    attrs=[
        *_WINDOW,
        _PADDING,
        "include_batch_in_index: bool = false",
        "Targmax: {int32, int64}",
        REAL,
    ],
    shape=_input_shape(2),
    gradient=MISSING_GRADIENT,
    doc="The gradient of MaxPoolWithArgmax.",
)
define_op(
    "AvgPool",
    inputs="value: T",
    outputs="output: T",
    attrs=[*_WINDOW, _PADDING, _FORMAT, NN_FLOAT],
    shape=avg_pool_shape,
    gradient=_avg_gradient,
    doc="The mean of each window, which padding does not count for.",
)
define_op(
    "AvgPoolGrad",
    inputs="orig_input_shape: int32, grad: T",
    outputs="output: T",
    attrs=[*_WINDOW, _PADDING, _FORMAT, NN_FLOAT],
    shape=sizes_as_shape(0, 4),
    gradient=_avg_grad_gradient,
    doc="The gradient of AvgPool.",
)
define_op(
    "MaxPool3D",
    inputs="input: T",
    outputs="output: T",
    attrs=[*_WINDOW_3D, _PADDING, _FORMAT_3D, f"T: {_VOLUME_TYPES}"],
    shape=max_pool_shape(3),
    gradient=_max3d_gradient,
    doc="The greatest element of each window of a volume.",
)
define_op(
    "MaxPool3DGrad",
    inputs="orig_input: TInput, orig_output: TInput, grad: T",
    outputs="output: T",
    attrs=[
        *_WINDOW_3D,
        _PADDING,
        _FORMAT_3D,
        f"T: {_VOLUME_TYPES} = float32",
        f"TInput: {_VOLUME_TYPES} = float32",
    ],
    shape=_input_shape(3),
    gradient=_max3d_grad_gradient,
    doc="The gradient of MaxPool3D: goes to all greatest elements of each window.",
)
define_op(
    "MaxPool3DGradGrad",
    inputs=_GRAD_INPUTS,
    outputs="output: T",
    attrs=[*_WINDOW_3D, _PADDING, _FORMAT_3D, REAL],
    shape=_max_grad_grad_shape(3),
    gradient=_max3d_grad_grad_gradient,
    doc="The gradient of MaxPool3DGrad with respect to its gradient.",
)
define_op(
    "AvgPool3D",
    inputs="input: T",
    outputs="output: T",
    attrs=[*_WINDOW_3D, _PADDING, _FORMAT_3D, NN_FLOAT],
    shape=max_pool_shape(3),
    gradient=_avg3d_gradient,
    doc="The mean of each window of a volume, which padding does not count for.",
)
define_op(
    "AvgPool3DGrad",
    inputs="orig_input_shape: int32, grad: T",
    outputs="output: T",
    attrs=[*_WINDOW_3D, _PADDING, _FORMAT_3D, NN_FLOAT],
    shape=sizes_as_shape(0, 5),
    gradient=_avg3d_grad_gradient,
    doc="The gradient of AvgPool3D.",
)
