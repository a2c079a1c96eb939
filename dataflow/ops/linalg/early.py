"""Ops of the first versions of TensorFlow, of batches of matrices: graphs of then may hold them.

Each does what the op without "Batch" in its name has come to do; nothing is known of its shapes.
"""

from __future__ import annotations

from typing import Final

from dataflow.ops.basic.shape_parts import add
from dataflow.ops.linalg.square_shapes import batch_and, square
from dataflow.schema.opdef import MISSING_GRADIENT, InferenceContext, define_op
from dataflow.schema.shape_functions import unknown
from dataflow.values.shapes import TensorShape


def _together(c: InferenceContext) -> TensorShape:
    batch, size = square(c.input(0))
    return batch_and(batch, add(size, 1), size)


_REAL: Final = "T: {float64, float32}"
_COMPLEX: Final = "T: {float64, float32, complex64, complex128}"
_ADJOINT: Final = "adjoint: bool = false"
_OPS: Final[tuple[tuple[str, str, str, tuple[str, ...]], ...]] = (
    ("Cholesky", "input: T", "output: T", (_REAL,)),
    ("CholeskyGrad", "l: T, grad: T", "output: T", ("T: {float32, float64}",)),
    ("MatrixInverse", "input: T", "output: T", (_ADJOINT, _REAL)),
    (
        "MatrixDeterminant",
        "input: T",
        "output: T",
        ("T: {float32, float64, complex64, complex128}",),
    ),
    ("MatrixSolve", "matrix: T, rhs: T", "output: T", (_ADJOINT, _REAL)),
    (
        "MatrixTriangularSolve",
        "matrix: T, rhs: T",
        "output: T",
        ("lower: bool = true", _ADJOINT, _REAL),
    ),
    (
        "MatrixSolveLs",
        "matrix: T, rhs: T, l2_regularizer: double",
        "output: T",
        (_REAL, "fast: bool = true"),
    ),
    ("SelfAdjointEig", "input: T", "output: T", (_REAL,)),
    ("SelfAdjointEigV2", "input: T", "e: T, v: T", ("compute_v: bool = true", _REAL)),
    (
        "Svd",
        "input: T",
        "s: T, u: T, v: T",
        ("compute_uv: bool = true", "full_matrices: bool = false", _COMPLEX),
    ),
    ("MatrixDiag", "diagonal: T", "output: T", ("T: type",)),
    ("MatrixDiagPart", "input: T", "diagonal: T", ("T: type",)),
    ("MatrixSetDiag", "input: T, diagonal: T", "output: T", ("T: type",)),
    (
        "MatrixBandPart",
        "input: T, num_lower: int64, num_upper: int64",
        "band: T",
        ("T: type",),
    ),
)

for _name, _inputs, _outputs, _attrs in _OPS:
    define_op(
        f"Batch{_name}",
        inputs=_inputs,
        outputs=_outputs,
        attrs=_attrs,
        shape=unknown,
        gradient=MISSING_GRADIENT,
        doc=f"A former name of {_name}.",
    )

define_op(
    "SelfAdjointEig",
    inputs="input: T",
    outputs="output: T",
    attrs=["T: {float64, float32, half}"],
    shape=_together,
    gradient=MISSING_GRADIENT,
    doc="Eigenvalues in the first row, and eigenvectors below them, of self-adjoint matrices.",
)
