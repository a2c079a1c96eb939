"""SequentialTimeSeriesModel: models that go from one time to the next."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.contrib.timeseries.feature_keys import STATE_TUPLE, TIMES, VALUES
from dataflow.contrib.timeseries.model import ModelOutputs, TimeSeriesModel, exogenous_of
from dataflow.control_flow.tensor_array import TensorArray
from dataflow.control_flow.while_loop import while_loop
from dataflow.graph.convert import convert_to_tensor
from dataflow.ops.array.concat import concat, stack
from dataflow.ops.array.fill import zeros
from dataflow.ops.array.select import where
from dataflow.ops.array.transpose import transpose
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.range import range as range_of
from dataflow.ops.math.compare import less
from dataflow.ops.reductions.reduce import reduce_prod, reduce_sum
from dataflow.values import dtypes, nest
from dataflow.variables.scope import variable_scope


class _Listed:
    """A list that is written as a TensorArray is."""

    def __init__(self) -> None:
        self.values: list[Any] = []

    def write(self, _: Any, value: Any) -> _Listed:
        self.values.append(value)
        return self


class SequentialTimeSeriesModel(TimeSeriesModel):
    """A model whose state is updated by each time's values.

    A subclass defines what happens in a step: `_prediction_step`, `_filtering_step` with the
    values, `_imputation_step` over times that are missing, and `_exogenous_input_step`.
    """

    def __init__(
        self,
        train_output_names: Sequence[str],
        predict_output_names: Sequence[str],
        num_features: int,
        normalize_features: bool = False,
        dtype: Any = dtypes.float32,
        exogenous_feature_columns: Sequence[Any] | None = None,
        exogenous_update_condition: Callable[..., Any] | None = None,
        static_unrolling_window_size_threshold: int | None = None,
    ) -> None:
        """Takes what steps give, and see `TimeSeriesModel`.

        Args:
          train_output_names: What `_filtering_step` gives beside "loss".
          predict_output_names: What `_prediction_step` gives.
          num_features: See there.
          normalize_features: Whether values are scaled by statistics; predictions are scaled back
            by `_scale_back_predictions`.
          dtype: See there.
          exogenous_feature_columns: See there.
          exogenous_update_condition: `f(times, features)` says in which windows other features
            update the state; in all if None.
          static_unrolling_window_size_threshold: Up to which length windows have nodes for each
            step instead of a loop.
        """
        super().__init__(
            num_features=num_features,
            dtype=dtype,
            exogenous_feature_columns=exogenous_feature_columns,
        )
        self._exogenous_update_condition = exogenous_update_condition
        self._train_output_names = train_output_names
        self._predict_output_names = predict_output_names
        self._normalize_features = normalize_features
        self._static_unrolling_window_size_threshold = static_unrolling_window_size_threshold

    def _scale_back_predictions(self, predictions: dict[str, Any]) -> dict[str, Any]:
        raise NotImplementedError(
            "SequentialTimeSeriesModel normalized input data (normalize_features=True), but no "
            "method was provided to transform the predictions back to the input scale."
        )

    @abstractmethod
    def _filtering_step(
        self, current_times: Any, current_values: Any, state: Any, predictions: Any
    ) -> tuple[Any, dict[str, Any]]:
        """The state after a time's values, and what the step gives: "loss", and more."""

    @abstractmethod
    def _prediction_step(self, current_times: Any, state: Any) -> tuple[Any, dict[str, Any]]:
        """The state at a time, and what is predicted for it."""

    @abstractmethod
    def _imputation_step(self, current_times: Any, state: Any) -> Any:
        """The state just before a time, over those that are missing."""

    @abstractmethod
    def _exogenous_input_step(
        self, current_times: Any, current_exogenous_regressors: Any, state: Any
    ) -> Any:
        """The state after the numbers of other features."""

    def _loss_additions(self, times: Any, values: Any, mode: str) -> Any:
        """What is added to the loss of a batch."""
        return 0.0

    def _window_initializer(self, times: Any, state: Any) -> None:
        """What comes before a batch of windows."""

    def get_batch_loss(self, features: Mapping[str, Any], mode: str, state: Any) -> ModelOutputs:
        """See `TimeSeriesModel`."""
        loss, states, outputs = self.per_step_batch_loss(features, mode, state)
        last = nest.pack_sequence_as(states, [each[:, -1] for each in nest.flatten(states)])
        outputs["observed"] = features[VALUES]
        return ModelOutputs(
            loss=loss, end_state=last, predictions=outputs, prediction_times=features[TIMES]
        )

    def per_step_batch_loss(
        self, features: Mapping[str, Any], mode: str, state: Any
    ) -> tuple[Any, Any, dict[str, Any]]:
        """The loss, the states after each time, and what was predicted for it.

        Args:
          features: Times, values and other features of windows.
          mode: See `define_loss`.
          state: What the windows begin with.

        Raises:
          ValueError: `initialize_graph` was not called.
        """
        self._check_graph_initialized()
        times = cast(features[TIMES], dtype=dtypes.int64)
        values = cast(features[VALUES], dtype=self.dtype)
        if self._normalize_features:
            values = self._scale_data(values)
        exogenous = self._process_exogenous_features(
            times=times,
            features={key: each for key, each in features.items() if key not in (TIMES, VALUES)},
        )

        def step(number: Any, current_times: Any, state: Any) -> tuple[Any, dict[str, Any]]:
            current: Any = values[:, number, :]
            state = self._with_exogenous(current_times, number, state, features, exogenous)
            predicted, predictions = self._prediction_step(current_times=current_times, state=state)
            return self._filtering_step(
                current_times=current_times,
                current_values=current,
                state=predicted,
                predictions=predictions,
            )

        states, outputs = self._over_times(times, state, step, ["loss", *self._train_output_names])
        outputs["loss"].set_shape(times.shape)
        count = cast(reduce_prod(array_shape.shape(times)), dtype=self.dtype)
        loss = reduce_sum(outputs.pop("loss")) / count
        loss += self._loss_additions(times, values, mode)
        if self._normalize_features:
            outputs = self._scale_back_predictions(outputs)
        return loss, states, outputs

    def predict(self, features: Mapping[str, Any]) -> dict[str, Any]:
        """See `TimeSeriesModel`."""
        times = convert_to_tensor(features[TIMES], dtypes.int64)
        exogenous = self._process_exogenous_features(
            times=times,
            features={
                key: each for key, each in features.items() if key not in (TIMES, STATE_TUPLE)
            },
        )

        def step(number: Any, current_times: Any, state: Any) -> tuple[Any, dict[str, Any]]:
            state = self._with_exogenous(current_times, number, state, features, exogenous)
            return self._prediction_step(current_times=current_times, state=state)

        _, predictions = self._over_times(
            times, features[STATE_TUPLE], step, self._predict_output_names
        )
        if self._normalize_features:
            predictions = self._scale_back_predictions(predictions)
        return predictions

    def _with_exogenous(
        self, current_times: Any, number: Any, state: Any, features: Any, exogenous: Any
    ) -> Any:
        if exogenous is None:
            return state
        updated = self._exogenous_input_step(
            current_times=current_times,
            current_exogenous_regressors=exogenous[:, number, :],
            state=state,
        )
        if self._exogenous_update_condition is None:
            return updated
        current = {key: value[:, number] for key, value in exogenous_of(features).items()}
        chosen = [
            where(self._exogenous_update_condition(times=current_times, features=current), new, old)
            for new, old in zip(nest.flatten(updated), nest.flatten(state), strict=True)
        ]
        return nest.pack_sequence_as(state, chosen)

    def _over_times(
        self,
        times: Any,
        state: Any,
        state_update_fn: Callable[..., tuple[Any, dict[str, Any]]],
        outputs: Sequence[str],
    ) -> tuple[Any, dict[str, Any]]:
        """The states and outputs of all steps: windows, times, and what else."""
        times = convert_to_tensor(times, dtype=dtypes.int64)
        length = times.shape[1].value
        limit = self._static_unrolling_window_size_threshold
        unrolls = limit is not None and length is not None and length <= limit
        self._window_initializer(times, state)
        sizes: Any = array_shape.shape(times)

        def step(
            number: Any, state: Any, states: Any, gathered: Any, reuse: bool = False
        ) -> tuple[Any, Any, list[Any], list[Any]]:
            with variable_scope("state_update_step", reuse=reuse):
                current = times[:, number]
                state = self._imputation_step(current_times=current, state=state)
                new_state, given = state_update_fn(number, current, state)
                if given.keys() != set(outputs):
                    raise AssertionError(f"A step gave {sorted(given)}, and not {sorted(outputs)}.")
                gathered = [
                    into.write(number, given[name])
                    for name, into in zip(outputs, gathered, strict=True)
                ]
                flat = nest.flatten(new_state)
                for each, before in zip(flat, nest.flatten(state), strict=True):
                    each.set_shape(before.shape)
                states = [into.write(number, each) for each, into in zip(flat, states, strict=True)]
                return number + 1, nest.pack_sequence_as(state, flat), states, gathered

        def collected(dtype: Any) -> Any:
            if unrolls:
                return _Listed()
            return TensorArray(dtype=dtype, size=sizes[1], dynamic_size=False)

        arguments: Any = (
            zeros([], dtypes.int32),
            state,
            [collected(each.dtype) for each in nest.flatten(state)],
            [collected(self.dtype) for _ in outputs],
        )
        if unrolls:
            for number in range(length):
                _, state, states, gathered = arguments
                place = constant(number, dtypes.int32)
                arguments = step(place, state, states, gathered, reuse=number > 0)
        else:
            arguments = while_loop(lambda number, *_: less(number, sizes[1]), step, arguments)
        _, _, states, gathered = arguments
        whole = nest.pack_sequence_as(state, [_stacked(each) for each in states])
        return whole, dict(zip(outputs, map(_stacked, gathered), strict=True))


def _stacked(collected: Any) -> Any:
    """What was written, windows first and times behind."""
    if isinstance(collected, _Listed):
        return stack(collected.values, axis=1)
    stacked = collected.stack()
    return transpose(stacked, perm=concat([[1, 0], range_of(2, array_shape.rank(stacked))], 0))
