"""A mixture of affine maps of vectors, whose weights are the softmax of a normal number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.unary as math_unary
from dataflow.contrib.distributions.bijectors.linear_operators import AffineLinearOperator
from dataflow.contrib.distributions.vectors.quadrature import (
    quadrature_scheme_softmaxnormal_quantiles,
)
from dataflow.graph.constant_value import constant_value
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.library.check_values import assert_equal
from dataflow.library.distributions.base import FULLY_REPARAMETERIZED, Distribution, new_seed
from dataflow.library.distributions.discrete import Categorical
from dataflow.library.linear_operators.addition import add_operators
from dataflow.library.linear_operators.base import LinearOperator
from dataflow.library.linear_operators.dense import LinearOperatorLowerTriangular
from dataflow.library.linear_operators.diagonal import LinearOperatorDiag
from dataflow.library.linear_operators.identity import (
    LinearOperatorIdentity,
    LinearOperatorScaledIdentity,
)
from dataflow.ops.array.broadcast import (
    broadcast_dynamic_shape,
    broadcast_static_shape,
    broadcast_to,
)
from dataflow.ops.array.fill import ones
from dataflow.ops.array.gather import gather
from dataflow.ops.basic.grouping import with_dependencies
from dataflow.ops.basic.range import range as range_
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.reductions.reduce import reduce_prod, reduce_sum
from dataflow.ops.reductions.statistics import reduce_logsumexp
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape, dimension_value

_ONLY_TWO = "Currently only bimixtures are supported; len(scale)={} is not 2."


class VectorDiffeomixture(Distribution):
    """Vectors `w (scale[0] x + loc[0]) + (1 - w) (scale[1] x + loc[1])`.

    The elements of x are drawn of one distribution; w is the softmax of a normal number, for which
    the points of a quadrature stand.
    """

    def __init__(
        self,
        mix_loc: Any,
        temperature: Any,
        distribution: Any,
        loc: Sequence[Any] | None = None,
        scale: Sequence[Any] | None = None,
        quadrature_size: int = 8,
        quadrature_fn: Callable[..., Any] = quadrature_scheme_softmaxnormal_quantiles,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "VectorDiffeomixture",
    ) -> None:
        """Makes one.

        Args:
          mix_loc: Mean of the number, times the temperature, `[..., 1]`.
          temperature: One over its deviation.
          distribution: Of the elements of x, a scalar one.
          loc: Two vectors that are added, each of which may be None, or None for both.
          scale: Two linear operators.
          quadrature_size: How many points stand for the weights.
          quadrature_fn: Makes points and weights of mean, deviation, size and `validate_args`.
          validate_args: Whether values are checked in the step.
          allow_nan_stats: See `Distribution`.
          name: Name of the scope of the operations.

        Raises:
          ValueError: There are fewer than two operators, not as many vectors, one is not known to
            be positive definite though it is to be validated, or the distribution is not scalar.
          TypeError: They are of several types.
          NotImplementedError: There are more than two.
        """
        parameters = dict(locals())
        with name_scope(name, values=[mix_loc, temperature]) as scope:
            if not scale or len(scale) < 2:
                raise ValueError(
                    "Must specify list (or list-like object) of scale LinearOperators, one for "
                    "each component with num_component >= 2."
                )
            places = [None] * len(scale) if loc is None else list(loc)
            if len(places) != len(scale):
                raise ValueError(
                    "loc/scale must be same-length lists (or same-length list-like objects)."
                )
            dtype = scale[0].dtype.base_dtype
            places = [
                None if each is None else convert_to_tensor(each, dtype=dtype, name=f"loc{index}")
                for index, each in enumerate(places)
            ]
            for index, each in enumerate(scale):
                if validate_args and not each.is_positive_definite:
                    raise ValueError(
                        f"scale[{index}].is_positive_definite = {each.is_positive_definite} != True"
                    )
                if each.dtype.base_dtype != dtype:
                    raise TypeError(
                        f'dtype mismatch; scale[{index}].base_dtype="{each.dtype.base_dtype.name}" '
                        f'!= "{dtype.name}"'
                    )
            self._endpoint_affine = _maps("endpoint_affine", places, scale, validate_args)
            if len(scale) != 2:
                raise NotImplementedError(_ONLY_TWO.format(len(scale)))
            middle: Any = convert_to_tensor(mix_loc, dtype=dtype, name="mix_loc")
            heat: Any = convert_to_tensor(temperature, dtype=dtype, name="temperature")
            self._grid, weights = quadrature_fn(
                middle / heat, 1.0 / heat, quadrature_size, validate_args
            )
            self._mixture_distribution = Categorical(
                logits=math_unary.log(weights),
                validate_args=validate_args,
                allow_nan_stats=allow_nan_stats,
            )
            checks = check_scalar(distribution, dtype, validate_args)
            if checks:
                self._grid = with_dependencies(checks, self._grid)
            self._distribution = distribution
            self._interpolated_affine = _maps(
                "interpolated_affine",
                _places_between(self._grid, places),
                _scales_between(self._grid, scale),
                validate_args,
            )
            self._find_shapes()
        parents = [each for each in places if each is not None]
        parents += [parent for each in scale for parent in each.graph_parents]
        super().__init__(
            dtype=dtype,
            reparameterization_type=FULLY_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[*distribution._graph_parents, *parents],
            name=scope,
        )

    def _find_shapes(self) -> None:
        batch, event = self._grid.shape[:-2], TensorShape([1])
        batch_tensor: Any = array_shape.shape(self._grid)[:-2]
        event_tensor: Any = [1]
        for each in self._endpoint_affine:
            found = []
            if each.shift is not None:
                shape = array_shape.shape(each.shift)
                found.append((each.shift.shape[:-1], shape[:-1], each.shift.shape[-1:], shape[-1:]))
            size = TensorShape([each.scale.range_dimension])
            sizes = each.scale.range_dimension_tensor()[None]
            found.append((each.scale.batch_shape, each.scale.batch_shape_tensor(), size, sizes))
            for outer, outer_tensor, inner, inner_tensor in found:
                batch = broadcast_static_shape(batch, outer)
                batch_tensor = broadcast_dynamic_shape(batch_tensor, outer_tensor)
                event = broadcast_static_shape(event, inner)
                event_tensor = broadcast_dynamic_shape(event_tensor, inner_tensor)
        self._static_batch, self._static_event = batch, event
        self._batch_tensor, self._event_tensor = batch_tensor, event_tensor

    @property
    def mixture_distribution(self) -> Categorical:
        """Of the points."""
        return self._mixture_distribution

    @property
    def distribution(self) -> Any:
        """Of the elements of x."""
        return self._distribution

    @property
    def grid(self) -> Any:
        """The weights of both maps at each point, `[..., 2, quadrature_size]`."""
        return self._grid

    @property
    def endpoint_affine(self) -> list[AffineLinearOperator]:
        """The two maps."""
        return self._endpoint_affine

    @property
    def interpolated_affine(self) -> list[AffineLinearOperator]:
        """A map between both for each point."""
        return self._interpolated_affine

    def _batch_shape_tensor(self) -> Any:
        return self._batch_tensor

    def _batch_shape(self) -> Any:
        return self._static_batch

    def _event_shape_tensor(self) -> Any:
        return self._event_tensor

    def _event_shape(self) -> Any:
        return self._static_event

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        batch = self.batch_shape_tensor()
        shape = array_concat.concat([[n], batch, self.event_shape_tensor()], axis=0)
        drawn = self._distribution.sample(shape, seed=seed)
        first, second = (each.forward(drawn) for each in self._endpoint_affine)
        which: Any = self._mixture_distribution.sample(
            array_concat.concat([[n], array_shape.reshape(reduce_prod(batch), [1])], axis=0),
            seed=new_seed(seed, "vector_diffeomixture"),
        )
        rows: Any = self._weights_of_first()
        points = array_shape.shape(rows)[-1]
        starts = range_(reduce_prod(batch)) * points
        weight: Any = gather(array_shape.reshape(rows, [-1]), which + starts)
        weight = array_shape.reshape(weight, array_concat.concat([[n], batch, [1]], axis=0))
        return weight * (first - second) + second

    def _weights_of_first(self) -> Any:
        """The weight of the first map at each point, for each element of the batch."""
        weights = self._grid[..., 0, :]
        points = array_shape.shape(weights)[-1:]
        return broadcast_to(
            weights, array_concat.concat([self.batch_shape_tensor(), points], axis=0)
        )

    def _log_prob(self, x: Any) -> Any:
        found = []
        for each in self._interpolated_affine:
            inside = reduce_sum(self._distribution.log_prob(each.inverse(x)), axis=-1)
            found.append(inside - each.forward_log_det_jacobian(x, event_ndims=1))
        logits: Any = self._mixture_distribution.logits
        return reduce_logsumexp(logits + array_concat.stack(found, axis=-1), axis=-1)

    def _mapped_means(self) -> list[Any]:
        """What each map makes of the mean of x."""
        shape = array_concat.concat([self.batch_shape_tensor(), self.event_shape_tensor()], axis=0)
        mean = broadcast_to(self._distribution.mean(), shape)
        mean.set_shape(self.batch_shape.concatenate(self.event_shape))
        return [each.forward(mean) for each in self._interpolated_affine]

    def _weighted(self, of_points: Sequence[Any]) -> Any:
        weights: Any = self._mixture_distribution.probs
        total: Any = weights[..., 0] * of_points[0]
        for index, each in enumerate(of_points[1:], start=1):
            total = total + weights[..., index] * each
        return total

    def _mean(self) -> Any:
        return self._weighted(self._mapped_means())

    def _covariance(self) -> Any:
        # The law of total covariance, over the points.
        means = self._mapped_means()
        mean = self._weighted(means)
        gaps = [each - mean for each in means]
        of_means = self._weighted([gap[..., None] * gap[..., None, :] for gap in gaps])
        scales = [each.scale.to_dense() for each in self._interpolated_affine]
        spreads = [matmul(each, each, adjoint_b=True) for each in scales]
        variance: Any = self._distribution.variance()
        return of_means + self._weighted(spreads) * variance[..., None, None]

    def _variance(self) -> Any:
        means = self._mapped_means()
        mean = self._weighted(means)
        of_means = self._weighted([math_unary.square(each - mean) for each in means])
        variance: Any = self._distribution.variance()
        spreads = [self._squares(each.scale) for each in self._interpolated_affine]
        return of_means + self._weighted(spreads) * variance[..., None]

    def _squares(self, scale: Any) -> Any:
        """The variances of the elements of what a linear operator makes of unit variances."""
        if isinstance(scale, LinearOperatorScaledIdentity):
            single = ones(self.event_shape_tensor(), dtype=self.dtype)
            return math_unary.square(scale.multiplier)[..., None] * single
        if isinstance(scale, LinearOperatorDiag):
            return math_unary.square(scale.diag_part())
        return reduce_sum(math_unary.square(scale.to_dense()), axis=-1)

    def _stddev(self) -> Any:
        return math_unary.sqrt(self._variance())


def _maps(
    name: str, places: Sequence[Any], scales: Sequence[Any], validate_args: bool
) -> list[AffineLinearOperator]:
    return [
        AffineLinearOperator(place, scale, validate_args=validate_args, name=f"{name}_{index}")
        for index, (place, scale) in enumerate(zip(places, scales, strict=True))
    ]


def check_scalar(
    distribution: Any, expected_base_dtype: dtypes.DType, validate_args: bool
) -> list[Any]:
    """Looks whether a distribution is of single numbers.

    Args:
      distribution: The distribution.
      expected_base_dtype: What it is of.
      validate_args: Whether the step looks at what is not known before, and whether what is drawn
        must have gradients.

    Returns:
      What the step has to wait for.

    Raises:
      TypeError: It is of another type.
      ValueError: It has a batch, or events that are no numbers, or no gradients.
    """
    if distribution.dtype != expected_base_dtype:
        raise TypeError(
            f'dtype mismatch; distribution.dtype="{distribution.dtype.name}" is not '
            f'"{expected_base_dtype.name}"'
        )
    if validate_args and distribution.reparameterization_type != FULLY_REPARAMETERIZED:
        raise ValueError(
            "Base distribution should be reparameterized or be a function of non-trainable "
            f'variables; distribution.reparameterization_type = "'
            f'{distribution.reparameterization_type}" != "FULLY_REPARAMETERIZED".'
        )
    checks = []
    with name_scope("check_distribution"):
        for name in ("is_scalar_event", "is_scalar_batch"):
            found = convert_to_tensor(getattr(distribution, name)())
            known = constant_value(found)
            text = f"distribution must be scalar; distribution.{name}=False is not True"
            if known is not None and not known:
                raise ValueError(text)
            if known is None and validate_args:
                checks.append(assert_equal(found, True, message=text))
    return checks


def _points(grid: Any) -> int:
    count = dimension_value(grid.shape.with_rank_at_least(1)[-1])
    if count is None:
        raise ValueError("Num quadrature grid points must be known prior to graph execution.")
    return count


def _places_between(grid: Any, places: Sequence[Any]) -> list[Any]:
    count = _points(grid)
    with name_scope("interpolate_loc", values=[grid]):
        found: list[Any] = []
        for point in range(count):
            parts = [
                grid[..., index, point][..., None] * place
                for index, place in enumerate(places)
                if place is not None
            ]
            found.append(sum(parts[1:], parts[0]) if parts else None)
        return found


def _scales_between(grid: Any, scales: Sequence[Any]) -> list[Any]:
    count = _points(grid)
    with name_scope("interpolate_scale", values=[grid]):
        return [
            add_operators(
                [_times(grid[..., index, point], each) for index, each in enumerate(scales)]
            )[0]
            for point in range(count)
        ]


def _times(weight: Any, operator: LinearOperator) -> LinearOperator:
    """A number times a linear operator.

    Raises:
      NotImplementedError: It is of none of the kinds that are known.
    """
    hints: dict[str, Any] = {
        "is_non_singular": operator.is_non_singular,
        "is_self_adjoint": operator.is_self_adjoint,
        "is_positive_definite": operator.is_positive_definite,
    }
    with name_scope("linop_scale", values=[weight]):
        if isinstance(operator, LinearOperatorIdentity | LinearOperatorScaledIdentity):
            if isinstance(operator, LinearOperatorScaledIdentity):
                weight = weight * operator.multiplier
            return LinearOperatorScaledIdentity(
                num_rows=operator.range_dimension_tensor(), multiplier=weight, **hints
            )
        if isinstance(operator, LinearOperatorDiag):
            return LinearOperatorDiag(weight[..., None] * operator.diag_part(), **hints)
        if isinstance(operator, LinearOperatorLowerTriangular):
            dense = weight[..., None, None] * operator.to_dense()
            return LinearOperatorLowerTriangular(dense, **hints)
        raise NotImplementedError(f"Unsupported Linop type ({type(operator).__name__})")
