"""raw_rnn: a cell in a loop whose inputs, states and outputs a function decides on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.control_flow.tensor_array import TensorArray
from dataflow.control_flow.while_loop import while_loop
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.tensor import Tensor
from dataflow.graph.tracebacks import shortened
from dataflow.library.rnn.cell import assert_like_rnncell
from dataflow.library.rnn.sizes import joined_shape, shape_of_size
from dataflow.library.rnn.steps import old_or_new, rnn_scope
from dataflow.ops.array.fill import zeros
from dataflow.ops.array.shape import shape
from dataflow.ops.basic.constant import constant
from dataflow.ops.math.compare import logical_not, logical_or
from dataflow.ops.reductions.reduce import reduce_all
from dataflow.values import dtypes, nest
from dataflow.values.shapes import TensorShape, dimension_at_index, dimension_value


@shortened
def raw_rnn(
    cell: Any,
    loop_fn: Callable[..., Any],
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    scope: Any = None,
) -> tuple[Any, Any, Any]:
    """Runs a cell in a loop that asks a function what comes next.

    `loop_fn(time, cell_output, cell_state, loop_state)` returns `(elements_finished, next_input,
    next_state, emit_output, next_loop_state)`. Before the first step `time` is 0 and the others
    are None; then it returns the first state, and as `emit_output` a structure of tensors like one
    example's output, or None if outputs are those of the cell.

    Args:
      cell: An `RNNCell`.
      loop_fn: The function. Examples that are finished keep their state, and their outputs are
        zero; the loop ends when all are.
      parallel_iterations: How many steps may be under way at once; 32 by default.
      swap_memory: Whether values saved for gradients may be moved to host memory.
      scope: Variable scope of the cell's variables; "rnn" by default.

    Returns:
      The outputs in TensorArrays, the last state, and the last loop state.

    Raises:
      TypeError: `cell` is no cell, or `loop_fn` no function.
      ValueError: `loop_fn` returns other structures than before, or batches that disagree.
    """
    assert_like_rnncell("cell", cell)
    if not callable(loop_fn):
        raise TypeError("loop_fn must be a callable")
    with rnn_scope(scope):
        time = constant(0, dtype=dtypes.int32)
        finished, next_input, state, emit_structure, given_loop_state = loop_fn(
            time, None, None, None
        )
        flat_input = nest.flatten(next_input)
        loop_state = given_loop_state
        if loop_state is None:
            loop_state = constant(0, dtype=dtypes.int32)
        known_batch = _known_batch(flat_input)
        batch_size = shape(flat_input[0])[0] if known_batch is None else known_batch
        nest.assert_same_structure(state, cell.state_size)
        state = nest.map_structure(convert_to_tensor, state)
        if emit_structure is None:
            emit_structure = cell.output_size
            sizes = nest.flatten(emit_structure)
            types = [nest.flatten(state)[0].dtype] * len(sizes)
        else:
            emits = nest.flatten(emit_structure)
            sizes = [each.shape if each.shape.is_fully_defined() else shape(each) for each in emits]
            types = [each.dtype for each in emits]
        arrays = [
            TensorArray(
                dtype,
                size=0,
                dynamic_size=True,
                element_shape=TensorShape([known_batch]).concatenate(shape_of_size(size)),
                name=f"rnn_output_{index}",
            )
            for index, (dtype, size) in enumerate(zip(types, sizes, strict=True))
        ]
        zero_emits = [
            zeros(joined_shape(batch_size, size), dtype)
            for dtype, size in zip(types, sizes, strict=True)
        ]
        step = _step(cell, loop_fn, nest.pack_sequence_as(emit_structure, zero_emits))
        emitted = nest.pack_sequence_as(emit_structure, arrays)
        *_, emitted, state, loop_state = while_loop(
            lambda _, finished, *others: logical_not(reduce_all(finished)),
            step,
            [time, finished, next_input, emitted, state, loop_state],
            parallel_iterations=parallel_iterations or 32,
            swap_memory=swap_memory,
        )
        return emitted, state, None if given_loop_state is None else loop_state


def _known_batch(flat_input: list[Tensor]) -> int | None:
    """The batch of the first inputs, if it is known; inputs must not disagree."""
    first = dimension_at_index(flat_input[0].shape, 0)
    for each in flat_input:
        first.assert_is_compatible_with(dimension_at_index(each.shape, 0))
    return dimension_value(first)


def _step(cell: Any, loop_fn: Callable[..., Any], zero_emit: Any) -> Callable[..., Any]:
    """The body of the loop."""

    def step(
        time: Any, finished: Any, current_input: Any, emitted: Any, state: Any, loop_state: Any
    ) -> Any:
        output, cell_state = cell(current_input, state)
        nest.assert_same_structure(state, cell_state)
        nest.assert_same_structure(cell.output_size, output)
        next_time = time + 1
        next_finished, next_input, next_state, emit, next_loop_state = loop_fn(
            next_time, output, cell_state, loop_state
        )
        nest.assert_same_structure(state, next_state)
        nest.assert_same_structure(current_input, next_input)
        nest.assert_same_structure(emitted, emit)

        def kept(old: Any, new: Any) -> Any:
            return nest.map_structure(lambda *each: old_or_new(finished, *each), old, new)

        emit = kept(zero_emit, emit)
        next_state = kept(state, next_state)
        emitted = nest.map_structure(lambda array, each: array.write(time, each), emitted, emit)
        return (
            next_time,
            logical_or(finished, next_finished),
            next_input,
            emitted,
            next_state,
            loop_state if next_loop_state is None else next_loop_state,
        )

    return step
