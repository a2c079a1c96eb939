"""Layers of nets on quantized numbers: products, convolutions, activations, pooling and norms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from dataflow.graph.apply_op import apply_op
from dataflow.ops.basic.shape_parts import size_at
from dataflow.ops.linalg.matmul import matmul_shape
from dataflow.ops.nn.bias import bias_add_v1_shape
from dataflow.ops.nn.conv import convolved_shape
from dataflow.ops.nn.pool import avg_pool_shape, max_pool_shape
from dataflow.ops.quantization.types import TYPES, first_with_range, with_range
from dataflow.schema.opdef import MISSING_GRADIENT, InferenceContext, define_op
from dataflow.schema.shape_functions import merge_dim, with_rank
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape

_POOL: Final = ("ksize: list(int)", "strides: list(int)", "padding: {'SAME', 'VALID'}")


def _conv_shape(c: InferenceContext) -> TensorShape:
    return convolved_shape(c, 2, b"NHWC", lambda: (c.attr("padding"), ((0, 0),) * 2))


def _images(c: InferenceContext) -> TensorShape:
    with_rank(c.input(0), 4)
    return c.input(0)


def _norm_shape(c: InferenceContext) -> TensorShape:
    images = with_rank(c.input(0), 4)
    depth = size_at(images, 3)
    for index in (3, 6, 9, 12):
        depth = merge_dim(depth, size_at(with_rank(c.input(index), 1), 0))
    return TensorShape.of((*(images.dims_tuple or ())[:3], depth))


_NORM_BOUNDS: Final = tuple(i for i in range(1, 15) if i % 3)

define_op(
    "QuantizedMatMul",
    inputs="a: T1, b: T2, min_a: float32, max_a: float32, min_b: float32, max_b: float32",
    outputs="out: Toutput, min_out: float32, max_out: float32",
    attrs=[
        f"T1: {TYPES}",
        f"T2: {TYPES}",
        f"Toutput: {TYPES} = qint32",
        "transpose_a: bool = false",
        "transpose_b: bool = false",
        f"Tactivation: {TYPES} = quint8",
    ],
    shape=with_range(matmul_shape, 2, 3, 4, 5),
    gradient=MISSING_GRADIENT,
    doc="The product of two matrices, and the range in which its steps lie.",
)
define_op(
    "QuantizedConv2D",
    inputs=(
        "input: Tinput, filter: Tfilter, min_input: float32, max_input: float32,"
        " min_filter: float32, max_filter: float32"
    ),
    outputs="output: out_type, min_output: float32, max_output: float32",
    attrs=[
        f"Tinput: {TYPES}",
        f"Tfilter: {TYPES}",
        f"out_type: {TYPES} = qint32",
        "strides: list(int)",
        "padding: {'SAME', 'VALID'}",
        "dilations: list(int) = [1, 1, 1, 1]",
    ],
    shape=with_range(_conv_shape, 2, 3, 4, 5),
    gradient=MISSING_GRADIENT,
    doc="Convolution of images with a filter, and the range in which its steps lie.",
)
define_op(
    "QuantizedBiasAdd",
    inputs=(
        "input: T1, bias: T2, min_input: float32, max_input: float32, min_bias: float32,"
        " max_bias: float32"
    ),
    outputs="output: out_type, min_out: float32, max_out: float32",
    attrs=[f"T1: {TYPES}", f"T2: {TYPES}", f"out_type: {TYPES}"],
    shape=with_range(bias_add_v1_shape, 2, 3, 4, 5),
    gradient=MISSING_GRADIENT,
    doc="A bias added to the last axis, and the range in which the sum's steps lie.",
)
for _name, _what in (("QuantizedRelu", "max(x, 0)"), ("QuantizedRelu6", "min(max(x, 0), 6)")):
    define_op(
        _name,
        inputs="features: Tinput, min_features: float32, max_features: float32",
        outputs="activations: out_type, min_activations: float32, max_activations: float32",
        attrs=[f"Tinput: {TYPES}", f"out_type: {TYPES} = quint8"],
        shape=first_with_range(1, 2),
        gradient=MISSING_GRADIENT,
        doc=f"{_what}, in the same range.",
    )
for _name, _pooled, _what in (
    ("QuantizedMaxPool", max_pool_shape(2), "greatest"),
    ("QuantizedAvgPool", avg_pool_shape, "mean"),
):
    define_op(
        _name,
        inputs="input: T, min_input: float32, max_input: float32",
        outputs="output: T, min_output: float32, max_output: float32",
        attrs=[f"T: {TYPES}", *_POOL],
        shape=with_range(_pooled, 1, 2),
        gradient=MISSING_GRADIENT,
        doc=f"The {_what} of each window, in the same range.",
    )
define_op(
    "QuantizedInstanceNorm",
    inputs="x: T, x_min: float32, x_max: float32",
    outputs="y: T, y_min: float32, y_max: float32",
    attrs=[
        f"T: {TYPES}",
        "output_range_given: bool = false",
        "given_y_min: float = 0.0",
        "given_y_max: float = 0.0",
        "variance_epsilon: float = 1e-5",
        "min_separation: float = 1e-3",
    ],
    shape=with_range(_images, 1, 2),
    gradient=MISSING_GRADIENT,
    doc="Each image's channels with mean 0 and variance 1.",
)
define_op(
    "QuantizedBatchNormWithGlobalNormalization",
    inputs=", ".join(
        f"{name}: Tinput, {name}_min: float32, {name}_max: float32"
        for name in ("t", "m", "v", "beta", "gamma")
    ),
    outputs="result: out_type, result_min: float32, result_max: float32",
    attrs=[
        f"Tinput: {TYPES}",
        f"out_type: {TYPES}",
        "variance_epsilon: float",
        "scale_after_normalization: bool",
    ],
    shape=with_range(_norm_shape, *_NORM_BOUNDS),
    gradient=MISSING_GRADIENT,
    doc="Batch norm with mean and variance that are given.",
)


def quantized_conv2d(
    input: Any,
    filter: Any,
    min_input: Any,
    max_input: Any,
    min_filter: Any,
    max_filter: Any,
    strides: Sequence[int],
    padding: str,
    out_type: Any = dtypes.qint32,
    dilations: Sequence[int] = (1, 1, 1, 1),
    name: str | None = None,
) -> Any:
    """Convolution of quantized images (batch, height, width, channels) with a quantized filter.

    Args:
      input: quint8.
      filter: quint8, (height, width, in channels, out channels).
      min_input: What the lowest step of `input` stands for.
      max_input: What the highest one stands for.
      min_filter: What the lowest step of `filter` stands for.
      max_filter: What the highest one stands for.
      strides: Of each axis; those of height and width are equal.
      padding: `SAME` or `VALID`.
      out_type: qint32.
      dilations: Of each axis: 1.
      name: Name of the operation.

    Returns:
      The sums, and what the lowest and the highest step of their type stand for.
    """
    return apply_op(
        "QuantizedConv2D",
        input,
        filter,
        min_input,
        max_input,
        min_filter,
        max_filter,
        strides=strides,
        padding=padding,
        out_type=out_type,
        dilations=list(dilations),
        name=name,
    )


def quantized_max_pool(
    input: Any,
    min_input: Any,
    max_input: Any,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    name: str | None = None,
) -> Any:
    """The greatest quantized number of each window, and the range, which stays the same."""
    return apply_op(
        "QuantizedMaxPool",
        *(input, min_input, max_input),
        ksize=ksize,
        strides=strides,
        padding=padding,
        name=name,
    )


def quantized_avg_pool(
    input: Any,
    min_input: Any,
    max_input: Any,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    name: str | None = None,
) -> Any:
    """The mean of the quantized numbers of each window, and the range, which stays the same."""
    return apply_op(
        "QuantizedAvgPool",
        *(input, min_input, max_input),
        ksize=ksize,
        strides=strides,
        padding=padding,
        name=name,
    )
