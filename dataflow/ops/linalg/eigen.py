"""Eigenvalues and eigenvectors."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.shape as array_shape
import dataflow.ops.linalg.square_shapes as shapes
import dataflow.ops.math.complex as math_complex
import dataflow.ops.math.unary as math_unary
from dataflow.graph.apply_op import apply_op
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.transpose import matrix_transpose
from dataflow.ops.basic.cast import cast
from dataflow.ops.linalg.diag import (
    matrix_band_part,
    matrix_diag,
    matrix_diag_part,
    matrix_set_diag,
)
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.linalg.solve import matrix_solve
from dataflow.schema.opdef import define_op


def reciprocal_or_zero(x: Any) -> Tensor:
    """1 / x, and 0 near 0."""
    result: Tensor = x * math_unary.reciprocal(x * x + 1e-20)
    return result


def _gaps(values: Any) -> Tensor:
    """1 / (values[j] - values[i]) at [i, j]; zeros on the diagonal and where values are equal."""
    rows, columns = array_shape.expand_dims(values, -2), array_shape.expand_dims(values, -1)
    return matrix_set_diag(reciprocal_or_zero(rows - columns), array_fill.zeros_like(values))


def _self_adjoint_gradient(op: Operation, grad_e: Any, grad_v: Any) -> Tensor:
    """Giles, Collected matrix derivative results (2008), section 3.1; the lower triangle counts."""
    middle: Any
    if op.attrs["compute_v"]:
        values, vectors = op.outputs
        inner: Any = matmul(vectors, grad_v, adjoint_a=True)
        middle = matrix_diag(grad_e) + _gaps(values) * inner
    else:
        _, vectors = apply_op("SelfAdjointEigV2", op.inputs[0])
        middle = matrix_diag(grad_e)
    slope: Any = matmul(vectors, matmul(middle, vectors, adjoint_b=True))
    slope = matrix_band_part(slope + matrix_transpose(slope, conjugate=True), -1, 0)
    return matrix_set_diag(slope, 0.5 * matrix_diag_part(slope))


def _eig_gradient(op: Operation, grad_e: Any, grad_v: Any) -> Tensor:
    """Boeddeker et al., On the computation of complex-valued gradients (2017), eq. 4.60, 4.77."""
    if op.attrs["compute_v"]:
        values, vectors = op.outputs
        adjoint = matrix_transpose(vectors, conjugate=True)
        inner: Any = matmul(adjoint, grad_v)
        real: Any = cast(math_complex.real(matrix_diag_part(inner)), values.dtype)
        rest: Any = inner - matmul(adjoint, vectors * array_shape.expand_dims(real, -2))
        middle = matrix_diag(grad_e) + math_complex.conj(_gaps(values)) * rest
    else:
        _, vectors = apply_op("Eig", op.inputs[0], Tout=op.attrs["Tout"])
        adjoint = matrix_transpose(vectors, conjugate=True)
        middle = matrix_diag(grad_e)
    solved = matrix_solve(adjoint, matmul(middle, adjoint))
    slope: Tensor = cast(solved, op.inputs[0].dtype)
    return slope


define_op(
    "SelfAdjointEigV2",
    inputs="input: T",
    outputs="e: T, v: T",
    attrs=["compute_v: bool = true", "T: {float64, float32, half, complex64, complex128}"],
    shape=shapes.eigen,
    gradient=_self_adjoint_gradient,
    doc="Eigenvalues, ascending, and eigenvectors of self-adjoint matrices.",
)

define_op(
    "Eig",
    inputs="input: T",
    outputs="e: Tout, v: Tout",
    attrs=[
        "compute_v: bool = true",
        "T: {float32, float64, complex64, complex128}",
        "Tout: {complex64, complex128}",
    ],
    shape=shapes.eigen,
    gradient=_eig_gradient,
    doc="Eigenvalues and eigenvectors of matrices.",
)


def self_adjoint_eig(tensor: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Eigenvalues and eigenvectors of self-adjoint matrices, of which one triangle is read.

    Args:
      tensor: Float or complex, shape `[..., n, n]`.
      name: Name of the operation.

    Returns:
      The values, ascending, `[..., n]`, and the vectors as columns, `[..., n, n]`.

    Raises:
      InvalidArgumentError: In the step, if a matrix holds NaN.
    """
    values, vectors = apply_op("SelfAdjointEigV2", tensor, compute_v=True, name=name)
    return values, vectors


def self_adjoint_eigvals(tensor: Any, name: str | None = None) -> Tensor:
    """The eigenvalues of self-adjoint matrices, ascending; see `self_adjoint_eig`."""
    values: Tensor = apply_op("SelfAdjointEigV2", tensor, compute_v=False, name=name)[0]
    return values
