"""The singular value decomposition."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.complex as math_complex
from dataflow.graph.apply_op import apply_op
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.transpose import matrix_transpose
from dataflow.ops.basic.shape_parts import size_at, subshape, vector
from dataflow.ops.linalg.diag import matrix_diag, matrix_diag_part, matrix_set_diag
from dataflow.ops.linalg.eigen import reciprocal_or_zero
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.linalg.square_shapes import batch_and
from dataflow.schema.opdef import InferenceContext, define_op
from dataflow.schema.shape_functions import with_rank_at_least
from dataflow.values.shapes import TensorShape


def _svd_shape(c: InferenceContext) -> list[TensorShape]:
    matrix = with_rank_at_least(c.input(0), 2)
    rows, columns = size_at(matrix, -2), size_at(matrix, -1)
    batch = subshape(matrix, 0, -2)
    inner = 0 if 0 in (rows, columns) else None
    if rows is not None and columns is not None:
        inner = min(rows, columns)
    values = batch_and(batch, inner)
    if not c.attr("compute_uv"):
        return [values, vector(0), vector(0)]
    full = c.attr("full_matrices")
    left = batch_and(batch, rows, rows if full else inner)
    return [values, left, batch_and(batch, columns, columns if full else inner)]


def _adjoint(x: Any) -> Tensor:
    return matrix_transpose(x, conjugate=True)


def _svd_gradient(op: Operation, grad_s: Any, grad_u: Any, grad_v: Any) -> Tensor:
    """Giles, Collected matrix derivative results (2008), section 3.2; Townsend, Differentiating the
    singular value decomposition (2016); Wan and Zhang, arXiv:1909.02659, for complex numbers."""
    matrix = op.inputs[0]
    if not op.attrs["compute_uv"]:
        _, u, v = apply_op("Svd", matrix, compute_uv=True)
        return matmul(u, matmul(matrix_diag(grad_s), v, adjoint_b=True))
    rows, columns = (size_at(matrix.shape, axis) for axis in (-2, -1))
    if rows is None or columns is None:
        raise NotImplementedError(
            "SVD gradient has not been implemented for input with unknown inner matrix shape."
        )
    full = op.attrs["full_matrices"]
    if full and abs(rows - columns) > 1:
        raise NotImplementedError(
            "svd gradient is not implemented for abs(m - n) > 1 when full_matrices is True. "
            f"Received: m={rows} and n={columns} from op input={op.inputs[0]}"
        )
    s, u, v = op.outputs
    if rows <= columns:
        return _wide_gradient((s, u, v), (grad_s, grad_u, grad_v), rows, columns, full)
    return _adjoint(_wide_gradient((s, v, u), (grad_s, grad_v, grad_u), columns, rows, full))


def _wide_gradient(
    factors: tuple[Any, Any, Any], grads: tuple[Any, Any, Any], rows: int, columns: int, full: bool
) -> Tensor:
    """The gradient of matrices that have no more rows than columns."""
    s, u, v = factors
    grad_s, grad_u, grad_v = grads
    values = matrix_diag(s)
    squares = s * s
    gaps: Any = reciprocal_or_zero(
        array_shape.expand_dims(squares, -2) - array_shape.expand_dims(squares, -1)
    )
    gaps = matrix_set_diag(gaps, array_fill.zeros_like(s))
    first, grad_first = v[..., :, :rows], grad_v[..., :, :rows]
    turned_u: Any = gaps * matmul(u, grad_u, adjoint_a=True)
    inner_v: Any = matmul(first, grad_first, adjoint_a=True)
    turned_v: Any = gaps * inner_v
    middle: Any = matrix_diag(grad_s)
    middle = middle + matmul(turned_u + _adjoint(turned_u), values)
    middle = middle + matmul(values, turned_v + _adjoint(turned_v))
    inverse = matrix_diag(reciprocal_or_zero(s))
    if s.dtype.is_complex:
        phases = matrix_diag(matrix_diag_part(inner_v))
        middle = middle + 0.5 * matmul(inverse, _adjoint(phases) - phases)
    slope: Any = matmul(u, matmul(middle, first, adjoint_b=True))
    if rows == columns:
        result: Tensor = slope
        return result
    rest: Any = _adjoint(grad_first) - matmul(
        matmul(grad_first, first, adjoint_a=True), first, adjoint_b=True
    )
    if full:
        others, grad_others = v[..., :, rows:columns], grad_v[..., :, rows:columns]
        rest = rest - matmul(matmul(first, grad_others, adjoint_a=True), others, adjoint_b=True)
    result = slope + matmul(matmul(u, inverse), rest)
    return result


define_op(
    "Svd",
    inputs="input: T",
    outputs="s: T, u: T, v: T",
    attrs=[
        "compute_uv: bool = true",
        "full_matrices: bool = false",
        "T: {float64, float32, half, complex64, complex128}",
    ],
    shape=_svd_shape,
    gradient=_svd_gradient,
    doc="Singular values, descending, and singular vectors of matrices.",
)


def svd(
    tensor: Any, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None
) -> Any:
    """The singular value decomposition: tensor = u diag(s) v^H.

    Args:
      tensor: Float or complex, shape `[..., m, n]`.
      full_matrices: Whether u and v are square; otherwise they have min(m, n) columns.
      compute_uv: Whether to compute the vectors.
      name: Name of the operation.

    Returns:
      The values s, descending, `[..., min(m, n)]`; with `compute_uv` the tuple (s, u, v), where v
      is not transposed, unlike numpy's.
    """
    s, u, v = apply_op("Svd", tensor, compute_uv=compute_uv, full_matrices=full_matrices, name=name)
    s = math_complex.real(s)
    if not compute_uv:
        return s
    return s, u, v
