"""Rows for layers on quantized numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ops.case import Bad, Case
from tests.ops.cases.quantization.steps import FIRST, f, q

# Without VNNI TensorFlow adds two products with filters up in 16 bits, which hold these.
IMAGES = (np.arange(48).reshape(1, 4, 4, 3) * 37) % 128
FILTER = (np.arange(24).reshape(2, 2, 3, 2) * 11) % 256
MATRIX = np.arange(6).reshape(2, 3) * 40
SPANS = ((-1, 1, -2, 1), (0, 3, -0.5, 0.25))


def _range(*bounds: float) -> list[np.ndarray]:
    return [f(bound) for bound in bounds]


def _images(filter_type: str, *bounds: float) -> list[Any]:
    values = FILTER if filter_type == "quint8" else FILTER - 128
    return [q("quint8", IMAGES), q(filter_type, values), *_range(*bounds)]


def _most(*shape: int) -> np.ndarray:
    """Steps that are odd and nearly the most that there are."""
    return q("quint8", 253 + np.arange(np.prod(shape)).reshape(shape) % 2 * 2)


CONV = {"strides": [1, 1, 1, 1], "padding": "SAME"}

CASES = [
    # Float32 holds a position's sum, but not those of all nine; then not even a position's; of
    # the products, float64 holds none.
    *(
        Case(
            "QuantizedConv2D",
            lambda v, d=depth: [_most(1, 3, 3, d), _most(3, 3, d, 2), *_range(0, 1, 0, 1)],
            FIRST,
            attrs=CONV,
            label=f"{depth} deep",
        )
        for depth in (199, 301)
    ),
    *(
        Case(
            "QuantizedMatMul",
            lambda v, w=width, b=bounds: [_most(2, w), _most(w, 3), *_range(*b * 2)],
            FIRST,
            label=f"{width} wide {bounds}",
        )
        for width, bounds in ((250, (0, 1)), (301, (0, 1)), (9, (1, 1.000001)))
    ),
    *(
        Case(
            "QuantizedConv2D",
            lambda v, s=span, t=filter_type: _images(t, *s),
            FIRST,
            attrs={"strides": [1, stride, stride, 1], "padding": padding},
            # TensorFlow takes a filter with a sign as a constant only.
            static=(1,) if filter_type == "qint8" else (),
            label=f"{span}{stride}{padding}{filter_type}",
        )
        for span in SPANS
        for stride, padding in ((1, "SAME"), (2, "VALID"))
        for filter_type in ("quint8", "qint8")
    ),
    Case(
        "QuantizedConv2D",
        lambda v: _images("quint8", -1, 1, -2, 1),
        FIRST,
        attrs=CONV,
        bad=(
            Bad(
                lambda v: _images("quint8", -1, 1, -2, 1),
                "Current implementation only supports dilated rate as 1",
                attrs={**CONV, "dilations": [1, 2, 2, 1]},
            ),
            Bad(
                lambda v: _images("quint8", -1, 1, -2, 1),
                "does not yet support strides in the batch and depth dimensions",
                attrs={**CONV, "strides": [1, 1, 1, 2]},
            ),
            Bad(
                lambda v: _images("quint8", -1, 1, -2, 1),
                "only supports equal length strides in the row and column dimensions",
                attrs={**CONV, "strides": [1, 1, 2, 1]},
            ),
        ),
    ),
    *(
        Case(
            "QuantizedMatMul",
            lambda v, s=span, t=turned: [
                q("quint8", MATRIX if not t else MATRIX.T),
                q("quint8", MATRIX.T if not t else MATRIX),
                *_range(*s),
            ],
            FIRST,
            attrs={"transpose_a": turned, "transpose_b": turned},
            label=f"{span}{turned}",
            bad=(
                ()
                if turned
                else (
                    Bad(
                        lambda v: [q("quint8", MATRIX)] * 2 + _range(1, 1, -2, 1),
                        "max_a must be larger than min_a.",
                        when="run",
                    ),
                    Bad(
                        lambda v: [q("quint8", MATRIX)] * 2 + _range(-1, 1, -2, 1),
                        r"Matrix size-incompatible: In\[0\]: \[2,3\], In\[1\]: \[2,3\]",
                        when="run",
                    ),
                    Bad(
                        lambda v: [q("quint8", MATRIX)] * 2 + _range([1, 2], 1, -2, 1),
                        r"min_a must be a scalar, but got shape\[2\]",
                        when="run",
                    ),
                )
            ),
        )
        for span in (*SPANS, (1, 1.001, -2, 1))
        for turned in (False, True)
    ),
    *(
        Case(
            "QuantizedBiasAdd",
            lambda v, t=dtype, s=span: [
                q(t, MATRIX % 128),
                q(t, [1, 50, 99]),
                *_range(*s),
            ],
            FIRST,
            attrs={"out_type": "qint32"},
            label=f"{dtype}{span}",
            bad=(
                Bad(
                    lambda v: [q("qint8", MATRIX % 128), q("qint8", [1, 2]), *_range(-1, 1, 0, 1)],
                    r"Must provide as many biases as the last dimension of the input tensor",
                    when="run",
                ),
                Bad(
                    lambda v: [q("qint8", 3), q("qint8", [1, 2]), *_range(-1, 1, 0, 1)],
                    r"Input tensor must be at least 2D: \[\]",
                    when="run",
                ),
            ),
        )
        for dtype in ("quint8", "qint8")
        for span in SPANS
    ),
    *(
        Case(
            op,
            lambda v, t=dtype, s=span: [q(t, MATRIX), *_range(*s)],
            FIRST,
            attrs={"out_type": dtype},
            label=f"{dtype}{span}",
        )
        for op in ("QuantizedRelu", "QuantizedRelu6")
        for dtype in ("quint8", "qint32")
        for span in ((-1, 11), (1, 2), (-30, 0), (3, 3))
    ),
    *(
        Case(
            op,
            lambda v, t=dtype: [q(t, IMAGES if t == "quint8" else IMAGES - 128), *_range(-1, 2)],
            FIRST,
            attrs={
                "ksize": [1, 2, 3, 1],
                "strides": [1, stride, stride, 1],
                "padding": padding,
            },
            label=f"{dtype}{padding}",
        )
        for op in ("QuantizedMaxPool", "QuantizedAvgPool")
        for dtype in ("quint8", "qint8")
        for stride, padding in ((1, "SAME"), (2, "VALID"))
    ),
    *(
        Case(
            "QuantizedInstanceNorm",
            lambda v, x=x: [q("quint8", x), *_range(-1, 2)],
            FIRST,
            attrs=attrs,
            label=f"{attrs}{x.shape}",
            bad=(
                Bad(
                    lambda v: [q("quint8", IMAGES), *_range(1, -2)],
                    "input_min must be less than input_max : 1 >= -2",
                ),
                Bad(
                    lambda v: [q("quint8", IMAGES), *_range(-1, 2)],
                    "given_y_min must be less than given_y_max : 3 >= 2",
                    attrs={"output_range_given": True, "given_y_min": 3.0, "given_y_max": 2.0},
                ),
            ),
        )
        for attrs in ({}, {"output_range_given": True, "given_y_min": -1.0, "given_y_max": 2.0})
        for x in (IMAGES, IMAGES.reshape(2, 4, 2, 3))
    ),
    Case(
        "QuantizedInstanceNorm",
        lambda v: [q("quint8", IMAGES * 0 + 9), *_range(-1, 2)],
        FIRST,
        label="equal",
    ),
    *(
        Case(
            "QuantizedBatchNormWithGlobalNormalization",
            lambda v: [
                *(q("quint8", IMAGES), *_range(-1, 2)),
                *(q("quint8", [1, 30, 200]), *_range(-1, 1)),
                *(q("quint8", [100, 130, 200]), *_range(0, 1)),
                *(q("quint8", [3, 4, 5]), *_range(-1, 1)),
                *(q("quint8", [3, 40, 150]), *_range(-1, 1)),
            ],
            FIRST,
            attrs={
                "out_type": "qint32",
                "variance_epsilon": 0.001,
                "scale_after_normalization": scaled,
            },
            label=str(scaled),
        )
        for scaled in (True, False)
    ),
]
