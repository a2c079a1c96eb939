"""The best sequences of tags (Viterbi, 1967)."""

from __future__ import annotations

from typing import Any

import numpy as np

from dataflow.contrib.crf.scores import moves_of
from dataflow.graph.convert import convert_to_tensor
from dataflow.library.rnn.cell import RNNCell
from dataflow.library.rnn.dynamic import dynamic_rnn
from dataflow.ops.array.concat import concat
from dataflow.ops.array.gather import batch_gather
from dataflow.ops.array.shape import expand_dims, squeeze
from dataflow.ops.array.transpose import reverse_sequence
from dataflow.ops.basic.cast import cast
from dataflow.ops.math.binary import maximum
from dataflow.ops.reductions.arg import argmax
from dataflow.ops.reductions.reduce import reduce_max
from dataflow.values import dtypes
from dataflow.values.shapes import dimension_value


def viterbi_decode(score: Any, transition_params: Any) -> tuple[list[int], Any]:
    """The best tags of one sequence, in numpy.

    Args:
      score: Scores of each tag, an array [time, tags].
      transition_params: Scores of tags behind one another, an array [tags, tags].

    Returns:
      The tags in a list, and their score.
    """
    score, transitions = np.asarray(score), np.asarray(transition_params)
    best = score[0]
    came_from = np.zeros_like(score, dtype=np.int32)
    for time in range(1, score.shape[0]):
        sums = best[:, None] + transitions
        best = score[time] + sums.max(0)
        came_from[time] = sums.argmax(0)
    tags = [int(best.argmax())]
    for row in came_from[:0:-1]:
        tags.append(int(row[tags[-1]]))
    return tags[::-1], best.max()


def crf_decode(potentials: Any, transition_params: Any, sequence_length: Any) -> tuple[Any, Any]:
    """The best tags of sequences.

    Args:
      potentials: Scores of each tag, floats [batch, time, tags].
      transition_params: Scores of tags behind one another, [tags, tags].
      sequence_length: Lengths, int [batch].

    Returns:
      Tags, int32 [batch, time], and their scores, floats [batch].
    """
    potentials = convert_to_tensor(potentials)
    lengths = cast(sequence_length, dtypes.int32)
    forward = CrfDecodeForwardRnnCell(transition_params)
    moves = maximum(0, lengths - 1)
    came_from, last = dynamic_rnn(
        forward,
        moves_of(potentials),
        sequence_length=moves,
        initial_state=potentials[:, 0],
        time_major=False,
        dtype=dtypes.int32,
    )
    best = expand_dims(cast(argmax(last, 1), dtypes.int32), 1)
    tags, _ = dynamic_rnn(
        CrfDecodeBackwardRnnCell(forward.output_size),
        reverse_sequence(came_from, moves, seq_axis=1),
        sequence_length=moves,
        initial_state=best,
        time_major=False,
        dtype=dtypes.int32,
    )
    from_end = concat([best, squeeze(tags, [2])[:, :-1]], 1)
    found = reverse_sequence(from_end, lengths, seq_axis=1)
    found.set_shape(potentials.shape[:2])
    return found, reduce_max(last, 1)


class CrfDecodeForwardRnnCell(RNNCell):
    """A step along a sequence: the state has, for each tag, the best score of what ends in it.

    Args:
      transition_params: Scores of tags behind one another, [tags, tags].
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
        """For each tag the best one before it, int32 [batch, tags], and the new state."""
        sums = expand_dims(state, 2) + self._transition_params
        new = inputs + reduce_max(sums, [1])
        return cast(argmax(sums, 1), dtypes.int32), new


class CrfDecodeBackwardRnnCell(RNNCell):
    """A step back along a sequence: the state is a tag, int32 [batch, 1].

    Args:
      num_tags: Number of tags.
    """

    def __init__(self, num_tags: Any) -> None:
        super().__init__()
        self._num_tags = num_tags

    @property
    def state_size(self) -> Any:
        """1."""
        return 1

    @property
    def output_size(self) -> Any:
        """1."""
        return 1

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> tuple[Any, Any]:
        """The tag before, twice, of the best ones before each tag, int32 [batch, tags]."""
        chosen = expand_dims(batch_gather(inputs, state)[:, 0], 1)
        return chosen, chosen
