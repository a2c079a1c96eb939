"""Operators that hold their matrix: any matrix, and the lower triangle of one."""

from __future__ import annotations

from typing import Any

import dataflow.ops.math.unary as math_unary
import dataflow.ops.reductions.reduce as reductions
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.library.linear_operators import pieces
from dataflow.library.linear_operators.base import LinearOperator
from dataflow.library.linear_operators.checks import (
    assert_no_entries_with_modulus_zero,
    convert_nonref_to_tensor,
)
from dataflow.ops.basic.cast import cast
from dataflow.ops.linalg.diag import matrix_band_part, matrix_diag_part
from dataflow.ops.linalg.matmul import matmul
from dataflow.values.shapes import TensorShape


def _held(matrix: Any, name: str) -> Any:
    value = convert_nonref_to_tensor(matrix, name=name)
    if value.shape.rank is not None and value.shape.rank < 2:
        raise ValueError(f"Argument {name} must have at least 2 dimensions.  Found: {value}")
    return value


class LinearOperatorFullMatrix(LinearOperator):
    """Any batch of matrices."""

    def __init__(
        self,
        matrix: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorFullMatrix",
    ) -> None:
        """Makes one of `matrix`, `[B1, ..., Bb, M, N]`, float or complex; the hints as the base's.

        Raises:
          ValueError: `matrix` is no matrix.
        """
        with name_scope(name, values=[matrix]):
            self._matrix = _held(matrix, "matrix")
            super().__init__(
                dtype=self._matrix.dtype,
                graph_parents=[self._matrix],
                is_non_singular=is_non_singular,
                is_self_adjoint=is_self_adjoint,
                is_positive_definite=is_positive_definite,
                is_square=is_square,
                name=name,
            )

    @property
    def matrix(self) -> Any:
        """The matrix."""
        return self._matrix

    def _shape(self) -> TensorShape:
        shape: TensorShape = self._matrix.shape
        return shape

    def _shape_tensor(self) -> Any:
        return pieces.shape_tensor(self._matrix)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return matmul(self._matrix, x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _to_dense(self) -> Any:
        return convert_to_tensor(self._matrix)

    def _adjoint(self) -> LinearOperator:
        return LinearOperatorFullMatrix(
            pieces.adjoint(self._matrix),
            is_non_singular=self.is_non_singular,
            is_self_adjoint=self.is_self_adjoint,
            is_positive_definite=self.is_positive_definite,
            is_square=self.is_square,
        )


class LinearOperatorLowerTriangular(LinearOperator):
    """The lower triangles of square matrices, the diagonal with them."""

    def __init__(
        self,
        tril: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorLowerTriangular",
    ) -> None:
        """Makes one of `tril`, `[B1, ..., Bb, N, N]`, whose upper part is ignored.

        Raises:
          ValueError: `tril` is no matrix, or `is_square` is False.
        """
        is_square = pieces.implied(
            is_square, True, "Only square lower triangular operators supported at this time."
        )
        with name_scope(name, values=[tril]):
            self._given = _held(tril, "tril")
            super().__init__(
                dtype=self._given.dtype,
                graph_parents=[self._given],
                is_non_singular=is_non_singular,
                is_self_adjoint=is_self_adjoint,
                is_positive_definite=is_positive_definite,
                is_square=is_square,
                name=name,
            )

    @property
    def tril(self) -> Any:
        """The matrix, as it was given."""
        return self._given

    @property
    def _tril(self) -> Any:
        return matrix_band_part(self._given, -1, 0)

    @property
    def _diag(self) -> Any:
        return matrix_diag_part(self._given)

    def _shape(self) -> TensorShape:
        shape: TensorShape = self._given.shape
        return shape

    def _shape_tensor(self) -> Any:
        return pieces.shape_tensor(self._given)

    def _assert_non_singular(self) -> Any:
        return assert_no_entries_with_modulus_zero(
            self._diag, message="Singular operator:  Diagonal contained zero values."
        )

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return matmul(self._tril, x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        rhs = pieces.adjoint_if(rhs, adjoint_arg)
        return pieces.solve_triangular(self._tril, rhs, adjoint=adjoint)

    def _determinant(self) -> Any:
        return reductions.reduce_prod(self._diag, axis=[-1])

    def _log_abs_determinant(self) -> Any:
        logarithms = math_unary.log(math_unary.abs(self._diag))
        return cast(reductions.reduce_sum(logarithms, axis=[-1]), self.dtype)

    def _to_dense(self) -> Any:
        return self._tril

    def _eigvals(self) -> Any:
        return self._diag
