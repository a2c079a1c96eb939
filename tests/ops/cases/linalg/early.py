"""Rows for ops that TensorFlow has given up: its graphs take them where they say they are old."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.ops.cases.linalg.matrices import definite, regular, symmetric
from tests.ops.program import Build, Inputs, Program, Step, run


def _program(*calls: tuple[str, Any]) -> Build:
    def early(tf: Any, v: Inputs) -> Iterator[Step]:
        old = tf.GraphDef()
        old.versions.producer = 10
        tf.import_graph_def(old, name="")
        for op, args in calls:
            found = getattr(tf.raw_ops, f"Batch{op}")(**args(v))
            yield run(*found) if isinstance(found, tuple) else run(found)

    return early


PROGRAMS = [
    Program(
        "BatchCholesky BatchCholeskyGrad BatchMatrixInverse BatchMatrixDeterminant"
        " BatchMatrixSolve BatchMatrixTriangularSolve BatchMatrixSolveLs BatchMatrixDiag"
        " BatchMatrixDiagPart BatchMatrixSetDiag BatchMatrixBandPart",
        _program(
            ("Cholesky", lambda v: {"input": v.fed(definite(v, 2, 3, 3))}),
            ("CholeskyGrad", lambda v: {"l": v.fed(regular(v, 2, 2)), "grad": v.fed(v.any(2, 2))}),
            ("MatrixInverse", lambda v: {"input": v.fed(regular(v, 2, 2, 2)), "adjoint": True}),
            ("MatrixDeterminant", lambda v: {"input": v.fed(regular(v, 2, 2, 2))}),
            (
                "MatrixSolve",
                lambda v: {"matrix": v.fed(regular(v, 2, 2)), "rhs": v.fed(v.any(2, 1))},
            ),
            (
                "MatrixTriangularSolve",
                lambda v: {
                    "matrix": v.fed(regular(v, 2, 2)),
                    "rhs": v.fed(v.any(2, 1)),
                    "lower": False,
                },
            ),
            (
                "MatrixSolveLs",
                lambda v: {
                    "matrix": v.fed(regular(v, 3, 2)),
                    "rhs": v.fed(v.any(3, 1)),
                    "l2_regularizer": v.constant(np.float64(0.1)),
                },
            ),
            ("MatrixDiag", lambda v: {"diagonal": v.fed(v.any(2, 3))}),
            ("MatrixDiagPart", lambda v: {"input": v.fed(v.any(2, 3))}),
            ("MatrixSetDiag", lambda v: {"input": v.fed(v.any(2, 2)), "diagonal": v.fed(v.any(2))}),
            (
                "MatrixBandPart",
                lambda v: {
                    "input": v.fed(v.any(3, 3)),
                    "num_lower": v.constant(np.int64(1)),
                    "num_upper": v.constant(np.int64(0)),
                },
            ),
        ),
        rtol=1e-4,
        atol=1e-4,
    ),
]


def _spectra(tf: Any, v: Inputs) -> Iterator[Step]:
    old = tf.GraphDef()
    old.versions.producer = 10
    tf.import_graph_def(old, name="")
    matrix = v.fed(symmetric(v, 3, 3))
    yield run(tf.raw_ops.BatchSelfAdjointEigV2(input=matrix)[0])
    yield run(tf.abs(tf.raw_ops.BatchSelfAdjointEig(input=matrix)))
    yield run(tf.abs(tf.raw_ops.SelfAdjointEig(input=matrix)))
    yield run(tf.raw_ops.BatchSvd(input=matrix)[0])
    yield run(tf.raw_ops.MatrixExponential(input=matrix))


PROGRAMS.append(
    Program(
        "BatchSelfAdjointEigV2 BatchSelfAdjointEig SelfAdjointEig BatchSvd MatrixExponential",
        _spectra,
        rtol=1e-4,
        atol=1e-4,
    )
)
