"""Rows for counting."""

from __future__ import annotations

import numpy as np

from tests.ops.case import FLOAT32_64, Bad, Case, Values


def _cast(v: Values, *values: float) -> list[np.ndarray]:
    return [np.asarray(x).astype(v.dtype) for x in values]


def _counted(v: Values, *integers: int) -> list[np.ndarray]:
    return [np.asarray(integers, v.dtype), np.asarray(4, v.dtype)]


CASES = [
    *(
        Case(
            "Bincount",
            lambda v, w=weighted: [
                np.int32([1, 2, 5, 1]),
                np.int32(4),
                v.any(4) if w else v.any(0),
            ],
            ("int32", "int64", "float32", "float64"),
            static=(1,) if weighted else (),
            label=str(weighted),
            bad=(
                Bad(
                    lambda v: [np.int32([-1]), np.int32(4), v.any(0)],
                    "must be non-negative",
                    when="run",
                ),
                Bad(
                    lambda v: [np.int32([1]), np.int32(-4), v.any(0)],
                    r"size \(-4\) must be non-negative",
                ),
                Bad(
                    lambda v: [np.int32([1, 2]), np.int32(4), v.any(3)],
                    "must have the same size",
                    when="run",
                ),
            ),
        )
        for weighted in (False, True)
    ),
    *(
        Case(
            "DenseBincount",
            lambda v, s=shape, w=weights, full=weighted: [
                np.asarray([1, 2, 5, 1]).astype(v.dtype).reshape(s),
                np.asarray(4, v.dtype),
                Values(w).any(*s) if full else Values(w).any(0),
            ],
            ("int32", "int64"),
            attrs={"binary_output": binary},
            static=(1,) if binary else (),
            label=f"{shape}{weights}{weighted}{binary}",
            bad=(
                Bad(lambda v: [*_counted(v, 1, -2), v.any(0)], "must be non-negative", when="run"),
                Bad(lambda v: [v.positive(1), v.positive() * -4, v.any(0)], "must be non-negative"),
                Bad(lambda v: [*_counted(v, 1, 2), v.any(3)], "must be the same shape", when="run"),
                Bad(
                    lambda v: [v.positive(1, 1, 1), v.positive(), v.any(0)],
                    "Shape must be at most rank 2 but is rank 3",
                ),
            ),
        )
        for shape in ((4,), (2, 2))
        for weights, weighted, binary in (
            ("int32", False, False),
            ("float32", True, False),
            ("float64", False, True),
        )
    ),
    Case(
        "Bucketize",
        lambda v: _cast(v, [-1, 0, 0.5, 1, 7]),
        ("int32", "int64", *FLOAT32_64),
        attrs={"boundaries": [0.0, 1.0, 2.0]},
        bad=(
            Bad(
                lambda v: [v.any(2)],
                "Expected sorted boundaries",
                attrs={"boundaries": [1.0, 0.0]},
                when="run",
            ),
        ),
    ),
    Case(
        "HistogramFixedWidth",
        lambda v: [*_cast(v, [-1, 0, 1, 7, 2, 10, 11], [0, 10]), np.int32(5)],
        ("int32", "int64", *FLOAT32_64),
        attrs={"dtype": "int64"},
        static=(2,),
        bad=(
            Bad(lambda v: [*_cast(v, [1], [10, 0]), np.int32(5)], "should satisfy", when="run"),
            Bad(
                lambda v: [*_cast(v, [1], [0, 1, 2]), np.int32(5)],
                "vector of 2 elements",
                when="run",
            ),
            Bad(
                lambda v: [*_cast(v, [1], [0, 1, 2]), np.int32(5)],
                "Dimension must be 2 but is 3",
                when="build",
            ),
            Bad(lambda v: [*_cast(v, [1], [0, 1]), np.int32(-5)], "nbins > 0: -5", when="build"),
            Bad(
                lambda v: [*_cast(v, [1], [0, 1]), np.int32(-5)],
                "nbins should be a positive",
                when="run",
            ),
            Bad(
                lambda v: [*_cast(v, [1, np.nan], [0, 1]), np.int32(5)],
                "Histogram values must not contain NaN",
                dtype="float32",
            ),
        ),
    ),
]
