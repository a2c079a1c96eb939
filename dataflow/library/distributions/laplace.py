"""The Laplace distribution, and the uniform one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import dataflow.ops.math.unary as math_unary
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.check_values import assert_less
from dataflow.library.distributions.base import FULLY_REPARAMETERIZED
from dataflow.library.distributions.location_scale import LocationScale
from dataflow.library.distributions.shapes import Broadcast, check_same_type
from dataflow.ops.array.fill import ones_like, zeros_like
from dataflow.ops.array.select import where_v2
from dataflow.ops.basic.grouping import with_dependencies
from dataflow.ops.basic.identity import identity
from dataflow.ops.math.compare import logical_or
from dataflow.ops.math.rounding import is_nan, sign
from dataflow.ops.random.stateful import random_uniform
from dataflow.values import dtypes


class Laplace(LocationScale):
    """The Laplace distribution around `loc`: exp(-|x - loc| / scale) / (2 scale)."""

    def __init__(
        self,
        loc: Any,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Laplace",
    ) -> None:
        """Takes the parameters, which broadcast; see `Distribution` for the rest."""
        parameters = dict(locals())
        self._begin(loc, scale, (validate_args, allow_nan_stats), parameters, name)

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        kind = self.dtype.as_numpy_dtype
        lowest = np.nextafter(kind(-1.0), kind(0.0))
        drawn: Any = random_uniform(
            self._draws(n), minval=lowest, maxval=1.0, dtype=self.dtype, seed=seed
        )
        return self.loc - self.scale * sign(drawn) * math_unary.log1p(-math_unary.abs(drawn))

    def _log_prob(self, x: Any) -> Any:
        return -math_unary.abs(self._z(x)) - math.log(2.0) - math_unary.log(self.scale)

    def _log_cdf(self, x: Any) -> Any:
        return _log_cdf_laplace(self._z(x))

    def _log_survival_function(self, x: Any) -> Any:
        return _log_cdf_laplace(-self._z(x))

    def _cdf(self, x: Any) -> Any:
        z = self._z(x)
        return 0.5 + 0.5 * sign(z) * (1.0 - math_unary.exp(-math_unary.abs(z)))

    def _entropy(self) -> Any:
        scale: Any = self.scale + zeros_like(self.loc)
        return math.log(2.0) + 1.0 + math_unary.log(scale)

    def _mean(self) -> Any:
        return self.loc + zeros_like(self.scale)

    _mode = _mean

    def _stddev(self) -> Any:
        return math.sqrt(2.0) * self.scale + zeros_like(self.loc)


def _log_cdf_laplace(z: Any) -> Tensor:
    lower: Any = -math.log(2.0) + z
    # Only the branch that is chosen may be large.
    safe = math_unary.exp(-math_unary.abs(z))
    upper = math_unary.log1p(-0.5 * safe)
    return where_v2(z < 0.0, lower, upper)


class Uniform(Broadcast):
    """The uniform distribution over [low, high)."""

    def __init__(
        self,
        low: Any = 0.0,
        high: Any = 1.0,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Uniform",
    ) -> None:
        """Takes the bounds, which broadcast; see `Distribution` for the rest."""
        parameters = dict(locals())
        with name_scope(name, values=[low, high]) as scope:
            bounds = [convert_to_tensor(low, name="low"), convert_to_tensor(high, name="high")]
            check_same_type(*bounds)
            if validate_args:
                text = "uniform not defined when low >= high."
                check = assert_less(bounds[0], bounds[1], message=text)
                bounds = [with_dependencies([check], each) for each in bounds]
            self._low = identity(bounds[0], name="low")
            self._high = identity(bounds[1], name="high")
        super().__init__(
            dtype=self._low.dtype,
            reparameterization_type=FULLY_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._low, self._high],
            name=scope,
        )

    @staticmethod
    def _param_shapes(sample_shape: Any) -> dict[str, Any]:
        shape = convert_to_tensor(sample_shape, dtype=dtypes.int32)
        return {"low": shape, "high": shape}

    @property
    def low(self) -> Any:
        """The lower bound."""
        return self._low

    @property
    def high(self) -> Any:
        """The upper bound."""
        return self._high

    def range(self, name: str = "range") -> Any:
        """`high - low`."""
        with self._name_scope(name):
            return self.high - self.low

    def _arguments(self) -> tuple[Any, ...]:
        return self._low, self._high

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        drawn: Any = random_uniform(self._draws(n), dtype=self.dtype, seed=seed)
        return self.low + self.range() * drawn

    def _prob(self, x: Any) -> Any:
        width: Any = self.range()
        spread = x * ones_like(width)
        return where_v2(
            is_nan(spread),
            spread,
            where_v2(
                logical_or(x < self.low, x >= self.high),
                zeros_like(spread),
                ones_like(spread) / width,
            ),
        )

    def _cdf(self, x: Any) -> Any:
        width: Any = self.range()
        spread: Any = x * ones_like(width)
        inside = where_v2(x < self.low, zeros_like(spread), (x - self.low) / width)
        return where_v2(x >= self.high, ones_like(spread), inside)

    def _entropy(self) -> Any:
        return math_unary.log(self.range())

    def _mean(self) -> Any:
        return (self.low + self.high) / 2.0

    def _variance(self) -> Any:
        return math_unary.square(self.range()) / 12.0

    def _stddev(self) -> Any:
        return self.range() / math.sqrt(12.0)
