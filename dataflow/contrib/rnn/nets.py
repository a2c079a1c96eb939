"""Stacks of nets that run in both directions, and shapes of their inputs."""

from __future__ import annotations

from typing import Any

from dataflow.library.rnn.dynamic import bidirectional_dynamic_rnn, swap_batch_and_time
from dataflow.library.rnn.static import static_bidirectional_rnn
from dataflow.ops.array.concat import concat
from dataflow.ops.array.shape import shape
from dataflow.values.shapes import dimension_value
from dataflow.variables.scope import variable_scope


def transpose_batch_time(x: Any) -> Any:
    """[batch, time, ...] as [time, batch, ...], or the other way; what has less stays.

    Args:
      x: A tensor.
    """
    return swap_batch_and_time(x)


def best_effort_input_batch_size(flat_input: Any) -> Any:
    """The batch of inputs [time, batch, ...], as a number if one of them knows it.

    Args:
      flat_input: A list of tensors.
    """
    for each in flat_input:
        if each.shape.rank is not None and each.shape.rank >= 2:
            known = dimension_value(each.shape[1])
            if known is not None:
                return known
    return shape(flat_input[0])[1]


def stack_bidirectional_rnn(
    cells_fw: Any,
    cells_bw: Any,
    inputs: Any,
    initial_states_fw: Any = None,
    initial_states_bw: Any = None,
    dtype: Any = None,
    sequence_length: Any = None,
    scope: Any = None,
) -> tuple[Any, Any, Any]:
    """Layers of `static_bidirectional_rnn`, each of which sees both directions of the last.

    Args:
      cells_fw: A cell for each layer.
      cells_bw: The cells that run from the end.
      inputs: See `tf.nn.static_rnn`.
      initial_states_fw: States of the first cells before the first step, or None.
      initial_states_bw: Those of the others.
      dtype: See `tf.nn.static_rnn`.
      sequence_length: See above.
      scope: Variable scope; "stack_bidirectional_rnn" by default.

    Returns:
      The outputs of the last layer in a list, and the last states of both directions by layer.

    Raises:
      TypeError: Cells or states are no lists.
      ValueError: There are none, or not as many in both directions.
    """
    _check(cells_fw, cells_bw, initial_states_fw, initial_states_bw)
    states_fw, states_bw = [], []
    with variable_scope(scope or "stack_bidirectional_rnn"):
        for layer, (forward, backward) in enumerate(zip(cells_fw, cells_bw, strict=True)):
            with variable_scope(f"cell_{layer}") as cell_scope:
                inputs, state_fw, state_bw = static_bidirectional_rnn(
                    forward,
                    backward,
                    inputs,
                    initial_state_fw=initial_states_fw and initial_states_fw[layer],
                    initial_state_bw=initial_states_bw and initial_states_bw[layer],
                    sequence_length=sequence_length,
                    dtype=dtype,
                    scope=cell_scope,
                )
            states_fw.append(state_fw)
            states_bw.append(state_bw)
    return inputs, tuple(states_fw), tuple(states_bw)


def stack_bidirectional_dynamic_rnn(
    cells_fw: Any,
    cells_bw: Any,
    inputs: Any,
    initial_states_fw: Any = None,
    initial_states_bw: Any = None,
    dtype: Any = None,
    sequence_length: Any = None,
    parallel_iterations: int | None = None,
    time_major: bool = False,
    scope: Any = None,
    swap_memory: bool = False,
) -> tuple[Any, Any, Any]:
    """Layers of `bidirectional_dynamic_rnn`, each of which sees both directions of the last.

    Args:
      cells_fw: A cell for each layer.
      cells_bw: The cells that run from the end.
      inputs: See `tf.nn.dynamic_rnn`.
      initial_states_fw: States of the first cells before the first step, or None.
      initial_states_bw: Those of the others.
      dtype: See `tf.nn.dynamic_rnn`.
      sequence_length: See above.
      parallel_iterations: See above.
      time_major: See above.
      scope: Variable scope; "stack_bidirectional_rnn" by default.
      swap_memory: See above.

    Returns:
      The outputs of the last layer, and the last states of both directions by layer.

    Raises:
      TypeError: Cells or states are no lists.
      ValueError: There are none, or not as many in both directions.
    """
    _check(cells_fw, cells_bw, initial_states_fw, initial_states_bw)
    states_fw, states_bw = [], []
    with variable_scope(scope or "stack_bidirectional_rnn"):
        for layer, (forward, backward) in enumerate(zip(cells_fw, cells_bw, strict=True)):
            with variable_scope(f"cell_{layer}"):
                outputs, (state_fw, state_bw) = bidirectional_dynamic_rnn(
                    forward,
                    backward,
                    inputs,
                    initial_state_fw=initial_states_fw and initial_states_fw[layer],
                    initial_state_bw=initial_states_bw and initial_states_bw[layer],
                    sequence_length=sequence_length,
                    parallel_iterations=parallel_iterations,
                    dtype=dtype,
                    swap_memory=swap_memory,
                    time_major=time_major,
                )
                inputs = concat(outputs, 2)
            states_fw.append(state_fw)
            states_bw.append(state_bw)
    return inputs, tuple(states_fw), tuple(states_bw)


def _check(cells_fw: Any, cells_bw: Any, states_fw: Any, states_bw: Any) -> None:
    for way, what, cells in (("fw", "cells_fw", cells_fw), ("bw", "cells_bw", cells_bw)):
        if not cells:
            raise ValueError(f"Must specify at least one {way} cell for BidirectionalRNN.")
        if not isinstance(cells, list):
            raise ValueError(f"{what} must be a list of RNNCells (one per layer).")
    if len(cells_fw) != len(cells_bw):
        raise ValueError("Forward and Backward cells must have the same depth.")
    for what, states in (("initial_states_fw", states_fw), ("initial_states_bw", states_bw)):
        if states is not None and not (
            isinstance(states, list | tuple) and len(states) == len(cells_fw)
        ):
            raise ValueError(f"{what} must be a list of state tensors (one per layer).")
