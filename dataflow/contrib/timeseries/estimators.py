"""Estimators of models of time series."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from dataflow.contrib.timeseries.anomaly_model import AnomalyMixtureARModel
from dataflow.contrib.timeseries.ar_model import ARModel
from dataflow.contrib.timeseries.head import OneShotPredictionHead, TimeSeriesRegressionHead
from dataflow.contrib.timeseries.model import TimeSeriesModel
from dataflow.contrib.timeseries.prediction_models import FlatPredictionModel, LSTMPredictionModel
from dataflow.contrib.timeseries.receivers import array_receiver, example_receiver
from dataflow.contrib.timeseries.state_management import (
    ChainingStateManager,
    FilteringOnlyStateManager,
    PassthroughStateManager,
)
from dataflow.contrib.timeseries.state_space_models.base import StateSpaceModel
from dataflow.contrib.timeseries.state_space_models.configuration import (
    StateSpaceModelConfiguration,
)
from dataflow.contrib.timeseries.state_space_models.filtering_postprocessor import (
    StateInterpolatingAnomalyDetector,
)
from dataflow.contrib.timeseries.state_space_models.structural_ensemble import (
    MultiResolutionStructuralEnsemble,
)
from dataflow.contrib.timeseries.statistics import InputStatisticsFromMiniBatch
from dataflow.estimation.canned.optimizers import get_optimizer_instance
from dataflow.estimation.estimator import Estimator
from dataflow.training.adagrad import AdagradOptimizer
from dataflow.training.adam import AdamOptimizer
from dataflow.values import dtypes


class TimeSeriesRegressor(Estimator):
    """Trains and evaluates a model of time series."""

    def __init__(
        self,
        model: TimeSeriesModel,
        state_manager: PassthroughStateManager | None = None,
        optimizer: Any = None,
        model_dir: Any = None,
        config: Any = None,
        head_type: Callable[..., TimeSeriesRegressionHead] = TimeSeriesRegressionHead,
    ) -> None:
        """Takes the model.

        Args:
          model: The model.
          state_manager: What gives it the state that windows begin with.
          optimizer: Adam with a rate of 0.02 if None.
          model_dir: See `Estimator`.
          config: See `Estimator`.
          head_type: What makes the EstimatorSpecs.
        """
        if state_manager is None:
            is_ar = isinstance(model, ARModel)
            state_manager = FilteringOnlyStateManager() if is_ar else PassthroughStateManager()
        self._model = model
        head = head_type(
            model=model,
            state_manager=state_manager,
            optimizer=AdamOptimizer(0.02) if optimizer is None else optimizer,
            input_statistics_generator=InputStatisticsFromMiniBatch(
                dtype=model.dtype, num_features=model.num_features
            ),
        )
        super().__init__(model_fn=head.create_estimator_spec, model_dir=model_dir, config=config)

    def build_one_shot_parsing_serving_input_receiver_fn(
        self,
        filtering_length: int,
        prediction_length: int,
        default_batch_size: int | None = None,
        values_input_dtype: Any = None,
        truncate_values: bool = False,
    ) -> Callable[[], Any]:
        """For `export_savedmodel`: takes Examples; needs a `OneShotPredictionHead`.

        Args:
          filtering_length: How many times have values.
          prediction_length: How many times are to be predicted.
          default_batch_size: How many Examples the model takes; any number if None.
          values_input_dtype: The type of values in Examples, float32 or int64.
          truncate_values: Whether Examples have values for all times, of which the first count.
        """
        return example_receiver(
            self._model,
            filtering_length,
            prediction_length,
            default_batch_size,
            values_input_dtype,
            truncate_values,
        )

    def build_raw_serving_input_receiver_fn(
        self, default_batch_size: int | None = None, default_series_length: int | None = None
    ) -> Callable[[], Any]:
        """For `export_savedmodel`: takes arrays.

        Args:
          default_batch_size: How many windows the model takes; any number if None.
          default_series_length: How long they are; any length if None.
        """
        return array_receiver(self._model, default_batch_size, default_series_length)


class ARRegressor(TimeSeriesRegressor):
    """An `ARModel`, linear or with hidden layers."""

    def __init__(
        self,
        periodicities: Any,
        input_window_size: int,
        output_window_size: int,
        num_features: int,
        exogenous_feature_columns: Sequence[Any] | None = None,
        num_time_buckets: int = 10,
        loss: str = ARModel.NORMAL_LIKELIHOOD_LOSS,
        hidden_layer_sizes: Sequence[int] | None = None,
        anomaly_prior_probability: float | None = None,
        anomaly_distribution: str | None = None,
        optimizer: Any = None,
        model_dir: Any = None,
        config: Any = None,
    ) -> None:
        """Takes what an `ARModel` does.

        Args:
          periodicities: See there.
          input_window_size: See there.
          output_window_size: See there.
          num_features: See there.
          exogenous_feature_columns: See there.
          num_time_buckets: See there.
          loss: See there.
          hidden_layer_sizes: The sizes of hidden layers.
          anomaly_prior_probability: Makes the model an `AnomalyMixtureARModel`.
          anomaly_distribution: See there; normal if None.
          optimizer: Adagrad with a rate of 0.1 if None.
          model_dir: See `Estimator`.
          config: See `Estimator`.

        Raises:
          ValueError: A distribution of anomalies without a probability, or another loss with one.
        """
        shared: dict[str, Any] = {
            "periodicities": periodicities,
            "num_features": num_features,
            "prediction_model_factory": functools.partial(
                FlatPredictionModel, hidden_layer_sizes=hidden_layer_sizes
            ),
            "exogenous_feature_columns": exogenous_feature_columns,
            "num_time_buckets": num_time_buckets,
            "input_window_size": input_window_size,
            "output_window_size": output_window_size,
        }
        if anomaly_prior_probability is None:
            if anomaly_distribution is not None:
                raise ValueError(
                    "anomaly_prior_probability is required if anomaly_distribution is specified."
                )
            model = ARModel(loss=loss, **shared)
        elif loss != ARModel.NORMAL_LIKELIHOOD_LOSS:
            raise ValueError(
                "AnomalyMixtureARModel only supports ar_model.ARModel.NORMAL_LIKELIHOOD_LOSS for "
                "its loss argument."
            )
        else:
            model = AnomalyMixtureARModel(
                anomaly_prior_probability=anomaly_prior_probability,
                anomaly_distribution=(
                    anomaly_distribution or AnomalyMixtureARModel.GAUSSIAN_ANOMALY
                ),
                **shared,
            )
        super().__init__(
            model=model,
            state_manager=FilteringOnlyStateManager(),
            optimizer=AdagradOptimizer(0.1) if optimizer is None else optimizer,
            model_dir=model_dir,
            config=config,
        )


class LSTMAutoRegressor(TimeSeriesRegressor):
    """An `ARModel` that predicts by LSTMs; see `LSTMPredictionModel`."""

    def __init__(
        self,
        periodicities: Any,
        input_window_size: int,
        output_window_size: int,
        model_dir: Any = None,
        num_features: int = 1,
        extra_feature_columns: Sequence[Any] | None = None,
        num_timesteps: int = 10,
        loss: str = ARModel.NORMAL_LIKELIHOOD_LOSS,
        num_units: int = 128,
        optimizer: Any = "Adam",
        config: Any = None,
    ) -> None:
        """Takes what an `ARModel` does.

        Args:
          periodicities: See there.
          input_window_size: See there.
          output_window_size: See there.
          model_dir: See `Estimator`.
          num_features: See there.
          extra_feature_columns: Columns of features that are not predicted.
          num_timesteps: How many buckets a period has.
          loss: See there.
          num_units: The size of the LSTMs.
          optimizer: An optimizer, or its name; its rate is 0.01 then.
          config: See `Estimator`.
        """
        model = ARModel(
            periodicities=periodicities,
            input_window_size=input_window_size,
            output_window_size=output_window_size,
            num_features=num_features,
            exogenous_feature_columns=extra_feature_columns,
            num_time_buckets=num_timesteps,
            loss=loss,
            prediction_model_factory=functools.partial(LSTMPredictionModel, num_units=num_units),
        )
        super().__init__(
            model=model,
            state_manager=FilteringOnlyStateManager(),
            optimizer=get_optimizer_instance(optimizer, learning_rate=0.01),
            model_dir=model_dir,
            config=config,
            head_type=OneShotPredictionHead,
        )


class StateSpaceRegressor(TimeSeriesRegressor):
    """Trains and evaluates a state space model."""

    def __init__(
        self,
        model: StateSpaceModel,
        state_manager: PassthroughStateManager | None = None,
        optimizer: Any = None,
        model_dir: Any = None,
        config: Any = None,
        head_type: Callable[..., TimeSeriesRegressionHead] = TimeSeriesRegressionHead,
    ) -> None:
        """Takes the model; windows begin with states that were kept if no manager is given.

        Raises:
          ValueError: It is another model.
        """
        if not isinstance(model, StateSpaceModel):
            raise ValueError(
                "StateSpaceRegressor only supports state space models (children of "
                f"StateSpaceModel) in its `model` argument, got {model}."
            )
        super().__init__(
            model=model,
            state_manager=ChainingStateManager() if state_manager is None else state_manager,
            optimizer=optimizer,
            model_dir=model_dir,
            config=config,
            head_type=head_type,
        )


class StructuralEnsembleRegressor(StateSpaceRegressor):
    """A level with its trend, cycles, and what follows from noise and values before."""

    def __init__(
        self,
        periodicities: Any,
        num_features: int,
        cycle_num_latent_values: Any = 11,
        moving_average_order: int = 4,
        autoregressive_order: int = 0,
        exogenous_feature_columns: Sequence[Any] | None = None,
        exogenous_update_condition: Callable[..., Any] | None = None,
        dtype: Any = dtypes.float64,
        anomaly_prior_probability: float | None = None,
        optimizer: Any = None,
        model_dir: Any = None,
        config: Any = None,
        head_type: Callable[..., TimeSeriesRegressionHead] = TimeSeriesRegressionHead,
    ) -> None:
        """Takes what a `MultiResolutionStructuralEnsemble` does.

        Args:
          periodicities: See there.
          num_features: How many values a time has.
          cycle_num_latent_values: See there.
          moving_average_order: See there.
          autoregressive_order: See there.
          exogenous_feature_columns: Columns of other features, which are not predicted.
          exogenous_update_condition: `f(times, features)` says in which windows they count.
          dtype: The type to calculate with.
          anomaly_prior_probability: How often there is an anomaly; none are looked for if None.
          optimizer: See `TimeSeriesRegressor`.
          model_dir: See `Estimator`.
          config: See there.
          head_type: See `TimeSeriesRegressor`.
        """
        detector = None
        if anomaly_prior_probability is not None:
            detector = StateInterpolatingAnomalyDetector(
                anomaly_prior_probability=anomaly_prior_probability
            )
        configuration = StateSpaceModelConfiguration(
            num_features=num_features,
            dtype=dtype,
            filtering_postprocessor=detector,
            exogenous_feature_columns=exogenous_feature_columns,
            exogenous_update_condition=exogenous_update_condition,
        )
        model = MultiResolutionStructuralEnsemble(
            cycle_num_latent_values=cycle_num_latent_values,
            moving_average_order=moving_average_order,
            autoregressive_order=autoregressive_order,
            periodicities=periodicities,
            configuration=configuration,
        )
        super().__init__(
            model=model,
            optimizer=optimizer,
            model_dir=model_dir,
            config=config,
            head_type=head_type,
        )
