"""Rows for layers of int8 nets in one op."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.ops.case import Bad, Case
from tests.ops.cases.quantization.steps import FIRST, f, q
from tests.ops.program import Inputs, Program, Step, run

IMAGES = {"quint8": 0, "qint8": -128}
"""What the lowest step is."""
SLIDE: dict[str, Any] = {"strides": [1, 1, 1, 1], "padding": "SAME"}
MIN_INPUT, MAX_INPUT = f(-0.5), f(2)
# TensorFlow keeps what it made ready by where the ranges of filters lie in memory, whatever they
# are: rows whose ranges differ have images of other sizes.
SCALARS = f(-0.6), f(0.9)
CHANNELS = f([-0.6, -0.7, -1, -0.2, 0, -0.1]), f([0.9, 0.1, 0.3, 0.5, 0.7, 0])
FROZEN = f(-2.5), f(4)


def _steps(lowest: int, *shape: int) -> np.ndarray:
    return (np.arange(np.prod(shape)).reshape(shape) * 37) % 256 + lowest


def _filter(*shape: int) -> np.ndarray:
    """Steps that are even, and up to 62: without VNNI TensorFlow adds two products up in 16 bits,
    and of inputs with a sign it halves the filters first."""
    return q("qint8", ((np.arange(np.prod(shape)).reshape(shape) * 11) % 63 - 31) * 2)


def _most(dtype: str, *shape: int) -> np.ndarray:
    """Steps that are odd and nearly the most that 16 bits take: so are their products."""
    most = 255 if dtype == "quint8" else 63
    return q(dtype, most - np.arange(np.prod(shape)).reshape(shape) % 2 * 2)


def _bias(dtype: str, width: int) -> np.ndarray:
    steps = np.linspace(-1, 1.5, width)
    return f(steps) if dtype == "float32" else q("qint32", (steps * 9000).astype(np.int32))


def _convolved(
    op: str,
    x: np.ndarray,
    filters: np.ndarray,
    spans: tuple[np.ndarray, np.ndarray],
    bias: str = "float32",
) -> list[Any]:
    width = filters.shape[3] * (filters.shape[2] if "Depthwise" in op else 1)
    biases = [_bias(bias, width)] if "WithBias" in op else []
    frozen = FROZEN if op.endswith("Requantize") else ()
    return [x, filters, *biases, MIN_INPUT, MAX_INPUT, *spans, *frozen]


def _multiplied(op: str, bounds: tuple[float, ...], bias: str, inner: int) -> list[Any]:
    frozen = map(f, (-40, 70)) if op.endswith(("Requantize", "Dequantize")) else ()
    deep = inner > 9
    a = _most("quint8", 3, inner) if deep else _images("quint8", 3, inner)
    b = _most("qint8", inner, 6) if deep else _filter(inner, 6)
    return [a, b, _bias(bias, 6), *map(f, bounds), *frozen]


def _result(op: str) -> dict[str, Any]:
    return {
        "Toutput": "float32"
        if op.endswith("Dequantize")
        else "quint8"
        if op.endswith("Requantize")
        else "qint32"
    }


def _refused_products(op: str) -> tuple[Bad, ...]:
    """What shapes of a product's inputs are refused."""
    count = len(_multiplied(op, (0, 2, -1, 3), "float32", 4))

    def but(place: int, value: Any) -> Any:
        args = _multiplied(op, (0, 2, -1, 3), "float32", 4)
        return [*args[:place], value, *args[place + 1 :]]

    return (
        Bad(
            lambda v: but(0, q("quint8", [1, 2])),
            "Shape must be rank 2 but is rank 1",
            when="build",
        ),
        Bad(
            lambda v: but(1, _filter(5, 6)),
            "Dimensions must be equal, but are 4 and 5",
            when="build",
        ),
        Bad(lambda v: but(2, f(1)), "Shape must be rank 1 but is rank 0", when="build"),
        *(
            Bad(
                lambda v, p=place: but(p, f([1])),
                "Shape must be rank 0 but is rank 1",
                when="build",
            )
            for place in range(3, count)
        ),
    )


def _images(dtype: str, *shape: int) -> np.ndarray:
    return q(dtype, _steps(IMAGES[dtype], *shape))


def _bias_types(op: str) -> tuple[str, ...]:
    return ("float32", "qint32") if "WithBias" in op and op.endswith("Requantize") else ("float32",)


def _input_types(op: str) -> tuple[str, ...]:
    return ("quint8", "qint8") if op.startswith("QuantizedConv2DWithBias") else ("quint8",)


def _of_type(op: str) -> dict[str, Any]:
    requantizes = op.endswith("Requantize")
    return {"out_type": ("quint8" if "Relu" in op else "qint8") if requantizes else "qint32"}


def _refused(op: str, small: Any) -> tuple[Bad, ...]:
    """What shapes and attrs of a convolution are refused; `small` gives its inputs."""

    def but(place: int, value: Any) -> Any:
        args = small()
        return [*args[:place], value, *args[place + 1 :]]

    first = 3 if "WithBias" in op else 2
    slide = {**SLIDE, **_of_type(op)}
    bad = [
        Bad(lambda v: but(0, small()[0][0]), "Shape must be rank 4 but is rank 3", when="build"),
        Bad(
            lambda v: but(0, small()[0][..., :2]),
            r"Depth of input \(2\) is not a multiple of input depth of filter \(3\)",
            when="build",
        ),
        Bad(lambda v: but(first, f([1])), "Shape must be rank 0 but is rank 1", when="build"),
        Bad(lambda v: but(first + 1, f([1])), "Shape must be rank 0 but is rank 1", when="build"),
        Bad(lambda v: but(first + 2, f([[1]])), "rank [01] but is rank 2", when="build"),
        Bad(lambda v: but(first + 3, f([[1]])), "rank [01] but is rank 2", when="build"),
        Bad(
            lambda v: small(),
            "support strides in the batch and depth dimensions",
            attrs={**slide, "strides": [1, 1, 1, 2]},
        ),
        Bad(
            lambda v: small(),
            "support dilations in the batch and depth dimensions",
            attrs={**slide, "dilations": [2, 1, 1, 1]},
        ),
    ]
    if first == 3:
        bad.append(Bad(lambda v: but(2, f(1)), "Shape must be rank 1 but is rank 0", when="build"))
    if op.endswith("Requantize"):
        for place in (first + 4, first + 5):
            text = "Shape must be rank 0 but is rank 1"
            bad.append(Bad(lambda v, p=place: but(p, f([1])), text, when="build"))
    if op != "QuantizedConv2DPerChannel":
        bad += [
            Bad(lambda v: small(), text, attrs={**slide, "padding_list": pads}, when="build")
            for pads, text in (
                ([1, 2, 3, 4], "explicit_paddings attribute must contain 8 values, but got: 4"),
                ([0, 0, -1, 1, 1, 1, 0, 0], "All elements of explicit_paddings must be nonneg"),
                ([0, 1, 1, 1, 1, 1, 0, 0], "padding in the batch or depth dimensions is not supp"),
            )
        ]
    return tuple(bad)


def _refused_apart(op: str) -> tuple[Bad, ...]:
    """What TensorFlow refuses of these; most it leaves to the step, and there it crashes."""

    def args(x: np.ndarray) -> list[Any]:
        return _convolved(op, x, _filter(2, 3, 3, 2), SCALARS)

    return (
        Bad(
            lambda v: args(_images("quint8", 1, 5, 6, 2)),
            "Dimensions must be equal, but are 2 and 3",
            when="build",
        ),
        Bad(
            lambda v: args(_images("quint8", 5, 6, 3)), "must be rank 4 but is rank 3", when="build"
        ),
    )


CONVOLUTIONS = (
    "QuantizedConv2DPerChannel",
    "QuantizedConv2DAndRelu",
    "QuantizedConv2DAndRequantize",
    "QuantizedConv2DAndReluAndRequantize",
    "QuantizedConv2DWithBias",
    "QuantizedConv2DWithBiasAndRelu",
    "QuantizedConv2DWithBiasAndRequantize",
    "QuantizedConv2DWithBiasAndReluAndRequantize",
)
APART = (
    "QuantizedDepthwiseConv2D",
    "QuantizedDepthwiseConv2DWithBias",
    "QuantizedDepthwiseConv2DWithBiasAndRelu",
    "QuantizedDepthwiseConv2DWithBiasAndReluAndRequantize",
)
PRODUCTS = (
    "QuantizedMatMulWithBias",
    "QuantizedMatMulWithBiasAndRelu",
    "QuantizedMatMulWithBiasAndRequantize",
    "QuantizedMatMulWithBiasAndReluAndRequantize",
    "QuantizedMatMulWithBiasAndDequantize",
)
# Where the input's range starts above or below 0, TensorFlow is wrong but for a product whose steps
# are worth 1, and takes SCALED for MIN_FIRST: tests/kernels/ops/test_fused_quantization.py.
MODES = (
    ("MIN_FIRST", (-55, 200, -127, 100)),
    ("MIN_FIRST", (0, 2, -1, 3)),
    ("SCALED", (0, 2, -1, 3)),
)
MOVES: tuple[dict[str, Any], ...] = (
    {"strides": [1, 2, 2, 1], "padding": "VALID"},
    {"strides": [1, 2, 1, 1], "padding": "SAME", "dilations": [1, 1, 2, 1]},
    {**SLIDE, "padding_list": [0, 0, 1, 2, 0, 3, 0, 0]},
)

CASES = [
    *(
        Case(
            op,
            lambda v, o=op, t=dtype, b=bias, d=i + 3 * (dtype == "qint8"): _convolved(
                o, _images(t, 1, 4, 5 + d, 3), _filter(2, 3, 3, 6), SCALARS, b
            ),
            FIRST,
            attrs={**SLIDE, **_of_type(op)},
            static=(1,),
            label=f"{dtype}{bias}",
            bad=(
                _refused(
                    op,
                    lambda o=op: _convolved(
                        o, _images("quint8", 1, 4, 5, 3), _filter(2, 3, 3, 6), SCALARS
                    ),
                )
                if i == 0 and dtype == "quint8"
                else ()
            ),
        )
        for op in CONVOLUTIONS
        for dtype in _input_types(op)
        for i, bias in enumerate(_bias_types(op))
    ),
    *(
        Case(
            op,
            lambda v, o=op, b=bias: _convolved(
                o, _images("quint8", 2, 3, 5, 3), _filter(2, 3, 3, 6), CHANNELS, b
            ),
            FIRST,
            attrs={**SLIDE, **_of_type(op)},
            static=(1,),
            label=f"channels {bias}",
        )
        for op in CONVOLUTIONS
        if op != "QuantizedConv2DAndRequantize"
        for bias in _bias_types(op)
    ),
    *(
        Case(
            "QuantizedConv2DWithBiasAndRelu",
            lambda v: _convolved(
                "WithBias", _images("quint8", 2, 7, 8, 3), _filter(2, 3, 3, 6), SCALARS
            ),
            FIRST,
            attrs=moves,
            static=(1,),
            label=f"{moves}",
        )
        for moves in MOVES
    ),
    *(
        Case(
            op,
            lambda v, o=op, b=bias, s=spans, d=depth: _convolved(
                o, _images("quint8", 1, 5, d, 3), _filter(2, 3, 3, 2), s, b
            ),
            FIRST,
            attrs={**moves, **_of_type(op)},
            static=(1,),
            label=f"{depth}{bias}",
            bad=_refused_apart(op) if depth == 6 and bias == "float32" else (),
        )
        for op in APART
        for bias in _bias_types(op)
        for depth, spans, moves in (
            (6, SCALARS, SLIDE),
            (7, CHANNELS, {"strides": [1, 2, 2, 1], "padding": "VALID"}),
        )
    ),
    *(
        Case(
            op,
            lambda v, o=op, b=bias, n=bounds: _multiplied(o, n, b, 4),
            FIRST,
            attrs={**_result(op), "input_quant_mode": mode},
            label=f"{mode}{bounds}{bias}",
            bad=_refused_products(op) if mode == "SCALED" and bias == "float32" else (),
        )
        for op in PRODUCTS
        for bias in (("float32",) if op.endswith("AndRelu") else ("float32", "qint32"))
        for mode, bounds in MODES
    ),
    Case(
        "QuantizedDepthwiseConv2DWithBiasAndRelu",
        lambda v: _convolved(
            "DepthwiseWithBias", _images("quint8", 1, 5, 6, 3), _filter(2, 3, 3, 2), SCALARS
        ),
        FIRST,
        attrs={**SLIDE, "padding_list": [0, 0, 1, 2, 0, 3, 0, 0]},
        static=(1,),
        label="padding_list",
        # TensorFlow's static shape forgets the list.
        shapes=(),
    ),
    # Float32 does not hold all of a sum, but the sum of any half.
    Case(
        "QuantizedMatMulWithBias",
        lambda v: _multiplied("", (0, 2, -1, 3), "qint32", 1401),
        FIRST,
        attrs={"Toutput": "qint32"},
        label="deep",
    ),
    # The sums: float32 holds those of half of the channels; not even those of one; of a group.
    *(
        Case(
            "QuantizedDepthwiseConv2D",
            lambda v, s=size: _convolved(
                "", _most("quint8", 1, s, s, 2), _most("qint8", s, s, 2, 1), SCALARS
            ),
            FIRST,
            attrs=SLIDE,
            static=(1,),
            label=f"{size}x{size}",
        )
        for size in (4, 33)
    ),
    *(
        Case(
            "QuantizedConv2DPerChannel",
            lambda v, s=size, d=depth, g=groups: _convolved(
                "", _most("quint8", 1, s, s, d), _most("qint8", s, s, d // g, 2), SCALARS
            ),
            FIRST,
            attrs=SLIDE,
            static=(1,),
            label=f"{size}x{size}x{depth} {groups}",
        )
        for size, depth, groups in ((3, 150, 1), (33, 1, 1), (3, 4, 2))
    ),
]


def _summed(op: str, spans: tuple[np.ndarray, np.ndarray], size: int) -> Program:
    def build(tf: Any, v: Inputs) -> Iterator[Step]:
        for bias in _bias_types(op):
            x = v.known(_images("quint8", 1, 4, size, 3))
            filters = v.constant(_filter(2, 3, 3, 6))
            numbers = v.known(f(np.linspace(-9, 9, 24 * size).reshape(1, 4, size, 6)))
            attrs = {**SLIDE, **_of_type(op)}
            ends = [v.known(end) for end in (MIN_INPUT, MAX_INPUT, *spans)]
            names = ("min_input", "max_input", "min_filter", "max_filter")
            more = dict(zip(names, ends, strict=True))
            # TensorFlow writes over the summand, which has to be of its own making.
            if op.endswith("Requantize"):
                kind = tf.qint8 if "Signed" in op else tf.quint8
                made = tf.raw_ops.QuantizeV2(
                    input=numbers, min_range=f(-6), max_range=f(5), T=kind, mode="SCALED"
                )
                more |= {"summand": made[0], "min_summand": made[1], "max_summand": made[2]}
                more |= {"min_freezed_output": FROZEN[0], "max_freezed_output": FROZEN[1]}
            else:
                more["summand"] = numbers * 2.0
            biased = v.known(_bias(bias, 6))
            yield run(
                *getattr(tf.raw_ops, op)(input=x, filter=filters, bias=biased, **more, **attrs)
            )

    return Program(op, build, FIRST, label=f"{op}{size}")


PROGRAMS = [
    _summed(op, spans, size)
    for op in (
        "QuantizedConv2DWithBiasSumAndRelu",
        "QuantizedConv2DWithBiasSumAndReluAndRequantize",
        "QuantizedConv2DWithBiasSignedSumAndReluAndRequantize",
    )
    for spans, size in ((SCALARS, 9), (CHANNELS, 10))
]
