"""Permutations of rows."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.fill as array_fill
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.library.linear_operators import pieces
from dataflow.library.linear_operators.base import LinearOperator
from dataflow.ops.array.concat import concat
from dataflow.ops.array.select import one_hot
from dataflow.ops.linalg.matmul import matmul
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape


class LinearOperatorPermutation(LinearOperator):
    """Matrices whose row `i` has its one in column `perm[i]`."""

    def __init__(
        self,
        perm: Any,
        dtype: Any = dtypes.float32,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorPermutation",
    ) -> None:
        """Makes one of `perm`, `[B1, ..., Bb, N]`, whole numbers.

        Raises:
          ValueError: `perm` is a scalar, or not whole, or a hint says that it is not square.
        """
        with name_scope(name, values=[perm]):
            self._perm = convert_to_tensor(perm, name="perm")
            if self._perm.shape.rank == 0:
                raise ValueError(
                    f"Argument perm must have at least 1 dimension.  Found: {self._perm}."
                )
            if not self._perm.dtype.is_integer:
                raise TypeError(f"Argument perm must be integer dtype.  Found: {self._perm}.")
            is_non_singular = pieces.implied(
                is_non_singular, True, "A Permutation operator is always non-singular."
            )
            is_square = pieces.implied(is_square, True, "A Permutation operator is always square.")
            super().__init__(
                dtype=dtype,
                graph_parents=[self._perm],
                is_non_singular=is_non_singular,
                is_self_adjoint=is_self_adjoint,
                is_positive_definite=is_positive_definite,
                is_square=is_square,
                name=name,
            )

    @property
    def perm(self) -> Any:
        """The places."""
        return self._perm

    def _shape(self) -> TensorShape:
        shape = self._perm.shape
        return shape if shape.rank is None else shape.concatenate(shape[-1:])

    def _shape_tensor(self) -> Any:
        sizes: Any = pieces.shape_tensor(self._perm)
        return concat([sizes, sizes[-1:]], 0)

    def _to_dense(self) -> Any:
        return one_hot(self._perm, self.domain_dimension_tensor(), dtype=self.dtype)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return matmul(self.to_dense(), x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._matmul(rhs, not adjoint, adjoint_arg)

    def _log_abs_determinant(self) -> Any:
        return array_fill.zeros(self.batch_shape_tensor(), dtype=self.dtype)

    def _cond(self) -> Any:
        return array_fill.ones(self.batch_shape_tensor(), dtype=self.dtype)
