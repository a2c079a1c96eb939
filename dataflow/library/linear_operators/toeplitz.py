"""Operators that are constant along their diagonals."""

from __future__ import annotations

from typing import Any

from dataflow.graph.scopes import name_scope
from dataflow.library.linear_operators import pieces
from dataflow.library.linear_operators.base import LinearOperator
from dataflow.library.linear_operators.checks import convert_nonref_to_tensor
from dataflow.ops.array.broadcast import broadcast_to
from dataflow.ops.array.concat import concat
from dataflow.ops.array.gather import gather
from dataflow.ops.array.transpose import reverse
from dataflow.ops.basic.range import range as numbers
from dataflow.ops.linalg.matmul import matmul
from dataflow.values.shapes import TensorShape


class LinearOperatorToeplitz(LinearOperator):
    """Square matrices told by their first column and their first row."""

    def __init__(
        self,
        col: Any,
        row: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorToeplitz",
    ) -> None:
        """Makes one of the first column and row, `[B1, ..., Bb, N]`; the column's first counts.

        Raises:
          ValueError: One is a scalar, or they differ in length, or `is_square` is False.
        """
        with name_scope(name, values=[row, col]):
            self._row = convert_nonref_to_tensor(row, name="row")
            self._col = convert_nonref_to_tensor(col, name="col")
            for what, value in (("row", self._row), ("col", self._col)):
                if value.shape.rank == 0:
                    raise ValueError(
                        f"Argument {what} must have at least 1 dimension.  Found: {value}"
                    )
            if self._row.shape.rank is not None and self._col.shape.rank is not None:
                self._row.shape[-1:].assert_is_compatible_with(self._col.shape[-1:])
            is_square = pieces.implied(
                is_square, True, "Only square Toeplitz operators currently supported."
            )
            super().__init__(
                dtype=self._row.dtype,
                graph_parents=[self._row, self._col],
                is_non_singular=is_non_singular,
                is_self_adjoint=is_self_adjoint,
                is_positive_definite=is_positive_definite,
                is_square=is_square,
                name=name,
            )

    @property
    def col(self) -> Any:
        """The first column."""
        return self._col

    @property
    def row(self) -> Any:
        """The first row."""
        return self._row

    def _shape(self) -> TensorShape:
        if self._row.shape.rank is None or self._col.shape.rank is None:
            return TensorShape(None)
        shape = pieces.common_batch([self._row.shape, self._col.shape])
        return shape.concatenate(shape[-1:])

    def _shape_tensor(self) -> Any:
        sizes: Any = pieces.common_batch_tensor(
            [pieces.shape_tensor(self._row), pieces.shape_tensor(self._col)]
        )
        return concat([sizes, sizes[-1:]], 0)

    def _to_dense(self) -> Any:
        sizes: Any = self.shape_tensor()[:-1]
        row: Any = broadcast_to(self._row, sizes)
        col: Any = broadcast_to(self._col, sizes)
        line = concat([reverse(col, [-1]), row[..., 1:]], -1)
        places: Any = numbers(sizes[-1])
        return gather(line, places[None, :] - places[:, None] + sizes[-1] - 1, axis=-1)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return matmul(self.to_dense(), x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _diag_part(self) -> Any:
        return broadcast_to(self._col[..., :1], self.shape_tensor()[:-1])
