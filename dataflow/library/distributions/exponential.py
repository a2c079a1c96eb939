"""The exponential and the gamma distribution."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import dataflow.ops.math.special as special
import dataflow.ops.math.unary as math_unary
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.library.check_values import assert_positive
from dataflow.library.distributions.base import FULLY_REPARAMETERIZED
from dataflow.library.distributions.kullback_leibler import RegisterKL
from dataflow.library.distributions.shapes import Broadcast, check_same_type, positive
from dataflow.library.distributions.undefined import nan_or_checked
from dataflow.ops.array.fill import ones
from dataflow.ops.basic.grouping import with_dependencies
from dataflow.ops.basic.identity import identity
from dataflow.ops.math.power import xlogy
from dataflow.ops.random.gamma import random_gamma
from dataflow.ops.random.stateful import random_uniform
from dataflow.values import dtypes


class GammaBased(Broadcast):
    """Distributions of a `concentration` and a `rate`, both positive."""

    def _begin(
        self,
        concentration: Any,
        rate: Any,
        flags: tuple[bool, bool],
        parameters: Mapping[str, Any],
        name: str,
        reparameterization_type: Any,
    ) -> None:
        """Does a constructor's work; `flags` are `validate_args` and `allow_nan_stats`."""
        with name_scope(name, values=[concentration, rate]) as scope:
            self._concentration: Any = identity(
                positive(concentration, "concentration", flags[0]), name="concentration"
            )
            self._rate: Any = identity(positive(rate, "rate", flags[0]), name="rate")
            check_same_type(self._concentration, self._rate)
        super().__init__(
            dtype=self._concentration.dtype,
            reparameterization_type=reparameterization_type,
            validate_args=flags[0],
            allow_nan_stats=flags[1],
            parameters=parameters,
            graph_parents=[self._concentration, self._rate],
            name=scope,
        )

    @staticmethod
    def _param_shapes(sample_shape: Any) -> dict[str, Any]:
        shape = convert_to_tensor(sample_shape, dtype=dtypes.int32)
        return {"concentration": shape, "rate": shape}

    @property
    def concentration(self) -> Any:
        """The shape parameter."""
        return self._concentration

    @property
    def rate(self) -> Any:
        """The inverse scale of the gamma distribution."""
        return self._rate

    def _arguments(self) -> tuple[Any, ...]:
        return self._concentration, self._rate


class Gamma(GammaBased):
    """The gamma distribution: of shape `concentration` and inverse scale `rate`."""

    def __init__(
        self,
        concentration: Any,
        rate: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Gamma",
    ) -> None:
        """Takes the parameters, which broadcast; see `Distribution` for the rest."""
        parameters = dict(locals())
        flags = validate_args, allow_nan_stats
        self._begin(concentration, rate, flags, parameters, name, FULLY_REPARAMETERIZED)

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        return random_gamma([n], self.concentration, self.rate, dtype=self.dtype, seed=seed)

    def _checked(self, x: Any) -> Any:
        return with_dependencies([assert_positive(x)], x) if self.validate_args else x

    def _log_prob(self, x: Any) -> Any:
        x = self._checked(x)
        a: Any = self.concentration
        weight: Any = xlogy(a - 1.0, x) - self.rate * x
        return weight - (special.lgamma(a) - a * math_unary.log(self.rate))

    def _cdf(self, x: Any) -> Any:
        return special.igamma(self.concentration, self.rate * self._checked(x))

    def _entropy(self) -> Any:
        a: Any = self.concentration
        return a - math_unary.log(self.rate) + special.lgamma(a) + (1.0 - a) * special.digamma(a)

    def _mean(self) -> Any:
        return self._concentration / self._rate

    def _variance(self) -> Any:
        return self._concentration / math_unary.square(self.rate)

    def _stddev(self) -> Any:
        return math_unary.sqrt(self._concentration) / self.rate

    def _mode(self) -> Any:
        a: Any = self.concentration
        return nan_or_checked(
            self,
            (a - 1.0) / self.rate,
            a > 1.0,
            (1.0, a, "mode not defined when any concentration <= 1"),
        )


class Exponential(Gamma):
    """The exponential distribution: of inverse scale `rate`."""

    def __init__(
        self,
        rate: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Exponential",
    ) -> None:
        """Takes the parameter; see `Distribution` for the rest."""
        parameters = dict(locals())
        with name_scope(name, values=[rate]) as scope:
            self._rate = convert_to_tensor(rate, name="rate")
            super().__init__(
                concentration=ones([], dtype=self._rate.dtype),
                rate=self._rate,
                allow_nan_stats=allow_nan_stats,
                validate_args=validate_args,
                name=scope,
            )
        self._parameters = {
            key: value for key, value in parameters.items() if key not in ("self", "__class__")
        }

    @staticmethod
    def _param_shapes(sample_shape: Any) -> dict[str, Any]:
        return {"rate": convert_to_tensor(sample_shape, dtype=dtypes.int32)}

    def _log_survival_function(self, value: Any) -> Any:
        return self._log_prob(value) - math_unary.log(self._rate)

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        tiny = np.finfo(self.dtype.as_numpy_dtype).tiny
        drawn: Any = random_uniform(
            self._draws(n), minval=tiny, maxval=1.0, seed=seed, dtype=self.dtype
        )
        return -math_unary.log(drawn) / self._rate


@RegisterKL(Gamma, Gamma)
def _kl_gamma_gamma(g0: Any, g1: Any, name: str | None = None) -> Any:
    with name_scope(name, "kl_gamma_gamma", [g0.rate, g1.rate]):
        a, b = g0.concentration, g1.concentration
        found: Any = (a - b) * special.digamma(a) + special.lgamma(b) - special.lgamma(a)
        found = found + b * math_unary.log(g0.rate) - b * math_unary.log(g1.rate)
        return found + a * (g1.rate / g0.rate - 1.0)
