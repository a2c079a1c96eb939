"""Means, variances and times of a series, gathered batch by batch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import dataflow.ops.array.shape as array_shape
from dataflow.contrib.timeseries.feature_keys import TIMES, VALUES
from dataflow.control_flow.cond import cond
from dataflow.graph.scopes import control_dependencies, device
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.grouping import group
from dataflow.ops.basic.identity import identity, no_op
from dataflow.ops.math.binary import maximum, minimum
from dataflow.ops.math.compare import less_equal
from dataflow.ops.math.rounding import round as rounded
from dataflow.ops.nn.moments import moments
from dataflow.ops.reductions.arg import argmin
from dataflow.ops.reductions.reduce import reduce_max, reduce_min, reduce_sum
from dataflow.ops.state.reference import assign, assign_add
from dataflow.values import dtypes, nest
from dataflow.variables.initializers import Ones, Zeros
from dataflow.variables.scope import get_variable, variable_scope


class Moments(NamedTuple):
    """Of each feature the mean and the variance."""

    mean: Any
    variance: Any


class InputStatistics(NamedTuple):
    """What is known of a series."""

    series_start_moments: Any
    """Of its first times."""
    overall_feature_moments: Any
    """Of all of it."""
    start_time: Any
    """Its first time."""
    total_observation_count: Any
    """How many times it has, estimated."""


class _Sums(NamedTuple):
    """What statistics are made of."""

    max_time_seen: Any
    chunk_count: Any
    inter_observation_duration_sum: Any
    example_count: Any
    overall_feature_sum: Any
    overall_feature_sum_of_squares: Any


class InputStatisticsFromMiniBatch:
    """Gathers statistics from what a model is trained on."""

    def __init__(
        self, num_features: int, dtype: Any, starting_variance_window_size: int = 16
    ) -> None:
        """Takes how many features there are, their type, and how many times the start has."""
        self._starting_variance_window_size = starting_variance_window_size
        self._num_features = num_features
        self._dtype = dtype

    def initialize_graph(
        self, features: Mapping[str, Any], update_statistics: bool = True
    ) -> InputStatistics:
        """Makes variables of statistics.

        Args:
          features: Times and values; without them statistics are only read.
          update_statistics: Whether they are to change the statistics.

        Returns:
          The statistics, read after the change.
        """
        times, values = features.get(TIMES), features.get(VALUES)
        with variable_scope("input_statistics", use_resource=True):
            statistics = self._variables()
        with variable_scope("input_statistics_auxiliary", use_resource=True):
            sums = self._sums()
        if not update_statistics or times is None or values is None:
            return statistics
        updated = self._updates(statistics, sums, times, values)
        with control_dependencies([updated]):
            read: InputStatistics = nest.pack_sequence_as(
                statistics, [identity(each) for each in nest.flatten(statistics)]
            )
            # Another worker may have set a later start: models need one before these times.
            return read._replace(start_time=minimum(read.start_time, reduce_min(times)))

    def _updates(self, statistics: InputStatistics, sums: _Sums, times: Any, values: Any) -> Any:
        values = cast(values, self._dtype)
        counts: Any = array_shape.shape(times)
        spans: Any = reduce_max(times, axis=1) - reduce_min(times, axis=1)
        durations: Any = cast(spans, self._dtype) / cast(counts[1] - 1, self._dtype)
        with device(sums.max_time_seen.device):
            latest = assign(sums.max_time_seen, maximum(sums.max_time_seen, reduce_max(times)))
        added: list[Any] = [latest]
        sizes: Any = array_shape.shape(times, out_type=dtypes.int64)
        for variable, amount in (
            (sums.chunk_count, lambda: sizes[0]),
            (sums.inter_observation_duration_sum, lambda: reduce_sum(durations)),
            (sums.example_count, lambda: array_shape.size(times, out_type=dtypes.int64)),
            (sums.overall_feature_sum, lambda: reduce_sum(values, axis=[0, 1])),
            (sums.overall_feature_sum_of_squares, lambda: reduce_sum(values**2, axis=[0, 1])),
        ):
            with device(variable.device):
                added.append(assign_add(variable, amount()))
        with control_dependencies([group(*added)]):
            count: Any = cast(sums.example_count, self._dtype)
            mean = sums.overall_feature_sum / count
            overall = statistics.overall_feature_moments
            mean_set = assign(overall.mean, mean)
            variance_set = assign(
                overall.variance,
                count / (count - 1.0) * (sums.overall_feature_sum_of_squares / count - mean**2),
            )
            first = cast(argmin(times[:, 0]), dtypes.int32)
            with device(statistics.start_time.device):
                start_set = cond(
                    less_equal(times[first, 0], statistics.start_time),
                    lambda: self._start_moments(statistics, values[first]),
                    no_op,
                )
                with control_dependencies([start_set]):
                    earliest = assign(
                        statistics.start_time, minimum(statistics.start_time, reduce_min(times))
                    )
            duration = sums.inter_observation_duration_sum / cast(sums.chunk_count, self._dtype)
            whole: Any = cast(latest - earliest + 1, self._dtype)
            count_set = assign(
                statistics.total_observation_count, cast(rounded(whole / duration), dtypes.int64)
            )
            return group(mean_set, variance_set, start_set, earliest, count_set)

    def _start_moments(self, statistics: InputStatistics, values: Any) -> Any:
        mean, variance = moments(values[: self._starting_variance_window_size], axes=[0])
        start = statistics.series_start_moments
        return group(assign(start.mean, mean), assign(start.variance, variance))

    def _sums(self) -> _Sums:
        return _Sums(
            max_time_seen=get_variable(
                "max_time_seen",
                initializer=dtypes.int64.min,
                dtype=dtypes.int64,
                trainable=False,
            ),
            chunk_count=_variable("chunk_count", [], dtypes.int64),
            inter_observation_duration_sum=_variable(
                "inter_observation_duration_sum", [], self._dtype
            ),
            example_count=_variable("example_count", [], dtypes.int64),
            overall_feature_sum=self._of_features("overall_feature_sum"),
            overall_feature_sum_of_squares=self._of_features("overall_feature_sum_of_squares"),
        )

    def _variables(self) -> InputStatistics:
        return InputStatistics(
            series_start_moments=Moments(
                self._of_features("series_start_mean"),
                self._of_features("series_start_variance", Ones()),
            ),
            overall_feature_moments=Moments(
                self._of_features("overall_feature_mean"),
                self._of_features("overall_feature_var", Ones()),
            ),
            start_time=get_variable(
                "start_time", initializer=dtypes.int64.max, dtype=dtypes.int64, trainable=False
            ),
            total_observation_count=_variable("total_observation_count", [], dtypes.int64, Ones()),
        )

    def _of_features(self, name: str, initializer: Any = None) -> Any:
        return _variable(name, [self._num_features], self._dtype, initializer)


def _variable(name: str, shape: list[int], dtype: Any, initializer: Any = None) -> Any:
    return get_variable(
        name,
        shape=shape,
        dtype=dtype,
        initializer=Zeros() if initializer is None else initializer,
        trainable=False,
    )
