"""Kernels of systems of linear equations: general, triangular, banded, in least squares."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.ops.linalg.batches import (
    TYPES,
    adjoint,
    broadcast_batch,
    check_matrices,
    check_square,
    each,
    or_each,
    together,
)
from dataflow.kernels.threads.stopping import look

SINGULAR = "Input matrix is not invertible."


@kernel(
    "MatrixSolve",
    "BatchMatrixSolve",
    dtypes={"T": TYPES},
    host_inputs=("matrix", "rhs"),
    host_outputs=("output",),
)
def matrix_solve(node: KernelNode, xp: Any) -> Callable[..., Any]:
    is_adjoint = bool(node.attr("adjoint"))

    def run(matrix: Any, rhs: Any) -> Any:
        check_matrices(matrix, rhs)
        check_square(matrix, "First input (lhs) must be a square matrix.")
        _check_rows(matrix, rhs)
        if not rhs.size:
            return np.empty(rhs.shape, rhs.dtype)
        try:
            found = together(np.linalg.solve, adjoint(matrix) if is_adjoint else matrix, rhs)
        except np.linalg.LinAlgError:
            raise invalid(SINGULAR) from None
        if _is_spoiled(found, matrix):
            raise invalid(SINGULAR)
        return found

    return run


def _is_spoiled(found: Any, matrix: Any) -> bool:
    """Whether there is no result because a matrix holds NaN."""
    return bool(np.isnan(found).any() and np.isnan(matrix).any())


def _check_rows(matrix: Any, rhs: Any) -> None:
    if matrix.shape[-2] != rhs.shape[-2]:
        raise invalid("Input matrix and rhs are incompatible.")


@kernel(
    "MatrixTriangularSolve",
    "BatchMatrixTriangularSolve",
    dtypes={"T": TYPES},
    host_inputs=("matrix", "rhs"),
    host_outputs=("output",),
)
def matrix_triangular_solve(node: KernelNode, xp: Any) -> Callable[..., Any]:
    lower, is_adjoint = bool(node.attr("lower")), bool(node.attr("adjoint"))
    load_lapack()

    def run(matrix: Any, rhs: Any) -> Any:
        broadcast_batch(matrix, rhs)
        rows, columns = matrix.shape[-2:]
        if rows != columns:
            raise invalid(
                f"In[0] matrices in the last dimensions must be square ({columns} =/= {rows})"
            )
        if columns != rhs.shape[-2]:
            raise mismatch(matrix, rhs, lower, is_adjoint)
        return solve_triangular(matrix, rhs, lower, is_adjoint)

    return run


def load_lapack() -> None:
    """Loads scipy's BLAS and LAPACK for a kernel that is bound: sessions bound the threads of
    libraries that are loaded then, but not of those that a step loads."""
    import scipy.linalg.blas
    import scipy.linalg.lapack  # noqa: F401


def mismatch(matrix: Any, rhs: Any, lower: bool, is_adjoint: bool) -> Exception:
    """The error of a right-hand side that has another number of rows."""
    return invalid(
        f"In[0] mismatch In[1] shape: {matrix.shape[-1]} vs. {rhs.shape[-2]}: "
        f"{shape_text(matrix.shape)} {shape_text(rhs.shape)} {lower:d} {is_adjoint:d}"
    )


def solve_triangular(matrix: Any, rhs: Any, lower: bool, adjoint: bool) -> Any:
    """Solutions of triangular systems; a zero on the diagonal makes infinities.

    Args:
      matrix: Shape `[..., n, n]`; batches broadcast.
      rhs: Shape `[..., n, k]`.
      lower: Which triangle counts.
      adjoint: Whether the conjugate transpose of the triangular matrix does.
    """
    batch = np.broadcast_shapes(matrix.shape[:-2], rhs.shape[:-2])
    found = np.empty((*batch, *rhs.shape[-2:]), rhs.dtype)
    if not found.size:
        return found
    matrix = np.broadcast_to(matrix, (*batch, *matrix.shape[-2:]))
    rhs = np.broadcast_to(rhs, found.shape)
    size = matrix.shape[-1]
    if found.size // (size * found.shape[-1]) > size:
        found[...] = rhs
        if adjoint:
            matrix, lower = np.conj(np.swapaxes(matrix, -1, -2)), not lower
        return _substituted(matrix, found, lower)
    from scipy.linalg.blas import get_blas_funcs

    solve = get_blas_funcs("trsm", dtype=rhs.dtype)

    def one(a: Any, b: Any) -> Any:
        # The transpose of a matrix in rows is one in columns, as BLAS has them.
        return solve(1, a.T, b, lower=not lower, trans_a=0 if adjoint else 1)

    if adjoint and np.iscomplexobj(matrix):
        matrix = np.conj(matrix)
    return each(one, found, matrix, rhs)


def _substituted(matrix: Any, found: Any, lower: bool) -> Any:
    """Forward or backward substitution, in all matrices at once; `found` starts as the right-hand
    side."""
    size = matrix.shape[-1]
    with np.errstate(all="ignore"):
        for step in range(size):
            look()
            row = step if lower else size - 1 - step
            known = slice(0, row) if lower else slice(row + 1, size)
            if step:
                found[..., row, :] -= np.einsum(
                    "...i,...ij->...j", matrix[..., row, known], found[..., known, :]
                )
            found[..., row, :] /= matrix[..., row, row, None]
    return found


@kernel(
    "MatrixSolveLs",
    "BatchMatrixSolveLs",
    dtypes={"T": TYPES},
    host_inputs=("matrix", "rhs", "l2_regularizer"),
    host_outputs=("output",),
)
def matrix_solve_ls(node: KernelNode, xp: Any) -> Callable[..., Any]:
    fast = bool(node.attr("fast"))

    def run(matrix: Any, rhs: Any, l2_regularizer: Any) -> Any:
        if np.ndim(l2_regularizer):
            raise invalid(
                "Input l2_regularizer must be scalar, got shape "
                f"{shape_text(np.shape(l2_regularizer))}"
            )
        l2 = float(l2_regularizer)
        check_matrices(matrix, rhs)
        _check_rows(matrix, rhs)
        if l2 < 0:
            raise invalid("l2_regularizer must be >= 0.")
        columns, count = matrix.shape[-1], rhs.shape[-1]
        found = np.zeros((*matrix.shape[:-2], columns, count), matrix.dtype)
        if not found.size or not matrix.size:
            return found
        if not fast:
            return each(_least_squares, found, matrix, rhs)
        return _by_normal_equations(matrix, rhs, l2)

    return run


def _least_squares(matrix: Any, rhs: Any) -> Any:
    try:
        return np.linalg.lstsq(matrix, rhs, rcond=None)[0]
    except np.linalg.LinAlgError:
        return np.full((matrix.shape[1], rhs.shape[1]), np.nan, rhs.dtype)


def _by_normal_equations(matrix: Any, rhs: Any, l2: float) -> Any:
    rows, columns = matrix.shape[-2:]
    turned = adjoint(matrix)
    is_tall = rows >= columns
    gramian = np.matmul(turned, matrix) if is_tall else np.matmul(matrix, turned)
    gramian += (l2 * np.eye(min(rows, columns))).astype(gramian.dtype)
    (factor,) = or_each(
        lambda a: (np.linalg.cholesky(a),), lambda a: _deficient(a, is_tall), gramian, 1
    )
    known = np.matmul(turned, rhs) if is_tall else rhs
    known = solve_triangular(factor, known, lower=True, adjoint=False)
    known = solve_triangular(factor, known, lower=True, adjoint=True)
    return known if is_tall else np.matmul(turned, known)


def _deficient(gramian: Any, is_tall: bool) -> tuple[Any]:
    """What stands for the factor of a Gramian that has none: NaN spreads, zeros are refused."""
    if np.isfinite(gramian).all():
        raise invalid(
            "Input matrix was rank deficient or ill-conditioned. Try setting fast=False or provide "
            f"{'a larger' if is_tall else 'an'} l2_regularizer > 0."
        )
    return (np.full_like(gramian, np.nan),)
