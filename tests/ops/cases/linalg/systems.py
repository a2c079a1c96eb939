"""Rows for systems of linear equations."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ops.case import Bad, Case, Values
from tests.ops.cases.linalg.matrices import LAPACK, regular

BOTH = (False, True)
SHAPES = (
    ((3, 3), (3, 2)),
    ((2, 3, 3), (2, 3, 1)),
    ((0, 0), (0, 2)),
    ((2, 2), (2, 0)),
    ((0, 2, 2), (0, 2, 1)),
)
BROADCASTS = (
    *SHAPES,
    ((2, 3, 3), (3, 2)),
    ((3, 3), (2, 3, 2)),
    ((2, 1, 3, 3), (4, 3, 1)),
    ((9, 2, 2), (9, 2, 2)),
)


def _system(v: Values, matrix: tuple[int, ...], rhs: tuple[int, ...]) -> list[np.ndarray]:
    return [regular(v, *matrix), v.any(*rhs)]


def _bad(text: str, matrix: Any, rhs: Any, when: str = "run") -> Bad:
    return Bad(lambda v: [np.array(matrix, v.dtype), np.array(rhs, v.dtype)], text, when=when)


ONES = np.ones
SINGULAR = [[1, 2], [2, 4]]
MATRIX_SOLVE = (
    _bad("Input matrix is not invertible", SINGULAR, ONES((2, 1))),
    _bad("Input matrix is not invertible", [[np.nan, 1], [1, 2]], ONES((2, 1))),
    _bad("must have rank >= 2, got 1", [1], [[1]]),
    _bad("must have the same rank", np.eye(2), ONES((3, 2, 1))),
    _bad("must have the same outer dimensions", ONES((3, 2, 2)), ONES((2, 2, 1))),
    _bad("First input .lhs. must be a square matrix", ONES((2, 3)), ONES((2, 1))),
    _bad("Input matrix and rhs are incompatible", np.eye(2), ONES((3, 1))),
    _bad("Dimensions must be equal, but are 2 and 3", np.eye(2), ONES((3, 1)), "build"),
    _bad("Shapes must be equal rank, but are 1 and 0", ONES((3, 2, 2)), ONES((2, 1)), "build"),
    _bad("must be at least rank 2 but is rank 1", [1], [[1]], "build"),
)
TRIANGULAR = (
    _bad("In.0. ndims must be >= 2: 1", [1], [[1]]),
    _bad("In.1. ndims must be >= 2: 1", np.eye(2), [1, 2]),
    _bad(r"dimensions must be square \(3 =/= 2\)", ONES((2, 3)), ONES((2, 1))),
    _bad(r"In.0. mismatch In.1. shape: 2 vs. 3: \[2,2\] \[3,1\] 1 0", np.eye(2), ONES((3, 1))),
    _bad("must have compatible batch dimensions", ONES((3, 2, 2)), ONES((2, 2, 1))),
    _bad("Dimensions must be equal, but are 3 and 2", ONES((3, 2, 2)), ONES((2, 2, 1)), "build"),
)
BANDED = (
    _bad("Input matrix is not invertible", [[1, 0], [2, 0]], ONES((2, 1))),
    _bad("In.0. must not be an empty tensor", ONES((0, 2, 2)), ONES((0, 2, 1))),
    _bad("In.1. must not be an empty tensor", np.eye(2), ONES((2, 0))),
    _bad("In.0. ndims must be >= 2: 1", [1], [[1]]),
    _bad("In.0. mismatch In.1. shape: 3 vs. 2", ONES((2, 3)), ONES((2, 1))),
    _bad("must have compatible batch dimensions", ONES((3, 2, 2)), ONES((2, 2, 1))),
    _bad("Number of bands must be positive, but is 0", ONES((0, 2)), ONES((2, 1)), "build"),
    _bad("Number of bands 3 cannot exceed the size", ONES((3, 2)), ONES((2, 1)), "build"),
)
LEAST_SQUARES = tuple(
    Bad(
        lambda v, m=matrix, r=rhs, x=l2: [np.array(m, v.dtype), np.array(r, v.dtype), np.array(x)],
        text,
        when=when,
    )
    for text, matrix, rhs, l2, when in (
        ("provide a larger l2_regularizer > 0", ONES((3, 2)), ONES((3, 1)), 0.0, "run"),
        ("provide an l2_regularizer > 0", ONES((2, 3)), ONES((2, 1)), 0.0, "run"),
        ("rhs are incompatible", ONES((3, 2)), ONES((2, 1)), 0.0, "run"),
        ("l2_regularizer must be >= 0", np.eye(2), ONES((2, 1)), -1.0, "run"),
        (
            r"l2_regularizer must be scalar, got shape \[2\]",
            np.eye(2),
            ONES((2, 1)),
            [1.0, 2],
            "run",
        ),
        ("Shape must be rank 0 but is rank 1", np.eye(2), ONES((2, 1)), [1.0, 2], "build"),
        ("must have the same rank", ONES((1, 3, 2)), ONES((3, 1)), 0.0, "run"),
    )
)

CASES = [
    *(
        Case(
            "MatrixSolve",
            lambda v, s=shapes: _system(v, *s),
            LAPACK,
            attrs={"adjoint": adjoint},
            gradients=(0, 1),
            label=f"{shapes}{adjoint}",
            bad=() if adjoint or shapes != SHAPES[0] else MATRIX_SOLVE,
        )
        for shapes in SHAPES
        for adjoint in BOTH
    ),
    *(
        Case(
            "MatrixTriangularSolve",
            lambda v, s=shapes: _system(v, *s),
            LAPACK,
            attrs={"adjoint": adjoint, "lower": lower},
            gradients=(0, 1),
            label=f"{shapes}{adjoint}{lower}",
            bad=() if adjoint or shapes != SHAPES[0] or not lower else TRIANGULAR,
        )
        for shapes in BROADCASTS
        for adjoint in BOTH
        for lower in BOTH
    ),
    Case(
        "MatrixTriangularSolve",
        lambda v: [np.array([[1, 0], [2, 0]], v.dtype), np.ones((2, 1), v.dtype)],
        label="infinite",
    ),
    *(
        Case(
            "BandedTriangularSolve",
            lambda v, m=matrix, r=rhs: [_bands(v, *m), v.any(*r)],
            LAPACK,
            attrs={"adjoint": adjoint, "lower": lower},
            gradients=(0, 1),
            label=f"{matrix}{rhs}{adjoint}{lower}",
            bad=BANDED if lower and not adjoint and matrix == (2, 4) else (),
        )
        for matrix, rhs in (((2, 4), (4, 2)), ((3, 3), (2, 3, 1)), ((2, 1, 3), (3, 1)))
        for adjoint in BOTH
        for lower in BOTH
    ),
    *(
        Case(
            "MatrixSolveLs",
            lambda v, m=matrix, r=rhs, x=l2: [regular(v, *m), v.any(*r), np.float64(x)],
            LAPACK,
            attrs={"fast": fast},
            gradients=(0, 1) if fast else (),
            label=f"{matrix}{rhs}{fast}{l2}",
            bad=LEAST_SQUARES if fast and matrix == (3, 2) and not l2 else (),
            rtol=1e-3,
            atol=1e-4,
        )
        for matrix, rhs in (
            ((3, 2), (3, 1)),
            ((2, 3), (2, 2)),
            ((2, 4, 2), (2, 4, 1)),
            ((2, 2), (2, 0)),
            ((2, 0), (2, 1)),
        )
        for fast in BOTH
        for l2 in (0.0, 0.5)
    ),
]


def _bands(v: Values, *shape: int) -> np.ndarray:
    return (v.any(*shape) / 4 + 2).astype(v.dtype)
