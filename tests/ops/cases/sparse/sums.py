"""Rows for sums of sparse tensors."""

from __future__ import annotations

import numpy as np

from tests.ops.case import FLOAT32_64, Bad, Case, Values

TYPES = ("float32", "float64", "int32", "int8", "complex64")
A = np.int64([[0, 1], [0, 2], [1, 0], [2, 2]])
B = np.int64([[0, 0], [0, 2], [2, 2]])
TOTAL = np.int64([[0, 0], [0, 1], [0, 2], [1, 0], [2, 2]])
SHAPE = np.int64([3, 3])


def both(v: Values, least: object = 0, a: np.ndarray = A, b: np.ndarray = B) -> list[np.ndarray]:
    real = v.any(1).real.dtype
    return [a, v.any(len(a)), SHAPE, b, v.any(len(b)), SHAPE, np.asarray(least, real)]


def _with(position: int, value: object) -> object:
    def args(v: Values) -> list[np.ndarray]:
        usual = both(v)
        usual[position] = np.asarray(value, usual[position].dtype)
        return usual

    return args


def dense(v: Values, indices: object = A, shape: object = SHAPE) -> list[np.ndarray]:
    return [
        np.asarray(indices),
        v.any(4),
        np.asarray(shape, np.asarray(indices).dtype),
        v.any(3, 3),
    ]


SUM_BAD = tuple(
    Bad(_with(place, value), text, when="run")  # type: ignore[arg-type]
    for place, value, text in (
        (3, B[0], r"should be matrices but received shapes: \[4,2\] and \[2\]"),
        (4, [[1, 2, 3]], r"values should be vectors but received shapes: \[4\] and \[1,3\]"),
        (4, [1, 2], "Expected 4 and 3 non-empty input values, got 4 and 2"),
        (5, [3, 4], "shapes do not match: got 3 and 4 for dimension 1"),
        (5, [3, 3, 1], "same ranks; got shapes: 3 3 and 3 3 1"),
        (3, B[:, :1], "must have the same dimension, got 2 and 1"),
        (6, [1], r"must be a scalar: got shape \[1\]"),
    )
)

CASES = [
    *(
        Case(
            "SparseAdd",
            lambda v, n=least: both(v, n),
            TYPES if least == 0 else FLOAT32_64,
            gradients=(1, 4),
            numeric=least == 0,
            label=str(least),
            bad=SUM_BAD if least == 0 else (),
        )
        for least in (0, 2)
    ),
    Case("SparseAdd", lambda v: both(v, 0, A, B[:0]), label="of nothing"),
    Case(
        "SparseAddGrad",
        lambda v: [v.any(5), A, B, TOTAL],
        TYPES,
        bad=(
            Bad(lambda v: [v.any(5), A[0], B, TOTAL], "should be matrices", when="run"),
            Bad(lambda v: [v.any(4), A, B, TOTAL], "got 4 and 5", when="run"),
            Bad(lambda v: [v.any(5), A[:, :1], B, TOTAL], "got: 122", when="run"),
        ),
    ),
    Case("SparseAddGrad", lambda v: [v.any(3), A, B, TOTAL[1:4]], label="left out"),
    Case(
        "SparseTensorDenseAdd",
        dense,
        TYPES,
        gradients=(1, 3),
        bad=(
            Bad(lambda v: dense(v, A[0]), "should be a matrix but received", when="run"),
            Bad(lambda v: dense(v, A[:3]), "Dimensions 3 and 4 are not", when="run"),
            Bad(lambda v: dense(v, A, [3, 4]), "sparse side 4 vs dense side 3", when="run"),
            Bad(lambda v: dense(v, A[:, :1], [3]), "different ranks; received: 1 and", when="run"),
            Bad(lambda v: dense(v, A + 1), r"dimension 1: a_indices\(1,1\) = 3, dense", when="run"),
        ),
    ),
    Case("SparseTensorDenseAdd", lambda v: dense(v, np.int32(A)), label="int32"),
]
