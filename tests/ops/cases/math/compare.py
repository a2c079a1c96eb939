"""Rows for comparisons, logic and bit operations."""

from __future__ import annotations

import numpy as np

from tests.ops.case import COMPLEX, FLOAT32_64, INTEGERS, NUMBERS, REAL, Bad, Case, Values, binary
from tests.ops.case import unary as unary_rows
from tests.ops.knowledge import STATIC

MISFIT = {"incompatible_shape_error": False}


def _near(v: Values) -> list[np.ndarray]:
    x = v.any(6)
    return [x, x + np.asarray([0, 1e-6, -1e-6, 1e-3, -1e-3, 1], v.dtype)]


def _nan(v: Values) -> list[np.ndarray]:
    values = np.asarray([np.nan, 1, np.inf, -np.inf], v.dtype)
    return [values, values[::-1].copy()]


def _shifts(v: Values) -> list[np.ndarray]:
    return [
        np.asarray([1, 1, 1, 100, 3, 127]).astype(v.dtype),
        np.asarray([0, 3, 7, 9, 100, 1]).astype(v.dtype),
    ]


CASES = [
    *(row for op in ("Equal", "NotEqual") for row in binary(op, (*NUMBERS, "bool", "string"))),
    *(
        Case(
            op,
            lambda v, a=a, b=b: [v.any(*a), v.any(*b)],
            (*NUMBERS, "string"),
            attrs=MISFIT,
            label=f"lenient{a}{b}",
            # TensorFlow takes unknown sizes for ones that fit, though the result may be a scalar.
            shapes=(STATIC,),
        )
        for op in ("Equal", "NotEqual")
        for a, b in (((2, 3), (4, 5)), ((2, 3), (3,)), ((2,), (2,)))
    ),
    *(row for op in ("Less", "LessEqual", "Greater", "GreaterEqual") for row in binary(op, REAL)),
    *(
        Case(op, _nan, FLOAT32_64, label="nan")
        for op in ("Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual")
    ),
    Case("Equal", lambda v: [v.any(8), v.any(8)], COMPLEX, label="complex"),
    Case(
        "ApproximateEqual",
        _near,
        FLOAT32_64,
        bad=(
            Bad(lambda v: [v.any(2), v.any(3)], "x and y must be of the same shape", when="run"),
            Bad(lambda v: [v.any(2), v.any(3)], "Dimension 0 in both shapes", when="build"),
        ),
    ),
    Case("ApproximateEqual", _near, FLOAT32_64, attrs={"tolerance": 0.01}, label="tolerance"),
    *binary("LogicalAnd", ("bool",)),
    *binary("LogicalOr", ("bool",)),
    *unary_rows("LogicalNot", ("bool",)),
    *(row for op in ("BitwiseAnd", "BitwiseOr", "BitwiseXor") for row in binary(op, INTEGERS)),
    *unary_rows("Invert", INTEGERS),
    *unary_rows("PopulationCount", INTEGERS),
    *(
        row
        for op in ("LeftShift", "RightShift")
        for row in binary(op, INTEGERS, make="any", make_second="positive")
    ),
    *(Case(op, _shifts, INTEGERS, label="many bits") for op in ("LeftShift", "RightShift")),
]
