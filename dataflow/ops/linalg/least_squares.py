"""MatrixSolveLs: systems of equations solved in the sense of least squares."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.shape as array_shape
import dataflow.ops.linalg.square_shapes as shapes
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.transpose import matrix_transpose
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.shape_parts import size_at
from dataflow.ops.basic.single import single
from dataflow.ops.linalg.cholesky import cholesky, cholesky_solve
from dataflow.ops.linalg.diag import eye
from dataflow.ops.linalg.matmul import matmul
from dataflow.schema.opdef import define_op

_Gradients = tuple[Tensor, Tensor]


def gramian_factor(matrix: Any, l2_regularizer: Any, of_columns: bool) -> Tensor:
    """The Cholesky factor of A^H A, or of A A^H, with the regularizer on its diagonal.

    Args:
      matrix: The matrices A.
      l2_regularizer: A number, or a scalar tensor of their type.
      of_columns: Whether it is that of A^H A.
    """
    gramian: Any = matmul(matrix, matrix, adjoint_a=of_columns, adjoint_b=not of_columns)
    if isinstance(l2_regularizer, Tensor) or l2_regularizer != 0:
        sizes: Any = array_shape.shape(matrix)
        size = sizes[-1] if of_columns else sizes[-2]
        unit: Any = eye(size, batch_shape=sizes[:-2], dtype=matrix.dtype)
        gramian = gramian + l2_regularizer * unit
    return cholesky(gramian)


def _tall_gradients(op: Operation, grad: Any, l2: Any) -> _Gradients:
    """Where x = (A^H A + l2 I)^-1 A^H b. A transpose is not conjugated, as in TensorFlow."""
    matrix, rhs, x = op.inputs[0], op.inputs[1], op.outputs[0]
    z = cholesky_solve(gramian_factor(matrix, l2, of_columns=True), grad)
    product: Any = matmul(x, z, adjoint_b=True)
    product = product + matrix_transpose(product)
    grad_matrix: Any = -matmul(matrix, product)
    return grad_matrix + matmul(rhs, z, adjoint_b=True), matmul(matrix, z)


def _wide_gradients(op: Operation, grad: Any, l2: Any) -> _Gradients:
    """Where x = A^H (A A^H + l2 I)^-1 b."""
    matrix, rhs = op.inputs[:2]
    factor = gramian_factor(matrix, l2, of_columns=False)
    grad_rhs = cholesky_solve(factor, matmul(matrix, grad))
    y = cholesky_solve(factor, rhs)
    rest: Any = grad - matmul(matrix, grad_rhs, adjoint_a=True)
    first: Any = matmul(grad_rhs, matmul(y, matrix, adjoint_a=True))
    return matmul(y, rest, adjoint_b=True) - first, grad_rhs


def _gradient(op: Operation, grad: Any) -> Any:
    if not op.attrs["fast"]:
        raise ValueError("Gradient not defined for fast=False")
    matrix = op.inputs[0]
    l2 = cast(op.inputs[2], matrix.dtype)
    rows, columns = (size_at(matrix.shape, axis) for axis in (-2, -1))
    if rows is not None and columns is not None:
        slopes = _tall_gradients if rows >= columns else _wide_gradients
        return (*slopes(op, grad, l2), None)
    # Factors of the wrong Gramian are NaN, which the choice drops.
    sizes: Any = array_shape.shape(matrix)
    is_tall = single("GreaterEqual", sizes[-2], sizes[-1])
    tall, wide = _tall_gradients(op, grad, l2), _wide_gradients(op, grad, l2)
    chosen = [single("SelectV2", is_tall, a, b) for a, b in zip(tall, wide, strict=True)]
    return (*chosen, None)


define_op(
    "MatrixSolveLs",
    inputs="matrix: T, rhs: T, l2_regularizer: double",
    outputs="output: T",
    attrs=["T: {float64, float32, half, complex64, complex128}", "fast: bool = true"],
    shape=shapes.solve_least_squares,
    gradient=_gradient,
    doc="Solutions of systems of linear equations in the sense of least squares.",
)
