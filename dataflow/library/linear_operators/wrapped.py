"""The adjoint and the inverse of an operator, as operators."""

from __future__ import annotations

from typing import Any

import dataflow.ops.math.complex as math_complex
from dataflow.graph.scopes import name_scope
from dataflow.library.linear_operators import pieces
from dataflow.library.linear_operators.base import LinearOperator
from dataflow.ops.array.concat import concat
from dataflow.values.shapes import TensorShape


class LinearOperatorAdjoint(LinearOperator):
    """The conjugate transpose of another operator."""

    def __init__(
        self,
        operator: LinearOperator,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        """Makes one of an operator, whose hints hold where none is given.

        Raises:
          ValueError: A hint contradicts the operator's.
        """
        self._operator = operator
        name = name or operator.name + "_adjoint"
        with name_scope(name, values=operator.graph_parents):
            super().__init__(
                dtype=operator.dtype,
                graph_parents=operator.graph_parents,
                is_non_singular=_of(operator.is_non_singular, is_non_singular, "non-singular"),
                is_self_adjoint=_of(operator.is_self_adjoint, is_self_adjoint, "self-adjoint"),
                is_positive_definite=_of(
                    operator.is_positive_definite, is_positive_definite, "positive-definite"
                ),
                is_square=_of(operator.is_square, is_square, "square"),
                name=name,
            )

    @property
    def operator(self) -> LinearOperator:
        """The operator whose conjugate transpose it is."""
        return self._operator

    def _shape(self) -> TensorShape:
        shape = self._operator.shape
        if shape.rank is None:
            return shape
        return shape[:-2].concatenate([shape[-1], shape[-2]])

    def _shape_tensor(self) -> Any:
        sizes = self._operator.shape_tensor()
        return concat([sizes[:-2], [sizes[-1], sizes[-2]]], 0)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._operator.matmul(x, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._operator.solve(rhs, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _determinant(self) -> Any:
        return math_complex.conj(self._operator.determinant())

    def _log_abs_determinant(self) -> Any:
        return self._operator.log_abs_determinant()

    def _trace(self) -> Any:
        return math_complex.conj(self._operator.trace())

    def _diag_part(self) -> Any:
        return math_complex.conj(self._operator.diag_part())

    def _to_dense(self) -> Any:
        return pieces.adjoint(self._operator.to_dense())

    def _adjoint(self) -> LinearOperator:
        return self._operator


class LinearOperatorInversion(LinearOperator):
    """The inverse of another operator."""

    def __init__(
        self,
        operator: LinearOperator,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        """Makes one of an operator, whose hints hold where none is given.

        Raises:
          ValueError: A hint contradicts the operator's, or it has no inverse.
        """
        self._operator = operator
        if operator.is_non_singular is False or is_non_singular is False:
            raise ValueError(
                "Argument `is_non_singular` or argument `operator` must have supplied hint "
                "`is_non_singular` equal to `True` or `None`. Found `operator.is_non_singular`: "
                f"{operator.is_non_singular}, `is_non_singular`: {is_non_singular}."
            )
        name = name or operator.name + "_inv"
        with name_scope(name, values=operator.graph_parents):
            super().__init__(
                dtype=operator.dtype,
                graph_parents=operator.graph_parents,
                is_non_singular=True,
                is_self_adjoint=_of(operator.is_self_adjoint, is_self_adjoint, "self-adjoint"),
                is_positive_definite=_of(
                    operator.is_positive_definite, is_positive_definite, "positive-definite"
                ),
                is_square=_of(operator.is_square, is_square, "square"),
                name=name,
            )

    @property
    def operator(self) -> LinearOperator:
        """The operator whose inverse it is."""
        return self._operator

    def _shape(self) -> TensorShape:
        return self._operator.shape

    def _shape_tensor(self) -> Any:
        return self._operator.shape_tensor()

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._operator.solve(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._operator.matmul(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _determinant(self) -> Any:
        return 1.0 / self._operator.determinant()

    def _log_abs_determinant(self) -> Any:
        return -1.0 * self._operator.log_abs_determinant()

    def _inverse(self) -> LinearOperator:
        return self._operator


def _of(operators: bool | None, given: bool | None, what: str) -> bool | None:
    if given is None:
        return operators
    if operators is not None and operators is not given:
        raise ValueError(f"The hint contradicts the operator: is it {what}?")
    return given
