"""Kronecker products of operators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.graph.scopes import name_scope
from dataflow.library.linear_operators import pieces
from dataflow.library.linear_operators.base import LinearOperator
from dataflow.ops.array.concat import concat
from dataflow.ops.basic.cast import cast
from dataflow.ops.linalg.matmul import matmul
from dataflow.values.shapes import TensorShape


class LinearOperatorKronecker(LinearOperator):
    """The Kronecker product of several operators."""

    def __init__(
        self,
        operators: Sequence[LinearOperator],
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        """Makes one of operators of one type; the hints as the base's.

        Raises:
          TypeError: The types differ.
          ValueError: There is no operator, or a hint contradicts them.
        """
        self._operators = list(operators)
        if not self._operators:
            raise ValueError(f"Expected a list of >=1 operators. Found: {operators}")
        dtype = pieces.one_dtype(self._operators)
        message = "The Kronecker product of {0} operators is always {0}."
        is_non_singular = pieces.implied(
            is_non_singular,
            all(operator.is_non_singular for operator in self._operators),
            message.format("non-singular"),
        )
        is_self_adjoint = pieces.implied(
            is_self_adjoint,
            all(operator.is_self_adjoint for operator in self._operators),
            message.format("self-adjoint"),
        )
        is_positive_definite = pieces.implied(
            is_positive_definite,
            all(operator.is_positive_definite for operator in self._operators),
            message.format("positive-definite"),
        )
        parents = [parent for operator in self._operators for parent in operator.graph_parents]
        name = name or "_x_".join(operator.name for operator in self._operators)
        with name_scope(name, values=parents):
            super().__init__(
                dtype=dtype,
                graph_parents=parents,
                is_non_singular=is_non_singular,
                is_self_adjoint=is_self_adjoint,
                is_positive_definite=is_positive_definite,
                is_square=is_square,
                name=name,
            )

    @property
    def operators(self) -> list[LinearOperator]:
        """The factors."""
        return self._operators

    def _shape(self) -> TensorShape:
        batch = pieces.common_batch([operator.batch_shape for operator in self._operators])
        rows: Any = self._operators[0].range_dimension
        columns: Any = self._operators[0].domain_dimension
        for operator in self._operators[1:]:
            rows = rows * operator.range_dimension
            columns = columns * operator.domain_dimension
        return batch.concatenate(TensorShape([rows, columns]))

    def _shape_tensor(self) -> Any:
        batch = pieces.common_batch_tensor(
            [operator.batch_shape_tensor() for operator in self._operators]
        )
        rows: Any = self._operators[0].range_dimension_tensor()
        columns: Any = self._operators[0].domain_dimension_tensor()
        for operator in self._operators[1:]:
            rows = rows * operator.range_dimension_tensor()
            columns = columns * operator.domain_dimension_tensor()
        return concat([batch, [rows, columns]], 0)

    def _to_dense(self) -> Any:
        result: Any = self._operators[0].to_dense()
        for operator in self._operators[1:]:
            right: Any = operator.to_dense()
            first: Any = pieces.shape_tensor(result)
            second: Any = pieces.shape_tensor(right)
            whole: Any = result[..., :, None, :, None] * right[..., None, :, None, :]
            ends = first[-2:] * second[-2:]
            batch = pieces.shape_tensor(whole)[:-4]
            result = array_shape.reshape(whole, concat([batch, ends], 0))
        return result

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return matmul(self.to_dense(), x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _log_abs_determinant(self) -> Any:
        total: Any = self.domain_dimension_tensor()
        result: Any = None
        for operator in self._operators:
            power = cast(total // operator.domain_dimension_tensor(), self.dtype)
            part = operator.log_abs_determinant() * power
            result = part if result is None else result + part
        return result

    def _adjoint(self) -> LinearOperator:
        return LinearOperatorKronecker([operator.adjoint() for operator in self._operators])

    def _inverse(self) -> LinearOperator:
        return LinearOperatorKronecker([operator.inverse() for operator in self._operators])

    def _cholesky(self) -> LinearOperator:
        return LinearOperatorKronecker([operator.cholesky() for operator in self._operators])
