"""The operator that makes all zero."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.fill as array_fill
from dataflow.errors import InvalidArgumentError
from dataflow.graph.scopes import name_scope
from dataflow.library.linear_operators import pieces
from dataflow.library.linear_operators.base import LinearOperator
from dataflow.library.linear_operators.identity import fitting, known_sizes, whole
from dataflow.ops.array.concat import concat
from dataflow.ops.basic.identity import no_op
from dataflow.ops.linalg.matmul import matmul
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape


class LinearOperatorZeros(LinearOperator):
    """Matrices of zeros."""

    def __init__(
        self,
        num_rows: Any,
        num_columns: Any = None,
        batch_shape: Any = None,
        dtype: Any = None,
        is_non_singular: bool | None = False,
        is_self_adjoint: bool | None = True,
        is_positive_definite: bool | None = False,
        is_square: bool | None = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorZeros",
    ) -> None:
        """Makes one of sizes; as many columns as rows without a number, float32 without a type.

        Raises:
          TypeError: The sizes are not whole.
          ValueError: A size is negative, or a hint contradicts what it is.
        """
        with name_scope(name):
            proper = self._proper = assert_proper_shapes
            self._rows = whole(num_rows, "num_rows", 0, proper)
            same = num_columns is None
            self._columns = self._rows if same else whole(num_columns, "num_columns", 0, proper)
            batch = [] if batch_shape is None else batch_shape
            self._batch = whole(batch, "batch_shape", 1, proper)
            if is_self_adjoint and is_square is False:
                raise ValueError("A zero operator is always self adjoint.")
            if is_non_singular:
                raise ValueError("A zero operator is always singular.")
            if is_positive_definite:
                raise ValueError("A zero operator is always not positive-definite.")
            super().__init__(
                dtype=dtype or dtypes.float32,
                is_non_singular=is_non_singular,
                is_self_adjoint=is_self_adjoint if is_square else None,
                is_positive_definite=is_positive_definite,
                is_square=is_square,
                name=name,
            )

    def _shape(self) -> TensorShape:
        ends = known_sizes(self._rows).concatenate(known_sizes(self._columns))
        return known_sizes(self._batch).concatenate(ends)

    def _shape_tensor(self) -> Any:
        return concat([self._batch, [self._rows, self._columns]], 0)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        x = pieces.adjoint_if(x, adjoint_arg)
        if self._proper:
            x = fitting(self.adjoint() if adjoint else self, x)
        return matmul(self.to_dense(), x, adjoint_a=adjoint)

    def _assert_non_singular(self) -> Any:
        raise InvalidArgumentError(None, None, "Zero operators are always non-invertible.")

    def _assert_positive_definite(self) -> Any:
        raise InvalidArgumentError(None, None, "Zero operators are always non-positive definite.")

    def _assert_self_adjoint(self) -> Any:
        return no_op("assert_self_adjoint")

    def _to_dense(self) -> Any:
        return array_fill.zeros(self.shape_tensor(), dtype=self.dtype)

    def _determinant(self) -> Any:
        return array_fill.zeros(self.batch_shape_tensor(), dtype=self.dtype)

    def add_to_tensor(self, mat: Any, name: str = "add_to_tensor") -> Any:
        """The matrices plus `mat`, a tensor of the same type whose shape broadcasts."""
        return super().add_to_tensor(mat, name)

    def _trace(self) -> Any:
        return array_fill.zeros(self.batch_shape_tensor(), dtype=self.dtype)
