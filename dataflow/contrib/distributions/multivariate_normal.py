"""Normal distributions of vectors, by a triangular or diagonal scale or by their covariances."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.unary as math_unary
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.library.distributions.base import FULLY_REPARAMETERIZED, Distribution
from dataflow.library.distributions.kullback_leibler import RegisterKL
from dataflow.ops.array.broadcast import broadcast_dynamic_shape, broadcast_static_shape
from dataflow.ops.array.fill import ones_like, zeros
from dataflow.ops.linalg.cholesky import cholesky
from dataflow.ops.linalg.diag import eye, matrix_diag, matrix_diag_part
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.linalg.solve import matrix_triangular_solve
from dataflow.ops.random.stateful import random_normal
from dataflow.ops.reductions.reduce import reduce_sum


class _Triangular(Distribution):
    """loc + scale z, where scale is lower triangular and z holds standard normal numbers."""

    def _begin(
        self,
        loc: Any,
        scale: Any,
        flags: tuple[bool, bool],
        parameters: Mapping[str, Any],
        name: str,
    ) -> None:
        self._scale: Any = scale
        sizes: Any = array_shape.shape(scale)
        self._loc: Any = (
            zeros(sizes[-1:], dtype=scale.dtype)
            if loc is None
            else convert_to_tensor(loc, dtype=scale.dtype, name="loc")
        )
        Distribution.__init__(
            self,
            dtype=scale.dtype,
            reparameterization_type=FULLY_REPARAMETERIZED,
            validate_args=flags[0],
            allow_nan_stats=flags[1],
            parameters=parameters,
            graph_parents=[self._loc, self._scale],
            name=name,
        )

    @property
    def loc(self) -> Any:
        """The mean."""
        return self._loc

    @property
    def scale(self) -> Any:
        """The lower triangular factor of the covariances."""
        return self._scale

    def _batch_shape(self) -> Any:
        return broadcast_static_shape(self._loc.shape[:-1], self._scale.shape[:-2])

    def _batch_shape_tensor(self) -> Any:
        loc: Any = array_shape.shape(self._loc)
        scale: Any = array_shape.shape(self._scale)
        return broadcast_dynamic_shape(loc[:-1], scale[:-2])

    def _event_shape(self) -> Any:
        return self._scale.shape[-1:]

    def _event_shape_tensor(self) -> Any:
        sizes: Any = array_shape.shape(self._scale)
        return sizes[-1:]

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        shape = array_concat.concat([[n], self.batch_shape_tensor(), self.event_shape_tensor()], 0)
        drawn: Any = random_normal(shape, dtype=self.dtype, seed=seed)
        return self._loc + _times(self._scale, drawn)

    def _log_scale(self) -> Any:
        """The logarithm of the determinant of the scale."""
        diagonal = math_unary.abs(matrix_diag_part(self._scale))
        return reduce_sum(math_unary.log(diagonal), -1)

    def _log_prob(self, x: Any) -> Any:
        z = _solved(self._scale, x - self._loc)
        constant: Any = 0.5 * math.log(2.0 * math.pi)
        squares: Any = reduce_sum(0.5 * z * z + constant, -1)
        return -squares - self._log_scale()

    def _entropy(self) -> Any:
        ones: Any = ones_like(self._mean())
        half: Any = reduce_sum(ones * (0.5 * math.log(2.0 * math.pi * math.e)), -1)
        return half + self._log_scale()

    def _mean(self) -> Any:
        ones: Any = ones_like(matrix_diag_part(self._scale))
        return self._loc * ones

    _mode = _mean

    def _covariance(self) -> Any:
        return matmul(self._scale, self._scale, transpose_b=True)

    def _variance(self) -> Any:
        return matrix_diag_part(self._covariance())


def _times(scale: Any, vectors: Any) -> Any:
    """Products of matrices with vectors, where batches broadcast."""
    return reduce_sum(scale * vectors[..., None, :], -1)


def _solved(scale: Any, vectors: Any) -> Any:
    """What the matrices make the vectors of, where batches broadcast."""
    column: Any = matrix_triangular_solve(scale, vectors[..., None])
    return column[..., 0]


class MultivariateNormalTriL(_Triangular):
    """The normal distribution of vectors with covariances `scale_tril scale_tril^T`."""

    def __init__(
        self,
        loc: Any = None,
        scale_tril: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalTriL",
    ) -> None:
        """Takes the mean, 0 if None, and the lower triangular factor, `[..., n, n]`.

        Raises:
          ValueError: No factor is given.
        """
        parameters = dict(locals())
        if scale_tril is None:
            raise ValueError("Must pass `scale_tril`.")
        with name_scope(name, values=[loc, scale_tril]) as scope:
            factor = convert_to_tensor(scale_tril, name="scale_tril")
            self._begin(loc, factor, (validate_args, allow_nan_stats), parameters, scope)


class MultivariateNormalDiag(_Triangular):
    """The normal distribution of vectors whose elements are independent."""

    def __init__(
        self,
        loc: Any = None,
        scale_diag: Any = None,
        scale_identity_multiplier: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalDiag",
    ) -> None:
        """Takes the mean, 0 if None, and the deviations: those of elements, `[..., n]`, and one
        that is added to all. Without either they are 1.

        Raises:
          ValueError: Neither a mean nor deviations are given.
        """
        parameters = dict(locals())
        if loc is None and scale_diag is None:
            raise ValueError("Must pass `loc` or `scale_diag`.")
        with name_scope(name, values=[loc, scale_diag, scale_identity_multiplier]) as scope:
            given: Any = convert_to_tensor(loc if scale_diag is None else scale_diag)
            diagonal: Any = given
            if scale_diag is None:
                sizes: Any = array_shape.shape(given)
                unit: Any = matrix_diag_part(eye(sizes[-1], dtype=given.dtype))
                diagonal = unit if scale_identity_multiplier is None else 0.0 * unit
            if scale_identity_multiplier is not None:
                more: Any = convert_to_tensor(scale_identity_multiplier, dtype=given.dtype)
                diagonal = diagonal + more[..., None]
            flags = (validate_args, allow_nan_stats)
            self._begin(loc, matrix_diag(diagonal), flags, parameters, scope)


class MultivariateNormalFullCovariance(_Triangular):
    """The normal distribution of vectors with given covariances."""

    def __init__(
        self,
        loc: Any = None,
        covariance_matrix: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalFullCovariance",
    ) -> None:
        """Takes the mean, 0 if None, and the positive definite covariances, `[..., n, n]`.

        Raises:
          ValueError: No covariances are given.
        """
        parameters = dict(locals())
        if covariance_matrix is None:
            raise ValueError("Must pass `covariance_matrix`.")
        with name_scope(name, values=[loc, covariance_matrix]) as scope:
            factor = cholesky(convert_to_tensor(covariance_matrix, name="covariance_matrix"))
            self._begin(loc, factor, (validate_args, allow_nan_stats), parameters, scope)


@RegisterKL(_Triangular, _Triangular)
def _kl_normals(a: Any, b: Any, name: str | None = None) -> Any:
    with name_scope(name, "kl_mvn", [a.loc, b.loc]):
        ratio: Any = matrix_triangular_solve(b.scale, a.scale)
        distance: Any = _solved(b.scale, b.loc - a.loc)
        found: Any = reduce_sum(ratio * ratio, [-2, -1]) + reduce_sum(distance * distance, -1)
        found = found - reduce_sum(ones_like(distance), -1)
        return 0.5 * found + b._log_scale() - a._log_scale()
