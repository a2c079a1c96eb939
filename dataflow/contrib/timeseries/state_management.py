"""What gives models the state that a batch of windows begins with."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.contrib.timeseries.feature_keys import STATE_TUPLE, TIMES, VALUES
from dataflow.contrib.timeseries.model import ModelOutputs, TimeSeriesModel, replicate_state
from dataflow.contrib.timeseries.state_tables import TupleOfTensorsLookup
from dataflow.contrib.timeseries.statistics import InputStatistics
from dataflow.estimation.model_spec import ModeKeys
from dataflow.graph.scopes import control_dependencies
from dataflow.ops.array.concat import concat
from dataflow.ops.array.select import where
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.identity import identity
from dataflow.ops.math.binary import maximum
from dataflow.ops.math.compare import equal
from dataflow.values import dtypes, nest


class PassthroughStateManager:
    """Gives none: windows begin with the model's first state."""

    def __init__(self) -> None:
        """Takes nothing."""
        self._input_statistics: InputStatistics | None = None
        self._graph_initialized = False

    def initialize_graph(
        self, model: TimeSeriesModel, input_statistics: InputStatistics | None = None
    ) -> None:
        """Makes what it needs in the graph."""
        self._graph_initialized = True
        self._input_statistics = input_statistics

    def define_loss(self, model: Any, features: dict[str, Any], mode: str) -> ModelOutputs:
        """What the model makes of windows.

        Raises:
          ValueError: The features have a state.
        """
        if STATE_TUPLE in features:
            raise ValueError("Overriding start state is not supported for this model.")
        found: ModelOutputs = model.define_loss(features, mode)
        return found


class _OverridableStateManager(PassthroughStateManager):
    """Takes the state of the features, if they have one."""

    @abstractmethod
    def _define_loss_with_saved_state(
        self, model: Any, features: dict[str, Any], mode: str
    ) -> ModelOutputs:
        """What the model makes of windows whose features have no state."""

    def define_loss(self, model: Any, features: dict[str, Any], mode: str) -> ModelOutputs:
        """See `PassthroughStateManager`.

        Raises:
          ValueError: The features of training have a state.
        """
        if STATE_TUPLE not in features:
            return self._define_loss_with_saved_state(model=model, features=features, mode=mode)
        if mode == ModeKeys.TRAIN:
            raise ValueError(
                "Overriding saved state for training is not supported (but a value for feature "
                f"{STATE_TUPLE} was specified)."
            )
        state = features.pop(STATE_TUPLE)
        found: ModelOutputs = model.get_batch_loss(features=features, mode=mode, state=state)
        return found


class FilteringOnlyStateManager(_OverridableStateManager):
    """For models that need no state where windows have the right size."""

    def _define_loss_with_saved_state(
        self, model: Any, features: dict[str, Any], mode: str
    ) -> ModelOutputs:
        found: ModelOutputs = model.define_loss(features, mode)
        return found


class ChainingStateManager(_OverridableStateManager):
    """Keeps the states that windows ended with, for windows that begin there."""

    def __init__(self, state_saving_interval: int = 20, checkpoint_state: bool = False) -> None:
        """Takes how often states are kept.

        Args:
          state_saving_interval: One for so many times.
          checkpoint_state: Whether checkpoints have them.
        """
        super().__init__()
        self._checkpoint_state = checkpoint_state
        self._state_saving_interval = state_saving_interval
        self._start_state: Any = None
        self._cached_states: Any = None

    def initialize_graph(
        self, model: TimeSeriesModel, input_statistics: InputStatistics | None = None
    ) -> None:
        """See `PassthroughStateManager`."""
        super().initialize_graph(model=model, input_statistics=input_statistics)
        self._start_state = model.get_start_state()
        self._cached_states = TupleOfTensorsLookup(
            key_dtype=dtypes.int64,
            default_values=self._start_state,
            empty_key=-1,
            deleted_key=-2,
            name="cached_states",
            checkpoint=self._checkpoint_state,
        )

    def _define_loss_with_saved_state(
        self, model: Any, features: dict[str, Any], mode: str
    ) -> ModelOutputs:
        if not self._graph_initialized:
            raise ValueError(
                "ChainingStateManager requires initialize_graph() to be called before use."
            )
        loss, end_state, predictions = self._update_cached_states(model, features, mode)
        last = [each[-1][None] for each in nest.flatten(end_state)]
        predictions["observed"] = features[VALUES]
        return ModelOutputs(
            loss=loss,
            end_state=nest.pack_sequence_as(end_state, last),
            predictions=predictions,
            prediction_times=features[TIMES],
        )

    def _get_chunk_number(self, time: Any) -> Any:
        return time // self._state_saving_interval

    def _get_cached_states(self, times: Any) -> Any:
        """The states kept for times; that of the first chunk is the model's, which is trained."""
        chunks = self._get_chunk_number(times)
        found = tuple(self._cached_states.lookup(cast(chunks, dtypes.int64)))
        start_time: Any = 0
        if self._input_statistics is not None:
            start_time = self._input_statistics.start_time
        begins = equal(chunks, self._get_chunk_number(start_time))
        sizes: Any = array_shape.shape(times)
        fresh = replicate_state(self._start_state, sizes[0])
        chosen = [
            where(begins, start, kept)
            for start, kept in zip(nest.flatten(fresh), nest.flatten(found), strict=True)
        ]
        return nest.pack_sequence_as(found, chosen)

    def _update_cached_states(
        self, model: Any, features: dict[str, Any], mode: str
    ) -> tuple[Any, Any, dict[str, Any]]:
        """The loss of windows that begin with kept states, after theirs are kept."""
        times = features[TIMES]
        state = self._get_cached_states(times[:, 0])
        loss, states, predictions = model.per_step_batch_loss(
            features=features, mode=mode, state=state
        )
        # Where a window would look that began with the next time; at least in the chunk after that
        # which was read.
        following = concat([times[:, 1:], times[:, -1:] + 1], axis=1)
        chunks = maximum(self._get_chunk_number(following), self._get_chunk_number(times) + 1)
        kept = self._cached_states.insert(keys=chunks, values=states)
        last = nest.pack_sequence_as(states, [each[:, -1] for each in nest.flatten(states)])
        with control_dependencies([kept]):
            return identity(loss), last, predictions
