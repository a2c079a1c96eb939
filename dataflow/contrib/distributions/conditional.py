"""Distributions whose methods take more than the value."""

from __future__ import annotations

from typing import Any

import dataflow.ops.math.unary as math_unary
from dataflow.contrib.distributions.transformed import TransformedDistribution
from dataflow.library.distributions.base import Distribution


class ConditionalDistribution(Distribution):
    """A distribution by conditions, which are given by name to what subclasses define."""

    def sample(
        self,
        sample_shape: Any = (),
        seed: int | None = None,
        name: str = "sample",
        **condition_kwargs: Any,
    ) -> Any:
        """See `Distribution.sample`."""
        return self._call_sample_n(sample_shape, seed, name, **condition_kwargs)

    def log_prob(self, value: Any, name: str = "log_prob", **condition_kwargs: Any) -> Any:
        """See `Distribution.log_prob`."""
        return self._of_value("log_prob", value, name, ("prob", math_unary.log), **condition_kwargs)

    def prob(self, value: Any, name: str = "prob", **condition_kwargs: Any) -> Any:
        """See `Distribution.prob`."""
        return self._of_value("prob", value, name, ("log_prob", math_unary.exp), **condition_kwargs)

    def log_cdf(self, value: Any, name: str = "log_cdf", **condition_kwargs: Any) -> Any:
        """See `Distribution.log_cdf`."""
        return self._of_value("log_cdf", value, name, ("cdf", math_unary.log), **condition_kwargs)

    def cdf(self, value: Any, name: str = "cdf", **condition_kwargs: Any) -> Any:
        """See `Distribution.cdf`."""
        return self._of_value("cdf", value, name, ("log_cdf", math_unary.exp), **condition_kwargs)

    def log_survival_function(
        self, value: Any, name: str = "log_survival_function", **condition_kwargs: Any
    ) -> Any:
        """See `Distribution.log_survival_function`."""
        instead = "cdf", lambda p: math_unary.log1p(-p)
        return self._of_value("log_survival_function", value, name, instead, **condition_kwargs)

    def survival_function(
        self, value: Any, name: str = "survival_function", **condition_kwargs: Any
    ) -> Any:
        """See `Distribution.survival_function`."""
        instead = "cdf", lambda p: 1.0 - p
        return self._of_value("survival_function", value, name, instead, **condition_kwargs)


class ConditionalTransformedDistribution(ConditionalDistribution, TransformedDistribution):
    """A `TransformedDistribution` whose bijector or base distribution takes conditions.

    Methods take them as dictionaries, `bijector_kwargs` and `distribution_kwargs`.
    """
