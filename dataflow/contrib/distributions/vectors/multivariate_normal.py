"""Normal distributions of vectors, by a triangular or diagonal scale or by their covariances."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.unary as math_unary
from dataflow.contrib.distributions.checks import given
from dataflow.contrib.distributions.vectors.by_operators import ByLinearOperator, diag_scale
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.library.check_values import assert_near
from dataflow.library.distributions.kullback_leibler import RegisterKL
from dataflow.library.distributions.normal import Normal
from dataflow.library.linear_operators.dense import LinearOperatorLowerTriangular
from dataflow.library.linear_operators.diagonal import DiagonalOperator
from dataflow.library.linear_operators.identity import LinearOperatorIdentity
from dataflow.library.linear_operators.low_rank import LinearOperatorLowRankUpdate
from dataflow.ops.array.broadcast import broadcast_static_shape
from dataflow.ops.array.fill import ones, zeros
from dataflow.ops.array.transpose import matrix_transpose
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.grouping import with_dependencies
from dataflow.ops.linalg.cholesky import cholesky
from dataflow.ops.reductions.reduce import reduce_sum
from dataflow.values.shapes import dimension_value


class MultivariateNormalLinearOperator(ByLinearOperator):
    """The normal distribution of vectors with covariances `scale scale^T`."""

    def __init__(
        self,
        loc: Any = None,
        scale: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalLinearOperator",
    ) -> None:
        """Takes the mean, 0 if None, and the scale, a linear operator.

        Raises:
          ValueError: There is no scale, or it is of another size than the mean.
          TypeError: It is of no floating type.
        """
        parameters = dict(locals())
        if scale is None:
            raise ValueError("Missing required `scale` parameter.")
        with name_scope(name, values=[loc, *scale.graph_parents]) as scope:
            base = Normal(zeros([], scale.dtype), ones([], scale.dtype))
            self._begin(base, loc, scale, validate_args, parameters, scope)


class MultivariateNormalTriL(MultivariateNormalLinearOperator):
    """The normal distribution of vectors with covariances `scale_tril scale_tril^T`."""

    def __init__(
        self,
        loc: Any = None,
        scale_tril: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalTriL",
    ) -> None:
        """Takes the mean, 0 if None, and the lower triangular factor, `[..., n, n]`, 1 if None.

        Raises:
          ValueError: Neither is given, or they are of two sizes.
        """
        parameters = dict(locals())
        if loc is None and scale_tril is None:
            raise ValueError("Must specify one or both of `loc`, `scale_tril`.")
        with name_scope(name, values=[loc, scale_tril]) as scope:
            scale: Any
            if scale_tril is None:
                loc = convert_to_tensor(loc, name="loc")
                sizes: Any = array_shape.shape(loc)
                known = dimension_value(loc.shape[-1])
                scale = LinearOperatorIdentity(
                    sizes[-1] if known is None else known,
                    dtype=loc.dtype,
                    is_self_adjoint=True,
                    is_positive_definite=True,
                    assert_proper_shapes=validate_args,
                )
            else:
                factor = convert_to_tensor(scale_tril, name="scale_tril")
                scale = LinearOperatorLowerTriangular(
                    factor, is_non_singular=True, is_self_adjoint=False, is_positive_definite=False
                )
            super().__init__(loc, scale, validate_args, allow_nan_stats, scope)
        self._parameters = given(parameters)


class MultivariateNormalDiag(MultivariateNormalLinearOperator):
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
          ValueError: Neither a mean nor deviations are given, or they are of two sizes.
        """
        parameters = dict(locals())
        with name_scope(name, values=[loc, scale_diag, scale_identity_multiplier]) as scope:
            scale = diag_scale(loc, scale_diag, scale_identity_multiplier)
            super().__init__(loc, scale, validate_args, allow_nan_stats, scope)
        self._parameters = given(parameters)


class MultivariateNormalFullCovariance(MultivariateNormalTriL):
    """The normal distribution of vectors with given covariances."""

    def __init__(
        self,
        loc: Any = None,
        covariance_matrix: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalFullCovariance",
    ) -> None:
        """Takes the mean, 0 if None, and the positive definite covariances, `[..., n, n]`, 1 if
        None.

        Raises:
          ValueError: Neither is given, or they are of two sizes.
        """
        parameters = dict(locals())
        with name_scope(name, values=[loc, covariance_matrix]) as scope:
            factor: Any = None
            if covariance_matrix is not None:
                matrix = convert_to_tensor(covariance_matrix, name="covariance_matrix")
                if validate_args:
                    turned = matrix_transpose(matrix)
                    check = assert_near(matrix, turned, message="Matrix was not symmetric")
                    matrix = with_dependencies([check], matrix)
                factor = cholesky(matrix)
            super().__init__(loc, factor, validate_args, allow_nan_stats, scope)
        self._parameters = given(parameters)


class MultivariateNormalDiagPlusLowRank(MultivariateNormalLinearOperator):
    """The normal distribution of vectors whose scale is a diagonal and a matrix of low rank."""

    def __init__(
        self,
        loc: Any = None,
        scale_diag: Any = None,
        scale_identity_multiplier: Any = None,
        scale_perturb_factor: Any = None,
        scale_perturb_diag: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalDiagPlusLowRank",
    ) -> None:
        """Takes the mean, 0 if None, and the parts of the scale.

        Args:
          loc: The mean, `[..., n]`.
          scale_diag: The diagonal, `[..., n]`.
          scale_identity_multiplier: What is added to it, `[...]`.
          scale_perturb_factor: The factor of `factor diag(perturb) factor^T`, `[..., n, k]`.
          scale_perturb_diag: The diagonal within, `[..., k]`; 1 if None.
          validate_args: Whether the step finds the diagonal to be positive.
          allow_nan_stats: See `Distribution`.
          name: Name of the scope of the operations.

        Raises:
          ValueError: Neither a mean nor a diagonal is given, or they are of two sizes.
        """
        parameters = dict(locals())
        perturbs = scale_perturb_factor is not None or scale_perturb_diag is not None
        values = [loc, scale_diag, scale_identity_multiplier, scale_perturb_factor]
        with name_scope(name, values=[*values, scale_perturb_diag]) as scope:
            scale: Any = diag_scale(
                loc, scale_diag, scale_identity_multiplier, validate_args, perturbs
            )
            if perturbs:
                factor = convert_to_tensor(scale_perturb_factor, name="scale_perturb_factor")
                diagonal: Any = None
                if scale_perturb_diag is not None:
                    diagonal = convert_to_tensor(scale_perturb_diag, name="scale_perturb_diag")
                scale = LinearOperatorLowRankUpdate(
                    scale,
                    u=factor,
                    diag_update=diagonal,
                    is_diag_update_positive=diagonal is None,
                    is_non_singular=True,
                    is_self_adjoint=True,
                    is_positive_definite=True,
                    is_square=True,
                )
            super().__init__(loc, scale, validate_args, allow_nan_stats, scope)
        self._parameters = given(parameters)


@RegisterKL(MultivariateNormalLinearOperator, MultivariateNormalLinearOperator)
def _kl_normals(
    a: MultivariateNormalLinearOperator,
    b: MultivariateNormalLinearOperator,
    name: str | None = None,
) -> Any:
    parents = [*a.scale.graph_parents, *b.scale.graph_parents]
    with name_scope(name, "kl_mvn", [a.loc, b.loc, *parents]):
        if isinstance(a.scale, DiagonalOperator) and isinstance(b.scale, DiagonalOperator):
            deviations: Any = a.stddev()
            ratio: Any = (deviations / b.stddev())[..., None]
        else:
            ratio = b.scale.solve(a.scale.to_dense())
        mean: Any = b.mean()
        distance: Any = b.scale.solvevec(mean - a.mean())
        squares: Any = reduce_sum(math_unary.square(ratio), axis=[-2, -1])
        found: Any = squares + reduce_sum(math_unary.square(distance), axis=-1)
        found = 0.5 * (found - cast(a.scale.domain_dimension_tensor(), a.dtype))
        found = found + b.scale.log_abs_determinant() - a.scale.log_abs_determinant()
        found.set_shape(broadcast_static_shape(a.batch_shape, b.batch_shape))
        return found
