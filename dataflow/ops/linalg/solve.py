"""Systems of equations: general, triangular and banded."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.shape as array_shape
import dataflow.ops.linalg.square_shapes as shapes
import dataflow.ops.reductions.reduce as reductions
from dataflow.graph.apply_op import apply_op
from dataflow.graph.dispatch import dispatched
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.shape_parts import size_at, subshape
from dataflow.ops.basic.single import single
from dataflow.ops.linalg.diag import matrix_band_part
from dataflow.ops.linalg.matmul import matmul
from dataflow.schema.opdef import InferenceContext, define_op
from dataflow.schema.shape_functions import broadcast_shapes, merge_dim, with_rank_at_least
from dataflow.values.shapes import TensorShape


def _triangular_shape(c: InferenceContext) -> TensorShape:
    matrix, rhs = (with_rank_at_least(c.input(i), 2) for i in range(2))
    size = merge_dim(size_at(matrix, -2), size_at(matrix, -1))
    batch = broadcast_shapes(subshape(matrix, 0, -2), subshape(rhs, 0, -2))
    return shapes.batch_and(batch, merge_dim(size, size_at(rhs, -2)), size_at(rhs, -1))


def _solve_gradient(op: Operation, grad: Any) -> Any:
    matrix, solution = op.inputs[0], op.outputs[0]
    adjoint = op.attrs["adjoint"]
    grad_rhs = matrix_solve(matrix, grad, adjoint=not adjoint)
    return _matrix_slope(grad_rhs, solution, adjoint), grad_rhs


def _matrix_slope(grad_rhs: Any, solution: Any, adjoint: bool) -> Tensor:
    if adjoint:
        return -matmul(solution, grad_rhs, adjoint_b=True)
    return -matmul(grad_rhs, solution, adjoint_b=True)


def _triangular_gradient(op: Operation, grad: Any) -> Any:
    matrix, rhs = op.inputs
    adjoint, lower = op.attrs["adjoint"], op.attrs["lower"]
    grad_rhs = matrix_triangular_solve(matrix, grad, lower=lower, adjoint=not adjoint)
    grad_matrix = _matrix_slope(grad_rhs, op.outputs[0], adjoint)
    sides = (-1, 0) if lower else (0, -1)
    grad_matrix = matrix_band_part(grad_matrix, *sides)
    if matrix.shape.is_fully_defined() and rhs.shape.is_fully_defined():
        dims = matrix.shape.dims_tuple or (), rhs.shape.dims_tuple or ()
        if dims[0][:-2] == dims[1][:-2]:
            return grad_matrix, grad_rhs
    matrix_shape: Any = array_shape.shape(matrix)
    rhs_shape: Any = array_shape.shape(rhs)
    axes = apply_op("BroadcastGradientArgs", matrix_shape[:-2], rhs_shape[:-2])
    return (
        array_shape.reshape(reductions.reduce_sum(grad_matrix, axes[0]), matrix_shape),
        array_shape.reshape(reductions.reduce_sum(grad_rhs, axes[1]), rhs_shape),
    )


define_op(
    "MatrixSolve",
    inputs="matrix: T, rhs: T",
    outputs="output: T",
    attrs=["adjoint: bool = false", "T: {float64, float32, half, complex64, complex128}"],
    shape=shapes.solve,
    gradient=_solve_gradient,
    doc="Solutions of systems of linear equations.",
)

define_op(
    "MatrixTriangularSolve",
    inputs="matrix: T, rhs: T",
    outputs="output: T",
    attrs=[
        "lower: bool = true",
        "adjoint: bool = false",
        "T: {bfloat16, float64, float32, half, complex64, complex128}",
    ],
    shape=_triangular_shape,
    gradient=_triangular_gradient,
    doc="Solutions of systems of linear equations with triangular matrices.",
)


@dispatched
def matrix_solve(matrix: Any, rhs: Any, adjoint: bool = False, name: str | None = None) -> Tensor:
    """Solves matrix X = rhs.

    Args:
      matrix: Float or complex, shape `[..., n, n]`.
      rhs: Of the same type, shape `[..., n, k]`.
      adjoint: Whether to solve with the conjugate transpose of the matrix.
      name: Name of the operation.

    Raises:
      InvalidArgumentError: In the step, where a matrix is not invertible.
    """
    return single("MatrixSolve", matrix, rhs, adjoint=adjoint, name=name)


def matrix_triangular_solve(
    matrix: Any, rhs: Any, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """Solves matrix X = rhs, reading one triangle of the matrix only.

    Args:
      matrix: Float or complex, shape `[..., n, n]`; batches broadcast.
      rhs: Of the same type, shape `[..., n, k]`.
      lower: Whether it is the lower triangle.
      adjoint: Whether to solve with the conjugate transpose of the triangular matrix.
      name: Name of the operation.
    """
    return single("MatrixTriangularSolve", matrix, rhs, lower=lower, adjoint=adjoint, name=name)
