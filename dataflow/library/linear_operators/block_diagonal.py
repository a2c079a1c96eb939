"""Operators on the diagonal of a larger one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.graph.scopes import name_scope
from dataflow.library.linear_operators import pieces
from dataflow.library.linear_operators.base import LinearOperator
from dataflow.ops.array.broadcast import broadcast_to
from dataflow.ops.array.concat import concat
from dataflow.ops.array.split import split
from dataflow.values.shapes import TensorShape


class LinearOperatorBlockDiag(LinearOperator):
    """Several operators, one after the other on the diagonal."""

    def __init__(
        self,
        operators: Sequence[LinearOperator],
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str | None = None,
    ) -> None:
        """Makes one of operators of one type; the hints as the base's.

        Raises:
          TypeError: The types differ.
          ValueError: There is no operator, or a hint contradicts them.
        """
        self._operators = list(operators)
        if not self._operators:
            raise ValueError(f"Expected a non-empty list of operators. Found: {operators}")
        dtype = pieces.one_dtype(self._operators)
        message = "The direct sum of {0} operators is always {0}."
        hints = {
            "non-singular": is_non_singular,
            "self-adjoint": is_self_adjoint,
            "positive definite": is_positive_definite,
        }
        for what, attribute in (
            ("non-singular", "is_non_singular"),
            ("self-adjoint", "is_self_adjoint"),
            ("positive definite", "is_positive_definite"),
        ):
            follows = all(getattr(operator, attribute) for operator in self._operators)
            hints[what] = pieces.implied(hints[what], follows, message.format(what))
        parents = [parent for operator in self._operators for parent in operator.graph_parents]
        name = name or "_ds_".join(operator.name for operator in self._operators)
        square = all(operator.is_square for operator in self._operators)
        with name_scope(name, values=parents):
            super().__init__(
                dtype=dtype,
                graph_parents=parents,
                is_non_singular=hints["non-singular"],
                is_self_adjoint=hints["self-adjoint"],
                is_positive_definite=hints["positive definite"],
                is_square=True if square else (None if is_square is True else is_square),
                name=name,
            )

    @property
    def operators(self) -> list[LinearOperator]:
        """The blocks."""
        return self._operators

    def _shape(self) -> TensorShape:
        batch = pieces.common_batch([operator.batch_shape for operator in self._operators])
        rows = [operator.range_dimension.value for operator in self._operators]
        columns = [operator.domain_dimension.value for operator in self._operators]
        ends = [
            None if None in sizes else sum(size for size in sizes if size is not None)
            for sizes in (rows, columns)
        ]
        return batch.concatenate(TensorShape(ends))

    def _shape_tensor(self) -> Any:
        batch = pieces.common_batch_tensor(
            [operator.batch_shape_tensor() for operator in self._operators]
        )
        rows: Any = self._operators[0].range_dimension_tensor()
        columns: Any = self._operators[0].domain_dimension_tensor()
        for operator in self._operators[1:]:
            rows = rows + operator.range_dimension_tensor()
            columns = columns + operator.domain_dimension_tensor()
        return concat([batch, [rows, columns]], 0)

    def _each(self, method: str, x: Any, rows: bool, adjoint: bool) -> Any:
        sizes = [
            operator.range_dimension_tensor() if rows else operator.domain_dimension_tensor()
            for operator in self._operators
        ]
        blocks = split(x, sizes, axis=-2, num=len(sizes))
        results: list[Any] = [
            getattr(operator, method)(block, adjoint=adjoint)
            for operator, block in zip(self._operators, blocks, strict=True)
        ]
        shapes: list[Any] = [pieces.shape_tensor(result) for result in results]
        batch = pieces.common_batch_tensor([shape[:-2] for shape in shapes])
        same = [
            broadcast_to(result, concat([batch, shape[-2:]], 0))
            for result, shape in zip(results, shapes, strict=True)
        ]
        return concat(same, -2)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._each("matmul", pieces.adjoint_if(x, adjoint_arg), adjoint, adjoint)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._each("solve", pieces.adjoint_if(rhs, adjoint_arg), not adjoint, adjoint)

    def _all_square(self) -> bool:
        return all(operator.is_square for operator in self._operators)

    def _determinant(self) -> Any:
        if not self._all_square():
            return super()._determinant()
        result = self._operators[0].determinant()
        for operator in self._operators[1:]:
            result = result * operator.determinant()
        return result

    def _log_abs_determinant(self) -> Any:
        if not self._all_square():
            return super()._log_abs_determinant()
        result = self._operators[0].log_abs_determinant()
        for operator in self._operators[1:]:
            result = result + operator.log_abs_determinant()
        return result

    def _adjoint(self) -> LinearOperator:
        return self._of([operator.adjoint() for operator in self._operators])

    def _inverse(self) -> LinearOperator:
        return self._of([operator.inverse() for operator in self._operators])

    def _cholesky(self) -> LinearOperator:
        return LinearOperatorBlockDiag([operator.cholesky() for operator in self._operators])

    def _of(self, operators: Sequence[LinearOperator]) -> LinearOperator:
        return LinearOperatorBlockDiag(
            operators,
            is_non_singular=self.is_non_singular,
            is_self_adjoint=self.is_self_adjoint,
            is_positive_definite=self.is_positive_definite,
        )
