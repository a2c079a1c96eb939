"""TimeSeriesModel: what models of time series have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import dataflow.ops.array.shape as array_shape
from dataflow.contrib.timeseries.feature_keys import STATE_TUPLE, TIMES, VALUES
from dataflow.contrib.timeseries.statistics import InputStatistics
from dataflow.feature_columns.models import input_layer, make_parse_example_spec
from dataflow.graph.graph import Graph
from dataflow.library.parsing.examples import parse_example
from dataflow.ops.array.broadcast import tile
from dataflow.ops.array.concat import concat
from dataflow.ops.array.fill import ones
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.placeholder import placeholder
from dataflow.ops.math.unary import sqrt
from dataflow.values import dtypes, nest


class ModelOutputs(NamedTuple):
    """What a model makes of a batch of windows."""

    loss: Any
    """The scalar that training makes smaller."""
    end_state: Any
    """The state after the windows."""
    predictions: Any
    """By name: windows, times, and what else."""
    prediction_times: Any
    """The times of the predictions."""


class TimeSeriesModel(ABC):
    """A model of what comes next in a series."""

    def __init__(
        self,
        num_features: int,
        exogenous_feature_columns: Sequence[Any] | None = None,
        dtype: Any = dtypes.float32,
    ) -> None:
        """Takes what the series has.

        Args:
          num_features: How many values a time has.
          exogenous_feature_columns: Columns of other features, which are not predicted.
          dtype: The type to calculate with.
        """
        self._exogenous_feature_columns = exogenous_feature_columns or []
        self.num_features = num_features
        self.dtype = dtype
        self._input_statistics: InputStatistics | None = None
        self._graph_initialized = False
        self._stats_means: Any = None
        self._stats_sigmas: Any = None

    @property
    def exogenous_feature_columns(self) -> Sequence[Any]:
        """Columns of features that are not predicted."""
        return self._exogenous_feature_columns

    def generate(
        self,
        number_of_series: int,
        series_length: int,
        model_parameters: Any = None,
        seed: int | None = None,
    ) -> Any:
        """Draws series of the model's.

        Args:
          number_of_series: How many.
          series_length: How long they are.
          model_parameters: Parameters that are not the trained ones.
          seed: The seed of the draws.

        Raises:
          NotImplementedError: The model draws none.
        """
        raise NotImplementedError("This model does not support generation.")

    def initialize_graph(self, input_statistics: InputStatistics | None = None) -> None:
        """Makes what does not depend on features.

        Args:
          input_statistics: Statistics of the series, by which values are scaled.
        """
        self._graph_initialized = True
        self._input_statistics = input_statistics
        if input_statistics:
            self._stats_means, variances = input_statistics.overall_feature_moments
            self._stats_sigmas = sqrt(variances)

    def _scale_data(self, data: Any) -> Any:
        if self._input_statistics is None:
            return data
        return (data - self._stats_means) / self._stats_sigmas

    def _scale_variance(self, variance: Any) -> Any:
        if self._input_statistics is None:
            return variance
        return variance / self._input_statistics.overall_feature_moments.variance

    def _scale_back_data(self, data: Any) -> Any:
        if self._input_statistics is None:
            return data
        return (data * self._stats_sigmas) + self._stats_means

    def _scale_back_variance(self, variance: Any) -> Any:
        if self._input_statistics is None:
            return variance
        return variance * self._input_statistics.overall_feature_moments.variance

    def _check_graph_initialized(self) -> None:
        if not self._graph_initialized:
            raise ValueError(
                "TimeSeriesModels require initialize_graph() to be called before use. This defines "
                "variables and ops in the default graph, and allows Tensor-valued input statistics "
                "to be specified."
            )

    def define_loss(self, features: Mapping[str, Any], mode: str) -> ModelOutputs:
        """The loss of windows that all begin with the model's first state.

        Args:
          features: Times, values and other features of windows.
          mode: `ModeKeys.TRAIN` or `EVAL`.

        Raises:
          ValueError: `initialize_graph` was not called.
        """
        self._check_graph_initialized()
        shape: Any = array_shape.shape(features[TIMES])
        state = replicate_state(self.get_start_state(), batch_size=shape[0])
        return self.get_batch_loss(features=features, mode=mode, state=state)

    @abstractmethod
    def get_start_state(self) -> Any:
        """The state of a series that begins, without a dimension of windows."""

    @abstractmethod
    def get_batch_loss(self, features: Mapping[str, Any], mode: str, state: Any) -> ModelOutputs:
        """The loss of windows that begin with some state."""

    @abstractmethod
    def predict(self, features: Mapping[str, Any]) -> dict[str, Any]:
        """Predictions for times, given a state."""

    def _get_exogenous_embedding_shape(self) -> Sequence[Any]:
        """The shape of what the other features become, without the batch's dimension."""
        if not self._exogenous_feature_columns:
            return (0,)
        with Graph().as_default():
            features = parse_example(
                serialized=placeholder(shape=[None], dtype=dtypes.string),
                features=make_parse_example_spec(self._exogenous_feature_columns),
            )
            found = input_layer(features, self._exogenous_feature_columns)
            shape: list[Any] = found.shape.as_list()[1:]
            return shape

    def _process_exogenous_features(self, times: Any, features: Mapping[str, Any]) -> Any:
        """The numbers of the other features at each time, side by side; None if there are none.

        Raises:
          ValueError: A feature is of no known rank.
        """
        if not self._exogenous_feature_columns:
            return None
        flat = {}
        for name, tensor in features.items():
            if tensor.shape.rank is None:
                raise ValueError(
                    "Features with unknown rank are not supported. Got shape "
                    f"{tensor.shape} for feature {name}."
                )
            sizes: Any = array_shape.shape(tensor)
            joined = array_shape.reshape(tensor, concat([[sizes[0] * sizes[1]], sizes[2:]], axis=0))
            if joined.shape.rank == 1 and joined.dtype != dtypes.string:
                joined = array_shape.expand_dims(joined, 1)
            flat[name] = joined
        numbers = input_layer(flat, self._exogenous_feature_columns, trainable=True)
        inner: Any = array_shape.shape(numbers)
        made = array_shape.reshape(numbers, concat([array_shape.shape(times), inner[1:]], axis=0))
        made.set_shape(times.shape.concatenate(numbers.shape[1:]))
        return cast(made, dtype=self.dtype)


def exogenous_of(features: Mapping[str, Any]) -> dict[str, Any]:
    """Features that are neither times, values nor state."""
    return {
        name: value for name, value in features.items() if name not in (TIMES, VALUES, STATE_TUPLE)
    }


def replicate_state(start_state: Any, batch_size: Any) -> Any:
    """A state for each window of a batch, from one without a dimension of windows."""
    made = []
    for each in nest.flatten(start_state):
        times = concat([[batch_size], ones([array_shape.rank(each)], dtype=dtypes.int32)], 0)
        made.append(tile(array_shape.expand_dims(each, 0), times))
    return nest.pack_sequence_as(start_state, made)
