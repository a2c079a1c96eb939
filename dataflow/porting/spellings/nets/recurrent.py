"""tensorflow.python.ops.rnn: what programs that write loops over time of their own borrow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.contrib.rnn.internals import _concat as _concat
from dataflow.graph.tensor import Tensor
from dataflow.library.rnn.dynamic import Loop, batch_of_time_major, swap_batch_and_time
from dataflow.library.rnn.sizes import shape_of_size
from dataflow.library.rnn.static import reversed_steps as _reverse_seq
from dataflow.library.rnn.steps import SequenceEnds, is_in_loop
from dataflow.library.rnn.steps import state_type as _infer_state_dtype

__all__ = ["_concat", "_infer_state_dtype", "_reverse_seq"]

_best_effort_input_batch_size = batch_of_time_major
_transpose_batch_time = swap_batch_and_time


def _maybe_tensor_shape_from_tensor(shape: Any) -> Any:
    """What is known of a shape that is a tensor; anything else as it is."""
    return shape_of_size(shape) if isinstance(shape, Tensor) else shape


def _should_cache() -> bool:
    """Whether a variable may be read once for all steps: not where a loop may change it."""
    return not is_in_loop()


def _rnn_step(
    time: Any,
    sequence_length: Any,
    min_sequence_length: Any,
    max_sequence_length: Any,
    zero_output: Any,
    state: Any,
    call_cell: Callable[[], tuple[Any, Any]],
    state_size: Any,
    skip_conditionals: bool = False,
) -> tuple[Any, Any]:
    """One step: sequences that have ended keep their state and give zeros.

    Args:
      time: The step, an int32 scalar.
      sequence_length: Lengths of the sequences.
      min_sequence_length: The shortest of them.
      max_sequence_length: The longest; no cell runs from there on.
      zero_output: What is given for sequences that have ended.
      state: The state before.
      call_cell: Gives the output and the state after.
      state_size: Not used.
      skip_conditionals: Runs the cell in any case.
    """
    ends = SequenceEnds(sequence_length, zero_output, min_sequence_length, max_sequence_length)
    step = ends.step if skip_conditionals else ends.step_if_needed
    return step(time, state, call_cell)


def _dynamic_rnn_loop(
    cell: Any,
    inputs: Any,
    initial_state: Any,
    parallel_iterations: int,
    swap_memory: bool,
    sequence_length: Any = None,
    dtype: Any = None,
) -> tuple[Any, Any]:
    """The outputs `[time, batch, ...]` and the last state of a cell over such inputs."""
    loop = Loop(cell, inputs, initial_state, dtype)
    return loop.run(sequence_length, parallel_iterations, swap_memory)
