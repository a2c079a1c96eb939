"""Fused batch normalization: the ops, their gradients and the gradients of those."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.shape as array_shape
import dataflow.ops.array.transpose as array_transpose
import dataflow.ops.math.unary as math_unary
import dataflow.ops.reductions.reduce as reductions
from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.shape_parts import Size, replaced, size_at, vector
from dataflow.ops.nn.window import channels_first
from dataflow.schema.opdef import (
    MISSING_GRADIENT,
    GradientFunction,
    InferenceContext,
    ShapeFunction,
    define_op,
)
from dataflow.schema.shape_functions import UNKNOWN, merge_dim, with_rank
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape

_EPSILON = "epsilon: float = 0.0001"
_FACTOR = "exponential_avg_factor: float = 1.0"
_FORMAT = "data_format: {'NHWC', 'NCHW'} = 'NHWC'"
_FORMAT_ND = "data_format: {'NHWC', 'NCHW', 'NDHWC', 'NCDHW'} = 'NHWC'"
_TRAINING = "is_training: bool = true"
_TYPES = "T: {half, bfloat16, float32}"


def _channel_axis(c: InferenceContext) -> int:
    return 1 if channels_first(c.attr("data_format")) else -1


def _images(c: InferenceContext, index: int) -> TensorShape:
    return with_rank(c.input(index), len(c.attr("data_format")))


def _channels(c: InferenceContext, size: Size, indices: range) -> Size:
    """The number of channels, which vectors at these inputs must have too."""
    for index in indices:
        size = merge_dim(size, size_at(with_rank(c.input(index), 1), 0))
    return size


def _forward_shape(has_third_reserve: bool) -> ShapeFunction:
    def shape(c: InferenceContext) -> list[TensorShape]:
        x, axis = _images(c, 0), _channel_axis(c)
        vectors = range(1, 3) if c.attr("is_training") else range(1, 5)
        channels = _channels(c, size_at(x, axis), vectors)
        shapes = [replaced(x, axis, channels), *[vector(channels)] * 4]
        return [*shapes, UNKNOWN] if has_third_reserve else shapes

    return shape


def _grad_shape(c: InferenceContext) -> list[TensorShape]:
    y_backprop, x, axis = _images(c, 0), _images(c, 1), _channel_axis(c)
    channels = merge_dim(size_at(y_backprop, axis), size_at(x, axis))
    channels = _channels(c, channels, range(2, 5))
    # TensorFlow tells empty vectors of the last two, and its kernels write scalars: a graph is
    # imported only where what is told agrees.
    return [replaced(y_backprop, axis, channels), *[vector(channels)] * 2, *[vector(0)] * 2]


def _global_shape(c: InferenceContext) -> TensorShape:
    x = with_rank(c.input(0), 4)
    return replaced(x, -1, _channels(c, size_at(x, -1), range(1, 5)))


def _global_grad_shape(c: InferenceContext) -> list[TensorShape]:
    x = with_rank(c.input(0), 4)
    channels = _channels(c, size_at(x, -1), range(1, 4))
    backprop = with_rank(c.input(4), 4)
    channels = merge_dim(channels, size_at(backprop, -1))
    return [replaced(x, -1, channels), *[vector(channels)] * 4]


def _global_gradient(op: Operation, grad: Any) -> Any:
    x, mean, variance, _, gamma = op.inputs
    attrs = {key: op.attrs[key] for key in ("variance_epsilon", "scale_after_normalization")}
    return apply_op("BatchNormWithGlobalNormalizationGrad", x, mean, variance, gamma, grad, **attrs)


_TO_LAST = {b"NCHW": [0, 2, 3, 1], b"NCDHW": [0, 2, 3, 4, 1]}
_TO_FIRST = {b"NCHW": [0, 3, 1, 2], b"NCDHW": [0, 4, 1, 2, 3]}


def _gradient(grad_op: str) -> GradientFunction:
    """With respect to x, scale and offset: of the batch's own statistics, or of given ones."""

    def gradient(op: Operation, grad_y: Any, *_: Any) -> Any:
        x, scale, _offset, mean, variance = op.inputs
        data_format, is_training = op.attrs["data_format"], op.attrs["is_training"]
        reserved = list(op.outputs[5:])
        moved = not is_training and data_format in _TO_LAST
        target = data_format
        if is_training:
            mean, variance = op.outputs[3], op.outputs[4]
        elif moved:
            x = array_transpose.transpose(x, _TO_LAST[data_format])
            grad_y = array_transpose.transpose(grad_y, _TO_LAST[data_format])
            target = b"NHWC" if data_format == b"NCHW" else b"NDHWC"
        results = apply_op(
            grad_op,
            grad_y,
            x,
            scale,
            mean,
            variance,
            *reserved,
            epsilon=op.attrs["epsilon"],
            data_format=target,
            is_training=is_training,
        )
        dx = results[0]
        if moved:
            dx = array_transpose.transpose(dx, _TO_FIRST[data_format])
        return dx, results[1], results[2], None, None

    return gradient


def _second_gradient(op: Operation, of_x: Any, of_scale: Any, of_offset: Any, *_: Any) -> Any:
    """With respect to the gradient that was passed on, to x and to scale.

    Of s r (g' - r^2 mean(g x') x'), r sum(g x') and sum(g), where s is the scale, g the gradient,
    r the reciprocal deviation and x' and g' are x and g less their means; with given statistics of
    s r g, r sum(g (x - mean)) and sum(g).
    """
    grad_y, x, scale, mean, variance = op.inputs[:5]
    data_format = op.attrs["data_format"]
    axis = 1 if channels_first(data_format) else len(data_format) - 1
    axes = [i for i in range(len(data_format)) if i != axis]
    shape = [-1 if i == axis else 1 for i in range(len(data_format))]

    def spread(vector: Any) -> Any:
        return array_shape.reshape(cast(vector, dtypes.float32), shape)

    def average(images: Any) -> Any:
        return reductions.reduce_mean(images, axes, keepdims=True)

    def total(images: Any) -> Any:
        return reductions.reduce_sum(images, axes)

    # Statistics of 16-bit floats would lose too much.
    g, values, a = (cast(t, dtypes.float32) for t in (grad_y, x, of_x))
    s, b, d = spread(scale), spread(of_scale), spread(of_offset)
    if not op.attrs["is_training"]:
        r = math_unary.rsqrt(spread(variance) + op.attrs["epsilon"])
        to_grad = r * (a * s + b * (values - spread(mean))) + d
        to_x, to_scale = b * g * r, total(a * g * r)
    else:
        centered = values - average(values)
        r = math_unary.rsqrt(average(math_unary.square(centered)) + op.attrs["epsilon"])
        g_centered, a_centered = g - average(g), a - average(a)
        with_g, with_a = average(g * centered), average(a * centered)
        of_both = average(a * g_centered)
        square = math_unary.square(r)
        to_grad = r * (s * (a_centered - square * with_a * centered) + b * centered) + d
        turned = (of_both - 3.0 * square * with_g * with_a) * centered
        to_x = b * r * (g_centered - square * with_g * centered) - s * r * square * (
            turned + with_a * g_centered + with_g * a_centered
        )
        to_scale = total(r * (a * g_centered - square * with_g * with_a))
    unused = [None] * (len(op.inputs) - 3)
    return [cast(to_grad, grad_y.dtype), cast(to_x, x.dtype), to_scale, *unused]


_DOC = "Batch normalization: to mean 0 and variance 1 in each channel, then scaled and shifted."
_GRAD_DOC = "The gradient of batch normalization."

_GLOBAL_ATTRS = (
    "T: numbertype",
    "variance_epsilon: float",
    "scale_after_normalization: bool",
)

define_op(
    "BatchNormWithGlobalNormalization",
    inputs="t: T, m: T, v: T, beta: T, gamma: T",
    outputs="result: T",
    attrs=_GLOBAL_ATTRS,
    shape=_global_shape,
    gradient=_global_gradient,
    doc="Batch normalization by given statistics; only in graphs before version 9.",
)
define_op(
    "BatchNormWithGlobalNormalizationGrad",
    inputs="t: T, m: T, v: T, gamma: T, backprop: T",
    outputs="dx: T, dm: T, dv: T, db: T, dg: T",
    attrs=_GLOBAL_ATTRS,
    shape=_global_grad_shape,
    gradient=MISSING_GRADIENT,
    doc="The gradient of BatchNormWithGlobalNormalization.",
)
define_op(
    "FusedBatchNorm",
    inputs="x: T, scale: T, offset: T, mean: T, variance: T",
    outputs="y: T, batch_mean: T, batch_variance: T, reserve_space_1: T, reserve_space_2: T",
    attrs=["T: {float32}", _EPSILON, _FACTOR, _FORMAT, _TRAINING],
    shape=_forward_shape(False),
    gradient=_gradient("FusedBatchNormGrad"),
    doc=_DOC,
)
define_op(
    "FusedBatchNormV2",
    inputs="x: T, scale: U, offset: U, mean: U, variance: U",
    outputs="y: T, batch_mean: U, batch_variance: U, reserve_space_1: U, reserve_space_2: U",
    attrs=[_TYPES, "U: {float32}", _EPSILON, _FACTOR, _FORMAT, _TRAINING],
    shape=_forward_shape(False),
    gradient=_gradient("FusedBatchNormGradV2"),
    doc=_DOC,
)
define_op(
    "FusedBatchNormV3",
    inputs="x: T, scale: U, offset: U, mean: U, variance: U",
    outputs="y: T, batch_mean: U, batch_variance: U, reserve_space_1: U, reserve_space_2: U,"
    " reserve_space_3: U",
    attrs=[_TYPES, "U: {bfloat16, float32}", _EPSILON, _FACTOR, _FORMAT_ND, _TRAINING],
    shape=_forward_shape(True),
    gradient=_gradient("FusedBatchNormGradV3"),
    doc=_DOC,
)
define_op(
    "FusedBatchNormGrad",
    inputs="y_backprop: T, x: T, scale: T, reserve_space_1: T, reserve_space_2: T",
    outputs="x_backprop: T, scale_backprop: T, offset_backprop: T, reserve_space_3: T,"
    " reserve_space_4: T",
    attrs=["T: {float32}", _EPSILON, _FORMAT, _TRAINING],
    shape=_grad_shape,
    gradient=_second_gradient,
    doc=_GRAD_DOC,
)
define_op(
    "FusedBatchNormGradV2",
    inputs="y_backprop: T, x: T, scale: float32, reserve_space_1: U, reserve_space_2: U",
    outputs="x_backprop: T, scale_backprop: U, offset_backprop: U, reserve_space_3: U,"
    " reserve_space_4: U",
    attrs=[_TYPES, "U: {float32}", _EPSILON, _FORMAT, _TRAINING],
    shape=_grad_shape,
    gradient=_second_gradient,
    doc=_GRAD_DOC,
)
define_op(
    "FusedBatchNormGradV3",
    inputs="y_backprop: T, x: T, scale: float32, reserve_space_1: U, reserve_space_2: U,"
    " reserve_space_3: U",
    outputs="x_backprop: T, scale_backprop: U, offset_backprop: U, reserve_space_4: U,"
    " reserve_space_5: U",
    attrs=[_TYPES, "U: {float32}", _EPSILON, _FORMAT_ND, _TRAINING],
    shape=_grad_shape,
    gradient=_second_gradient,
    doc=_GRAD_DOC,
)


def fused_batch_norm(
    x: Any,
    scale: Any,
    offset: Any,
    mean: Any = None,
    variance: Any = None,
    epsilon: float = 0.001,
    data_format: str = "NHWC",
    is_training: bool = True,
    name: str | None = None,
    exponential_avg_factor: float = 1.0,
) -> tuple[Tensor, Tensor, Tensor]:
    """Batch normalization (Ioffe and Szegedy, 2015).

    Args:
      x: Images.
      scale: Vector, one factor a channel.
      offset: Vector, one summand a channel.
      mean: Population mean; needed unless training with an averaging factor of 1.
      variance: Population variance; needed where `mean` is.
      epsilon: Added to the variance.
      data_format: Order of the dimensions of `x`.
      is_training: Normalizes by the batch's own mean and variance, not by the given ones.
      name: Name of the operation.
      exponential_avg_factor: Weight of the batch in the running mean and variance.

    Returns:
      The normalized images, the running mean and the running (unbiased) variance.

    Raises:
      ValueError: `mean` and `variance` are missing.
    """
    if (not is_training or exponential_avg_factor != 1.0) and (mean is None or variance is None):
        raise ValueError(
            "Both `mean` and `variance` must be a 1D tensor when `is_training` is False or "
            "`exponential_avg_factor` != 1.0. Received: `mean` "
            f"{mean!r} and `variance` {variance!r}"
        )
    x = convert_to_tensor(x, name="input")
    scale = convert_to_tensor(scale, name="scale")
    offset = convert_to_tensor(offset, name="offset")
    if mean is None:
        mean = constant([])
    if variance is None:
        variance = constant([])
    results = apply_op(
        "FusedBatchNormV3",
        x,
        scale,
        offset,
        mean,
        variance,
        epsilon=epsilon,
        exponential_avg_factor=exponential_avg_factor,
        data_format=data_format,
        is_training=is_training,
        name=name,
    )
    return results[0], results[1], results[2]
