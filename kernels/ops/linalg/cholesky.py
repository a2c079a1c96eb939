"""Kernels of the Cholesky decomposition and of its gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.ops.linalg.batches import (
    TYPES,
    adjoint,
    check_matrices,
    check_square,
    each,
    or_each,
    unsuccessful,
)
from dataflow.kernels.ops.linalg.solve import load_lapack, solve_triangular

_LARGE: Final = 24
"""Rows from which on a call for each matrix takes less time than numpy's for all of them."""


@kernel(
    "Cholesky",
    "BatchCholesky",
    dtypes={"T": TYPES},
    host_inputs=("input",),
    host_outputs=("output",),
)
def cholesky(node: KernelNode, xp: Any) -> Callable[..., Any]:
    load_lapack()

    def run(matrix: Any) -> Any:
        check_square(matrix)
        if matrix.shape[-1] >= _LARGE and matrix.size:
            return each(_decomposed, np.empty_like(matrix, order="C"), matrix)
        return or_each(lambda a: (np.linalg.cholesky(a),), _not_positive, matrix, 1)[0]

    return run


def _decomposed(matrix: Any) -> Any:
    """The factor of one matrix by scipy's LAPACK, which takes a quarter of numpy's time."""
    from scipy.linalg.lapack import get_lapack_funcs

    (decompose,) = get_lapack_funcs(("potrf",), dtype=matrix.dtype)
    # The transpose of a matrix in rows is one in columns, as LAPACK has them.
    factor, problem = decompose(matrix.T, lower=0, clean=1)
    return _not_positive(matrix)[0] if problem else factor.T


def _not_positive(matrix: Any) -> tuple[Any]:
    filled = np.full(matrix.shape, unsuccessful(matrix.dtype), matrix.dtype)
    return (np.tril(filled),)


@kernel(
    "CholeskyGrad",
    "BatchCholeskyGrad",
    dtypes={"T": TYPES[:2]},
    host_inputs=("l", "grad"),
    host_outputs=("output",),
)
def cholesky_grad(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """Murray, Differentiation of the Cholesky decomposition (2016), equation 10."""
    load_lapack()

    def run(factor: Any, grad: Any) -> Any:
        check_matrices(factor, grad)
        if factor.shape != grad.shape:
            raise invalid("Inputs (L and grad) must have the same shape.")
        check_square(factor, "Inputs must be a square matrices.")
        middle = np.tril(np.matmul(adjoint(np.tril(factor)), np.tril(grad)))
        middle *= 1 - np.eye(factor.shape[-1], dtype=factor.dtype) / 2
        half = solve_triangular(factor, middle, lower=True, adjoint=True)
        half = solve_triangular(factor, adjoint(half), lower=True, adjoint=True)
        return (half + adjoint(half)) * factor.dtype.type(0.5)

    return run
