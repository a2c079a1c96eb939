"""The normal distribution."""

from __future__ import annotations

import math
from typing import Any

import dataflow.ops.math.unary as math_unary
from dataflow.graph.scopes import name_scope
from dataflow.library.distributions.kullback_leibler import RegisterKL
from dataflow.library.distributions.location_scale import LocationScale
from dataflow.library.distributions.normal_function import log_ndtr, ndtr, ndtri
from dataflow.ops.array.fill import ones_like
from dataflow.ops.random.stateful import random_normal


class Normal(LocationScale):
    """The normal distribution of mean `loc` and deviation `scale`."""

    def __init__(
        self,
        loc: Any,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Normal",
    ) -> None:
        """Takes the parameters, which broadcast; see `Distribution` for the rest."""
        parameters = dict(locals())
        self._begin(loc, scale, (validate_args, allow_nan_stats), parameters, name)

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        drawn: Any = random_normal(self._draws(n), 0.0, 1.0, dtype=self._loc.dtype, seed=seed)
        return drawn * self._scale + self._loc

    def _log_prob(self, x: Any) -> Any:
        normalization = 0.5 * math.log(2.0 * math.pi) + math_unary.log(self._scale)
        return -0.5 * math_unary.square(self._z(x)) - normalization

    def _cdf(self, x: Any) -> Any:
        return ndtr(self._z(x))

    def _log_cdf(self, x: Any) -> Any:
        return log_ndtr(self._z(x))

    def _survival_function(self, x: Any) -> Any:
        return ndtr(-self._z(x))

    def _log_survival_function(self, x: Any) -> Any:
        return log_ndtr(-self._z(x))

    def _quantile(self, p: Any) -> Any:
        return ndtri(p) * self._scale + self._loc

    def _entropy(self) -> Any:
        scale: Any = self._scale * ones_like(self._loc)
        return 0.5 * math.log(2.0 * math.pi * math.e) + math_unary.log(scale)

    def _mean(self) -> Any:
        return self._loc * ones_like(self._scale)

    _mode = _mean

    def _stddev(self) -> Any:
        return self._scale * ones_like(self._loc)


@RegisterKL(Normal, Normal)
def _kl_normal_normal(a: Any, b: Any, name: str | None = None) -> Any:
    with name_scope(name, "kl_normal_normal", [a.loc, b.loc]):
        ratio: Any = math_unary.square(a.scale / b.scale)
        distance = math_unary.square(a.loc - b.loc) / (2.0 * math_unary.square(b.scale))
        return distance + 0.5 * (ratio - 1.0 - math_unary.log(ratio))
