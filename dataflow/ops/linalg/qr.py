"""Qr: the QR decomposition of matrices."""

from __future__ import annotations

from typing import Any

from dataflow.graph.apply_op import apply_op
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.shape_parts import size_at, subshape
from dataflow.schema.opdef import MISSING_GRADIENT, InferenceContext, define_op
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


define_op(
    "Qr",
    inputs="input: T",
    outputs="q: T, r: T",
    attrs=["full_matrices: bool = false", "T: {float64, float32, half, complex64, complex128}"],
    shape=_qr_shape,
    gradient=MISSING_GRADIENT,
    doc="A matrix as the product of an orthogonal and an upper triangular one.",
)


def qr(input: Any, full_matrices: bool = False, name: str | None = None) -> tuple[Tensor, Tensor]:
    """The QR decomposition of matrices (Householder reflections, as LAPACK's `geqrf`).

    Args:
      input: A matrix of shape `[..., m, n]`.
      full_matrices: Whether q is `[..., m, m]` rather than `[..., m, min(m, n)]`.
      name: Name of the operation.

    Returns:
      The tuple (q, r) with `input = q @ r`, q orthogonal and r upper triangular.
    """
    q, r = apply_op("Qr", input, full_matrices=full_matrices, name=name)
    return q, r
