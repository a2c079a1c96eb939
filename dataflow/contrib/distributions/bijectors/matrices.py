"""Bijectors of triangular matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.unary as math_unary
from dataflow.contrib.distributions.bijectors.base import Bijector
from dataflow.contrib.distributions.bijectors.composed import Chain
from dataflow.contrib.distributions.bijectors.elementwise import AffineScalar, Softplus
from dataflow.contrib.distributions.bijectors.vectors import FillTriangular
from dataflow.library.check_types import assert_rank_at_least
from dataflow.library.check_values import assert_equal, assert_none_equal
from dataflow.ops.array.fill import zeros, zeros_like
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.grouping import with_dependencies
from dataflow.ops.linalg.diag import eye, matrix_band_part, matrix_diag_part, matrix_set_diag
from dataflow.ops.linalg.solve import matrix_triangular_solve
from dataflow.ops.reductions.reduce import reduce_sum


class MatrixInverseTriL(Bijector):
    """The inverse of lower triangular matrices."""

    def __init__(self, validate_args: bool = False, name: str = "matrix_inverse_tril") -> None:
        """Takes no parameters."""
        super().__init__(forward_min_event_ndims=2, validate_args=validate_args, name=name)

    def _checked(self, x: Any) -> Any:
        if not self.validate_args:
            return x
        sizes: Any = array_shape.shape(x)
        above = matrix_band_part(matrix_set_diag(x, zeros(sizes[:-1], dtype=x.dtype)), 0, -1)
        diagonal = matrix_diag_part(x)
        checks: Sequence[Any] = [
            assert_rank_at_least(x, 2, message="Input must have rank at least 2."),
            assert_equal(sizes[-2], sizes[-1], message="Input must be a square matrix."),
            assert_equal(above, zeros_like(above), message="Input must be lower triangular."),
            assert_none_equal(
                diagonal,
                zeros_like(diagonal),
                message="Input must have all diagonal entries nonzero.",
            ),
        ]
        return with_dependencies(checks, x)

    def _forward(self, x: Any) -> Any:
        x = self._checked(x)
        sizes: Any = array_shape.shape(x)
        unit = eye(sizes[-1], batch_shape=sizes[:-2], dtype=x.dtype)
        made: Any = matrix_triangular_solve(x, unit, lower=True)
        made.set_shape(x.shape)
        return made

    def _inverse(self, y: Any) -> Any:
        return self._forward(y)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        # As TensorFlow has it: by what inverting changes the volume of full matrices.
        x = self._checked(x)
        sizes: Any = array_shape.shape(x)
        count: Any = 2.0 * cast(sizes[-1], x.dtype)
        return -count * reduce_sum(math_unary.log(math_unary.abs(matrix_diag_part(x))), -1)


class TransformDiagonal(Bijector):
    """What another bijector makes of the diagonals of matrices; the rest stays."""

    def __init__(
        self, diag_bijector: Bijector, validate_args: bool = False, name: str = "transform_diagonal"
    ) -> None:
        """Takes the bijector of diagonals, of at most one axis."""
        self._diag_bijector = diag_bijector
        super().__init__(
            forward_min_event_ndims=2,
            inverse_min_event_ndims=2,
            validate_args=validate_args,
            name=name,
        )

    def _forward(self, x: Any) -> Any:
        return matrix_set_diag(x, self._diag_bijector.forward(matrix_diag_part(x)))

    def _inverse(self, y: Any) -> Any:
        return matrix_set_diag(y, self._diag_bijector.inverse(matrix_diag_part(y)))

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return self._diag_bijector.forward_log_det_jacobian(matrix_diag_part(x), event_ndims=1)

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return self._diag_bijector.inverse_log_det_jacobian(matrix_diag_part(y), event_ndims=1)


class ScaleTriL(Chain):
    """Lower triangular matrices with positive diagonals, of vectors."""

    def __init__(
        self,
        diag_bijector: Bijector | None = None,
        diag_shift: Any = 1e-5,
        validate_args: bool = False,
        name: str = "scale_tril",
    ) -> None:
        """Takes what makes diagonals positive, softplus if None, and what is added to them."""
        made = Softplus(validate_args=validate_args) if diag_bijector is None else diag_bijector
        if diag_shift is not None:
            made = Chain([AffineScalar(shift=diag_shift), made])
        super().__init__(
            [TransformDiagonal(made), FillTriangular()], validate_args=validate_args, name=name
        )
