"""Reflections."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.fill as array_fill
from dataflow.graph.scopes import name_scope
from dataflow.library.linear_operators import pieces
from dataflow.library.linear_operators.base import LinearOperator
from dataflow.library.linear_operators.checks import convert_nonref_to_tensor
from dataflow.ops.array.concat import concat
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.nn.moments import l2_normalize
from dataflow.values.shapes import TensorShape


class LinearOperatorHouseholder(LinearOperator):
    """`I - 2 v v^H` with `v` of length one: what is along `v` turns round, all else stays."""

    def __init__(
        self,
        reflection_axis: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorHouseholder",
    ) -> None:
        """Makes one of `v`, `[B1, ..., Bb, N]`, of any length but zero.

        Raises:
          ValueError: The axis is a scalar, or a hint contradicts what a reflection is.
        """
        with name_scope(name, values=[reflection_axis]):
            self._axis = convert_nonref_to_tensor(reflection_axis, name="reflection_axis")
            if self._axis.shape.rank == 0:
                raise ValueError(
                    f"Argument reflection_axis must have at least 1 dimension.  Found: {self._axis}"
                )
            message = "A Householder operator is always self adjoint."
            is_self_adjoint = pieces.implied(is_self_adjoint, True, message)
            if is_positive_definite is True:
                raise ValueError("A Householder operator is always non-positive definite.")
            message = "A Householder operator is always square."
            is_square = pieces.implied(is_square, True, message)
            super().__init__(
                dtype=self._axis.dtype,
                graph_parents=[self._axis],
                is_non_singular=is_non_singular,
                is_self_adjoint=is_self_adjoint,
                is_positive_definite=False,
                is_square=is_square,
                name=name,
            )

    @property
    def reflection_axis(self) -> Any:
        """The axis, as it was given."""
        return self._axis

    def _shape(self) -> TensorShape:
        shape: TensorShape = self._axis.shape
        return shape if shape.rank is None else shape.concatenate(shape[-1:])

    def _shape_tensor(self) -> Any:
        sizes: Any = pieces.shape_tensor(self._axis)
        return concat([sizes, sizes[-1:]], 0)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        x = pieces.adjoint_if(x, adjoint_arg)
        column = pieces.as_columns(l2_normalize(self._axis, axis=-1))
        return x - 2.0 * matmul(column, matmul(column, x, adjoint_a=True))

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._matmul(rhs, adjoint, adjoint_arg)

    def _determinant(self) -> Any:
        return -array_fill.ones(self.batch_shape_tensor(), dtype=self.dtype)

    def _log_abs_determinant(self) -> Any:
        return array_fill.zeros(self.batch_shape_tensor(), dtype=self.dtype)

    def _cond(self) -> Any:
        return array_fill.ones(self.batch_shape_tensor(), dtype=self.dtype)

    def _inverse(self) -> LinearOperator:
        return self
