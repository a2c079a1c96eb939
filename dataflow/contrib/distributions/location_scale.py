"""Distributions that are moved and stretched: logistic, Gumbel's, Cauchy's and the half normal."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import dataflow.ops.math.special as special
import dataflow.ops.math.trig as trig
import dataflow.ops.math.unary as math_unary
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.library.distributions.base import FULLY_REPARAMETERIZED
from dataflow.library.distributions.location_scale import LocationScale
from dataflow.library.distributions.shapes import Broadcast, positive
from dataflow.ops.array.fill import fill, ones_like, zeros
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.identity import identity
from dataflow.ops.math.sigmoid import sigmoid
from dataflow.ops.nn.activation import relu, softplus
from dataflow.ops.random.stateful import random_normal, random_uniform
from dataflow.values import dtypes


class _Moved(LocationScale):
    """Whose draws are quantiles of uniform numbers."""

    def _uniform(self, n: Any, seed: int | None) -> Any:
        """Numbers above 0 and below 1."""
        tiny = np.finfo(self.dtype.as_numpy_dtype).tiny
        return random_uniform(self._draws(n), minval=tiny, maxval=1.0, dtype=self.dtype, seed=seed)

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        return self._quantile(self._uniform(n, seed))

    def _quantile(self, p: Any) -> Any:
        raise NotImplementedError

    def _wide_scale(self) -> Any:
        return self._scale * ones_like(self._loc)

    def _mode(self) -> Any:
        return self._loc * ones_like(self._scale)


class Logistic(_Moved):
    """The distribution whose distribution function is a sigmoid."""

    def __init__(
        self,
        loc: Any,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Logistic",
    ) -> None:
        """Takes the parameters, which broadcast; see `Distribution` for the rest."""
        parameters = dict(locals())
        self._begin(loc, scale, (validate_args, allow_nan_stats), parameters, name)

    def _log_prob(self, x: Any) -> Any:
        z = self._z(x)
        around: Any = softplus(-z)
        return -z - 2.0 * around - math_unary.log(self._scale)

    def _log_cdf(self, x: Any) -> Any:
        return -softplus(-self._z(x))

    def _cdf(self, x: Any) -> Any:
        return sigmoid(self._z(x))

    def _log_survival_function(self, x: Any) -> Any:
        return -softplus(self._z(x))

    def _survival_function(self, x: Any) -> Any:
        return sigmoid(-self._z(x))

    def _quantile(self, p: Any) -> Any:
        return self._loc + self._scale * (math_unary.log(p) - math_unary.log1p(-p))

    def _entropy(self) -> Any:
        return 2.0 + math_unary.log(self._wide_scale())

    def _mean(self) -> Any:
        return self._loc * ones_like(self._scale)

    def _stddev(self) -> Any:
        return self._wide_scale() * (math.pi / math.sqrt(3))


class Gumbel(_Moved):
    """Gumbel's distribution of maxima."""

    def __init__(
        self,
        loc: Any,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Gumbel",
    ) -> None:
        """Takes the parameters, which broadcast; see `Distribution` for the rest."""
        parameters = dict(locals())
        self._begin(loc, scale, (validate_args, allow_nan_stats), parameters, name)

    def _quantile(self, p: Any) -> Any:
        return self._loc - self._scale * math_unary.log(-math_unary.log(p))

    def _log_prob(self, x: Any) -> Any:
        z = self._z(x)
        return -z - math_unary.exp(-z) - math_unary.log(self._scale)

    def _log_cdf(self, x: Any) -> Any:
        return -math_unary.exp(-self._z(x))

    def _cdf(self, x: Any) -> Any:
        return math_unary.exp(self._log_cdf(x))

    def _entropy(self) -> Any:
        return 1.0 + np.euler_gamma + math_unary.log(self._wide_scale())

    def _mean(self) -> Any:
        return self._loc + self._scale * np.euler_gamma

    def _stddev(self) -> Any:
        return self._wide_scale() * (math.pi / math.sqrt(6))


class Cauchy(_Moved):
    """Cauchy's distribution, which has no mean."""

    def __init__(
        self,
        loc: Any,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Cauchy",
    ) -> None:
        """Takes the parameters, which broadcast; see `Distribution` for the rest."""
        parameters = dict(locals())
        self._begin(loc, scale, (validate_args, allow_nan_stats), parameters, name)

    def _log_prob(self, x: Any) -> Any:
        spread: Any = math_unary.log1p(math_unary.square(self._z(x)))
        return -spread - math.log(math.pi) - math_unary.log(self._scale)

    def _cdf(self, x: Any) -> Any:
        angle: Any = trig.atan(self._z(x))
        return angle / math.pi + 0.5

    def _log_cdf(self, x: Any) -> Any:
        angle: Any = trig.atan(self._z(x))
        found: Any = math_unary.log1p(2.0 / math.pi * angle)
        return found - math.log(2)

    def _quantile(self, p: Any) -> Any:
        return self._loc + self._scale * trig.tan(math.pi * (p - 0.5))

    def _entropy(self) -> Any:
        return math.log(4 * math.pi) + math_unary.log(self._wide_scale())

    def _undefined(self, what: str) -> Any:
        if not self.allow_nan_stats:
            raise ValueError(f"`{what}` is undefined for Cauchy distribution.")
        return fill(self.batch_shape_tensor(), self.dtype.as_numpy_dtype(np.nan))

    def _mean(self) -> Any:
        return self._undefined("mean")

    def _stddev(self) -> Any:
        return self._undefined("stddev")


class HalfNormal(Broadcast):
    """The absolute values of normal numbers whose mean is 0."""

    def __init__(
        self,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "HalfNormal",
    ) -> None:
        """Takes the deviations of the normal numbers; see `Distribution` for the rest."""
        parameters = dict(locals())
        with name_scope(name, values=[scale]) as scope:
            self._scale: Any = identity(positive(scale, "scale", validate_args), name="scale")
        super().__init__(
            dtype=self._scale.dtype,
            reparameterization_type=FULLY_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._scale],
            name=scope,
        )

    @staticmethod
    def _param_shapes(sample_shape: Any) -> dict[str, Any]:
        return {"scale": convert_to_tensor(sample_shape, dtype=dtypes.int32)}

    @property
    def scale(self) -> Any:
        """The deviations of the normal numbers."""
        return self._scale

    def _arguments(self) -> tuple[Any, ...]:
        return (self._scale,)

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        drawn: Any = random_normal(self._draws(n), dtype=self.dtype, seed=seed)
        return math_unary.abs(drawn * self._scale)

    def _prob(self, x: Any) -> Any:
        height: Any = math.sqrt(2.0 / math.pi) / self._scale
        density = height * math_unary.exp(-0.5 * math_unary.square(x / self._scale))
        return density * cast(x >= 0.0, self.dtype)

    def _cdf(self, x: Any) -> Any:
        above: Any = relu(x)
        return special.erf(above / self._scale / math.sqrt(2.0))

    def _quantile(self, p: Any) -> Any:
        return math.sqrt(2.0) * self._scale * special.erfinv(p)

    def _entropy(self) -> Any:
        square: Any = math_unary.square(self._scale)
        return 0.5 * math_unary.log(0.5 * math.pi * square) + 0.5

    def _mean(self) -> Any:
        return self._scale * math.sqrt(2.0 / math.pi)

    def _mode(self) -> Any:
        return zeros(self.batch_shape_tensor(), dtype=self.dtype)

    def _variance(self) -> Any:
        return math_unary.square(self._scale) * (1.0 - 2.0 / math.pi)
