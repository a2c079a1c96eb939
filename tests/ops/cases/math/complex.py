"""Rows for building complex numbers and taking them apart."""

from __future__ import annotations

import numpy as np

from tests.ops.case import BROADCASTS, COMPLEX, FLOAT32_64, Bad, Case, Values, unary

REAL_OF = {"complex64": "float32", "complex128": "float64"}


def _part(op: str, dtype: str, shape: tuple[int, ...]) -> Case:
    return Case(
        op,
        lambda v: [v.any(*shape)],
        (dtype,),
        attrs={"Tout": REAL_OF[dtype]},
        gradients=(0,),
        label=f"{dtype}{shape}",
    )


def _infinite(v: Values) -> list[np.ndarray]:
    return [
        np.asarray([np.inf, 1.0, np.nan], v.dtype),
        np.asarray([1.0, -np.inf, 2.0], v.dtype),
    ]


CASES = [
    *unary("Conj", COMPLEX, gradients=(0,)),
    *(
        _part(op, dtype, shape)
        for op in ("Real", "Imag", "Angle", "ComplexAbs")
        for dtype in COMPLEX
        for shape in ((2, 3), (), (0, 3))
    ),
    *(
        Case(
            "Complex",
            lambda v, a=a, b=b: [v.any(*a), v.any(*b)],
            (dtype,),
            attrs={"Tout": result},
            gradients=(0, 1),
            # The weights of a complex loss have no finite difference.
            numeric=False,
            label=f"{dtype}{a}{b}",
            bad=(
                Bad(
                    lambda v: [v.any(2, 3), v.any(4, 5)],
                    "(?i)incompatible shapes|must be equal",
                ),
            ),
        )
        for dtype, result in zip(FLOAT32_64, COMPLEX, strict=True)
        for a, b in BROADCASTS
    ),
    Case("Complex", _infinite, ("float32",), attrs={"Tout": "complex64"}, label="infinite"),
]
