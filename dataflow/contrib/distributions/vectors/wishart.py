"""Wishart's distribution, of positive definite matrices."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.unary as math_unary
from dataflow.graph.constant_value import constant_value
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.library.check_values import assert_equal, assert_less_equal, assert_positive
from dataflow.library.distributions.base import FULLY_REPARAMETERIZED, Distribution, new_seed
from dataflow.library.linear_operators.dense import LinearOperatorLowerTriangular
from dataflow.ops.array.fill import ones
from dataflow.ops.array.select import where_v2
from dataflow.ops.array.transpose import matrix_transpose
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.grouping import with_dependencies
from dataflow.ops.linalg.cholesky import cholesky
from dataflow.ops.linalg.diag import matrix_band_part, matrix_diag_part, matrix_set_diag
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.math.compare import less
from dataflow.ops.math.linspace import linspace
from dataflow.ops.math.special import digamma, lgamma
from dataflow.ops.random.gamma import random_gamma
from dataflow.ops.random.stateful import random_normal
from dataflow.ops.reductions.reduce import reduce_sum
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape, dimension_value


class _Wishart(Distribution):
    """By the triangular factor of the scale, an operator."""

    def _begin(
        self,
        df: Any,
        factor: Any,
        as_factors: bool,
        flags: tuple[bool, bool],
        parameters: Mapping[str, Any],
        name: str,
    ) -> None:
        scale = LinearOperatorLowerTriangular(
            factor, is_non_singular=True, is_positive_definite=True, is_square=True
        )
        if not scale.dtype.is_floating:
            raise TypeError(f"scale_operator.dtype={scale.dtype} is not a floating-point type")
        self._scale_operator = scale
        self._as_factors = as_factors
        self._df: Any = convert_to_tensor(df, dtype=scale.dtype, name="df")
        size = dimension_value(scale.domain_dimension)
        self._dimension: Any = (
            cast(scale.domain_dimension_tensor(), scale.dtype, name="dimension")
            if size is None
            else constant(size, dtype=scale.dtype, name="dimension")
        )
        known = constant_value(self._df)
        text = (
            "Degrees of freedom (df = {}) cannot be less than dimension of scale matrix "
            "(scale.dimension = {})"
        )
        if known is not None and size is not None:
            if np.any(known < size):
                raise ValueError(text.format(known, float(size)))
        elif flags[0]:
            message = text.format(self._df, self._dimension)
            check = assert_less_equal(self._dimension, self._df, message=message)
            self._df = with_dependencies([check], self._df)
        super().__init__(
            dtype=scale.dtype,
            reparameterization_type=FULLY_REPARAMETERIZED,
            validate_args=flags[0],
            allow_nan_stats=flags[1],
            parameters=parameters,
            graph_parents=[self._df, self._dimension, *scale.graph_parents],
            name=name,
        )

    @property
    def df(self) -> Any:
        """The degrees of freedom."""
        return self._df

    def scale(self) -> Any:
        """The scale, or its factor if values are factors, too."""
        return self._factor() if self._as_factors else self._square()

    @property
    def scale_operator(self) -> Any:
        """The factor of the scale as a linear operator."""
        return self._scale_operator

    @property
    def cholesky_input_output_matrices(self) -> bool:
        """Whether values are the factors of matrices."""
        return self._as_factors

    @property
    def dimension(self) -> Any:
        """The number of rows of matrices."""
        return self._dimension

    def _factor(self) -> Any:
        return self._scale_operator.to_dense()

    def _square(self) -> Any:
        return self._scale_operator.matmul(self._factor(), adjoint_arg=True)

    def _event_shape_tensor(self) -> Any:
        size = self._scale_operator.domain_dimension_tensor()
        return array_concat.stack([size, size])

    def _event_shape(self) -> Any:
        size = self._scale_operator.domain_dimension
        return TensorShape([size, size])

    def _batch_shape_tensor(self) -> Any:
        return self._scale_operator.batch_shape_tensor()

    def _batch_shape(self) -> Any:
        return self._scale_operator.batch_shape

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        # By Bartlett's decomposition: normal numbers below a diagonal of chi-distributed ones.
        batch = self.batch_shape_tensor()
        shape = array_concat.concat([[n], batch, self.event_shape_tensor()], 0)
        drawn = random_normal(shape, dtype=self.dtype, seed=seed)
        wide: Any = ones(batch, dtype=self.dtype)
        squares = random_gamma(
            [n],
            self._sequence(0.5 * self._df * wide),
            beta=0.5,
            dtype=self.dtype,
            seed=new_seed(seed, "wishart"),
        )
        lower = matrix_set_diag(matrix_band_part(drawn, -1, 0), math_unary.sqrt(squares))
        made = self._scale_operator.matmul(lower)
        return made if self._as_factors else matmul(made, made, adjoint_b=True)

    def _log_prob(self, x: Any) -> Any:
        factor = x if self._as_factors else cholesky(x)
        ratio = self._scale_operator.solve(factor)
        trace: Any = reduce_sum(math_unary.square(ratio), axis=[-2, -1])
        half: Any = reduce_sum(math_unary.log(matrix_diag_part(factor)), axis=[-1])
        freedom = self._df - self._dimension - 1.0
        return freedom * half - 0.5 * trace - self.log_normalization()

    def _entropy(self) -> Any:
        half = 0.5 * self._dimension + 0.5
        half_df = 0.5 * self._df
        return (
            self._dimension * (half_df + half * math.log(2.0))
            + 2.0 * half * self._scale_operator.log_abs_determinant()
            + self._log_multigamma(half_df)
            + (half - half_df) * self._multidigamma(half_df)
        )

    def _mean(self) -> Any:
        if self._as_factors:
            return _of_matrices(math_unary.sqrt(self._df)) * self._factor()
        return _of_matrices(self._df) * self._square()

    def _variance(self) -> Any:
        x: Any = _of_matrices(math_unary.sqrt(self._df)) * self._square()
        diagonal: Any = array_shape.expand_dims(matrix_diag_part(x), -1)
        v = math_unary.square(x) + matmul(diagonal, diagonal, adjoint_b=True)
        return cholesky(v) if self._as_factors else v

    def _stddev(self) -> Any:
        if self._as_factors:
            raise ValueError(
                "Computing std. dev. when is cholesky_input_output_matrices=True does not make "
                "sense."
            )
        return cholesky(self.variance())

    def _mode(self) -> Any:
        freedom = self._df - self._dimension - 1.0
        nan = constant(float("nan"), dtype=self.dtype, name="nan")
        freedom = where_v2(less(freedom, 0.0), nan, freedom)
        if self._as_factors:
            return _of_matrices(math_unary.sqrt(freedom)) * self._factor()
        return _of_matrices(freedom) * self._square()

    def mean_log_det(self, name: str = "mean_log_det") -> Any:
        """The mean of the logarithms of the determinants of what is drawn."""
        with self._name_scope(name):
            constants = self._dimension * math.log(2.0)
            scale = 2.0 * self._scale_operator.log_abs_determinant()
            return self._multidigamma(0.5 * self._df) + constants + scale

    def log_normalization(self, name: str = "log_normalization") -> Any:
        """The logarithm of what the density is divided by."""
        with self._name_scope(name):
            return (
                self._df * self._scale_operator.log_abs_determinant()
                + 0.5 * self._df * self._dimension * math.log(2.0)
                + self._log_multigamma(0.5 * self._df)
            )

    def _sequence(self, a: Any) -> Any:
        """a, a - 1/2, a - 1 ..., as many as matrices have rows."""
        zero = constant(0.0, dtype=self.dtype)
        last = 0.5 - 0.5 * self._dimension
        steps: Any = linspace(zero, last, cast(self._dimension, dtypes.int32))
        return steps + array_shape.expand_dims(a, -1)

    def _log_multigamma(self, a: Any) -> Any:
        p = self._dimension
        logs: Any = reduce_sum(lgamma(self._sequence(a)), axis=[-1])
        return 0.25 * p * (p - 1.0) * math.log(math.pi) + logs

    def _multidigamma(self, a: Any) -> Any:
        return reduce_sum(digamma(self._sequence(a)), axis=[-1])


def _of_matrices(numbers: Any) -> Any:
    """Numbers of a batch, as factors of its matrices."""
    return numbers[..., None, None]


class WishartCholesky(_Wishart):
    """By the Cholesky factor of the scale."""

    def __init__(
        self,
        df: Any,
        scale: Any,
        cholesky_input_output_matrices: bool = False,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "WishartCholesky",
    ) -> None:
        """Makes one.

        Args:
          df: Degrees of freedom, at least as many as matrices have rows.
          scale: The lower triangular factor, `[..., n, n]`.
          cholesky_input_output_matrices: Whether values are the factors of matrices.
          validate_args: Whether parameters are checked in the step.
          allow_nan_stats: See `Distribution`.
          name: Name of the scope of the operations.

        Raises:
          TypeError: The scale is of no floating type.
          ValueError: There are too few degrees of freedom.
        """
        parameters = dict(locals())
        with name_scope(name, values=[scale]) as scope:
            factor: Any = convert_to_tensor(scale)
            if validate_args:
                sizes: Any = array_shape.shape(factor)
                text = "scale must be positive definite"
                checks = [
                    assert_positive(matrix_diag_part(factor), message=text),
                    assert_equal(sizes[-1], sizes[-2], message="scale must be square"),
                ]
                factor = with_dependencies(checks, factor)
            flags = validate_args, allow_nan_stats
            self._begin(df, factor, cholesky_input_output_matrices, flags, parameters, scope)


class WishartFull(_Wishart):
    """By the scale itself."""

    def __init__(
        self,
        df: Any,
        scale: Any,
        cholesky_input_output_matrices: bool = False,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "WishartFull",
    ) -> None:
        """Makes one.

        Args:
          df: Degrees of freedom, at least as many as matrices have rows.
          scale: The positive definite scale, `[..., n, n]`.
          cholesky_input_output_matrices: Whether values are the factors of matrices.
          validate_args: Whether parameters are checked in the step.
          allow_nan_stats: See `Distribution`.
          name: Name of the scope of the operations.

        Raises:
          TypeError: The scale is of no floating type.
          ValueError: There are too few degrees of freedom.
        """
        parameters = dict(locals())
        with name_scope(name, values=[scale]) as scope:
            matrix: Any = convert_to_tensor(scale)
            if validate_args:
                text = "Matrix was not symmetric."
                check = assert_equal(matrix, matrix_transpose(matrix), message=text)
                matrix = with_dependencies([check], matrix)
            factor: Any = cholesky(matrix)
            if validate_args:
                factor = with_dependencies([assert_positive(matrix_diag_part(factor))], factor)
            flags = validate_args, allow_nan_stats
            self._begin(df, factor, cholesky_input_output_matrices, flags, parameters, scope)
