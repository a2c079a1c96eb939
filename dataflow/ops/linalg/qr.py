"""Qr: the QR decomposition of matrices."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.concat as array_concat
from dataflow.graph.apply_op import apply_op
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.transpose import matrix_transpose
from dataflow.ops.basic.shape_parts import size_at, subshape
from dataflow.ops.linalg.diag import matrix_band_part, matrix_diag_part, matrix_set_diag
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.linalg.solve import matrix_triangular_solve
from dataflow.schema.opdef import InferenceContext, define_op
from dataflow.schema.shape_functions import with_rank_at_least
from dataflow.values.shapes import TensorShape


def _qr_shape(c: InferenceContext) -> list[TensorShape]:
    matrix = with_rank_at_least(c.input(0), 2)
    rows, columns = size_at(matrix, -2), size_at(matrix, -1)
    batch = subshape(matrix, 0, -2)
    if c.attr("full_matrices"):
        q, r = (rows, rows), (rows, columns)
    else:
        inner = 0 if 0 in (rows, columns) else None
        if rows is not None and columns is not None:
            inner = min(rows, columns)
        q, r = (rows, inner), (inner, columns)
    return [batch.concatenate(TensorShape.of(q)), batch.concatenate(TensorShape.of(r))]


def _from_right(x: Any, r: Any) -> Tensor:
    """x r^-H, for an upper triangular matrix r."""
    solved = matrix_triangular_solve(r, matrix_transpose(x, conjugate=True), lower=False)
    return matrix_transpose(solved, conjugate=True)


def _skew(x: Any) -> Any:
    return x - matrix_transpose(x, conjugate=True)


def _tall_gradient(q: Any, r: Any, grad_q: Any, grad_r: Any) -> Any:
    """The gradient where there are no more columns than rows: Walter and Lehmann, Algorithmic
    differentiation of linear algebra functions (2018)."""
    inner: Any = matmul(q, grad_q, adjoint_a=True)
    outer: Any = matmul(r, grad_r, adjoint_b=True)
    lower: Any = matrix_band_part(_skew(inner) + _skew(outer), -1, 0)
    if q.dtype.is_complex:
        # The diagonal of r is real: what would turn its phase does not count.
        phases = matrix_diag_part(lower)
        lower = matrix_set_diag(lower, 0.5 * phases)
    slope: Any = matmul(q, grad_r + _from_right(lower, r))
    return slope + _from_right(grad_q - matmul(q, inner), r)


def _qr_gradient(op: Operation, grad_q: Any, grad_r: Any) -> Any:
    q, r = op.outputs
    if not r.shape.is_fully_defined():
        raise NotImplementedError(
            f"QrGrad not implemented with dynamic shapes. Received r.shape: {r.shape}"
        )
    rows, columns = (size_at(op.inputs[0].shape, axis) or 0 for axis in (-2, -1))
    if rows > columns and op.attrs["full_matrices"]:
        raise NotImplementedError(
            "QrGrad not implemented when nrows > ncols and full_matrices is true. Received r.shape="
            f"{r.shape} with nrows={rows}and ncols={columns}."
        )
    if rows >= columns:
        return _tall_gradient(q, r, grad_q, grad_r)
    # The first columns decide q, the rest are q times those of r.
    first, rest = grad_r[..., :rows], grad_r[..., rows:]
    others: Any = op.inputs[0]
    grad_q = grad_q + matmul(others[..., rows:], rest, adjoint_b=True)
    left = _tall_gradient(q, r[..., :rows], grad_q, first)
    return array_concat.concat([left, matmul(q, rest)], -1)


define_op(
    "Qr",
    inputs="input: T",
    outputs="q: T, r: T",
    attrs=["full_matrices: bool = false", "T: {float64, float32, half, complex64, complex128}"],
    shape=_qr_shape,
    gradient=_qr_gradient,
    doc="A matrix as the product of an orthogonal and an upper triangular one.",
)


def qr(input: Any, full_matrices: bool = False, name: str | None = None) -> Any:
    """The QR decomposition of matrices (Householder reflections, as LAPACK's `geqrf`).

    Args:
      input: A matrix of shape `[..., m, n]`.
      full_matrices: Whether q is `[..., m, m]` rather than `[..., m, min(m, n)]`.
      name: Name of the operation.

    Returns:
      The namedtuple (q, r) with `input = q @ r`, q orthogonal and r upper triangular.
    """
    return apply_op("Qr", input, full_matrices=full_matrices, name=name)
