"""Loops of auto-regressive models over the windows that a longer one has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import dataflow.ops.array.shape as array_shape
from dataflow.contrib.timeseries.feature_keys import TIMES, VALUES
from dataflow.contrib.timeseries.model import ModelOutputs
from dataflow.control_flow.tensor_array import TensorArray
from dataflow.control_flow.while_loop import while_loop
from dataflow.estimation.model_spec import ModeKeys
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import control_dependencies
from dataflow.library.check_values import assert_equal, assert_greater_equal
from dataflow.ops.array.concat import concat, stack
from dataflow.ops.array.fill import ones_like
from dataflow.ops.array.pad import pad
from dataflow.ops.array.transpose import transpose
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.identity import identity
from dataflow.ops.math.binary import minimum
from dataflow.ops.math.compare import less
from dataflow.ops.reductions.reduce import reduce_mean
from dataflow.values import dtypes

if TYPE_CHECKING:
    from dataflow.contrib.timeseries.ar_model import ARModel


def evaluated(
    model: ARModel, features: Mapping[str, Any], exogenous: Any, state: Any
) -> ModelOutputs:
    """The windows that lie side by side in longer ones; what is too much is left out at the start.

    Args:
      model: What predicts.
      features: Times, values and other features.
      exogenous: Numbers of the other features.
      state: What comes before the windows.
    """
    times = features[TIMES]
    sizes: Any = array_shape.shape(times)
    count = (sizes[1] - model.input_window_size) // model.output_window_size
    output_size = count * model.output_window_size
    length = output_size + model.input_window_size
    features = {name: value[:, -length:] for name, value in features.items()}

    def step(number: Any, losses: Any, means: Any, covariances: Any) -> tuple[Any, ...]:
        begin = number * model.output_window_size
        end = begin + model.window_size
        outputs = model._process_window(
            features={name: value[:, begin:end] for name, value in features.items()},
            mode=ModeKeys.EVAL,
            exogenous_regressors=exogenous[:, begin:end],
        )
        return (
            number + 1,
            losses.write(number, outputs.loss),
            means.write(number, outputs.predictions["mean"]),
            covariances.write(number, outputs.predictions["covariance"]),
        )

    arrays = [TensorArray(dtype=model.dtype, size=count) for _ in range(3)]
    _, losses, means, covariances = while_loop(
        lambda number, *_: number < count, step, [0, *arrays]
    )
    values: Any = cast(features[VALUES], dtype=model.dtype)
    batch: Any = array_shape.shape(times)
    shape = [batch[0], model.output_window_size * count, model.num_features]
    end_state = _state_after(model, times, values, exogenous, state)
    return ModelOutputs(
        loss=reduce_mean(losses.stack(), axis=0),
        end_state=end_state,
        predictions={
            "mean": array_shape.reshape(transpose(means.stack(), [1, 0, 2, 3]), shape),
            "covariance": array_shape.reshape(transpose(covariances.stack(), [1, 0, 2, 3]), shape),
            "observed": values[:, -output_size:],
        },
        prediction_times=times[:, -output_size:],
    )


def _state_after(model: ARModel, times: Any, values: Any, exogenous: Any, state: Any) -> Any:
    """The last window of the state before and what came then, which may be shorter."""
    size = model.input_window_size
    if not size:
        return state
    before_times, before_values, before_exogenous = state
    new: list[Any] = [
        concat([before_times, cast(times, dtype=dtypes.int64)], axis=1),
        concat([before_values, model._scale_data(values)], axis=1),
        concat([before_exogenous, exogenous], axis=1),
    ]
    last_times, last_values, last_exogenous = (
        new[0][:, -size:],
        new[1][:, -size:, :],
        new[2][:, -size:, :],
    )
    last_times.set_shape((None, size))
    last_values.set_shape((None, size, model.num_features))
    last_exogenous.set_shape((None, size, model.exogenous_size))
    return last_times, last_values, last_exogenous


def predicted(model: ARModel, times: Any, exogenous: Any, state: Any) -> tuple[Any, Any]:
    """Means and variances at times that follow a state, in the model's scale.

    Args:
      model: What predicts.
      times: Windows and times.
      exogenous: Numbers of other features at these times.
      state: Times, values and other features before them.

    Raises:
      InvalidArgumentError: At run time: there are other features for more or fewer times, or the
        state has too few times.
    """
    times_shape: Any = array_shape.shape(times)
    exogenous_shape: Any = array_shape.shape(exogenous)
    with control_dependencies([assert_equal(times_shape[1], exogenous_shape[1])]):
        exogenous = identity(exogenous)
    size, step_size = model.input_window_size, model.output_window_size
    wanted = times_shape[1]
    count = (wanted + step_size - 1) // step_size
    missing = count * step_size - wanted
    times = pad(times, [[0, 0], [0, missing]])
    exogenous = pad(exogenous, [[0, 0], [0, missing], [0, 0]])
    state_times, state_values, state_exogenous = state
    state_times = cast(convert_to_tensor(state_times), dtypes.int32)
    state_values = convert_to_tensor(state_values, dtype=model.dtype)
    state_exogenous = convert_to_tensor(state_exogenous, dtype=model.dtype)
    first_times: Any = times[:, :step_size]
    first_exogenous: Any = exogenous[:, :step_size, :]
    first_values: Any = 0
    if size:
        first_times = concat([state_times[:, -size:], first_times], 1)
        value_sizes: Any = array_shape.shape(state_values)
        time_sizes: Any = array_shape.shape(state_times)
        with control_dependencies(
            [
                assert_greater_equal(value_sizes[1], size),
                assert_equal(value_sizes[1], time_sizes[1]),
            ]
        ):
            first_values = state_values[:, -size:, :]
            first_exogenous = concat([state_exogenous[:, -size:, :], first_exogenous], axis=1)

    def step(
        number: Any, old_times: Any, values: Any, numbers: Any, means: Any, covariances: Any
    ) -> tuple[Any, ...]:
        predictions = model.prediction_ops(old_times, values, numbers)
        mean = predictions["mean"]
        begin = step_size * minimum(number + 1, count - 1)
        end = begin + step_size
        new_times = times[:, begin:end]
        new_numbers = exogenous[:, begin:end, :]
        if size and step_size < size:
            values = concat([values[:, step_size:, :], mean], 1)
            new_numbers = concat([numbers[:, -size:, :], new_numbers], axis=1)
            new_times = concat([old_times[:, -size:], new_times], 1)
        elif size:
            values = mean[:, -size:, :]
            new_numbers = exogenous[:, begin - size : end, :]
            new_times = times[:, begin - size : end]
        new_times.set_shape(first_times.shape)
        new_numbers.set_shape(first_exogenous.shape)
        means = means.write(number, mean)
        if isinstance(covariances, TensorArray):
            covariances = covariances.write(number, predictions["covariance"])
        return number + 1, new_times, values, new_numbers, means, covariances

    covariances: Any = 0.0
    if model.loss != model.SQUARED_LOSS:
        covariances = TensorArray(dtype=model.dtype, size=count)
    *_, means, covariances = while_loop(
        lambda number, *_: less(number, count),
        step,
        [
            *(0, first_times, first_values, first_exogenous),
            *(TensorArray(dtype=model.dtype, size=count), covariances),
        ],
    )

    def joined(array: Any) -> Any:
        packed = array_shape.reshape(
            transpose(array.stack(), [1, 0, 2, 3]), stack([times_shape[0], count * step_size, -1])
        )
        return packed[:, :wanted, :]

    mean = joined(means)
    if isinstance(covariances, TensorArray):
        return mean, joined(covariances)
    return mean, ones_like(mean)
