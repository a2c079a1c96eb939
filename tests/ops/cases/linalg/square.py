"""Rows for inverses, determinants, factors and functions of square matrices."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.ops.case import COMPLEX, FLOAT32_64, Bad, Case, Values
from tests.ops.cases.linalg.matrices import LAPACK, SQUARES, definite, regular, triangular
from tests.ops.program import Inputs, Program, Step, run, slopes

NOT_SQUARE = (
    Bad(lambda v: [v.any(2)], "Shape must be at least rank 2 but is rank 1", when="build"),
    Bad(lambda v: [v.any(2)], "Input tensor (0 )?must have rank >= 2, got 1", when="run"),
    Bad(lambda v: [v.any(2, 3)], "Dimensions must be equal, but are [23] and [23]", when="build"),
    Bad(lambda v: [v.any(2, 3)], "Input matrix must be square", when="run"),
)


def _singular(v: Values) -> list[np.ndarray]:
    return [np.array([[1, 2], [2, 4]], v.dtype)]


def _nan(v: Values) -> list[np.ndarray]:
    return [np.array([[np.nan, 2], [2, 4]], v.dtype)]


NOT_INVERTIBLE = tuple(
    Bad(args, "Input is not invertible", when="run") for args in (_singular, _nan)
)


def _each(op: str, make: Any, dtypes: tuple[str, ...] = LAPACK, **options: Any) -> list[Case]:
    bad = options.pop("bad", ()) + NOT_SQUARE
    return [
        Case(
            op,
            lambda v, s=shape: [make(v, *s)],
            dtypes,
            label=f"{options.get('attrs', {})}{shape}",
            bad=bad if shape == (3, 3) else (),
            **options,
        )
        for shape in SQUARES
    ]


CASES = [
    *_each("Cholesky", definite, gradients=(0,), numeric=False),
    *(
        Case("Cholesky", lambda v, n=n: [definite(v, 2, n, n)], LAPACK, label=f"{n} rows")
        for n in (23, 24, 70)
    ),
    *_each("MatrixInverse", regular, gradients=(0,), bad=NOT_INVERTIBLE),
    *_each("MatrixInverse", regular, gradients=(0,), attrs={"adjoint": True}),
    Case("MatrixInverse", lambda v: [regular(v, 2, 2)], ("float16",), label="half"),
    *_each("MatrixDeterminant", regular, gradients=(0,), atol=1e-3, rtol=1e-5),
    *_each("LogMatrixDeterminant", regular, gradients=(0,)),
    *_each("MatrixSquareRoot", definite, gradients=(0,), rtol=1e-3, atol=1e-3),
    *_each("MatrixLogarithm", definite, COMPLEX, rtol=1e-3, atol=1e-3),
    *_each("Lu", regular, bad=NOT_INVERTIBLE, attrs={"output_idx_type": np.int64}),
    *_each("Lu", regular, rtol=1e-4),
    *(
        Case(
            "CholeskyGrad",
            lambda v, s=shape: [triangular(v, *s), v.any(*s)],
            FLOAT32_64,
            label=str(shape),
            bad=(
                Bad(lambda v: [v.any(2, 2), v.any(2, 3)], "must have the same shape", when="run"),
                Bad(lambda v: [v.any(2, 3), v.any(2, 3)], "be a square matrices", when="run"),
                Bad(lambda v: [v.any(2, 2), v.any(2)], "must have the same rank", when="run"),
                Bad(
                    lambda v: [v.any(2, 2, 2), v.any(1, 2, 2)],
                    "must have the same outer dimensions",
                    when="run",
                ),
            ),
        )
        for shape in SQUARES
    ),
    *(
        Case(
            op,
            lambda v, m=matrix: [np.array(m, v.dtype)],
            FLOAT32_64,
            label=f"odd{number}",
        )
        for op in ("MatrixDeterminant", "LogMatrixDeterminant", "MatrixSquareRoot")
        for number, matrix in enumerate(
            ([[np.nan, 1], [1, 2]], [[1, 2], [2, 1]], [[4, 0], [0, 9]], [[4, 1], [0, 9]])
        )
    ),
]


def _positive_definite(tf: Any, v: Inputs) -> Iterator[Step]:
    """The slope of the factor of a definite matrix is that of what it is made of."""
    half = v.fed(v.any(2, 3, 3))
    factor = tf.cholesky(tf.matmul(half, half, adjoint_b=True) + tf.eye(3, dtype=half.dtype))
    yield slopes(tf, [factor, tf.cholesky_solve(factor, half)], [half])


def _not_positive(tf: Any, v: Inputs) -> Iterator[Step]:
    """NaN takes the place of the lower triangle; what is above it is not defined."""
    matrices = v.fed(np.array([[[1, 2], [2, 1]], [[4, 2], [2, 4]], [[np.nan, 1], [1, 2]]]), v.dtype)
    yield run(tf.matrix_diag_part(tf.cholesky(matrices)), tf.cholesky(matrices)[..., 1, :])
    large = np.stack([np.eye(25) * 2 + 1] * 3)
    large[1, 24, 24], large[2, 3, 3] = 0.1, np.nan
    factors = tf.cholesky(v.fed(large, v.dtype))
    yield run(tf.matrix_diag_part(factors), factors[..., 24, :])


PROGRAMS = [
    Program("Cholesky", _positive_definite, FLOAT32_64, gradients=True, rtol=1e-3, atol=1e-3),
    Program("Cholesky", _not_positive, LAPACK),
]
