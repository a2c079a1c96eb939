"""Rows for sums, differences, products, extremes, powers and sums of many tensors."""

from __future__ import annotations

import numpy as np

from tests.ops.case import (
    COMPLEX,
    FLOAT32_64,
    FLOATS,
    NUMBERS,
    REAL,
    SIGNED,
    Bad,
    Case,
    Values,
    binary,
)

FLOATS_COMPLEX = (*FLOATS, *COMPLEX)
BOTH = (0, 1)


def _with_zeros(v: Values) -> list[np.ndarray]:
    zeros_and_more = np.asarray([0, 0, 1, 2, np.inf, np.nan]).astype(v.dtype)
    return [zeros_and_more[::-1].copy(), np.asarray([0, 1, 0, 2, 0, 0]).astype(v.dtype)]


def _zero_first(v: Values) -> list[np.ndarray]:
    return [np.asarray([0, 0, 1, 2]).astype(v.dtype), np.asarray([0, 3, 2, 0.5]).astype(v.dtype)]


def _differing_terms(v: Values) -> list[list[np.ndarray]]:
    return [[v.any(2), v.any(3)]]


CASES = [
    *(
        Case(
            "AccumulateNV2",
            lambda v, n=n: [[v.any(2, 3) for _ in range(n)]],
            NUMBERS,
            attrs={"shape": [2, 3]},
            gradients=tuple(range(n)),
            label=str(n),
        )
        for n in (1, 2, 5)
    ),
    *binary("Add", (*FLOATS, "uint8", *SIGNED, *COMPLEX, "string"), gradients=BOTH),
    *binary("AddV2", NUMBERS, gradients=BOTH),
    *binary("Sub", NUMBERS, gradients=BOTH),
    *binary("Mul", NUMBERS, gradients=BOTH),
    *binary("MulNoNan", FLOATS_COMPLEX, gradients=BOTH),
    Case("MulNoNan", _with_zeros, FLOATS_COMPLEX, label="zeros"),
    *binary("SquaredDifference", (*FLOATS, "int32", "int64", *COMPLEX), gradients=BOTH),
    *binary("Maximum", REAL, gradients=BOTH),
    *binary("Minimum", REAL, gradients=BOTH),
    *binary("Pow", FLOATS_COMPLEX, make="positive", make_second="any", gradients=BOTH),
    *binary("Pow", SIGNED, make="positive"),
    Case(
        "Pow",
        lambda v: [v.positive(3), v.positive(3)],
        ("int32",),
        label="negative exponent",
        bad=(
            Bad(
                lambda v: [v.positive(2), -v.positive(2)],
                "Integers to negative integer powers are not allowed",
                when="run",
            ),
        ),
    ),
    *binary("Atan2", FLOATS, gradients=BOTH),
    *binary("NextAfter", FLOAT32_64, gradients=BOTH, rtol=0, atol=0, numeric=False),
    *(
        row
        for op in ("Xdivy", "Xlogy", "Xlog1py")
        for row in binary(op, FLOATS_COMPLEX, make="positive", gradients=BOTH)
    ),
    *(
        Case(
            op,
            lambda v: [v.positive(3, 4), v.positive(3, 4)],
            ("half",),
            rtol=0,
            atol=0,
            label="rounded twice",
        )
        for op in ("Xlogy", "Xlog1py")
    ),
    *(
        Case(op, _zero_first, FLOATS_COMPLEX, gradients=(0,), numeric=False, label="zeros")
        for op in ("Xdivy", "Xlogy", "Xlog1py")
    ),
    *(
        Case(
            "AddN",
            lambda v, n=n, s=shape: [[v.any(*s) for _ in range(n)]],
            NUMBERS,
            gradients=tuple(range(n)),
            label=f"{n}{shape}",
            bad=(
                Bad(_differing_terms, "must have the same size and shape", when="run"),
                Bad(_differing_terms, "Dimension 0 in both shapes must be equal", when="build"),
            )
            if n == 2
            else (),
        )
        for n, shape in ((1, (2,)), (2, (2, 3)), (3, ()), (5, (0, 2)), (9, (3,)))
    ),
]
