"""Layers of int8 nets in one op: a sum of products, and a bias, a sum and an activation."""

from __future__ import annotations

from functools import partial
from typing import Final

from dataflow.ops.linalg.matmul import matmul_shape
from dataflow.ops.nn.conv import convolved_shape
from dataflow.ops.nn.depthwise import apart_shape
from dataflow.ops.nn.window import listed_paddings
from dataflow.ops.quantization.types import TYPES
from dataflow.schema.opdef import MISSING_GRADIENT, InferenceContext, ShapeFunction, define_op
from dataflow.schema.shape_functions import (
    SCALAR,
    UNKNOWN,
    with_rank,
    with_rank_at_most,
)
from dataflow.values.shapes import TensorShape

_SPANS: Final = "min_{0}: float32, max_{0}: float32"
_FROZEN: Final = "min_freezed_output: float32, max_freezed_output: float32"
_SUMMAND: Final = "summand: Tsummand, min_summand: float32, max_summand: float32"
_BIASES: Final = "Tbias: {float32, qint32}"
_SLIDE: Final = (
    "strides: list(int)",
    "padding: {'SAME', 'VALID'}",
    "dilations: list(int) = [1, 1, 1, 1]",
)
_UNLISTED: Final = (
    "QuantizedConv2DPerChannel",
    "QuantizedDepthwiseConv2D",
    "QuantizedDepthwiseConv2DWithBias",
)
"""Those that have no `padding_list`."""
_WORDS: Final = (
    ("WithBias", "a bias"),
    ("Sum", "a sum with `summand`"),
    ("Relu", "max(x, 0)"),
    ("Requantize", "the steps of the range that is given"),
    ("Dequantize", "the numbers that the sums stand for"),
)


def _behind(name: str) -> str:
    """What follows the products, for the op's doc."""
    found = [what for word, what in _WORDS if word in name]
    return f"; then {', '.join(found)}" if found else ""


def _padding(c: InferenceContext, name: str) -> tuple[bytes, tuple[tuple[int, int], ...]]:
    return (c.attr("padding"), ((0, 0),) * 2) if name in _UNLISTED else listed_paddings(c)


def _convolved(name: str) -> ShapeFunction:
    """The convolution's shape, and the range's: that of the filter's, or scalars if it is given."""
    first = 3 if "WithBias" in name else 2
    requantizes = name.endswith("Requantize")
    scalars = [first, first + 1, *((first + 4, first + 5) if requantizes else ())]
    # TensorFlow takes a range for each channel everywhere else.
    most = 0 if name == "QuantizedConv2DAndRequantize" else 1

    def shape(c: InferenceContext) -> list[TensorShape]:
        found = convolved_shape(c, 2, b"NHWC", partial(_padding, c, name))
        if first == 3:
            with_rank(c.input(2), 1)
        for index in scalars:
            with_rank(c.input(index), 0)
        for index in (first + 2, first + 3):
            (with_rank_at_most if most else with_rank)(c.input(index), most)
        bounds = SCALAR if requantizes else c.input(first + 3)
        return [found, bounds, bounds]

    return shape


def _apart(name: str) -> ShapeFunction:
    def shape(c: InferenceContext) -> list[TensorShape]:
        return [apart_shape(c, b"NHWC", partial(_padding, c, name)), UNKNOWN, UNKNOWN]

    return shape


def _product(c: InferenceContext) -> list[TensorShape]:
    found = matmul_shape(c)
    assert isinstance(found, TensorShape)
    with_rank(c.input(2), 1)
    for index in range(3, c.num_inputs):
        with_rank(c.input(index), 0)
    return [found, SCALAR, SCALAR][: c.num_outputs]


def _define_convolution(name: str, result: str, summand: str = "") -> None:
    requantizes = name.endswith("Requantize")
    typed_bias = requantizes and "WithBias" in name
    inputs = ["input: Tinput, filter: Tfilter"]
    if "WithBias" in name:
        inputs.append("bias: Tbias" if typed_bias else "bias: float32")
    inputs += [_SPANS.format("input"), _SPANS.format("filter")]
    inputs += [part for part in (_FROZEN if requantizes else "", summand) if part]
    define_op(
        name,
        inputs=", ".join(inputs),
        outputs="output: out_type, min_output: float32, max_output: float32",
        attrs=[
            f"Tinput: {TYPES}",
            f"Tfilter: {TYPES}",
            *([_BIASES] if typed_bias else []),
            *([f"Tsummand: {TYPES}"] if "Tsummand" in summand else []),
            f"out_type: {TYPES} = {result}",
            *_SLIDE,
            *([] if name in _UNLISTED else ["padding_list: list(int) = []"]),
        ],
        shape=(_apart if "Depthwise" in name else _convolved)(name),
        gradient=MISSING_GRADIENT,
        doc=f"Convolution of quantized images{_behind(name)}.",
    )


def _define_product(name: str, result: str) -> None:
    given = name.endswith(("Requantize", "Dequantize"))
    typed_bias = name != "QuantizedMatMulWithBiasAndRelu"
    numbers = name.endswith("Dequantize")
    inputs = ["a: T1, b: T2", f"bias: {'Tbias' if typed_bias else 'float32'}"]
    inputs += [_SPANS.format("a"), _SPANS.format("b"), *([_FROZEN] if given else [])]
    define_op(
        name,
        inputs=", ".join(inputs),
        outputs="out: Toutput" + ("" if numbers else ", min_out: float32, max_out: float32"),
        attrs=[
            f"T1: {TYPES}",
            f"T2: {TYPES}",
            *([_BIASES] if typed_bias else []),
            "Toutput: {float32}" if numbers else f"Toutput: {TYPES} = {result}",
            "transpose_a: bool = false",
            "transpose_b: bool = false",
            "input_quant_mode: {'MIN_FIRST', 'SCALED'} = 'MIN_FIRST'",
        ],
        shape=_product,
        gradient=MISSING_GRADIENT,
        doc=f"The product of two quantized matrices{_behind(name)}.",
    )


for _name, _result in (
    ("QuantizedConv2DPerChannel", "qint32"),
    ("QuantizedConv2DAndRelu", "qint32"),
    ("QuantizedConv2DAndRequantize", "qint8"),
    ("QuantizedConv2DAndReluAndRequantize", "quint8"),
    ("QuantizedConv2DWithBias", "qint32"),
    ("QuantizedConv2DWithBiasAndRelu", "qint32"),
    ("QuantizedConv2DWithBiasAndRequantize", "qint8"),
    ("QuantizedConv2DWithBiasAndReluAndRequantize", "quint8"),
    ("QuantizedDepthwiseConv2D", "qint32"),
    ("QuantizedDepthwiseConv2DWithBias", "qint32"),
    ("QuantizedDepthwiseConv2DWithBiasAndRelu", "qint32"),
    ("QuantizedDepthwiseConv2DWithBiasAndReluAndRequantize", "quint8"),
):
    _define_convolution(_name, _result)
_define_convolution("QuantizedConv2DWithBiasSumAndRelu", "qint32", "summand: float32")
_define_convolution("QuantizedConv2DWithBiasSumAndReluAndRequantize", "quint8", _SUMMAND)
_define_convolution("QuantizedConv2DWithBiasSignedSumAndReluAndRequantize", "quint8", _SUMMAND)
for _name, _result in (
    ("QuantizedMatMulWithBias", "qint32"),
    ("QuantizedMatMulWithBiasAndRelu", "qint32"),
    ("QuantizedMatMulWithBiasAndRequantize", "quint8"),
    ("QuantizedMatMulWithBiasAndReluAndRequantize", "quint8"),
    ("QuantizedMatMulWithBiasAndDequantize", "float32"),
):
    _define_product(_name, _result)
