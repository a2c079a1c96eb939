"""static_rnn: a cell run over lists of inputs, with operations of its own for each step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import control_dependencies
from dataflow.graph.tensor import Tensor
from dataflow.graph.tracebacks import shortened
from dataflow.library.rnn.cell import assert_like_rnncell
from dataflow.library.rnn.sizes import joined_shape, known_shape
from dataflow.library.rnn.steps import (
    SequenceEnds,
    called_by_loops,
    first_state,
    rnn_scope,
    state_type,
)
from dataflow.ops.array.concat import concat, stack, unstack
from dataflow.ops.array.fill import zeros
from dataflow.ops.array.shape import shape
from dataflow.ops.array.transpose import reverse_sequence
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.identity import identity
from dataflow.values import dtypes, nest
from dataflow.values.shapes import Dimension, dimension_at_index, dimension_value, unknown_shape
from dataflow.variables.scope import variable_scope


@shortened
def static_rnn(
    cell: Any,
    inputs: Any,
    initial_state: Any = None,
    dtype: Any = None,
    sequence_length: Any = None,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """Runs a cell over a list of inputs, one a step.

    Args:
      cell: An `RNNCell`.
      inputs: A tensor [batch, size], or a structure of them, for each step.
      initial_state: State before the first step; the cell's own, which is zero, if None.
      dtype: Element type of first state and outputs; needed unless there is an `initial_state`.
      sequence_length: Length of each example: behind it outputs are zero and the state stays.
      scope: Variable scope of the cell's variables; "rnn" by default.

    Returns:
      The outputs of each step in a list, and the last state.

    Raises:
      TypeError: `cell` is no cell, or `inputs` no list.
      ValueError: `inputs` is empty, the size of an input is not known, or there is neither a state
        nor a `dtype`.
    """
    assert_like_rnncell("cell", cell)
    _check_list(inputs)
    outputs = []
    with rnn_scope(scope) as entered:
        first_input = inputs
        while nest.is_nested(first_input):
            first_input = first_input[0]
        known_batch = _known_batch(first_input, inputs)
        batch_size = dimension_value(known_batch) or shape(first_input)[0]
        refusal = "If no initial_state is provided, dtype must be specified"
        state = first_state(cell, initial_state, batch_size, dtype, refusal)
        ends = None
        if sequence_length is not None:
            ends = _ends(cell, sequence_length, batch_size, known_batch, state_type(dtype, state))
        call = called_by_loops(cell)
        for time, each in enumerate(inputs):
            if time > 0:
                entered.reuse_variables()
            if ends is None:
                output, state = call(each, state)
            else:

                def call_cell(each: Any = each, state: Any = state) -> Any:
                    return call(each, state)

                output, state = ends.step_if_needed(time, state, call_cell)
            outputs.append(output)
        return outputs, state


def _check_list(inputs: Any) -> None:
    if not nest.is_nested(inputs):
        raise TypeError("inputs must be a sequence")
    if not inputs:
        raise ValueError("inputs must not be empty")


def _known_batch(first_input: Tensor, inputs: Any) -> Dimension:
    """The batch of the first input, with which no other may disagree."""
    if first_input.shape.rank == 1:
        return first_input.shape[0]
    batch = first_input.shape.with_rank_at_least(2)[0]
    for each in nest.flatten(inputs):
        known = each.shape.with_rank_at_least(2)
        batch.assert_is_compatible_with(dimension_at_index(known, 0))
        for index, size in enumerate(known[1:]):
            if dimension_value(size) is None:
                raise ValueError(
                    f"Input size (dimension {index} of inputs) must be accessible via shape "
                    "inference, but saw value None."
                )
    return batch


def _ends(
    cell: Any, sequence_length: Any, batch_size: Any, known_batch: Dimension, dtype: Any
) -> SequenceEnds:
    lengths = convert_to_tensor(sequence_length, name="sequence_length")
    if lengths.shape.rank not in (None, 1):
        raise ValueError(
            f"Argument `sequence_length` must be a vector of length {batch_size}. Received "
            f"sequence_length={lengths}."
        )

    def zero_output(size: Any) -> Tensor:
        output = zeros(joined_shape(batch_size, size), dtype)
        output.set_shape(known_shape(dimension_value(known_batch), size))
        return output

    zero_outputs = nest.map_structure(zero_output, cell.output_size)
    return SequenceEnds(cast(lengths, dtypes.int32), zero_outputs)


def static_state_saving_rnn(
    cell: Any,
    inputs: Any,
    state_saver: Any,
    state_name: Any,
    sequence_length: Any = None,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """`static_rnn` that takes its first state from a saver and hands it the last one.

    Args:
      cell: An `RNNCell`.
      inputs: See `static_rnn`.
      state_saver: Has `state(name)`, which gives a state, and `save_state(name, value)`, which
        returns an operation that keeps it.
      state_name: Name of the state, or a structure of names like the cell's `state_size`.
      sequence_length: See `static_rnn`.
      scope: See `static_rnn`.

    Returns:
      The outputs of each step in a list, and the last state, which is saved when it is computed.

    Raises:
      TypeError: `cell` is no cell, or `inputs` no list.
      ValueError: There are not as many names as states; see `static_rnn`.
    """
    state_size = cell.state_size
    nested = nest.is_nested(state_size)
    if nested != nest.is_nested(state_name):
        raise ValueError(
            "state_name should be the same type as cell.state_size.  state_name: "
            f"{state_name}, cell.state_size: {state_size}"
        )
    names = nest.flatten(state_name)
    sizes = nest.flatten(state_size)
    if len(names) != len(sizes):
        raise ValueError(f"#elems(state_name) != #elems(state_size): {len(names)} vs. {len(sizes)}")
    initial_state = nest.pack_sequence_as(state_size, [state_saver.state(name) for name in names])
    outputs, state = static_rnn(
        cell, inputs, initial_state, sequence_length=sequence_length, scope=scope
    )
    saved = [
        state_saver.save_state(name, part)
        for name, part in zip(names, nest.flatten(state), strict=True)
    ]
    with control_dependencies(saved):
        outputs[-1] = nest.map_structure(identity, outputs[-1])
        return outputs, nest.map_structure(identity, state)


def static_bidirectional_rnn(
    cell_fw: Any,
    cell_bw: Any,
    inputs: Any,
    initial_state_fw: Any = None,
    initial_state_bw: Any = None,
    dtype: Any = None,
    sequence_length: Any = None,
    scope: Any = None,
) -> tuple[list[Any], Any, Any]:
    """Runs a cell over a list of inputs and another one over the same list from its end.

    Args:
      cell_fw: An `RNNCell`.
      cell_bw: The cell that runs from the end.
      inputs: See `static_rnn`.
      initial_state_fw: The first cell's state before the first step.
      initial_state_bw: The second cell's.
      dtype: See `static_rnn`.
      sequence_length: See `static_rnn`.
      scope: Variable scope; "bidirectional_rnn" by default.

    Returns:
      The outputs of both cells side by side for each step, and the last states of both.

    Raises:
      TypeError: A cell is no cell, or `inputs` no list.
      ValueError: See `static_rnn`.
    """
    assert_like_rnncell("cell_fw", cell_fw)
    assert_like_rnncell("cell_bw", cell_bw)
    _check_list(inputs)
    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as forward:
            output_fw, state_fw = static_rnn(
                cell_fw, inputs, initial_state_fw, dtype, sequence_length, scope=forward
            )
        with variable_scope("bw") as backward:
            from_end = reversed_steps(inputs, sequence_length)
            output_bw, state_bw = static_rnn(
                cell_bw, from_end, initial_state_bw, dtype, sequence_length, scope=backward
            )
    output_bw = reversed_steps(output_bw, sequence_length)
    both = [
        concat(pair, 1)
        for pair in zip(nest.flatten(output_fw), nest.flatten(output_bw), strict=True)
    ]
    return nest.pack_sequence_as(output_fw, both), state_fw, state_bw


def reversed_steps(steps: Sequence[Any], lengths: Any) -> list[Any]:
    """The steps of sequences of some lengths in reverse order."""
    if lengths is None:
        return list(reversed(steps))
    flat_steps = [nest.flatten(each) for each in steps]
    flat_results: list[list[Tensor]] = [[] for _ in steps]
    for sequence in zip(*flat_steps, strict=True):
        known = unknown_shape(rank=sequence[0].shape.rank)
        for each in sequence:
            known.assert_is_compatible_with(each.shape)
            each.set_shape(known)
        for part, result in zip(
            unstack(reverse_sequence(stack(sequence), lengths, 0, 1)), flat_results, strict=True
        ):
            part.set_shape(known)
            result.append(part)
    return [
        nest.pack_sequence_as(each, result)
        for each, result in zip(steps, flat_results, strict=True)
    ]
