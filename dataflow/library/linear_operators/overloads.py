"""What functions of matrices do with linear operators: what `LinearOperator` is asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import dataflow.library.linalg.simple as simple
import dataflow.ops.linalg.cholesky as factors
import dataflow.ops.linalg.diag as diagonals
import dataflow.ops.linalg.inverse as inverses
import dataflow.ops.linalg.matmul as products
import dataflow.ops.linalg.solve as systems
import dataflow.ops.linalg.tensordot as traces
from dataflow.library.linear_operators.base import LinearOperator


def _adjoint(matrix: LinearOperator, name: str | None = None) -> Any:
    return matrix.adjoint(name)


def _cholesky(input: LinearOperator, name: str | None = None) -> Any:
    return input.cholesky(name)


def _diag_part(input: LinearOperator, name: str | None = "diag_part", **_: Any) -> Any:
    return input.diag_part(name)


def _det(input: LinearOperator, name: str | None = None) -> Any:
    return input.determinant(name)


def _inv(input: LinearOperator, adjoint: bool = False, name: str | None = None) -> Any:
    inverse = input.inverse(name)
    return inverse.adjoint() if adjoint else inverse


def _logdet(matrix: LinearOperator, name: str | None = None) -> Any:
    if matrix.is_positive_definite and matrix.is_self_adjoint:
        return matrix.log_abs_determinant(name)
    raise ValueError("Expected matrix to be self-adjoint positive definite.")


def _matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    if transpose_a or transpose_b:
        raise ValueError("Transposing not supported at this time.")
    if a_is_sparse or b_is_sparse:
        raise ValueError("Sparse methods not supported at this time.")
    if isinstance(a, LinearOperator):
        return a.matmul(b, adjoint=adjoint_a, adjoint_arg=adjoint_b, name=name)
    turned = b.matmul(a, adjoint=not adjoint_b, adjoint_arg=not adjoint_a, name=name)
    return simple.adjoint(turned)


def _solve(matrix: Any, rhs: Any, adjoint: bool = False, name: str | None = None) -> Any:
    if not isinstance(matrix, LinearOperator):
        raise ValueError(
            "Passing in `matrix` as a Tensor and `rhs` as a LinearOperator is not supported."
        )
    return matrix.solve(rhs, adjoint=adjoint, name=name)


def _trace(x: LinearOperator, name: str | None = None) -> Any:
    return x.trace(name)


OVERLOADS: Final[dict[Callable[..., Any], Callable[..., Any]]] = {
    diagonals.matrix_diag_part: _diag_part,
    factors.cholesky: _cholesky,
    inverses.matrix_determinant: _det,
    inverses.matrix_inverse: _inv,
    products.matmul: _matmul,
    simple.adjoint: _adjoint,
    simple.logdet: _logdet,
    systems.matrix_solve: _solve,
    traces.trace: _trace,
}
