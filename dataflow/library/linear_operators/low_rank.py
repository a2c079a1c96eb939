"""Operators changed by matrices of low rank: `L + U D V^H`."""

from __future__ import annotations

from typing import Any

from dataflow.graph.scopes import name_scope
from dataflow.library.linear_operators import pieces
from dataflow.library.linear_operators.base import LinearOperator
from dataflow.library.linear_operators.checks import convert_nonref_to_tensor
from dataflow.library.linear_operators.diagonal import LinearOperatorDiag
from dataflow.library.linear_operators.identity import LinearOperatorIdentity
from dataflow.ops.array.concat import concat
from dataflow.ops.linalg.cholesky import cholesky, cholesky_solve
from dataflow.ops.linalg.diag import matrix_diag
from dataflow.ops.linalg.inverse import matrix_determinant, slogdet
from dataflow.ops.linalg.matmul import matmul
from dataflow.values.shapes import TensorShape


class LinearOperatorLowRankUpdate(LinearOperator):
    """`L + U D V^H`: an operator, and a product of rank K that changes it.

    Systems are solved by the formula of Woodbury, determinants told by the lemma of matrix
    determinants, from those of `L` and of a matrix `[K, K]`.
    """

    def __init__(
        self,
        base_operator: LinearOperator,
        u: Any,
        diag_update: Any = None,
        v: Any = None,
        is_diag_update_positive: bool | None = None,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorLowRankUpdate",
    ) -> None:
        """Makes one.

        Args:
          base_operator: `L`, `[B1, ..., Bb, M, N]`, float or complex.
          u: `U`, `[B1, ..., Bb, M, K]`.
          diag_update: The diagonal of D, `[B1, ..., Bb, K]`; None for ones.
          v: `V`, `[B1, ..., Bb, N, K]`; None for `u`.
          is_diag_update_positive: Whether D is positive.
          is_non_singular: As the base's; so all that follow.
          is_self_adjoint: See above.
          is_positive_definite: See above.
          is_square: See above.
          name: Name of the scope of its operations.

        Raises:
          TypeError: The types differ.
          ValueError: Hints contradict each other, or the sizes do not fit.
        """
        if diag_update is None:
            is_diag_update_positive = pieces.implied(
                is_diag_update_positive,
                True,
                "Default diagonal is the identity, which is positive.  However, user set "
                "'is_diag_update_positive' to False.",
            )
        same = v is None or v is u
        with name_scope(name):
            self._base = base_operator
            self._u = convert_nonref_to_tensor(u, name="u")
            self._v = self._u if same else convert_nonref_to_tensor(v, name="v")
            given = convert_nonref_to_tensor(diag_update, name="diag_update")
            real = given is None or not given.dtype.is_complex
            self_adjoint = bool(base_operator.is_self_adjoint and same and real)
            is_self_adjoint = pieces.implied(
                is_self_adjoint,
                self_adjoint,
                "A = L + UDU^H, with L self-adjoint and D real diagonal.  Since UDU^H is "
                "self-adjoint, this must be a self-adjoint operator.",
            )
            self._use_cholesky = bool(
                base_operator.is_positive_definite
                and base_operator.is_self_adjoint
                and is_diag_update_positive
                and same
            )
            message = "Arguments imply this is self-adjoint positive-definite operator."
            positive = self._use_cholesky
            is_positive_definite = pieces.implied(is_positive_definite, positive, message)
            is_self_adjoint = pieces.implied(is_self_adjoint, positive, message)
            is_non_singular = pieces.implied(is_non_singular, positive, message)
            self._update = given
            self._diagonal = self._middle(is_diag_update_positive)
            parents = [*base_operator.graph_parents, self._u, self._v]
            if given is not None:
                parents.append(given)
            super().__init__(
                dtype=base_operator.dtype,
                graph_parents=parents,
                is_non_singular=is_non_singular,
                is_self_adjoint=is_self_adjoint,
                is_positive_definite=is_positive_definite,
                is_square=is_square,
                name=name,
            )
            self._check_shapes()

    def _middle(self, is_positive: bool | None) -> LinearOperator:
        if self._update is not None:
            return LinearOperatorDiag(self._update, is_positive_definite=is_positive)
        shape = self._u.shape
        size = None if shape.rank is None else shape[-1].value
        rank = pieces.shape_tensor(self._u)[-1] if size is None else size
        return LinearOperatorIdentity(num_rows=rank, dtype=self._base.dtype)

    def _check_shapes(self) -> None:
        for value in (self._u, self._v, self._update):
            if value is not None:
                self._check_input_dtype(value)
        if self._u.shape.rank is None or self._v.shape.rank is None:
            return
        if self._u.shape[-2:].is_compatible_with(self._v.shape[-2:]):
            pieces.common_batch([self._u.shape, self._v.shape])
        shapes = [self._base.batch_shape, self._u.shape[:-2], self._v.shape[:-2]]
        self._base.range_dimension.assert_is_compatible_with(self._u.shape[-2])
        self._base.domain_dimension.assert_is_compatible_with(self._v.shape[-2])
        self._u.shape[-1].assert_is_compatible_with(self._v.shape[-1])
        if self._update is not None and self._update.shape.rank is not None:
            self._u.shape[-1].assert_is_compatible_with(self._update.shape[-1])
            shapes.append(self._update.shape[:-1])
        pieces.common_batch(shapes)

    @property
    def u(self) -> Any:
        """`U`."""
        return self._u

    @property
    def v(self) -> Any:
        """`V`."""
        return self._v

    @property
    def is_diag_update_positive(self) -> bool | None:
        """Whether D is positive; None for unknown."""
        return self._diagonal.is_positive_definite

    @property
    def diag_update(self) -> Any:
        """The diagonal of D, or None for ones."""
        return self._update

    @property
    def diag_operator(self) -> LinearOperator:
        """D."""
        return self._diagonal

    @property
    def base_operator(self) -> LinearOperator:
        """`L`."""
        return self._base

    def _shape(self) -> TensorShape:
        shape = self._base.shape
        if any(part.shape.rank is None for part in (self._base, self._u, self._v)):
            return TensorShape(None)
        batches = [self._base.batch_shape, self._u.shape[:-2], self._v.shape[:-2]]
        return pieces.common_batch([*batches, self._diagonal.batch_shape]).concatenate(shape[-2:])

    def _shape_tensor(self) -> Any:
        sizes: list[Any] = [pieces.shape_tensor(self._u), pieces.shape_tensor(self._v)]
        batches = [size[:-2] for size in sizes]
        batches += [self._base.batch_shape_tensor(), self._diagonal.batch_shape_tensor()]
        return concat([pieces.common_batch_tensor(batches), self._base.shape_tensor()[-2:]], 0)

    def _ends(self, adjoint: bool) -> tuple[Any, Any]:
        return (self._v, self._u) if adjoint else (self._u, self._v)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        left, right = self._ends(adjoint)
        inner = matmul(right, x, adjoint_a=True, adjoint_b=adjoint_arg)
        changed = matmul(left, self._diagonal.matmul(inner, adjoint=adjoint))
        return self._base.matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg) + changed

    def _capacitance(self) -> Any:
        solved = matmul(self._v, self._base.solve(self._u), adjoint_a=True)
        return self._diagonal.inverse().add_to_tensor(solved)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        if self._base.is_non_singular is False:
            raise ValueError(
                "Solve not implemented unless this is a perturbation of a non-singular "
                "LinearOperator."
            )
        left, right = self._ends(adjoint)
        capacitance = self._capacitance()
        first = self._base.solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
        inner = matmul(right, first, adjoint_a=True)
        if self._use_cholesky:
            inner = cholesky_solve(*pieces.same_batch(cholesky(capacitance), inner))
        else:
            inner = pieces.solve_dense(capacitance, inner, adjoint=adjoint)
        return first - self._base.solve(matmul(left, inner), adjoint=adjoint)

    def _determinant(self) -> Any:
        return (
            matrix_determinant(self._capacitance())
            * self._diagonal.determinant()
            * self._base.determinant()
        )

    def _log_abs_determinant(self) -> Any:
        changed = slogdet(self._capacitance())[1]
        logarithms = self._diagonal.log_abs_determinant() + self._base.log_abs_determinant()
        return changed + logarithms

    def _to_dense(self) -> Any:
        middle = matrix_diag(self._diagonal.diag_part())
        changed = matmul(matmul(self._u, middle), self._v, adjoint_b=True)
        return self._base.to_dense() + changed
