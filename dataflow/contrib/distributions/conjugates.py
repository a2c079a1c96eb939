"""What is known of a normal distribution's mean, after observations, when its scale is known."""

from __future__ import annotations

from typing import Any

import dataflow.ops.math.unary as math_unary
from dataflow.library.distributions.normal import Normal
from dataflow.ops.basic.cast import cast


def _posterior(prior: Any, scale: Any, s: Any, n: Any) -> tuple[Any, Any]:
    """The mean and the variance of the mean."""
    if not isinstance(prior, Normal):
        raise TypeError("Expected prior to be an instance of type Normal")
    if s.dtype != prior.dtype:
        raise TypeError(
            f"Observation sum s.dtype does not match prior dtype: {s.dtype} vs. {prior.dtype}"
        )
    count: Any = cast(n, prior.dtype)
    before: Any = math_unary.square(prior.scale)
    each: Any = math_unary.square(scale)
    variance: Any = 1.0 / (1.0 / before + count / each)
    return (prior.loc / before + s / each) * variance, variance


def normal_conjugates_known_scale_posterior(prior: Any, scale: Any, s: Any, n: Any) -> Normal:
    """The distribution of the mean, after observations.

    Args:
      prior: The normal distribution of the mean, before them.
      scale: The known deviation of observations.
      s: The sum of the observations, a tensor.
      n: How many they are.

    Raises:
      TypeError: The prior is not normal, or the sum is of another type.
    """
    mean, variance = _posterior(prior, scale, s, n)
    return Normal(loc=mean, scale=math_unary.sqrt(variance))


def normal_conjugates_known_scale_predictive(prior: Any, scale: Any, s: Any, n: Any) -> Normal:
    """The distribution of the next observation, after others.

    The arguments and errors are those of `normal_conjugates_known_scale_posterior`.
    """
    mean, variance = _posterior(prior, scale, s, n)
    return Normal(loc=mean, scale=math_unary.sqrt(variance + math_unary.square(scale)))
