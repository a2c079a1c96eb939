"""Products of operators, as operators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.graph.scopes import name_scope
from dataflow.library.linear_operators import pieces
from dataflow.library.linear_operators.base import LinearOperator
from dataflow.ops.array.concat import concat
from dataflow.values.shapes import TensorShape


class LinearOperatorComposition(LinearOperator):
    """The product of several operators, the last of which acts first."""

    def __init__(
        self,
        operators: Sequence[LinearOperator],
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        """Makes one of operators of one type whose sizes fit; the hints as the base's.

        Raises:
          TypeError: The types differ.
          ValueError: There is no operator, or the sizes do not fit, or a hint contradicts them.
        """
        self._operators = list(operators)
        if not self._operators:
            raise ValueError(f"Expected a non-empty list of operators. Found: {operators}")
        dtype = pieces.one_dtype(self._operators)
        is_non_singular = pieces.implied(
            is_non_singular,
            all(operator.is_non_singular for operator in self._operators),
            "The composition of non-singular operators is always non-singular.",
        )
        parents = [parent for operator in self._operators for parent in operator.graph_parents]
        name = name or "_o_".join(operator.name for operator in self._operators)
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
        for left, right in zip(self._operators, self._operators[1:], strict=False):
            left.domain_dimension.assert_is_compatible_with(right.range_dimension)
        batch = pieces.common_batch([operator.batch_shape for operator in self._operators])
        ends = [self._operators[0].range_dimension, self._operators[-1].domain_dimension]
        return batch.concatenate(TensorShape(ends))

    def _shape_tensor(self) -> Any:
        batch = pieces.common_batch_tensor(
            [operator.batch_shape_tensor() for operator in self._operators]
        )
        ends = [
            self._operators[0].range_dimension_tensor(),
            self._operators[-1].domain_dimension_tensor(),
        ]
        return concat([batch, ends], 0)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        result = pieces.adjoint_if(x, adjoint_arg)
        for operator in self._operators if adjoint else reversed(self._operators):
            result = operator.matmul(result, adjoint=adjoint)
        return result

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        result = pieces.adjoint_if(rhs, adjoint_arg)
        for operator in reversed(self._operators) if adjoint else self._operators:
            result = operator.solve(result, adjoint=adjoint)
        return result

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
