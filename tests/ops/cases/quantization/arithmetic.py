"""Rows for sums, products, joins, shapes and sizes of quantized tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ops.case import Bad, Case
from tests.ops.cases.quantization.layers import IMAGES, MATRIX, SPANS
from tests.ops.cases.quantization.steps import FIRST, f, q

OTHERS: tuple[Any, ...] = (MATRIX, [1, 50, 99], 50)
SIZES: tuple[dict[str, Any], ...] = ({}, {"align_corners": True}, {"half_pixel_centers": True})


def _range(*bounds: Any) -> list[np.ndarray]:
    return [f(bound) for bound in bounds]


def _wide(dtype: str) -> np.ndarray:
    return q(dtype, IMAGES if dtype == "quint8" else (IMAGES - 100) * 7000001)


CASES = [
    *(
        Case(
            op,
            lambda v, y=y, s=span: [q("quint8", MATRIX), q("quint8", y), *_range(*s)],
            FIRST,
            label=f"{np.shape(y)}{span}",
            bad=(
                Bad(
                    lambda v: [q("quint8", MATRIX), q("quint8", 3), *_range(1, -1, 0, 1)],
                    "max_x must be larger than min_",
                    when="run",
                ),
            ),
        )
        for op in ("QuantizedAdd", "QuantizedMul")
        for y in OTHERS
        for span in SPANS
    ),
    Case(
        "QuantizedMul",
        lambda v: [q("quint8", MATRIX), q("quint8", [[1, 3, 9]]), *_range(1, 1.01, -2, 1)],
        FIRST,
        label="beyond",
        bad=(
            Bad(
                lambda v: [q("quint8", MATRIX), q("quint8", [[1]] * 3), *_range(-1, 1, 0, 1)],
                r"Incompatible shapes: \[2,3\] vs. \[3,1\]",
                when="run",
            ),
        ),
    ),
    *(
        Case(
            "QuantizedConcat",
            lambda v, t=dtype, b=bounds: [
                np.array(1, np.int32),
                [q(t, MATRIX), q(t, MATRIX[:, :1])],
                _range(*b[0]),
                _range(*b[1]),
            ],
            FIRST,
            static=(0,),
            label=f"{dtype}{bounds}",
        )
        for dtype in ("quint8", "qint32")
        for bounds in (((-1, -2), (1, 3)), ((1, 2), (2, 3)), ((-1, -1), (1, 1)))
    ),
    Case(
        "QuantizedConcat",
        lambda v: [
            np.array(0, np.int32),
            [q("quint8", MATRIX), q("quint8", MATRIX[:1])],
            _range(-1, -2),
            _range(1, 3),
        ],
        FIRST,
        label="rows",
        bad=(
            Bad(
                lambda v: [
                    np.array(3, np.int32),
                    [q("quint8", MATRIX)] * 2,
                    _range(-1, -2),
                    _range(1, 3),
                ],
                r"Expected concatenating dimensions in the range \[0, 2\), but got 3",
                when="run",
            ),
            Bad(
                lambda v: [
                    np.array(0, np.int32),
                    [q("quint8", MATRIX), q("quint8", MATRIX[:, :1])],
                    _range(-1, -2),
                    _range(1, 3),
                ],
                "Dimensions of inputs should match: shape.0. = .2,3. vs. shape.1. = .2,1.",
                when="run",
            ),
        ),
    ),
    *(
        Case(
            "QuantizedReshape",
            lambda v, t=dtype: [q(t, MATRIX), np.array([3, -1], np.int32), *_range(-1, 2)],
            FIRST,
            label=dtype,
            bad=(
                Bad(
                    lambda v: [
                        q("quint8", MATRIX),
                        np.array([3, 2], np.int32),
                        *_range([1, 2], 2),
                    ],
                    "input_min must be a scalar or a vector of 1 element",
                    when="run",
                ),
            ),
        )
        for dtype in ("quint8", "qint32")
    ),
    *(
        Case(
            "QuantizedResizeBilinear",
            lambda v, t=dtype, s=size: [_wide(t), np.array(s, np.int32), *_range(-1, 2)],
            FIRST,
            attrs=attrs,
            label=f"{dtype}{attrs}{size}",
        )
        for dtype in ("quint8", "qint32")
        for attrs in SIZES
        for size in ((3, 7), (9, 2))
    ),
    Case(
        "QuantizedResizeBilinear",
        lambda v: [IMAGES.astype(np.float32), np.array([3, 7], np.int32), *_range(-1, 2)],
        FIRST,
        label="float32",
    ),
]
