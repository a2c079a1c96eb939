"""Helpers of scheduled sampling: in training, some inputs are what the decoder has said.

Bengio et al., 2015, arXiv:1506.03099.
"""

from __future__ import annotations

from typing import Any

from dataflow.contrib.seq2seq.inference_inputs import draw_tokens, embedding_of
from dataflow.contrib.seq2seq.training_inputs import TrainingHelper, steps_of
from dataflow.control_flow.cond import cond
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.rnn.dynamic import swap_batch_and_time
from dataflow.ops.array.concat import concat
from dataflow.ops.array.fill import fill
from dataflow.ops.array.index import boolean_mask
from dataflow.ops.array.scatter import scatter_nd
from dataflow.ops.array.select import where
from dataflow.ops.array.shape import expand_dims, shape
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.range import range as range_of
from dataflow.ops.math.compare import logical_not, logical_or
from dataflow.ops.random.stateful import random_uniform
from dataflow.ops.reductions.reduce import reduce_all, reduce_any
from dataflow.values import dtypes, nest


class ScheduledEmbeddingTrainingHelper(TrainingHelper):
    """Gives the right inputs, but for some that are vectors of tokens drawn from the outputs.

    Args:
      inputs: See `TrainingHelper`.
      sequence_length: See above.
      embedding: See `GreedyEmbeddingHelper`.
      sampling_probability: Probability that an input is drawn, a float scalar or one for each
        sequence.
      time_major: See `TrainingHelper`.
      seed: Of the tokens.
      scheduling_seed: Of the decisions.
      name: Name scope.

    Raises:
      ValueError: The probability has more than one dimension; see above.
    """

    def __init__(
        self,
        inputs: Any,
        sequence_length: Any,
        embedding: Any,
        sampling_probability: Any,
        time_major: bool = False,
        seed: int | None = None,
        scheduling_seed: int | None = None,
        name: Any = None,
    ) -> None:
        with name_scope(
            name, "ScheduledEmbeddingSamplingWrapper", [embedding, sampling_probability]
        ):
            self._embedding_fn = embedding_of(embedding)
            self._sampling_probability = _probability(sampling_probability)
            self._seed = seed
            self._scheduling_seed = scheduling_seed
            super().__init__(inputs, sequence_length, time_major=time_major, name=name)

    def sample(self, time: Any, outputs: Any, state: Any, name: Any = None) -> Any:
        """Tokens of the sequences whose next input is drawn, and -1 for the others."""
        with name_scope(name, "ScheduledEmbeddingTrainingHelperSample", [time, outputs, state]):
            chosen = _choices(self._sampling_probability, self._batch_size, self._scheduling_seed)
            drawn = draw_tokens(outputs, self._seed)
            return where(chosen, drawn, fill([self._batch_size], -1))

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any = None, name: Any = None
    ) -> Any:
        """The vectors of tokens that were drawn, and the right inputs elsewhere."""
        with name_scope(
            name, "ScheduledEmbeddingTrainingHelperNextInputs", [time, outputs, state, sample_ids]
        ):
            finished, right, state = super().next_inputs(time, outputs, state, sample_ids)
            chosen = sample_ids > -1

            def mixed() -> Any:
                drawn = self._embedding_fn(boolean_mask(sample_ids, chosen))
                return _merged(chosen, drawn, right)

            return finished, cond(reduce_all(finished), lambda: right, mixed), state


class ScheduledOutputTrainingHelper(TrainingHelper):
    """Gives the right inputs, but for some that are the outputs.

    Args:
      inputs: See `TrainingHelper`; a single tensor.
      sequence_length: See above.
      sampling_probability: Probability that an input is an output, a float scalar.
      time_major: See `TrainingHelper`.
      seed: Of the decisions.
      next_inputs_fn: Makes inputs of outputs, or a layer that does; None where they fit.
      auxiliary_inputs: What all inputs, outputs among them, get joined to them, or None.
      name: Name scope.

    Raises:
      ValueError: The probability has more than one dimension; see above.
    """

    def __init__(
        self,
        inputs: Any,
        sequence_length: Any,
        sampling_probability: Any,
        time_major: bool = False,
        seed: int | None = None,
        next_inputs_fn: Any = None,
        auxiliary_inputs: Any = None,
        name: Any = None,
    ) -> None:
        with name_scope(
            name, "ScheduledOutputTrainingHelper", [inputs, auxiliary_inputs, sampling_probability]
        ):
            self._sampling_probability = _probability(sampling_probability)
            self._auxiliary_input_tas = None
            if auxiliary_inputs is not None:
                auxiliary = nest.map_structure(convert_to_tensor, auxiliary_inputs)
                inputs = nest.map_structure(
                    lambda one, more: concat([one, more], -1), inputs, auxiliary
                )
                if not time_major:
                    auxiliary = nest.map_structure(swap_batch_and_time, auxiliary)
                self._auxiliary_input_tas = nest.map_structure(steps_of, auxiliary)
            self._seed = seed
            self._next_inputs_fn = next_inputs_fn
            super().__init__(inputs, sequence_length, time_major=time_major, name=name)

    def sample(self, time: Any, outputs: Any, state: Any, name: Any = None) -> Any:
        """1 for sequences whose next input is their output, 0 for the others."""
        with name_scope(name, "ScheduledOutputTrainingHelperSample", [time, outputs, state]):
            chosen = _choices(self._sampling_probability, self._batch_size, self._seed)
            return cast(chosen, dtypes.int32)

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any = None, name: Any = None
    ) -> Any:
        """The outputs of the sequences that were chosen, and the right inputs elsewhere."""
        with name_scope(
            name, "ScheduledOutputTrainingHelperNextInputs", [time, outputs, state, sample_ids]
        ):
            finished, right, state = super().next_inputs(time, outputs, state, sample_ids)
            chosen = cast(sample_ids, dtypes.bool)
            is_plain = self._next_inputs_fn is None and self._auxiliary_input_tas is None

            def mixed() -> Any:
                if is_plain:
                    return where(chosen, outputs, right)
                said = boolean_mask(outputs, chosen)
                if self._next_inputs_fn is not None:
                    said = self._next_inputs_fn(said)
                if self._auxiliary_input_tas is not None:
                    more = nest.map_structure(
                        lambda array: boolean_mask(array.read(time + 1), chosen),
                        self._auxiliary_input_tas,
                    )
                    said = nest.map_structure(
                        lambda one, other: concat([one, other], -1), said, more
                    )
                return _merged(chosen, said, right)

            none = logical_not(reduce_any(chosen))
            stays = logical_or(reduce_all(finished), none)
            return finished, cond(stays, lambda: right, mixed), state


def _probability(given: Any) -> Tensor:
    probability = convert_to_tensor(given, name="sampling_probability")
    if probability.shape.rank not in (0, 1):
        raise ValueError(
            "sampling_probability must be either a scalar or a vector. saw shape: "
            f"{probability.shape}"
        )
    return probability


def _choices(probability: Tensor, count: Any, seed: int | None) -> Tensor:
    """For each sequence, whether it is one of those that a probability chooses."""
    return random_uniform([count], dtype=probability.dtype, seed=seed) < probability


def _merged(chosen: Tensor, some: Tensor, others: Tensor) -> Tensor:
    """Rows of `some`, which has only those that were chosen, and of `others`."""
    count = shape(others)[0]
    indices = boolean_mask(range_of(count), chosen)
    placed = scatter_nd(expand_dims(indices, 1), some, shape(others))
    merged = where(chosen, placed, others)
    merged.set_shape(others.shape)
    return merged
