"""Operators on and below the diagonal of a larger one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import add, mul
from typing import Any

from dataflow.graph.scopes import name_scope
from dataflow.library.linear_operators import pieces
from dataflow.library.linear_operators.base import LinearOperator
from dataflow.library.linear_operators.dense import LinearOperatorFullMatrix
from dataflow.ops.array.broadcast import broadcast_to
from dataflow.ops.array.concat import concat
from dataflow.ops.array.fill import zeros
from dataflow.ops.array.split import split
from dataflow.values.shapes import TensorShape

Rows = Sequence[Sequence[LinearOperator]]


class LinearOperatorBlockLowerTriangular(LinearOperator):
    """Rows of operators, of which each has one more than the one above it; zeros elsewhere."""

    def __init__(
        self,
        operators: Rows,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorBlockLowerTriangular",
    ) -> None:
        """Makes one of rows of operators of one type; the hints as the base's.

        Raises:
          TypeError: The types differ.
          ValueError: There is no operator, a row has more or fewer than it should, sizes do not
            fit, or a hint contradicts the operators.
        """
        self._operators = [list(row) for row in operators]
        if not self._operators:
            raise ValueError(
                "Argument `operators` must be a list of >=1 operators. Received: "
                f"{self._operators}."
            )
        self._diagonal = [row[-1] for row in self._operators]
        dtype = pieces.one_dtype([operator for row in self._operators for operator in row])
        is_non_singular = self._singularity(is_non_singular)
        self._check_sizes()
        self._check_square(is_square)
        with name_scope(name):
            super().__init__(
                dtype=dtype,
                is_non_singular=is_non_singular,
                is_self_adjoint=is_self_adjoint,
                is_positive_definite=is_positive_definite,
                is_square=True,
                name=name,
            )

    def _singularity(self, hint: bool | None) -> bool | None:
        start = "A blockwise lower-triangular operator with"
        if all(operator.is_non_singular for operator in self._diagonal):
            return pieces.implied(
                hint,
                True,
                f"{start} non-singular operators on the main diagonal is always non-singular. "
                "Expected argument `is_non_singular` to be True. Received: False.",
            )
        if any(operator.is_non_singular is False for operator in self._diagonal):
            if hint is True:
                raise ValueError(
                    f"{start} a singular operator on the main diagonal is always singular. "
                    "Expected argument `is_non_singular` to be True. Received: True."
                )
            return False
        # TensorFlow forgets the hint, too, where the blocks say nothing.
        return None

    def _check_sizes(self) -> None:
        rows = self._operators
        for i, row in enumerate(rows):
            if len(row) != i + 1:
                raise ValueError(
                    f"Argument `operators[{i}]` must contain `{i + 1}` blocks. Received: "
                    f"{len(row)} blocks."
                )
        for i, row in enumerate(rows):
            for j, operator in enumerate(row[:-1]):
                for what, other, place in (
                    ("domain_dimension", rows[i - 1][j], f"{i - 1}][{j}"),
                    ("range_dimension", row[j + 1], f"{i}][{j + 1}"),
                ):
                    mine, wanted = getattr(operator, what), getattr(other, what)
                    if not mine.is_compatible_with(wanted):
                        raise ValueError(
                            f"Argument `operators[{i}][{j}].{what}` ({mine}) must be the same as "
                            f"`operators[{place}].{what}` ({wanted})."
                        )

    def _check_square(self, hint: bool | None) -> None:
        if hint is False:
            raise ValueError(
                "`LinearOperatorBlockLowerTriangular` must be square. Expected argument "
                "`is_square` to be True. Received: False."
            )
        for i, operator in enumerate(self._diagonal):
            if operator.is_square is False:
                raise ValueError(
                    "Matrices on the diagonal (the final elements of each row-partition in the "
                    "`operators` list) must be square. Expected argument "
                    f"`operators[{i}][-1].is_square` to be True. Received: False."
                )

    @property
    def operators(self) -> list[list[LinearOperator]]:
        """The rows of blocks."""
        return self._operators

    def _all(self) -> list[LinearOperator]:
        return [operator for row in self._operators for operator in row]

    def _shape(self) -> TensorShape:
        batch = pieces.common_batch([operator.batch_shape for operator in self._all()])
        sizes = [operator.domain_dimension.value for operator in self._diagonal]
        whole = None if None in sizes else sum(size for size in sizes if size is not None)
        return batch.concatenate(TensorShape([whole, whole]))

    def _batch_tensor(self) -> Any:
        return pieces.common_batch_tensor(
            [operator.batch_shape_tensor() for operator in self._all()]
        )

    def _sizes(self) -> list[Any]:
        return [operator.domain_dimension_tensor() for operator in self._diagonal]

    def _shape_tensor(self) -> Any:
        whole = reduce(add, self._sizes())
        return concat([self._batch_tensor(), [whole, whole]], 0)

    def _blocks(self, x: Any) -> list[Any]:
        sizes = self._sizes()
        found: list[Any] = split(x, sizes, axis=-2, num=len(sizes))
        return found

    def _joined(self, parts: Sequence[Any], axis: int = -2) -> Any:
        """Parts one behind the other, of one batch shape."""
        shapes: list[Any] = [pieces.shape_tensor(part) for part in parts]
        inner = -axis
        batch = pieces.common_batch_tensor([shape[:-inner] for shape in shapes])
        same = [
            broadcast_to(part, concat([batch, shape[-inner:]], 0))
            for part, shape in zip(parts, shapes, strict=True)
        ]
        return concat(same, axis)

    def _column(self, place: int) -> list[tuple[int, LinearOperator]]:
        """The blocks of a column, with their rows."""
        rows = enumerate(self._operators)
        return [(i, row[place]) for i, row in rows if len(row) > place]

    def _terms(self, place: int, adjoint: bool) -> list[tuple[int, LinearOperator]]:
        """The blocks by which part `place` of a product is made, with the parts they meet."""
        return self._column(place) if adjoint else list(enumerate(self._operators[place]))

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        blocks = self._blocks(pieces.adjoint_if(x, adjoint_arg))
        return self._joined(
            [
                reduce(
                    add,
                    [
                        operator.matmul(blocks[other], adjoint=adjoint)
                        for other, operator in self._terms(place, adjoint)
                    ],
                )
                for place in range(len(blocks))
            ]
        )

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        blocks = self._blocks(pieces.adjoint_if(rhs, adjoint_arg))
        found: dict[int, Any] = {}
        order = range(len(blocks))
        for place in reversed(order) if adjoint else order:
            known = blocks[place]
            for other, operator in self._terms(place, adjoint):
                if other != place:
                    known = known - operator.matmul(found[other], adjoint=adjoint)
            found[place] = self._diagonal[place].solve(known, adjoint=adjoint)
        return self._joined([found[place] for place in order])

    def _determinant(self) -> Any:
        return reduce(mul, [operator.determinant() for operator in self._diagonal])

    def _log_abs_determinant(self) -> Any:
        return reduce(add, [operator.log_abs_determinant() for operator in self._diagonal])

    def _trace(self) -> Any:
        return reduce(add, [operator.trace() for operator in self._diagonal])

    def _diag_part(self) -> Any:
        found = self._joined([operator.diag_part() for operator in self._diagonal], -1)
        return broadcast_to(found, self.shape_tensor()[:-1])

    def _eigvals(self) -> Any:
        found = self._joined([operator.eigvals() for operator in self._diagonal], -1)
        return broadcast_to(found, self.shape_tensor()[:-1])

    def _to_dense(self) -> Any:
        batch, sizes = self._batch_tensor(), self._sizes()
        rows = []
        for i, row in enumerate(self._operators):
            blocks = [
                broadcast_to(operator.to_dense(), concat([batch, [sizes[i], sizes[j]]], 0))
                for j, operator in enumerate(row)
            ]
            blocks += [
                zeros(concat([batch, [sizes[i], size]], 0), self.dtype) for size in sizes[i + 1 :]
            ]
            rows.append(concat(blocks, -1))
        dense = concat(rows, -2)
        dense.set_shape(self.shape)
        return dense

    def _inverse(self) -> LinearOperator:
        """Row by row: of [[A, 0], [B, C]] it is [[A', 0], [-C' B A', C']], with ' for inverse."""
        rows: list[list[LinearOperator]] = []
        for row in self._operators:
            corner = row[-1].inverse()
            made: list[LinearOperator] = []
            for j in range(len(rows)):
                product = reduce(
                    add,
                    [
                        row[i].matmul(above[j]).to_dense()
                        for i, above in enumerate(rows)
                        if len(above) > j
                    ],
                )
                made.append(LinearOperatorFullMatrix(-corner.matmul(product)))
            rows.append([*made, corner])
        return LinearOperatorBlockLowerTriangular(
            rows,
            is_non_singular=self.is_non_singular,
            is_self_adjoint=self.is_self_adjoint,
            is_positive_definite=self.is_positive_definite,
            is_square=True,
        )
