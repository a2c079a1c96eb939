"""Poisson's distribution whose rates are log-normally distributed, by quadrature."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.unary as math_unary
from dataflow.contrib.distributions.bijectors.elementwise import Exp
from dataflow.contrib.distributions.counts import Poisson
from dataflow.contrib.distributions.transformed import TransformedDistribution
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.library.distributions.base import NOT_REPARAMETERIZED, Distribution, new_seed
from dataflow.library.distributions.discrete import Categorical
from dataflow.library.distributions.normal import Normal
from dataflow.ops.array.fill import fill, ones, zeros
from dataflow.ops.array.gather import gather
from dataflow.ops.array.transpose import transpose
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.range import range as range_
from dataflow.ops.math.linspace import linspace
from dataflow.ops.random.gamma import random_poisson
from dataflow.ops.reductions.reduce import reduce_prod
from dataflow.ops.reductions.statistics import reduce_logsumexp
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape


def quadrature_scheme_lognormal_gauss_hermite(
    loc: Any, scale: Any, quadrature_size: int, validate_args: bool = False, name: str | None = None
) -> tuple[Any, Any]:
    """Points and weights of Gauss and Hermite for normal numbers.

    Args:
      loc: Means of the numbers.
      scale: Their deviations.
      quadrature_size: How many points.
      validate_args: Is looked at by nothing.
      name: A name scope.

    Returns:
      The points, of the shape of `loc` and another axis, and the weights, `[quadrature_size]`.
    """
    with name_scope(name, "vector_diffeomixture_quadrature_gauss_hermite", [loc, scale]):
        loc, scale = convert_to_tensor(loc), convert_to_tensor(scale)
        points, weights = np.polynomial.hermite.hermgauss(deg=quadrature_size)
        kind = loc.dtype.as_numpy_dtype
        weights = weights.astype(kind)
        weights /= np.abs(weights).sum()
        spread = np.sqrt(2.0) * scale[..., None] * points.astype(kind)
        return loc[..., None] + spread, convert_to_tensor(weights, name="probs")


def quadrature_scheme_lognormal_quantiles(
    loc: Any, scale: Any, quadrature_size: int, validate_args: bool = False, name: str | None = None
) -> tuple[Any, Any]:
    """The middles between quantiles of log-normal numbers, all of one weight.

    Args:
      loc: Means of the logarithms.
      scale: Their deviations.
      quadrature_size: How many points.
      validate_args: Whether values are checked in the step.
      name: A name scope.

    Returns:
      The points, of the shape of `loc` and another axis, and the weights, `[quadrature_size]`.
    """
    with name_scope(name, "quadrature_scheme_lognormal_quantiles", [loc, scale]):
        drawn = TransformedDistribution(Normal(loc, scale), Exp(), validate_args=validate_args)
        known = drawn.batch_shape.rank
        axes = array_shape.size(drawn.batch_shape_tensor()) if known is None else known
        edges: Any = linspace(zeros([], drawn.dtype), ones([], drawn.dtype), quadrature_size + 3)
        single = ones([axes], dtype=dtypes.int32)
        edges = array_shape.reshape(edges[1:-1], array_concat.concat([[-1], single], axis=0))
        quantiles: Any = drawn.quantile(edges)
        order = array_concat.concat([range_(1, 1 + axes), [0]], axis=0)
        quantiles = transpose(quantiles, order)
        grid = (quantiles[..., :-1] + quantiles[..., 1:]) / 2.0
        grid.set_shape(drawn.batch_shape.concatenate([quadrature_size]))
        return grid, fill([quadrature_size], constant(1.0 / quadrature_size, dtype=drawn.dtype))


class PoissonLogNormalQuadratureCompound(Distribution):
    """A mixture of Poisson distributions, at points of a quadrature of their rates' logarithms."""

    def __init__(
        self,
        loc: Any,
        scale: Any,
        quadrature_size: int = 8,
        quadrature_fn: Callable[..., Any] = quadrature_scheme_lognormal_quantiles,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "PoissonLogNormalQuadratureCompound",
    ) -> None:
        """Makes one.

        Args:
          loc: Means of the logarithms of the rates.
          scale: Their deviations.
          quadrature_size: How many points stand for the rates.
          quadrature_fn: Makes points, which are logarithms of rates, and weights of these and
            `validate_args`.
          validate_args: Whether values are checked in the step.
          allow_nan_stats: See `Distribution`.
          name: Name of the scope of the operations.

        Raises:
          TypeError: Points and weights are of two types.
        """
        parameters = dict(locals())
        with name_scope(name, values=[loc, scale]) as scope:
            self._loc: Any = convert_to_tensor(loc, name="loc")
            self._scale: Any = convert_to_tensor(scale, dtype=self._loc.dtype, name="scale")
            grid, weights = quadrature_fn(self._loc, self._scale, quadrature_size, validate_args)
            if grid.dtype.base_dtype != weights.dtype.base_dtype:
                raise TypeError(
                    f"Quadrature grid dtype ({grid.dtype.name}) does not match quadrature probs "
                    f"dtype ({weights.dtype.name})."
                )
            self._quadrature_size = quadrature_size
            self._distribution = Poisson(
                log_rate=grid, validate_args=validate_args, allow_nan_stats=allow_nan_stats
            )
            self._mixture_distribution = Categorical(
                logits=math_unary.log(weights),
                validate_args=validate_args,
                allow_nan_stats=allow_nan_stats,
            )
        super().__init__(
            dtype=grid.dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._loc, self._scale],
            name=scope,
        )

    @property
    def mixture_distribution(self) -> Categorical:
        """Of the points."""
        return self._mixture_distribution

    @property
    def distribution(self) -> Poisson:
        """One for each point, on the last axis of the batch."""
        return self._distribution

    @property
    def loc(self) -> Any:
        """Means of the logarithms of the rates."""
        return self._loc

    @property
    def scale(self) -> Any:
        """Their deviations."""
        return self._scale

    @property
    def quadrature_size(self) -> int:
        """How many points stand for the rates."""
        return self._quadrature_size

    def _batch_shape_tensor(self) -> Any:
        sizes: Any = self._distribution.batch_shape_tensor()
        return sizes[:-1]

    def _batch_shape(self) -> Any:
        return self._distribution.batch_shape[:-1]

    def _event_shape(self) -> Any:
        return TensorShape([])

    def _event_shape_tensor(self) -> Any:
        return constant([], dtype=dtypes.int32)

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        batch = self.batch_shape_tensor()
        count: Any = reduce_prod(batch)
        chosen: Any = self._mixture_distribution.sample(
            array_concat.stack([n, count]),
            seed=new_seed(seed, "poisson_lognormal_quadrature_compound"),
        )
        size = self._quadrature_size
        places = cast(chosen, dtypes.int32) + size * range_(count)
        rates = gather(array_shape.reshape(self._distribution.rate, [-1]), places)
        rates = array_shape.reshape(rates, array_concat.concat([[n], batch], axis=0))
        return random_poisson(rates, [], dtype=self.dtype, seed=seed)

    def _log_prob(self, x: Any) -> Any:
        of_points = self._distribution.log_prob(x[..., None])
        return reduce_logsumexp(self._mixture_distribution.logits + of_points, axis=-1)

    def _mean(self) -> Any:
        logs = self._mixture_distribution.logits + self._distribution.log_rate
        return math_unary.exp(reduce_logsumexp(logs, axis=-1))

    def _log_variance(self) -> Any:
        # The mean of the variances, and the variance of the means.
        apart: Any = self._distribution.mean()
        apart = math_unary.log(math_unary.abs(apart - self._mean()[..., None]))
        parts: Any = array_concat.stack([self._distribution.log_rate, 2.0 * apart], axis=-1)
        logits: Any = self._mixture_distribution.logits
        return reduce_logsumexp(logits[..., None] + parts, axis=[-2, -1])

    def _variance(self) -> Any:
        return math_unary.exp(self._log_variance())

    def _stddev(self) -> Any:
        return math_unary.exp(0.5 * self._log_variance())
