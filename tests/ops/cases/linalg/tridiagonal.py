"""Rows for tridiagonal matrices."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from tests.ops.case import Bad, Case, Values
from tests.ops.cases.linalg.matrices import LAPACK
from tests.ops.knowledge import PARTIAL, STATIC, UNKNOWN


def _diagonals(v: Values, *shape: int) -> np.ndarray:
    found = v.any(*shape)
    found[..., 1, :] += 7
    return found


def _ones(*shapes: Sequence[int]) -> Callable[[Values], list[np.ndarray]]:
    return lambda v: [np.ones(shape, v.dtype) for shape in shapes]


SINGULAR = (
    [[1, 1, 0], [0, 1, 1], [0, 1, 1]],
    [[0, 0, 0], [0, 0, 0], [0, 0, 0]],
    [[1, 0, 0], [1, 1, 1], [0, 1, 1]],
)

CASES = [
    *(
        Case(
            "TridiagonalSolve",
            lambda v, d=diagonals, r=rhs: [_diagonals(v, *d), v.any(*r)],
            LAPACK,
            attrs={"partial_pivoting": pivoting},
            gradients=(0, 1) if diagonals[-1] else (),
            label=f"{diagonals}{rhs}{pivoting}",
            bad=(
                Bad(_ones((3,), (3, 1)), "must have rank >= 2, got 1", when="run"),
                Bad(_ones((1, 3, 3), (3, 1)), "must have the same rank", when="run"),
                Bad(_ones((2, 3), (3, 1)), "a matrix with 3 rows, got 2 rows", when="run"),
                Bad(_ones((3, 3), (2, 1)), "right-hand sides, got 3 and 2", when="run"),
            ),
        )
        for diagonals, rhs in (
            ((3, 4), (4, 2)),
            ((2, 3, 5), (2, 5, 1)),
            ((3, 1), (1, 1)),
            ((3, 2), (2, 1)),
            ((3, 0), (0, 1)),
        )
        for pivoting in (True, False)
    ),
    *(
        Case(
            "TridiagonalSolve",
            lambda v, m=matrix: [np.array(m, v.dtype), np.ones((3, 1), v.dtype)],
            attrs={"partial_pivoting": pivoting},
            label=f"singular{number}{pivoting}",
        )
        for number, matrix in enumerate(SINGULAR)
        for pivoting in (True, False)
    ),
    Case(
        "TridiagonalSolve",
        lambda v: [v.any(6, 3, 20) + np.array([[0], [0.1], [0]], v.dtype), v.any(6, 20, 2)],
        ("float64", "complex128"),
        label="swapped",
        rtol=1e-6,
        atol=1e-6,
    ),
    *(
        Case(
            "TridiagonalMatMul",
            lambda v, d=diagonal, r=rhs: [v.any(*d), v.any(*d), v.any(*d), v.any(*r)],
            LAPACK,
            gradients=(0, 1, 2, 3) if rhs[-2] else (),
            label=f"{diagonal}{rhs}",
            shapes=(STATIC, PARTIAL, UNKNOWN),
            bad=(
                Bad(
                    _ones((1, 3), (1, 3), (1, 3), (2, 1)),
                    "Invalid superdiagonal shape",
                    when="run",
                ),
                Bad(_ones((1, 3), (1, 3), (2, 3), (3, 1)), "Invalid subdiagonal shape", when="run"),
                Bad(_ones((3,), (1, 3), (1, 3), (3, 1)), "must have rank >= 2, got 1", when="run"),
            ),
        )
        for diagonal, rhs in (
            ((1, 4), (4, 2)),
            ((2, 1, 3), (2, 3, 1)),
            ((1, 1), (1, 1)),
            ((1, 0), (0, 2)),
        )
    ),
]
