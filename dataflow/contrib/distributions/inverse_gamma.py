"""The inverse gamma distribution."""

from __future__ import annotations

from typing import Any

import dataflow.ops.math.special as special
import dataflow.ops.math.unary as math_unary
from dataflow.library.check_values import assert_positive
from dataflow.library.distributions.base import NOT_REPARAMETERIZED
from dataflow.library.distributions.exponential import GammaBased
from dataflow.library.distributions.undefined import nan_or_checked
from dataflow.ops.basic.grouping import with_dependencies
from dataflow.ops.random.gamma import random_gamma


class InverseGamma(GammaBased):
    """The distribution of reciprocals of what is of a gamma distribution."""

    def __init__(
        self,
        concentration: Any,
        rate: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "InverseGamma",
    ) -> None:
        """Takes the parameters of the gamma distribution, which broadcast."""
        parameters = dict(locals())
        flags = validate_args, allow_nan_stats
        self._begin(concentration, rate, flags, parameters, name, NOT_REPARAMETERIZED)

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        drawn: Any = random_gamma([n], self._concentration, self._rate, self.dtype, seed=seed)
        return 1.0 / drawn

    def _checked(self, x: Any) -> Any:
        return with_dependencies([assert_positive(x)], x) if self.validate_args else x

    def _log_prob(self, x: Any) -> Any:
        x = self._checked(x)
        a = self._concentration
        weight: Any = -(1.0 + a) * math_unary.log(x) - self._rate / x
        return weight - (special.lgamma(a) - a * math_unary.log(self._rate))

    def _cdf(self, x: Any) -> Any:
        return special.igammac(self._concentration, self._rate / self._checked(x))

    def _entropy(self) -> Any:
        a = self._concentration
        found: Any = a + math_unary.log(self._rate) + special.lgamma(a)
        return found - (1.0 + a) * special.digamma(a)

    def _mean(self) -> Any:
        a = self._concentration
        text = "mean undefined when any concentration <= 1"
        return nan_or_checked(self, self._rate / (a - 1.0), a > 1.0, (1.0, a, text))

    def _variance(self) -> Any:
        a = self._concentration
        found = math_unary.square(self._rate / (a - 1.0)) / (a - 2.0)
        return nan_or_checked(
            self, found, a > 2.0, (2.0, a, "variance undefined when any concentration <= 2")
        )

    def _mode(self) -> Any:
        return self._rate / (1.0 + self._concentration)
