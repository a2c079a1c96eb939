"""What state space models have in common, as one value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from dataflow.contrib.timeseries.state_space_models.matrices import (
    log_noninformative_covariance_prior,
)
from dataflow.values import dtypes


class _Fields(NamedTuple):
    num_features: int
    use_observation_noise: bool
    dtype: Any
    covariance_prior_fn: Callable[[Any], Any]
    bayesian_prior_weighting: bool
    filtering_postprocessor: Any
    trainable_start_state: bool
    exogenous_noise_increases: bool
    exogenous_noise_decreases: bool
    exogenous_feature_columns: Sequence[Any]
    exogenous_update_condition: Callable[..., Any] | None
    filtering_maximum_posterior_variance_ratio: float
    filtering_minimum_posterior_variance: float
    transition_covariance_initial_log_scale_bias: float
    static_unrolling_window_size_threshold: int | None


class StateSpaceModelConfiguration(_Fields):
    """What state space models have in common."""

    __slots__ = ()

    def __new__(
        cls,
        num_features: int = 1,
        use_observation_noise: bool = True,
        dtype: Any = dtypes.float32,
        covariance_prior_fn: Callable[[Any], Any] = log_noninformative_covariance_prior,
        bayesian_prior_weighting: bool = True,
        filtering_postprocessor: Any = None,
        trainable_start_state: bool = False,
        exogenous_noise_increases: bool = True,
        exogenous_noise_decreases: bool = False,
        exogenous_feature_columns: Sequence[Any] | None = None,
        exogenous_update_condition: Callable[..., Any] | None = None,
        filtering_maximum_posterior_variance_ratio: float = 1e6,
        filtering_minimum_posterior_variance: float = 0.0,
        transition_covariance_initial_log_scale_bias: float = -5.0,
        static_unrolling_window_size_threshold: int | None = None,
    ) -> StateSpaceModelConfiguration:
        """Makes one.

        Args:
          num_features: How many values a time has.
          use_observation_noise: Whether what is seen has noise.
          dtype: The type to calculate with.
          covariance_prior_fn: The logarithm of a density over covariances, which training likes.
          bayesian_prior_weighting: Whether it counts once for the series, not for each window.
          filtering_postprocessor: A `FilteringStepPostprocessor`.
          trainable_start_state: Whether the state at the start is trained.
          exogenous_noise_increases: Whether other features add to the state and to its covariance.
          exogenous_noise_decreases: Whether they tell of the state as observations do.
          exogenous_feature_columns: Columns of other features, which are not predicted.
          exogenous_update_condition: `f(times, features)` says in which windows they count.
          filtering_maximum_posterior_variance_ratio: How often the largest variance of a state may
            be the smallest.
          filtering_minimum_posterior_variance: What no variance of a state is below.
          transition_covariance_initial_log_scale_bias: What is added at first to the logarithm of
            the noise of moves, and taken from that of what is seen.
          static_unrolling_window_size_threshold: Up to which length windows have nodes for each
            step instead of a loop.
        """
        return super().__new__(
            cls,
            num_features,
            use_observation_noise,
            dtype,
            covariance_prior_fn,
            bayesian_prior_weighting,
            filtering_postprocessor,
            trainable_start_state,
            exogenous_noise_increases,
            exogenous_noise_decreases,
            [] if exogenous_feature_columns is None else exogenous_feature_columns,
            exogenous_update_condition,
            filtering_maximum_posterior_variance_ratio,
            filtering_minimum_posterior_variance,
            transition_covariance_initial_log_scale_bias,
            static_unrolling_window_size_threshold,
        )
