"""Affine: matrices times vectors, moved."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.unary as math_unary
from dataflow.contrib.distributions.bijectors.base import Bijector
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.ops.basic.cast import cast
from dataflow.ops.linalg.diag import (
    matrix_band_part,
    matrix_diag_part,
    matrix_set_diag,
)
from dataflow.ops.linalg.inverse import matrix_determinant
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.linalg.solve import matrix_solve, matrix_triangular_solve
from dataflow.ops.reductions.reduce import reduce_sum
from dataflow.values import dtypes


class Affine(Bijector):
    """`scale x + shift` of vectors.

    The scale is the sum of what is given of: a multiple of the identity, a diagonal, a lower
    triangular matrix, and a matrix of low rank `factor diag(perturb) factor^T`.
    """

    def __init__(
        self,
        shift: Any = None,
        scale_identity_multiplier: Any = None,
        scale_diag: Any = None,
        scale_tril: Any = None,
        scale_perturb_factor: Any = None,
        scale_perturb_diag: Any = None,
        validate_args: bool = False,
        name: str = "affine",
    ) -> None:
        """Takes the shift, `[..., n]`, and the parts of the scale. Of no part, it is 1.

        Raises:
          ValueError: `scale_perturb_diag` is given without `scale_perturb_factor`.
          TypeError: The shift is of another type than the scale.
        """
        if scale_perturb_diag is not None and scale_perturb_factor is None:
            raise ValueError(
                "When scale_perturb_diag is specified, scale_perturb_factor must be specified."
            )
        given = [scale_identity_multiplier, scale_diag, scale_tril, scale_perturb_factor]
        with name_scope(name), name_scope("init", values=[shift, *given, scale_perturb_diag]):
            moved: Any = None if shift is None else convert_to_tensor(shift, name="shift")
            kind = dtypes.float32 if moved is None else moved.dtype.base_dtype
            parts = [None if each is None else convert_to_tensor(each) for each in given]
            kind = next((each.dtype.base_dtype for each in parts if each is not None), kind)
            if moved is not None and moved.dtype.base_dtype != kind:
                raise TypeError(
                    f"shift.dtype({moved.dtype}) is incompatible with scale.dtype({kind})."
                )
            self._shift = moved
            multiple, diagonal, lower, factor = parts
            self._matrix: Any = None
            self._diagonal: Any = None
            if lower is not None:
                self._matrix = matrix_band_part(lower, -1, 0)
            if diagonal is not None or lower is None:
                self._diagonal = diagonal
            self._add_multiple(multiple, kind)
            if lower is not None and self._diagonal is not None:
                whole: Any = matrix_diag_part(self._matrix)
                self._matrix = matrix_set_diag(self._matrix, whole + self._diagonal)
                self._diagonal = None
            self._is_lower = factor is None
            if factor is not None:
                self._perturb(factor, scale_perturb_diag)
        parents = [each for each in (self._matrix, self._diagonal, moved) if each is not None]
        super().__init__(
            forward_min_event_ndims=1,
            graph_parents=parents,
            is_constant_jacobian=True,
            dtype=kind,
            validate_args=validate_args,
            name=name,
        )

    def _add_multiple(self, multiple: Any, kind: Any) -> None:
        if multiple is None:
            if self._matrix is None and self._diagonal is None:
                self._diagonal = convert_to_tensor([1.0], dtype=kind)
            return
        wide: Any = multiple[..., None]
        self._diagonal = wide if self._diagonal is None else self._diagonal + wide

    def _perturb(self, factor: Any, diagonal: Any) -> None:
        """Adds the matrix of low rank, after which the scale is a full one."""
        weighted: Any = factor
        if diagonal is not None:
            weights: Any = convert_to_tensor(diagonal, dtype=factor.dtype)
            weighted = factor * weights[..., None, :]
        more: Any = matmul(weighted, factor, transpose_b=True)
        if self._matrix is not None:
            self._matrix = self._matrix + more
            return
        own: Any = matrix_diag_part(more)
        self._matrix, self._diagonal = matrix_set_diag(more, own + self._diagonal), None

    @property
    def shift(self) -> Any:
        """What is added, or None."""
        return self._shift

    @property
    def scale(self) -> Any:
        """The matrix, `[..., n, n]`; its diagonal `[..., n]` or `[..., 1]` if it has only that."""
        return self._diagonal if self._matrix is None else self._matrix

    def _forward(self, x: Any) -> Any:
        if self._matrix is None:
            y: Any = x * self._diagonal
        else:
            y = reduce_sum(self._matrix * x[..., None, :], -1)
        return y if self._shift is None else y + self._shift

    def _inverse(self, y: Any) -> Any:
        x: Any = y if self._shift is None else y - self._shift
        if self._matrix is None:
            return x / self._diagonal
        solve = matrix_triangular_solve if self._is_lower else _solve
        found: Any = solve(self._matrix, x[..., None])
        return found[..., 0]

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        if self._matrix is None:
            each: Any = math_unary.log(math_unary.abs(self._diagonal))
            sizes: Any = array_shape.shape(x)
            if self._diagonal.shape[-1].value == 1:
                return each[..., 0] * cast(sizes[-1], x.dtype)
            return reduce_sum(each, -1)
        if self._is_lower:
            return reduce_sum(math_unary.log(math_unary.abs(matrix_diag_part(self._matrix))), -1)
        return math_unary.log(math_unary.abs(matrix_determinant(self._matrix)))


def _solve(matrix: Any, column: Any) -> Any:
    """matrix_solve, where batches broadcast."""
    zero: Any = 0.0 * reduce_sum(column, -1, keepdims=True)
    return matrix_solve(matrix + zero, column + 0.0 * matrix[..., :1])
