"""StateSpaceModel: a state that moves linearly, and of which a linear map is seen."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.unary as math_unary
from dataflow.contrib.layers.linear import fully_connected
from dataflow.contrib.timeseries.feature_keys import TIMES, VALUES
from dataflow.contrib.timeseries.sequential_model import SequentialTimeSeriesModel
from dataflow.contrib.timeseries.state_space_models import matrices
from dataflow.contrib.timeseries.state_space_models.configuration import (
    StateSpaceModelConfiguration,
)
from dataflow.contrib.timeseries.state_space_models.kalman_filter import KalmanFilter
from dataflow.contrib.timeseries.statistics import InputStatistics
from dataflow.control_flow.assertion import Assert
from dataflow.estimation.model_spec import ModeKeys
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import control_dependencies
from dataflow.graph.variable_scope_object import get_variable_scope
from dataflow.ops.array.broadcast import tile
from dataflow.ops.array.fill import zeros
from dataflow.ops.array.gather import gather
from dataflow.ops.array.unique import unique
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.identity import identity
from dataflow.ops.basic.range import range as range_of
from dataflow.ops.linalg.diag import eye
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.math.binary import maximum
from dataflow.ops.math.compare import equal, less_equal
from dataflow.ops.reductions.arg import argmax
from dataflow.ops.reductions.reduce import reduce_all, reduce_max, reduce_mean
from dataflow.values import dtypes
from dataflow.variables.scope import get_variable, variable_scope


class StateSpaceModel(SequentialTimeSeriesModel):
    """A model whose state is known up to normal noise, by Kalman's filter.

    A subclass says how a state moves (`get_state_transition`), how noise comes into it
    (`get_noise_transform`), and what is seen of it (`get_observation_model`). The state of the
    model is the mean, the covariance, and the time that they are of.
    """

    def __init__(self, configuration: StateSpaceModelConfiguration) -> None:
        """Takes what state space models have in common."""
        self._configuration = configuration
        postprocessor = configuration.filtering_postprocessor
        more = [] if postprocessor is None else list(postprocessor.output_names)
        super().__init__(
            train_output_names=["mean", "covariance", "log_likelihood", *more],
            predict_output_names=["mean", "covariance"],
            num_features=configuration.num_features,
            normalize_features=True,
            dtype=configuration.dtype,
            exogenous_feature_columns=configuration.exogenous_feature_columns,
            exogenous_update_condition=configuration.exogenous_update_condition,
            static_unrolling_window_size_threshold=(
                configuration.static_unrolling_window_size_threshold
            ),
        )
        self._kalman_filter: Any = None
        self.prior_state_mean: Any = None
        self.prior_state_var: Any = None
        self.state_transition_noise_covariance: Any = None
        self._observation_noise_covariance: Any = None
        self._observation_transition_tradeoff_log_scale: Any = None
        self._window_gap_sizes: Any = None
        self._window_caches: list[Any] = []
        self._variable_scope = get_variable_scope()

    @abstractmethod
    def get_state_transition(self) -> Any:
        """The matrix that moves a state by one time, `[state, state]`."""

    @abstractmethod
    def get_noise_transform(self) -> Any:
        """What noise adds to a state, `[state, noise]`."""

    @abstractmethod
    def get_observation_model(self, times: Any) -> Any:
        """What is seen of a state: `[state]`, `[features, state]`, or that for each time."""

    def _matrix(self, value: Any) -> Any:
        return convert_to_tensor(value, dtype=self.dtype)

    def transition_power_noise_accumulator(self, num_steps: Any) -> Any:
        """The covariances that moves over several times add.

        Args:
          num_steps: Over how many, a vector.
        """
        transform = self._matrix(self.get_noise_transform())
        spread = matmul(transform, self.state_transition_noise_covariance)
        added = matmul(spread, transform, transpose_b=True)
        most: Any = reduce_max(num_steps)
        sums = matrices.power_sums_tensor(
            most + 1, self._matrix(self.get_state_transition()), added
        )
        return gather(sums, indices=num_steps)

    def transition_to_powers(self, powers: Any) -> Any:
        """The matrices that move states over several times.

        Args:
          powers: Over how many, a vector.
        """
        return matrices.matrix_to_powers(self._matrix(self.get_state_transition()), powers)

    def _window_initializer(self, times: Any, state: Any) -> None:
        # Few gaps are of different lengths: what belongs to each is computed once.
        _, _, before = state
        times = convert_to_tensor(times)
        starts = maximum(times[:, 0] - convert_to_tensor(before), 0)
        inner = array_shape.reshape(times[:, 1:] - times[:, :-1], [-1])
        gaps = unique(array_concat.concat([inner, starts], axis=0))[0]
        self._window_gap_sizes = gaps
        self._window_caches = [
            self.transition_to_powers(gaps),
            self.transition_power_noise_accumulator(gaps),
        ]

    def _cached_transition_powers_and_sums(self, num_steps: Any) -> list[Any]:
        same = equal(num_steps[:, None], cast(self._window_gap_sizes, num_steps.dtype)[None])
        places = argmax(cast(same, dtypes.int32), axis=1, output_type=dtypes.int32)
        found = []
        for each in self._window_caches:
            gathered = gather(each, places)
            gathered.set_shape(num_steps.shape.concatenate(each.shape[-2:]))
            found.append(gathered)
        return found

    def _imputation_step(self, current_times: Any, state: Any) -> Any:
        mean, covariance, before = state
        steps = maximum(current_times - before, 0)
        moves, noise = self._cached_transition_powers_and_sums(steps)
        return (
            self._kalman_filter.predict_state_mean(mean, moves),
            self._kalman_filter.predict_state_var(covariance, moves, noise),
            before + steps,
        )

    def _filtering_step(
        self, current_times: Any, current_values: Any, state: Any, predictions: Any
    ) -> tuple[Any, dict[str, Any]]:
        mean, covariance, before = state
        text = "Attempted to perform filtering without imputation/prediction"
        check = Assert(reduce_all(equal(current_times, before)), [text])
        with control_dependencies([check]):
            clipped = matrices.clip_covariance(
                covariance,
                self._configuration.filtering_maximum_posterior_variance_ratio,
                self._configuration.filtering_minimum_posterior_variance,
            )
            filtered_mean, filtered_covariance, density = self._kalman_filter.do_filter(
                estimated_state=mean,
                estimated_state_covariance=clipped,
                predicted_observation=predictions["mean"],
                predicted_observation_covariance=predictions["covariance"],
                observation=current_values,
                observation_model=self.get_broadcasted_observation_model(current_times),
                observation_noise=self._observation_noise_covariance,
            )
        filtered = filtered_mean, filtered_covariance, current_times
        density.set_shape(current_times.shape)
        predictions["loss"] = -density
        predictions["log_likelihood"] = density
        postprocessor = self._configuration.filtering_postprocessor
        if postprocessor is None:
            return filtered, predictions
        found: tuple[Any, dict[str, Any]] = postprocessor.process_filtering_step(
            current_times=current_times,
            current_values=current_values,
            predicted_state=state,
            filtered_state=filtered,
            outputs=predictions,
        )
        return found

    def _scale_back_predictions(self, predictions: dict[str, Any]) -> dict[str, Any]:
        predictions["mean"] = self._scale_back_data(predictions["mean"])
        predictions["covariance"] = self._scale_back_variance(predictions["covariance"])
        return predictions

    def _prediction_step(self, current_times: Any, state: Any) -> tuple[Any, dict[str, Any]]:
        mean, covariance, before = state
        text = "Attempted to predict without imputation"
        check = Assert(reduce_all(less_equal(current_times, before)), [text])
        with control_dependencies([check]):
            seen, spread = self._kalman_filter.observed_from_state(
                state_mean=mean,
                state_var=covariance,
                observation_model=self.get_broadcasted_observation_model(current_times),
                observation_noise=self._observation_noise_covariance,
            )
        count = self.num_features
        seen.set_shape(current_times.shape.concatenate([count]))
        spread.set_shape(current_times.shape.concatenate([count, count]))
        return (mean, covariance, current_times), {"mean": seen, "covariance": spread}

    def _exogenous_input_step(
        self, current_times: Any, current_exogenous_regressors: Any, state: Any
    ) -> Any:
        if self._configuration.exogenous_noise_decreases:
            state = self._told_by_others(current_exogenous_regressors, state)
        if self._configuration.exogenous_noise_increases:
            state = self._moved_by_others(current_exogenous_regressors, state)
        return state

    def _told_by_others(self, values: Any, state: Any) -> Any:
        mean, covariance, before = state
        size = self._matrix(self.get_state_transition()).shape[0].value
        sees_all = eye(size, batch_shape=array_shape.shape(values)[:-1], dtype=self.dtype)
        with variable_scope("exogenous_noise_decreasing_covariance"):
            noise = matrices.transform_to_covariance_matrices(values, size)
        with variable_scope("exogenous_noise_decreasing_observation"):
            told = fully_connected(values, size, activation_fn=None)
        mean, covariance = self._kalman_filter.posterior_from_prior_state(
            prior_state=mean,
            prior_state_var=covariance,
            observation=told,
            observation_model=sees_all,
            predicted_observations=(mean, noise + covariance),
            observation_noise=noise,
        )
        return mean, covariance, before

    def _moved_by_others(self, values: Any, state: Any) -> Any:
        mean, covariance, before = state
        with variable_scope("exogenous_noise_increasing_mean"):
            moved: Any = fully_connected(values, mean.shape[1].value, activation_fn=None)
        with variable_scope("exogenous_noise_increasing_covariance"):
            added = matrices.transform_to_covariance_matrices(values, covariance.shape[1].value)
        return mean + moved, covariance + added, before

    def _loss_additions(self, times: Any, values: Any, mode: str) -> Any:
        if mode != ModeKeys.TRAIN:
            return zeros([], dtype=self.dtype)
        if self._input_statistics is not None and self._configuration.bayesian_prior_weighting:
            count: Any = self._input_statistics.total_observation_count
        else:
            count = array_shape.shape(times)[1]
        prior = self._configuration.covariance_prior_fn
        density = self._matrix(prior(self.state_transition_noise_covariance))
        if (
            self._configuration.use_observation_noise
            and self._observation_noise_covariance is not None
        ):
            density += self._matrix(prior(self._observation_noise_covariance))
        return -(1.0 / cast(count, self.dtype)) * density

    def _variable_observation_transition_tradeoff_log(self) -> Any:
        bias = self._configuration.transition_covariance_initial_log_scale_bias
        return get_variable(
            "observation_transition_tradeoff_log_scale",
            initializer=constant(-bias, dtype=self.dtype),
            dtype=self.dtype,
        )

    def _define_parameters(self, observation_transition_tradeoff_log: Any = None) -> None:
        with variable_scope(self._variable_scope):
            tradeoff = observation_transition_tradeoff_log
            if tradeoff is None:
                tradeoff = self._variable_observation_transition_tradeoff_log()
            self._observation_transition_tradeoff_log_scale = tradeoff
            self.state_transition_noise_covariance = self.get_state_transition_noise_covariance()

    def _set_input_statistics(self, input_statistics: InputStatistics | None = None) -> None:
        SequentialTimeSeriesModel.initialize_graph(self, input_statistics=input_statistics)

    def initialize_graph(self, input_statistics: InputStatistics | None = None) -> None:
        """See `TimeSeriesModel`."""
        self._set_input_statistics(input_statistics=input_statistics)
        self._define_parameters()
        with variable_scope(self._variable_scope):
            self._observation_noise_covariance = self._matrix(
                self.get_observation_noise_covariance()
            )
        self._kalman_filter = KalmanFilter(dtype=self.dtype)
        self.prior_state_mean, self.prior_state_var = self._make_priors()

    def _make_priors(self) -> tuple[Any, Any]:
        covariance = self.get_prior_covariance()
        return self.get_prior_mean(), covariance

    def get_prior_covariance(self) -> Any:
        """The covariance at the start: 1, or trained."""
        with variable_scope(self._variable_scope):
            size: Any = convert_to_tensor(self.get_state_transition()).shape[0].value
            if not self._configuration.trainable_start_state:
                return eye(size, dtype=self.dtype)
            trained = matrices.variable_covariance_matrix(size, "prior_state_var", self.dtype)
            if self._input_statistics is None:
                return trained
            largest = reduce_max(
                self._scale_variance(self._input_statistics.series_start_moments.variance)
            )
            return trained * maximum(largest, 1.0)

    def get_prior_mean(self) -> Any:
        """The mean at the start, which is trained or not."""
        with variable_scope(self._variable_scope):
            size = self._matrix(self.get_state_transition()).shape[0].value
            return get_variable(
                "prior_state_mean",
                shape=[size],
                dtype=self.dtype,
                trainable=self._configuration.trainable_start_state,
            )

    def random_model_parameters(self, seed: int | None = None) -> dict[Any, Any]:
        """Parameters of a model to `generate` from.

        Args:
          seed: The seed of the draws.

        Raises:
          NotImplementedError: A time has more than one value.
        """
        self._only_one_feature()
        drawn = np.random.RandomState(seed) if seed else np.random
        shape: Any = convert_to_tensor(self.get_noise_transform()).shape.as_list()
        size, of_noise = shape
        variances = 1.0 / drawn.gamma(shape=10.0, scale=10.0, size=[of_noise])
        start = drawn.normal(size=[size])
        found: dict[Any, Any] = {}
        if self.prior_state_mean is not None:
            found[self.prior_state_mean] = start
        if self.state_transition_noise_covariance is not None:
            found[self.state_transition_noise_covariance] = np.diag(variances)
        if self.prior_state_var is not None:
            found[self.prior_state_var] = np.zeros([size, size])
        if self._configuration.use_observation_noise:
            variance = 1.0 / drawn.gamma(shape=4, scale=4)
            found[self._observation_noise_covariance] = [[variance]]
        return found

    def _only_one_feature(self) -> None:
        if self.num_features != 1:
            raise NotImplementedError(
                "Generation for multivariate state space models is not currently implemented."
            )

    def generate(
        self,
        number_of_series: int,
        series_length: int,
        model_parameters: Any = None,
        seed: int | None = None,
        add_observation_noise: bool | None = None,
    ) -> dict[str, Any]:
        """See `TimeSeriesModel`.

        Args:
          number_of_series: How many.
          series_length: How long they are.
          model_parameters: Parameters that are not the trained ones, by their tensors.
          seed: The seed of the draws.
          add_observation_noise: Whether what is seen has noise, as the configuration says if None.

        Raises:
          NotImplementedError: A time has more than one value.
        """
        self._only_one_feature()
        drawn: Any = np.random if seed is None else np.random.RandomState(seed)
        feeds = {} if model_parameters is None else model_parameters
        noisy = add_observation_noise
        if noisy is None:
            noisy = self._configuration.use_observation_noise

        def value(parameter: Any) -> Any:
            given = feeds.get(parameter)
            return parameter.eval() if given is None else np.array(given)

        moves = self._matrix(self.get_state_transition()).eval(feed_dict=feeds)
        transform = convert_to_tensor(self.get_noise_transform()).eval(feed_dict=feeds)
        deviations = np.sqrt(np.diag(value(self.state_transition_noise_covariance)))
        state = np.tile(value(self.prior_state_mean)[None], [number_of_series, 1])
        seen = self.get_broadcasted_observation_model(range_of(series_length))
        values = []
        for model in seen.eval(feed_dict=feeds):
            noise = drawn.normal(
                scale=np.tile(deviations[None], [number_of_series, 1]),
                size=[number_of_series, transform.shape[1]],
            )
            state = state @ moves.T + noise @ transform.T
            observed = state @ model[0].T
            if noisy:
                deviation = np.sqrt(value(self._observation_noise_covariance)[0][0])
                observed = drawn.normal(loc=observed, scale=deviation)
            values.append(observed)
        times = np.tile(np.arange(series_length)[None], [number_of_series, 1])
        return {TIMES: times, VALUES: np.stack(values, axis=1)[..., None]}

    def get_broadcasted_observation_model(self, times: Any) -> Any:
        """What is seen of a state at each time, `[times, features, state]`."""
        model = self._matrix(self.get_observation_model(times))
        rank = model.shape.rank
        if rank is None:
            check = Assert(equal(array_shape.rank(model), 3), [array_shape.shape(model)])
            with control_dependencies([check]):
                return identity(model)
        count = array_shape.shape(times)[0]
        if rank == 1:
            wide = array_shape.reshape(model, [1, 1, -1])
            model = tile(wide, [count, self.num_features, 1])
        elif rank == 2:
            model = tile(array_shape.expand_dims(model, axis=0), [count, 1, 1])
        model.shape.assert_has_rank(3)
        return model

    def _start_variance(self) -> Any:
        """The variances of values at the start of the series, or None."""
        if self._input_statistics is None:
            return None
        return self._scale_variance(self._input_statistics.series_start_moments.variance)

    def get_state_transition_noise_covariance(self, minimum_initial_variance: float = 1e-5) -> Any:
        """The covariance of the noise of moves, which is trained.

        Args:
          minimum_initial_variance: What it is not below at first.
        """
        size = self._matrix(self.get_noise_transform()).shape[1].value
        variance = self._start_variance()
        scale: Any = 0.0
        if variance is not None and self._input_statistics is not None:
            count: Any = cast(self._input_statistics.total_observation_count, self.dtype)
            each = reduce_mean(variance) / count
            scale = math_unary.log(maximum(each, minimum_initial_variance))
        return matrices.variable_covariance_matrix(
            size,
            "state_transition_noise",
            dtype=self.dtype,
            initial_overall_scale_log=scale - self._observation_transition_tradeoff_log_scale,
        )

    def get_observation_noise_covariance(self, minimum_initial_variance: float = 1e-5) -> Any:
        """The covariance of the noise in what is seen, which is trained, or zeros.

        Args:
          minimum_initial_variance: What it is not below at first.
        """
        count, name = self.num_features, "observation_noise_covariance"
        if not self._configuration.use_observation_noise:
            return zeros([count, count], name=name, dtype=self.dtype)
        variance = self._start_variance()
        if variance is not None:
            variance = maximum(variance, minimum_initial_variance)
        return matrices.variable_covariance_matrix(
            count,
            name,
            dtype=self.dtype,
            initial_diagonal_values=variance,
            initial_overall_scale_log=self._observation_transition_tradeoff_log_scale,
        )

    def get_start_state(self) -> Any:
        """See `TimeSeriesModel`: that just before the series."""
        start: Any = zeros([], dtype=dtypes.int64)
        if self._input_statistics is not None:
            start = self._input_statistics.start_time
        return self.prior_state_mean, self.prior_state_var, start - 1

    def get_features_for_timesteps(self, timesteps: Any) -> Any:
        """No features of times."""
        return zeros([array_shape.shape(timesteps)[0], 0], dtype=self.dtype)
