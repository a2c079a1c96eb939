"""Matrices with three diagonals."""

from __future__ import annotations

from typing import Any, Final

import dataflow.ops.math.complex as math_complex
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.library.linalg.tridiagonal import tridiagonal_matmul, tridiagonal_solve
from dataflow.library.linear_operators import pieces
from dataflow.library.linear_operators.base import LinearOperator
from dataflow.ops.array.broadcast import broadcast_to
from dataflow.ops.array.concat import concat, stack, unstack
from dataflow.ops.array.transpose import roll
from dataflow.ops.linalg.diag import matrix_diag, matrix_diag_part
from dataflow.values.shapes import TensorShape

_FORMATS: Final = ("compact", "sequence", "matrix")


class LinearOperatorTridiag(LinearOperator):
    """Square matrices that have numbers on their main diagonal and on the ones beside it."""

    def __init__(
        self,
        diagonals: Any,
        diagonals_format: str = "compact",
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorTridiag",
    ) -> None:
        """Makes one of the diagonal above the main one, the main one, and the one below it.

        Args:
          diagonals: Of format "compact": `[B1, ..., Bb, 3, N]`, of which the last number of the
            first row and the first one of the last row do not count; "sequence": three vectors as
            these rows; "matrix": whole matrices.
          diagonals_format: The format.
          is_non_singular: As for the base, like the others.
          is_self_adjoint: A hint.
          is_positive_definite: A hint.
          is_square: A hint.
          name: Name of the scope of its operations.

        Raises:
          ValueError: There is no such format.
        """
        with name_scope(name, values=[diagonals]):
            if diagonals_format not in _FORMATS:
                raise ValueError(
                    "Argument `diagonals_format` must be one of compact, matrix, or sequence. "
                    f"Received : {diagonals_format}."
                )
            self._format = diagonals_format
            if diagonals_format == "sequence":
                self._diagonals: Any = [
                    convert_to_tensor(each, name=f"diag_{place}")
                    for place, each in enumerate(diagonals)
                ]
            else:
                self._diagonals = convert_to_tensor(diagonals, name="diagonals")
            super().__init__(
                dtype=self._parts()[0].dtype,
                is_non_singular=is_non_singular,
                is_self_adjoint=is_self_adjoint,
                is_positive_definite=is_positive_definite,
                is_square=is_square,
                name=name,
            )

    @property
    def diagonals(self) -> Any:
        """What it was made of."""
        return self._diagonals

    @property
    def diagonals_format(self) -> str:
        """The format of `diagonals`."""
        return self._format

    def _parts(self) -> list[Any]:
        return self._diagonals if self._format == "sequence" else [self._diagonals]

    def _shape(self) -> TensorShape:
        shapes: list[TensorShape] = [part.shape for part in self._parts()]
        if self._format == "matrix":
            return shapes[0]
        if any(shape.rank is None for shape in shapes):
            return TensorShape(None)
        if self._format == "compact":
            vectors = shapes[0][:-2].concatenate(shapes[0][-1:])
        else:
            batch = pieces.common_batch([shape[:-1] for shape in shapes])
            vectors = batch.concatenate(shapes[1][-1:])
        return vectors.concatenate(vectors[-1:])

    def _shape_tensor(self) -> Any:
        sizes: list[Any] = [pieces.shape_tensor(part) for part in self._parts()]
        if self._format == "matrix":
            return sizes[0]
        if self._format == "compact":
            batch = sizes[0][:-2]
        else:
            batch = pieces.common_batch_tensor([each[:-1] for each in sizes])
        length = sizes[min(1, len(sizes) - 1)][-1:]
        return concat([batch, length, length], 0)

    def _rows(self) -> list[Any]:
        """The three diagonals as vectors of one batch."""
        if self._format == "sequence":
            vectors: Any = self._shape_tensor()[:-1]
            return [broadcast_to(part, vectors) for part in self._diagonals]
        whole = self._diagonals
        if self._format == "matrix":
            whole = matrix_diag_part(whole, k=(-1, 1), align="LEFT_RIGHT")
        found: list[Any] = unstack(whole, num=3, axis=-2)
        return found

    def _compact(self, adjoint: bool) -> Any:
        above, main, below = self._rows()
        if not adjoint:
            return stack([above, main, below], axis=-2)
        swapped = [roll(below, -1, -1), main, roll(above, 1, -1)]
        return math_complex.conj(stack(swapped, axis=-2))

    def _fitted(self, adjoint: bool, other: Any) -> tuple[Any, Any]:
        """The diagonals and another batch of matrices, broadcast to one batch shape."""
        return pieces.same_batch(self._compact(adjoint), other)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        diagonals, x = self._fitted(adjoint, pieces.adjoint_if(x, adjoint_arg))
        return tridiagonal_matmul(diagonals, x)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        diagonals, rhs = self._fitted(adjoint, pieces.adjoint_if(rhs, adjoint_arg))
        return tridiagonal_solve(diagonals, rhs)

    def _diag_part(self) -> Any:
        return self._rows()[1]

    def _to_dense(self) -> Any:
        if self._format == "matrix":
            return self._diagonals
        return matrix_diag(self._compact(False), k=(-1, 1), align="LEFT_RIGHT")
