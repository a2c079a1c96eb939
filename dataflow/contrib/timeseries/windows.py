"""Inputs of estimators: windows of a series, the whole of it, and what predictions begin with."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.contrib.timeseries.arrays import times_after
from dataflow.contrib.timeseries.feature_keys import STATE_TUPLE, TIMES
from dataflow.contrib.timeseries.readers import TimeSeriesReader
from dataflow.control_flow.cond import cond
from dataflow.graph.keys import GraphKeys
from dataflow.graph.scopes import control_dependencies
from dataflow.ops.array.concat import concat
from dataflow.ops.array.gather import gather
from dataflow.ops.array.transpose import reverse
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.identity import identity
from dataflow.ops.nn.topk import top_k
from dataflow.ops.random.stateful import random_uniform
from dataflow.ops.reductions.reduce import reduce_all, reduce_any
from dataflow.ops.state.reference import assign
from dataflow.training.inputs.batches import batch
from dataflow.training.inputs.producers import limit_epochs
from dataflow.training.inputs.shuffled_batches import maybe_shuffle_batch
from dataflow.values import dtypes, nest
from dataflow.values.shapes import TensorShape
from dataflow.variables.variable import Variable, is_variable_initialized


class TimeSeriesInputFn(ABC):
    """An `input_fn`: features of windows, and None."""

    @abstractmethod
    def create_batch(self) -> tuple[dict[str, Any], None]:
        """Features by name: windows, times in a window, and what else a feature has."""

    def __call__(self) -> tuple[dict[str, Any], None]:
        return self.create_batch()


class WholeDatasetInputFn(TimeSeriesInputFn):
    """The whole series as one window, to evaluate it and to predict what follows."""

    def __init__(self, time_series_reader: TimeSeriesReader) -> None:
        """Takes what reads the series."""
        self._reader = time_series_reader

    def create_batch(self) -> tuple[dict[str, Any], None]:
        """See `TimeSeriesInputFn`."""
        features = self._reader.read_full()
        return {name: value[None, ...] for name, value in features.items()}, None


class RandomWindowInputFn(TimeSeriesInputFn):
    """Windows that follow one another in the series, shuffled."""

    def __init__(
        self,
        time_series_reader: TimeSeriesReader,
        window_size: int,
        batch_size: int,
        queue_capacity_multiplier: int = 1000,
        shuffle_min_after_dequeue_multiplier: int = 2,
        discard_out_of_order: bool = True,
        discard_consecutive_batches_limit: int = 1000,
        jitter: bool = True,
        num_threads: int | None = 2,
        shuffle_seed: int | None = None,
    ) -> None:
        """Takes what reads the series, and the sizes.

        Args:
          time_series_reader: What reads it.
          window_size: How many times a window has.
          batch_size: How many windows are given at once.
          queue_capacity_multiplier: How many batches queues hold.
          shuffle_min_after_dequeue_multiplier: How many batches stay in the queue that shuffles.
          discard_out_of_order: Whether windows whose times fall somewhere are left out; they are
            sorted otherwise.
          discard_consecutive_batches_limit: After so many of them, one after another, reading ends
            with an OutOfRangeError.
          jitter: Whether a time is left out between some windows, at random.
          num_threads: How many threads fill queues; `batch_size` if None.
          shuffle_seed: The seed by which windows are shuffled.

        Raises:
          ValueError: The series is shorter than a window.
        """
        self._reader = time_series_reader
        self._window_size = window_size
        self._reader.check_dataset_size(minimum_dataset_size=window_size)
        self._batch_size = batch_size
        self._queue_capacity_multiplier = queue_capacity_multiplier
        self._shuffle_min_after_dequeue_multiplier = shuffle_min_after_dequeue_multiplier
        self._discard_out_of_order = discard_out_of_order
        self._discard_limit = discard_consecutive_batches_limit
        self._jitter = jitter
        self._num_threads = batch_size if num_threads is None else num_threads
        self._shuffle_seed = shuffle_seed

    def create_batch(self) -> tuple[dict[str, Any], None]:
        """See `TimeSeriesInputFn`."""
        windows = self._windows()
        keep_input: Any = True
        if self._discard_out_of_order:
            keep_input = self._in_order(windows[TIMES])
        else:
            times = windows[TIMES]
            _, descending = top_k(times, k=array_shape.shape(times)[-1], sorted=True)
            indices = reverse(descending, axis=[0])
            windows = {key: gather(params=value, indices=indices) for key, value in windows.items()}
        shuffled = maybe_shuffle_batch(
            windows,
            num_threads=self._num_threads,
            seed=self._shuffle_seed,
            batch_size=self._batch_size,
            capacity=self._queue_capacity_multiplier * self._batch_size,
            min_after_dequeue=self._shuffle_min_after_dequeue_multiplier * self._batch_size,
            keep_input=keep_input,
            enqueue_many=True,
        )
        return shuffled, None

    def _windows(self) -> dict[str, Any]:
        """As many windows as are given at once, in the order of the series."""
        features = self._reader.read()
        jitter: Any = 0
        if self._jitter:
            jitter = random_uniform(shape=[], maxval=2, dtype=dtypes.int32)
        count = self._batch_size
        pieces = batch(
            features,
            batch_size=self._window_size * count + jitter,
            enqueue_many=True,
            capacity=self._queue_capacity_multiplier * count * self._window_size,
            num_threads=self._num_threads,
        )
        cut = pieces
        if self._jitter:
            cut = {key: value[jitter:] for key, value in pieces.items()}
        windows = {
            key: array_shape.reshape(
                value, concat([[count, self._window_size], _sizes_after(value)], axis=0)
            )
            for key, value in cut.items()
        }
        known = TensorShape([count, self._window_size])
        for key, value in windows.items():
            value.set_shape(known.concatenate(pieces[key].shape[1:]))
        return windows

    def _in_order(self, times: Any) -> Any:
        """Which windows have times that do not fall; counts batches that have no such window."""
        in_order = reduce_all(times[:, 1:] >= times[:, :-1], axis=1)
        limiter = Variable(
            constant(0, dtype=dtypes.int64),
            name="discarded_windows_limiter",
            trainable=False,
            collections=[GraphKeys.LOCAL_VARIABLES],
        )

        def counted() -> Any:
            return cond(
                reduce_any(in_order),
                lambda: assign(limiter, 0),
                lambda: limiter.count_up_to(self._discard_limit),
            )

        checked = cond(
            is_variable_initialized(limiter), counted, lambda: constant(0, dtype=dtypes.int64)
        )
        with control_dependencies([checked]):
            return identity(in_order)


def predict_continuation_input_fn(
    evaluation: Mapping[str, Any],
    steps: int | None = None,
    times: Any = None,
    exogenous_features: Mapping[str, Any] | None = None,
) -> Callable[[], tuple[dict[str, Any], None]]:
    """An `input_fn` for predictions of what follows an evaluation.

    Args:
      evaluation: What `evaluate` gave.
      steps: How many times to predict, from the next one on.
      times: Which times to predict instead, for each window.
      exogenous_features: Other features at these times.

    Raises:
      ValueError: Not one of `steps` and `times` is given, or times are too early.
    """
    features = {
        STATE_TUPLE: evaluation[STATE_TUPLE],
        TIMES: times_after(times=times, steps=steps, previous_model_output=evaluation),
        **(exogenous_features or {}),
    }

    def input_fn() -> tuple[dict[str, Any], None]:
        limited = {
            key: nest.map_structure(lambda value: limit_epochs(value, num_epochs=1), values)
            for key, values in features.items()
        }
        return limited, None

    return input_fn


def _sizes_after(value: Any) -> Any:
    """The sizes behind the first, as a tensor."""
    sizes: Any = array_shape.shape(value)
    return sizes[1:]
