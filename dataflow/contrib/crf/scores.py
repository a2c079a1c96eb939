"""Scores of tags in a linear-chain conditional random field (Lafferty et al., 2001)."""

from __future__ import annotations

import math
from typing import Any

from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.tensor import Tensor
from dataflow.library.rnn.cell import RNNCell
from dataflow.library.rnn.dynamic import dynamic_rnn
from dataflow.ops.array.fill import fill, zeros_like
from dataflow.ops.array.gather import gather
from dataflow.ops.array.pad import pad
from dataflow.ops.array.select import sequence_mask, where
from dataflow.ops.array.shape import expand_dims, reshape, shape
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.range import range as range_of
from dataflow.ops.math.binary import maximum
from dataflow.ops.math.compare import less_equal
from dataflow.ops.reductions.reduce import reduce_sum
from dataflow.ops.reductions.statistics import reduce_logsumexp
from dataflow.values import dtypes
from dataflow.values.shapes import dimension_value
from dataflow.variables.scope import get_variable


def crf_sequence_score(
    inputs: Any, tag_indices: Any, sequence_lengths: Any, transition_params: Any
) -> Any:
    """The score of sequences of tags, which is not normalized.

    Args:
      inputs: Scores of each tag, floats [batch, time, tags].
      tag_indices: Tags, int [batch, time].
      sequence_lengths: Lengths, int [batch].
      transition_params: Scores of tags behind one another, [tags, tags].

    Returns:
      Floats [batch].
    """
    return crf_unary_score(tag_indices, sequence_lengths, inputs) + crf_binary_score(
        tag_indices, sequence_lengths, transition_params
    )


def crf_multitag_sequence_score(
    inputs: Any, tag_bitmap: Any, sequence_lengths: Any, transition_params: Any
) -> Any:
    """The logarithm of the sum of exponentials of scores of all sequences of some tags.

    Args:
      inputs: See `crf_sequence_score`.
      tag_bitmap: Which tags each place may have, booleans [batch, time, tags].
      sequence_lengths: See above.
      transition_params: See above.

    Returns:
      Floats [batch].
    """
    inputs = convert_to_tensor(inputs)
    bitmap = cast(tag_bitmap, dtypes.bool)
    allowed = where(bitmap, inputs, fill(shape(inputs), cast(-math.inf, inputs.dtype)))
    return crf_log_norm(allowed, sequence_lengths, transition_params)


def crf_log_norm(inputs: Any, sequence_lengths: Any, transition_params: Any) -> Any:
    """The logarithm of the sum of exponentials of scores of all sequences of tags.

    Args:
      inputs: See `crf_sequence_score`.
      sequence_lengths: See above; sequences without a place have 0.
      transition_params: See above.

    Returns:
      Floats [batch].
    """
    inputs = convert_to_tensor(inputs)
    lengths = convert_to_tensor(sequence_lengths)
    _, alphas = dynamic_rnn(
        CrfForwardRnnCell(transition_params),
        moves_of(inputs),
        sequence_length=maximum(cast(0, lengths.dtype), lengths - 1),
        initial_state=inputs[:, 0],
        dtype=inputs.dtype,
    )
    norm = reduce_logsumexp(alphas, [1])
    return where(less_equal(lengths, cast(0, lengths.dtype)), zeros_like(norm), norm)


def crf_log_likelihood(
    inputs: Any, tag_indices: Any, sequence_lengths: Any, transition_params: Any = None
) -> tuple[Any, Any]:
    """The logarithm of the probability of sequences of tags.

    Args:
      inputs: See `crf_sequence_score`.
      tag_indices: See above.
      sequence_lengths: See above.
      transition_params: See above; a variable `transitions` if None.

    Returns:
      Floats [batch], and the transitions' scores.
    """
    inputs = convert_to_tensor(inputs)
    if transition_params is None:
        tags = dimension_value(inputs.shape[2])
        transition_params = get_variable("transitions", [tags, tags])
    score = crf_sequence_score(inputs, tag_indices, sequence_lengths, transition_params)
    return score - crf_log_norm(inputs, sequence_lengths, transition_params), transition_params


def crf_unary_score(tag_indices: Any, sequence_lengths: Any, inputs: Any) -> Any:
    """The part of `crf_sequence_score` that comes from the inputs.

    Args:
      tag_indices: See `crf_sequence_score`.
      sequence_lengths: See above.
      inputs: See above.

    Returns:
      Floats [batch].
    """
    inputs, tags = convert_to_tensor(inputs), cast(tag_indices, dtypes.int32)
    sizes = shape(inputs)
    first = reshape(range_of(sizes[0] * sizes[1]) * sizes[2], sizes[:2])
    chosen = gather(reshape(inputs, [-1]), first + tags)
    return reduce_sum(chosen * _mask(sequence_lengths, shape(tags)[1], inputs.dtype), 1)


def crf_binary_score(tag_indices: Any, sequence_lengths: Any, transition_params: Any) -> Any:
    """The part of `crf_sequence_score` that comes from the transitions.

    Args:
      tag_indices: See `crf_sequence_score`.
      sequence_lengths: See above.
      transition_params: See above.

    Returns:
      Floats [batch].
    """
    scores, tags = convert_to_tensor(transition_params), convert_to_tensor(tag_indices)
    count = cast(shape(scores)[0], tags.dtype)
    chosen = gather(reshape(scores, [-1]), tags[:, :-1] * count + tags[:, 1:])
    lengths = convert_to_tensor(sequence_lengths)
    return reduce_sum(chosen * _mask(lengths - 1, shape(tags)[1] - 1, scores.dtype), 1)


def moves_of(inputs: Tensor) -> Any:
    """What is behind the first place, and a place that nobody counts: there is always one."""
    return pad(inputs[:, 1:], [[0, 0], [0, 1], [0, 0]])


def _mask(lengths: Any, longest: Any, dtype: Any) -> Any:
    return sequence_mask(lengths, maxlen=longest, dtype=dtype)


class CrfForwardRnnCell(RNNCell):
    """A step of `crf_log_norm`: the state has, for each tag, what ends in it.

    Args:
      transition_params: See `crf_sequence_score`.
    """

    def __init__(self, transition_params: Any) -> None:
        super().__init__()
        params = convert_to_tensor(transition_params)
        self._transition_params = expand_dims(params, 0)
        self._num_tags = dimension_value(params.shape[0])

    @property
    def state_size(self) -> Any:
        """Number of tags."""
        return self._num_tags

    @property
    def output_size(self) -> Any:
        """Number of tags."""
        return self._num_tags

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> tuple[Any, Any]:
        """The new state, twice, of inputs [batch, tags]."""
        sums = expand_dims(state, 2) + self._transition_params
        new = inputs + reduce_logsumexp(sums, [1])
        return new, new
