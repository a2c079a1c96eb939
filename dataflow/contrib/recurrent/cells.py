"""Recurrent nets of cells, by `Recurrent`."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.contrib.recurrent.steps import Recurrent
from dataflow.ops.array.fill import zeros
from dataflow.ops.array.transpose import reverse as reversed_along
from dataflow.ops.array.transpose import reverse_sequence, transpose
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.range import range as range_of
from dataflow.ops.math.compare import equal, less
from dataflow.ops.reductions.reduce import reduce_max, reduce_sum
from dataflow.values import nest
from dataflow.variables.scope import variable_scope


def functional_rnn(
    cell: Any,
    inputs: Any,
    sequence_length: Any = None,
    initial_state: Any = None,
    dtype: Any = None,
    time_major: bool = False,
    scope: Any = None,
    use_tpu: bool = False,
    reverse: bool = False,
) -> tuple[Any, Any]:
    """What a cell makes of sequences; see `tf.nn.dynamic_rnn`.

    Args:
      cell: The cell.
      inputs: `[batch, time, ...]`.
      sequence_length: How long each sequence is; outputs behind it are zero.
      initial_state: What the cell begins with, zeros if None.
      dtype: The type of these zeros.
      time_major: Whether inputs and outputs are `[time, batch, ...]`.
      scope: The variable scope: "rnn".
      use_tpu: Makes no difference.
      reverse: Whether the cell begins with the last time.

    Returns:
      The outputs, and the state after the last time of each sequence.
    """
    with variable_scope(scope or "rnn"):
        by_time = inputs
        if not time_major:
            by_time = nest.map_structure(lambda each: transpose(each, [1, 0, 2]), inputs)
        first = nest.flatten(by_time)[0]
        if initial_state is None:
            initial_state = cell.zero_state(array_shape.shape(first)[1], dtype)
        most = None if sequence_length is None else reduce_max(sequence_length)
        if reverse:
            by_time = reversed_along(by_time, [0])
        # The output is kept beside the state, of which it is often a part.
        like = nest.flatten(initial_state)[0]
        output = zeros([array_shape.shape(first)[1], cell.output_size], like.dtype)
        output.set_shape([like.shape[0].value, cell.output_size])

        def step(theta: Any, state: Any, now: Any) -> tuple[Any, Any]:
            made, after = cell(now, state[1])
            return (made, after), []

        every, last = Recurrent(
            theta=[],
            state0=(output, initial_state),
            inputs=by_time,
            cell_fn=step,
            max_input_length=most,
            use_tpu=use_tpu,
            aligned_end=reverse,
        )
        outputs, states = every
        final = last[1]
        if sequence_length is not None and not reverse:
            final = nest.map_structure(lambda each: _at_ends(each, sequence_length), states)
        if reverse:
            outputs = reversed_along(outputs, [0])
        outputs = transpose(outputs, [1, 0, 2])
        outputs.set_shape([like.shape[0], first.shape[0], output.shape[-1]])
        if sequence_length is not None:
            times: Any = range_of(array_shape.shape(outputs)[1])
            inside = less(times[None], sequence_length[:, None])
            outputs = outputs * cast(inside, outputs.dtype)[..., None]
        for each, before in zip(nest.flatten(final), nest.flatten(initial_state), strict=True):
            each.set_shape(before.shape)
        return (transpose(outputs, [1, 0, 2]) if time_major else outputs), final


def _at_ends(states: Any, lengths: Any) -> Any:
    """Of the states of all times, those after the last time of each sequence."""
    times: Any = range_of(array_shape.shape(states)[0])
    chosen = cast(equal(times[:, None], lengths[None] - 1), states.dtype)
    return reduce_sum(chosen[..., None] * states, 0)


def bidirectional_functional_rnn(
    cell_fw: Any,
    cell_bw: Any,
    inputs: Any,
    initial_state_fw: Any = None,
    initial_state_bw: Any = None,
    dtype: Any = None,
    sequence_length: Any = None,
    time_major: bool = False,
    use_tpu: bool = False,
    fast_reverse: bool = False,
    scope: Any = None,
) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    """What two cells make of sequences, one from either end; see `functional_rnn`.

    Args:
      cell_fw: The cell that begins with the first time.
      cell_bw: The one that begins with the last.
      inputs: `[batch, time, ...]`.
      initial_state_fw: What the first begins with, zeros if None.
      initial_state_bw: What the second begins with.
      dtype: The type of these zeros.
      sequence_length: How long each sequence is.
      time_major: Whether inputs and outputs are `[time, batch, ...]`.
      use_tpu: Makes no difference.
      fast_reverse: Whether all sequences are turned as if they were of the longest one's length.
      scope: The variable scope: "bidirectional_rnn".

    Returns:
      Both outputs, and both states.
    """
    time, batch = (0, 1) if time_major else (1, 0)

    def turned(values: Any) -> Any:
        if sequence_length is None:
            return reversed_along(values, axis=[time])
        return reverse_sequence(values, sequence_length, seq_axis=time, batch_axis=batch)

    def made(cell: Any, values: Any, state: Any, within: Any, backwards: bool) -> tuple[Any, Any]:
        return functional_rnn(
            cell=cell,
            inputs=values,
            sequence_length=sequence_length,
            initial_state=state,
            dtype=dtype,
            time_major=time_major,
            scope=within,
            use_tpu=use_tpu,
            reverse=backwards,
        )

    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as within:
            forward, forward_state = made(cell_fw, inputs, initial_state_fw, within, False)
        with variable_scope("bw") as within:
            values = inputs if fast_reverse else turned(inputs)
            backward, backward_state = made(cell_bw, values, initial_state_bw, within, fast_reverse)
            if not fast_reverse:
                backward = turned(backward)
    return (forward, backward), (forward_state, backward_state)
