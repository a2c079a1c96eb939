"""Operators that are their diagonal: any diagonal, and one number of all."""

from __future__ import annotations

from typing import Any

import dataflow.ops.math.complex as math_complex
import dataflow.ops.math.unary as math_unary
import dataflow.ops.reductions.reduce as reductions
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.library.check_values import assert_positive
from dataflow.library.linear_operators import pieces
from dataflow.library.linear_operators.base import LinearOperator
from dataflow.library.linear_operators.checks import (
    assert_no_entries_with_modulus_zero,
    assert_zero_imag_part,
    convert_nonref_to_tensor,
)
from dataflow.ops.array.concat import concat
from dataflow.ops.basic.cast import cast
from dataflow.ops.linalg.diag import matrix_diag, matrix_diag_part, matrix_set_diag
from dataflow.values.shapes import TensorShape


def implied_by_real(is_self_adjoint: bool | None, dtype: Any) -> bool | None:
    """The hint of a diagonal, True where its numbers are real.

    Raises:
      ValueError: They are, and the hint says the contrary.
    """
    return pieces.implied(
        is_self_adjoint,
        not dtype.is_complex,
        "A real diagonal operator is always self adjoint.",
    )


class DiagonalOperator(LinearOperator):
    """What operators with a diagonal and nothing else have."""

    @property
    def _diag(self) -> Any:
        """The diagonals, `[B1, ..., Bb, N]`: a tensor, or the variable that has them."""
        raise NotImplementedError("_diag is not implemented.")

    def _shape(self) -> TensorShape:
        shape: TensorShape = self._diag.shape
        return shape if shape.rank is None else shape.concatenate(shape[-1:])

    def _shape_tensor(self) -> Any:
        sizes: Any = pieces.shape_tensor(self._diag)
        return concat([sizes, sizes[-1:]], 0)

    def _column(self, adjoint: bool) -> Any:
        return pieces.as_columns(math_complex.conj(self._diag) if adjoint else self._diag)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._column(adjoint) * pieces.adjoint_if(x, adjoint_arg)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return pieces.adjoint_if(rhs, adjoint_arg) / self._column(adjoint)

    def _determinant(self) -> Any:
        return reductions.reduce_prod(self._diag, axis=[-1])

    def _log_abs_determinant(self) -> Any:
        logarithms = math_unary.log(math_unary.abs(self._diag))
        return cast(reductions.reduce_sum(logarithms, axis=[-1]), self.dtype)

    def _diag_part(self) -> Any:
        return self._diag

    def _to_dense(self) -> Any:
        return matrix_diag(self._diag)

    def _add_to_tensor(self, x: Any) -> Any:
        if x.shape.rank is None or not self.shape.is_compatible_with(x.shape):
            return super()._add_to_tensor(x)
        return matrix_set_diag(x, matrix_diag_part(x) + self._diag)

    def _eigvals(self) -> Any:
        return convert_to_tensor(self._diag)

    def _cond(self) -> Any:
        sizes: Any = math_unary.abs(self._diag)
        return reductions.reduce_max(sizes, axis=-1) / reductions.reduce_min(sizes, axis=-1)

    def _assert_non_singular(self) -> Any:
        return assert_no_entries_with_modulus_zero(
            self._diag, message="Singular operator:  Diagonal contained zero values."
        )

    def _assert_positive_definite(self) -> Any:
        if self.dtype.is_complex:
            kind, entries = "Diagonal", "diagonal entries with non-positive real part"
        else:
            kind, entries = "Real diagonal", "non-positive diagonal entries"
        return assert_positive(
            math_complex.real(self._diag),
            message=f"{kind} operator had {entries}, thus was not positive definite.",
        )

    def _assert_self_adjoint(self) -> Any:
        return assert_zero_imag_part(
            self._diag,
            message="This diagonal operator contained non-zero imaginary values.   Thus it was not "
            "self-adjoint.",
        )

    def _adjoint(self) -> LinearOperator:
        return self._like(math_complex.conj(self._diag))

    def _inverse(self) -> LinearOperator:
        return self._like(1.0 / self._diag)

    def _cholesky(self) -> LinearOperator:
        return self._like(math_unary.sqrt(self._diag))

    def _like(self, diag: Any) -> LinearOperator:
        return LinearOperatorDiag(
            diag,
            is_non_singular=self.is_non_singular,
            is_self_adjoint=self.is_self_adjoint,
            is_positive_definite=self.is_positive_definite,
            is_square=True,
        )


class LinearOperatorDiag(DiagonalOperator):
    """Square diagonal matrices."""

    def __init__(
        self,
        diag: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorDiag",
    ) -> None:
        """Makes one of `diag`, `[B1, ..., Bb, N]`, float or complex; the hints as the base's.

        Raises:
          ValueError: `diag` is a scalar, or a hint contradicts what a diagonal is.
        """
        with name_scope(name, values=[diag]):
            self._given = convert_nonref_to_tensor(diag, name="diag")
            if self._given.shape.rank == 0:
                raise ValueError(
                    f"Argument diag must have at least 1 dimension.  Found: {self._given}"
                )
            is_self_adjoint = implied_by_real(is_self_adjoint, self._given.dtype)
            is_square = pieces.implied(
                is_square, True, "Only square diagonal operators currently supported."
            )
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
    def diag(self) -> Any:
        """The diagonals, `[B1, ..., Bb, N]`."""
        return self._given

    @property
    def _diag(self) -> Any:
        return self._given
