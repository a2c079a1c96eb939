"""ARModel: a window of a series is predicted by the one before it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

import dataflow.ops.array.shape as array_shape
from dataflow.contrib.timeseries.feature_keys import STATE_TUPLE, TIMES, VALUES
from dataflow.contrib.timeseries.model import ModelOutputs, TimeSeriesModel, exogenous_of
from dataflow.contrib.timeseries.prediction_models import FlatPredictionModel
from dataflow.contrib.timeseries.statistics import InputStatistics
from dataflow.contrib.timeseries.window_loops import evaluated, predicted
from dataflow.estimation.model_spec import ModeKeys
from dataflow.graph.convert import convert_to_tensor
from dataflow.ops.array.concat import concat
from dataflow.ops.array.fill import zeros, zeros_like
from dataflow.ops.array.select import where_v2
from dataflow.ops.array.slice import slice as slice_of
from dataflow.ops.array.split import split
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.range import range as range_of
from dataflow.ops.math.binary import maximum, squared_difference
from dataflow.ops.math.unary import log, sqrt, square
from dataflow.ops.nn.activation import relu
from dataflow.ops.reductions.reduce import reduce_prod, reduce_sum
from dataflow.values import dtypes
from dataflow.variables.scope import variable_scope


class ARModel(TimeSeriesModel):
    """Predicts a window by the values before it and by the place in periods of its times.

    Each period is cut into buckets: a time has a feature for each bucket, which is how far the
    time is in it, and zero if it lies in another.
    """

    SQUARED_LOSS: ClassVar[str] = "squared_loss"
    NORMAL_LIKELIHOOD_LOSS: ClassVar[str] = "normal_likelihood_loss"

    def __init__(
        self,
        periodicities: Any,
        input_window_size: int,
        output_window_size: int,
        num_features: int,
        prediction_model_factory: Callable[..., Any] = FlatPredictionModel,
        num_time_buckets: int = 10,
        loss: str = NORMAL_LIKELIHOOD_LOSS,
        exogenous_feature_columns: Sequence[Any] | None = None,
    ) -> None:
        """Takes sizes and periods.

        Args:
          periodicities: A period of the series, several, or None.
          input_window_size: How many times before those that are predicted are looked at.
          output_window_size: How many times are predicted at once.
          num_features: How many values a time has.
          prediction_model_factory: Makes what predicts, given the three sizes.
          num_time_buckets: How many buckets a period has.
          loss: `SQUARED_LOSS` or `NORMAL_LIKELIHOOD_LOSS`.
          exogenous_feature_columns: See `TimeSeriesModel`.

        Raises:
          AssertionError: A size or a period is not positive, or there is nothing to predict by.
        """
        self._model_factory = prediction_model_factory
        self.input_window_size = input_window_size
        self.output_window_size = output_window_size
        self.window_size = input_window_size + output_window_size
        self.loss = loss
        super().__init__(
            num_features=num_features, exogenous_feature_columns=exogenous_feature_columns
        )
        self.exogenous_size = 0
        if exogenous_feature_columns is not None:
            self.exogenous_size = self._get_exogenous_embedding_shape()[-1]
        self._buckets = int(num_time_buckets)
        if not isinstance(periodicities, (list, tuple)):
            periodicities = [periodicities] if periodicities else []
        self._periodicities = [int(period) for period in periodicities]
        for holds, text in (
            (num_time_buckets > 0, f"num_time_buckets must be positive, not {num_time_buckets}."),
            (
                all(period > 0 for period in self._periodicities),
                f"Periodicities must be positive, not {periodicities}.",
            ),
            (
                self._periodicities or input_window_size,
                "There must be periodicities, or an input_window_size that is not zero.",
            ),
            (
                output_window_size > 0,
                f"output_window_size must be positive, not {output_window_size}.",
            ),
        ):
            if not holds:
                raise AssertionError(text)

    def initialize_graph(self, input_statistics: InputStatistics | None = None) -> None:
        """See `TimeSeriesModel`."""
        super().initialize_graph(input_statistics=input_statistics)
        # With a slash the scope is the same inside of loops and outside of them.
        self._model_scope = variable_scope("model/", use_resource=True)
        self._model_instance = self._model_factory(
            num_features=self.num_features,
            input_window_size=self.input_window_size,
            output_window_size=self.output_window_size,
        )

    def get_start_state(self) -> Any:
        """See `TimeSeriesModel`: the window before, with its times and other features."""
        size = self.input_window_size
        return (
            zeros([size], dtype=dtypes.int64),
            zeros([size, self.num_features], dtype=self.dtype),
            zeros([size, self.exogenous_size], dtype=self.dtype),
        )

    def random_model_parameters(self, seed: int | None = None) -> None:
        """None: the model draws no parameters."""

    def generate(
        self,
        number_of_series: int,
        series_length: int,
        model_parameters: Any = None,
        seed: int | None = None,
    ) -> None:
        """None: the model draws no series."""

    def prediction_ops(self, times: Any, values: Any, exogenous_regressors: Any) -> dict[str, Any]:
        """The predictions of windows.

        Args:
          times: Windows, and the times before and those that are predicted.
          values: Windows, times before, and values.
          exogenous_regressors: Windows, all times, and numbers of other features.

        Raises:
          ValueError: The shapes are others.
        """
        times.shape.assert_is_compatible_with([None, self.window_size])
        shape: Any = array_shape.shape(times)
        batch_size = shape[0]
        sizes = (self.input_window_size, self.output_window_size)
        if self.input_window_size:
            values.shape.assert_is_compatible_with(
                [None, self.input_window_size, self.num_features]
            )
        if exogenous_regressors is not None:
            exogenous_regressors.shape.assert_is_compatible_with(
                [None, self.window_size, self.exogenous_size]
            )
        before: list[Any] = []
        after: list[Any] = []
        count_before = count_after = 0
        if self._periodicities:
            _, of_times = self._compute_time_features(times)
            count = self._buckets * len(self._periodicities)
            of_times = array_shape.reshape(of_times, [batch_size, self.window_size, count])
            for into, part in zip((before, after), split(of_times, sizes, axis=1), strict=True):
                into.append(part)
            count_before, count_after = count, count
        if self.input_window_size:
            cut = slice_of(values, [0, 0, 0], [-1, self.input_window_size, -1])
            before.append(
                array_shape.reshape(cut, [batch_size, self.input_window_size, self.num_features])
            )
            count_before += self.num_features
        if self.exogenous_size:
            parts = split(exogenous_regressors, sizes, axis=1)
            for into, part in zip((before, after), parts, strict=True):
                into.append(part)
            count_before += self.exogenous_size
            count_after += self.exogenous_size
        inputs = concat(before, axis=2)
        if after:
            outputs = concat(after, axis=2)
        else:
            outputs = zeros([batch_size, self.output_window_size, 0], dtype=self.dtype)
        known = times.shape.dims[0].value
        inputs.set_shape([known, self.input_window_size, count_before])
        outputs.set_shape([known, self.output_window_size, count_after])
        return self._output_window_predictions(inputs, outputs)

    def _output_window_predictions(self, inputs: Any, outputs: Any) -> dict[str, Any]:
        with self._model_scope:
            predictions: dict[str, Any] = self._model_instance(inputs, outputs)
            for value in predictions.values():
                value.set_shape([None, self.output_window_size, self.num_features])
            return predictions

    def loss_op(self, targets: Any, prediction_ops: Mapping[str, Any]) -> Any:
        """The loss of predictions."""
        mean = prediction_ops["mean"]
        if self.loss == ARModel.NORMAL_LIKELIHOOD_LOSS:
            sigma = sqrt(maximum(prediction_ops["covariance"], 1e-5))
            loss: Any = -reduce_sum(normal_log_prob(targets, sigma, mean))
        elif self.loss == ARModel.SQUARED_LOSS:
            loss = reduce_sum(squared_difference(mean, targets))
        else:
            raise AssertionError(self.loss)
        return loss / cast(reduce_prod(array_shape.shape(targets)), loss.dtype)

    def _process_exogenous_features(self, times: Any, features: Mapping[str, Any]) -> Any:
        found = super()._process_exogenous_features(times=times, features=features)
        if found is None:
            return zeros(concat([array_shape.shape(times), constant([0])], axis=0))
        return found

    def predict(self, features: Mapping[str, Any]) -> dict[str, Any]:
        """See `TimeSeriesModel`; the values of a window are those predicted for the next."""
        if not self._graph_initialized:
            self.initialize_graph()
        times = cast(convert_to_tensor(features[TIMES]), dtypes.int32)
        exogenous = self._process_exogenous_features(times=times, features=exogenous_of(features))
        mean, covariance = predicted(self, times, exogenous, features[STATE_TUPLE])
        return {
            "mean": self._scale_back_data(mean),
            "covariance": self._scale_back_variance(covariance),
        }

    def _process_window(
        self, features: Mapping[str, Any], mode: str, exogenous_regressors: Any
    ) -> ModelOutputs:
        """The loss of windows of the model's size."""
        times = cast(features[TIMES], dtypes.int64)
        observed = cast(features[VALUES], dtype=self.dtype)
        values = self._scale_data(observed)
        exogenous = cast(exogenous_regressors, dtype=self.dtype)
        if not times.shape.is_compatible_with([None, self.window_size]):
            raise ValueError(
                f"ARModel with input_window_size={self.input_window_size} and output_window_size="
                f"{self.output_window_size} expects feature '{TIMES}' to have shape (batch_size, "
                f"{self.window_size}) (for any batch_size), but got shape {times.shape}. If you "
                f"are using RandomWindowInputFn, set window_size={self.window_size} or adjust the "
                "input_window_size and output_window_size arguments to ARModel."
            )
        before = None
        if self.input_window_size:
            before = values[:, : self.input_window_size, :]
        predictions = self.prediction_ops(times, before, exogenous)
        targets = slice_of(values, [0, self.input_window_size, 0], [-1, -1, -1])
        targets.shape.assert_is_compatible_with(predictions["mean"].shape)
        if mode == ModeKeys.EVAL and self.loss == ARModel.SQUARED_LOSS:
            # What is evaluated is the error of the values themselves.
            loss = self.loss_op(
                self._scale_back_data(targets),
                {"mean": self._scale_back_data(predictions["mean"])},
            )
        else:
            loss = self.loss_op(targets, predictions)
        mean = self._scale_back_data(predictions["mean"])
        covariance = self._scale_back_variance(predictions["covariance"])
        size, last = self.input_window_size, self.output_window_size
        return ModelOutputs(
            loss=loss,
            end_state=(
                times[:, -size:],
                values[:, -size:, :],
                exogenous[:, -size:, :],
            ),
            predictions={
                "mean": mean,
                "covariance": covariance,
                "observed": observed[:, -last:],
            },
            prediction_times=times[:, -last:],
        )

    def get_batch_loss(self, features: Mapping[str, Any], mode: str, state: Any) -> ModelOutputs:
        """See `TimeSeriesModel`; longer windows than the model's are evaluated piece by piece.

        Raises:
          ValueError: The mode is another, or windows are shorter than the model's.
        """
        features = {name: convert_to_tensor(value) for name, value in features.items()}
        times = features[TIMES]
        exogenous = self._process_exogenous_features(times=times, features=exogenous_of(features))
        if mode == ModeKeys.TRAIN:
            return self._process_window(features, mode=mode, exogenous_regressors=exogenous)
        if mode != ModeKeys.EVAL:
            raise ValueError(f"Unknown mode '{mode}' passed to get_batch_loss.")
        times.shape.assert_has_rank(2)
        length = times.shape.dims[1].value
        if length is not None and length < self.window_size:
            raise ValueError(
                "ARModel requires a window of at least input_window_size + output_window_size to "
                f"evaluate on (input_window_size={self.input_window_size}, output_window_size="
                f"{self.output_window_size}, and got shape {times.shape} for feature '{TIMES}' "
                "(batch size, window size))."
            )
        return evaluated(self, features, exogenous, state)

    def _compute_time_features(self, time: Any) -> tuple[Any, Any]:
        """How many periods have passed at times, and how far they are in each bucket."""
        shape: Any = array_shape.shape(time)
        count = len(self._periodicities)
        periods: Any = constant(self._periodicities, shape=[1, 1, count, 1], dtype=time.dtype)
        time = array_shape.reshape(time, [shape[0], -1, 1, 1])
        passed = time / self._periodicities
        within: Any = cast(time % periods, self.dtype) * self._buckets / cast(periods, self.dtype)
        begins = array_shape.reshape(
            range_of(self._buckets, dtype=self.dtype), [1, 1, 1, self._buckets]
        )
        within = relu(within - begins)
        return passed, where_v2(within < 1.0, within, zeros_like(within))


def normal_log_prob(loc: Any, scale: Any, x: Any) -> Any:
    """The logarithm of a normal density, as TensorFlow's models of time series have it."""
    z = (x - loc) / scale
    return -0.5 * (square(z) + np.log(2.0 * np.pi) + log(scale))
