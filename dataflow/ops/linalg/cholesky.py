"""The Cholesky decomposition, and systems that it solves."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.shape as array_shape
import dataflow.ops.linalg.square_shapes as shapes
from dataflow.graph.dispatch import dispatched
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.transpose import matrix_transpose
from dataflow.ops.basic.single import single
from dataflow.ops.linalg.diag import eye, matrix_band_part, matrix_diag_part, matrix_set_diag
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.linalg.solve import matrix_triangular_solve
from dataflow.schema.opdef import MISSING_GRADIENT, define_op


def _cholesky_gradient(op: Operation, grad: Any) -> Tensor:
    """Murray, Differentiation of the Cholesky decomposition (2016), equation 10, made symmetric."""
    factor = op.outputs[0]
    sizes: Any = array_shape.shape(factor)
    inverse = matrix_triangular_solve(
        factor, eye(sizes[-1], batch_shape=sizes[:-2], dtype=factor.dtype)
    )
    middle = matmul(factor, grad, adjoint_a=True)
    middle = matrix_set_diag(middle, 0.5 * matrix_diag_part(middle))
    middle = matrix_band_part(middle, -1, 0)
    half: Any = matmul(matmul(inverse, middle, adjoint_a=True), inverse)
    result: Tensor = 0.5 * (half + matrix_transpose(half, conjugate=True))
    return result


define_op(
    "Cholesky",
    inputs="input: T",
    outputs="output: T",
    attrs=["T: {float64, float32, half, complex64, complex128}"],
    shape=shapes.square_unchanged,
    gradient=_cholesky_gradient,
    doc="The lower triangular factor of positive definite matrices.",
)

define_op(
    "CholeskyGrad",
    inputs="l: T, grad: T",
    outputs="output: T",
    attrs=["T: {half, float32, float64}"],
    shape=shapes.square_unchanged,
    gradient=MISSING_GRADIENT,
    doc="The gradient of the Cholesky decomposition with respect to its input.",
)


@dispatched
def cholesky(input: Any, name: str | None = None) -> Tensor:
    """The lower triangular matrix L of each positive definite matrix L L^H.

    Only the lower triangle of the input is read. The factor of a matrix that is not positive
    definite is NaN.

    Args:
      input: Float or complex, shape `[..., n, n]`.
      name: Name of the operation.
    """
    return single("Cholesky", input, name=name)


def cholesky_solve(chol: Any, rhs: Any, name: str | None = None) -> Tensor:
    """Solves A X = rhs, where the Cholesky factor of A is given.

    Args:
      chol: Lower triangular, shape `[..., n, n]`.
      rhs: Shape `[..., n, k]`.
      name: Name of the scope of the operations.
    """
    with name_scope(name, "cholesky_solve", [chol, rhs]):
        y = matrix_triangular_solve(chol, rhs, adjoint=False, lower=True)
        return matrix_triangular_solve(chol, y, adjoint=True, lower=True)
