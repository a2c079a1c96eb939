"""Rows for the divisions and their remainders."""

from __future__ import annotations

import numpy as np

from tests.ops.case import COMPLEX, FLOAT32_64, FLOATS, INTEGERS, SIGNED, Bad, Case, Values, binary

FLOATS_COMPLEX = (*FLOATS, *COMPLEX)


def _signs(v: Values) -> list[np.ndarray]:
    return [
        np.asarray([7, -7, 7, -7, 6, -6, 0]).astype(v.dtype),
        np.asarray([3, 3, -3, -3, 3, 3, -2]).astype(v.dtype),
    ]


def _unsigned(v: Values) -> list[np.ndarray]:
    return [np.asarray([7, 200, 6, 0]).astype(v.dtype), np.asarray([3, 9, 6, 2]).astype(v.dtype)]


def _zeros(v: Values) -> list[np.ndarray]:
    return [
        np.asarray([1, -1, 0, 5, 3]).astype(v.dtype),
        np.asarray([0, 0, 0, np.inf, 2]).astype(v.dtype),
    ]


BY_ZERO = Bad(lambda v: [v.positive(2), v.positive(2) * 0], "Integer division by zero", when="run")


def _integer(op: str, dtypes: tuple[str, ...]) -> list[Case]:
    signed = tuple(t for t in dtypes if t in SIGNED)
    unsigned = tuple(t for t in dtypes if t not in SIGNED)
    rows = binary(op, dtypes, make="any", make_second="positive")
    # TensorFlow takes the zero divisor of these two for a fault of its own (InternalError).
    bad = () if op in ("TruncateDiv", "TruncateMod") else (BY_ZERO,)
    rows.append(Case(op, _signs, signed, label="signs", bad=bad))
    if unsigned:
        rows.append(Case(op, _unsigned, unsigned, label="unsigned"))
    return rows


CASES = [
    *binary(
        "RealDiv",
        FLOATS_COMPLEX,
        make="any",
        make_second="positive",
        gradients=(0, 1),
    ),
    *binary("Div", FLOATS_COMPLEX, make="any", make_second="positive", gradients=(0, 1)),
    *binary(
        "DivNoNan",
        FLOATS_COMPLEX,
        make="any",
        make_second="positive",
        gradients=(0, 1),
    ),
    Case("DivNoNan", _zeros, FLOATS, gradients=(0, 1), numeric=False, label="zeros"),
    Case("RealDiv", _zeros, FLOATS, label="zeros"),
    *_integer("Div", INTEGERS),
    *_integer("FloorDiv", INTEGERS),
    *_integer("TruncateDiv", INTEGERS),
    *_integer("FloorMod", INTEGERS),
    *_integer("Mod", ("int32", "int64")),
    *_integer("TruncateMod", ("int32", "int64")),
    *(Case(op, _signs, FLOATS, label="signs") for op in ("FloorDiv", "TruncateDiv", "FloorMod")),
    *(Case(op, _zeros, FLOATS, label="zeros") for op in ("FloorDiv", "TruncateDiv", "FloorMod")),
    *(Case(op, _signs, FLOAT32_64, label="float signs") for op in ("Mod", "TruncateMod")),
    *(Case(op, _zeros, FLOAT32_64, label="float zeros") for op in ("Mod", "TruncateMod")),
    Case(
        "FloorMod",
        lambda v: [v.any(4) * v.dtype.type(5), v.positive(4)],
        FLOAT32_64,
        gradients=(0, 1),
        label="gradient",
    ),
    *(
        Case(
            op,
            lambda v: [v.any(4), v.positive(4)],
            FLOAT32_64,
            gradients=(0, 1),
            numeric=False,
            label="gradient",
        )
        for op in ("FloorDiv", "TruncateDiv")
    ),
]
