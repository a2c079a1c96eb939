"""Inputs of exported models of time series: arrays, or Examples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.contrib.timeseries.feature_keys import TIMES, VALUES
from dataflow.contrib.timeseries.head import state_to_dictionary
from dataflow.contrib.timeseries.model import TimeSeriesModel
from dataflow.estimation.receivers import ServingInputReceiver
from dataflow.feature_columns.models import make_parse_example_spec
from dataflow.feature_columns.numbers import numeric_column
from dataflow.graph.graph import Graph
from dataflow.library.inspection import get_static_value
from dataflow.library.parsing.configs import FixedLenFeature
from dataflow.library.parsing.examples import parse_example
from dataflow.ops.array.broadcast import tile
from dataflow.ops.array.concat import concat
from dataflow.ops.array.fill import ones, zeros, zeros_like
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.placeholder import placeholder, placeholder_with_default
from dataflow.values import dtypes, nest
from dataflow.values.shapes import TensorShape


def state_placeholders(
    model: TimeSeriesModel, batch_size: Any, static_batch_size: int | None = None
) -> dict[str, Any]:
    """Placeholders of a model's state, which have zeros unless they are fed.

    Args:
      model: The model.
      batch_size: How many windows there are, as a tensor.
      static_batch_size: The same as a number, if it is known.
    """
    # Only shapes and types are taken of what is made here.
    with Graph().as_default():
        model.initialize_graph()
        state = nest.map_structure(
            lambda tensor: get_static_value(zeros_like(tensor)), model.get_start_state()
        )
    found = {}
    for name, value in state_to_dictionary(state).items():
        times = concat([batch_size[None], ones(len(value.shape), dtype=dtypes.int32)], axis=0)
        found[name] = placeholder_with_default(
            input=tile(constant(value[None, ...]), times),
            name=name,
            shape=TensorShape((static_batch_size,)).concatenate(value.shape),
        )
    return found


def example_receiver(
    model: TimeSeriesModel,
    filtering_length: int,
    prediction_length: int,
    default_batch_size: int | None,
    values_input_dtype: Any,
    truncate_values: bool,
) -> Callable[[], ServingInputReceiver]:
    """See `TimeSeriesRegressor.build_one_shot_parsing_serving_input_receiver_fn`."""
    length = filtering_length + prediction_length
    values_length = length if truncate_values else filtering_length

    def receiver() -> ServingInputReceiver:
        columns = [
            *model.exogenous_feature_columns,
            numeric_column(TIMES, dtype=dtypes.int64),
            numeric_column(
                VALUES, dtype=values_input_dtype or dtypes.float32, shape=(model.num_features,)
            ),
        ]
        specs = {}
        for key, spec in make_parse_example_spec(columns).items():
            if isinstance(spec, FixedLenFeature):
                count = values_length if key == VALUES else length
                specs[key] = spec._replace(shape=(count, *spec.shape))
            elif spec.dtype == dtypes.string:
                specs[key] = FixedLenFeature(shape=(length,), dtype=dtypes.string)
            else:
                raise ValueError(f"VarLenFeatures not supported, got {spec} for key {key}")
        examples = placeholder(shape=[default_batch_size], dtype=dtypes.string, name="input")
        features = parse_example(serialized=examples, features=specs)
        features[TIMES] = array_shape.squeeze(features[TIMES], axis=-1)
        values: Any = cast(features[VALUES], dtype=model.dtype)
        features[VALUES] = values[:, :filtering_length]
        features.update(_state(model, features[TIMES], default_batch_size))
        return ServingInputReceiver(features, {"examples": examples})

    return receiver


def array_receiver(
    model: TimeSeriesModel, default_batch_size: int | None, default_series_length: int | None
) -> Callable[[], ServingInputReceiver]:
    """See `TimeSeriesRegressor.build_raw_serving_input_receiver_fn`."""
    sizes = [default_batch_size, default_series_length]

    def receiver() -> ServingInputReceiver:
        times = placeholder(name=TIMES, dtype=dtypes.int64, shape=sizes)
        # Values are fed where state is updated; predictions need none.
        no_values = zeros([*(size or 0 for size in sizes), model.num_features], dtype=model.dtype)
        made = {
            TIMES: times,
            VALUES: placeholder_with_default(
                name=VALUES, input=no_values, shape=(*sizes, model.num_features)
            ),
        }
        for key, (shape, dtype) in _exogenous_shapes(model).items():
            inner = shape.with_rank_at_least(1).as_list()[1:]
            made[key] = placeholder(dtype=dtype, name=key, shape=[*sizes, *inner])
        made.update(_state(model, times, default_batch_size))
        return ServingInputReceiver(made, made)

    return receiver


def _exogenous_shapes(model: TimeSeriesModel) -> dict[str, tuple[Any, Any]]:
    if not model.exogenous_feature_columns:
        return {}
    with Graph().as_default():
        parsed = parse_example(
            serialized=placeholder(shape=[None], dtype=dtypes.string),
            features=make_parse_example_spec(model.exogenous_feature_columns),
        )
        return {key: (value.shape, value.dtype) for key, value in parsed.items()}


def _state(model: TimeSeriesModel, times: Any, static_batch_size: int | None) -> dict[str, Any]:
    sizes: Any = array_shape.shape(times)
    return state_placeholders(model, sizes[0], static_batch_size)
