"""dynamic_rnn: a cell run over sequences in a loop, whose length is known when it runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.control_flow.assertion import Assert
from dataflow.control_flow.tensor_array import TensorArray
from dataflow.control_flow.while_loop import while_loop
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import control_dependencies, name_scope
from dataflow.graph.tensor import Tensor
from dataflow.graph.tracebacks import shortened
from dataflow.library.rnn.cell import assert_like_rnncell
from dataflow.library.rnn.sizes import joined_shape, known_shape, shape_of_size
from dataflow.library.rnn.steps import (
    SequenceEnds,
    called_by_loops,
    first_state,
    rnn_scope,
    state_type,
)
from dataflow.ops.array.concat import concat, stack
from dataflow.ops.array.fill import zeros
from dataflow.ops.array.shape import rank, shape
from dataflow.ops.array.transpose import reverse, reverse_sequence, transpose
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.identity import identity
from dataflow.ops.basic.range import range as range_of
from dataflow.ops.math.binary import maximum, minimum
from dataflow.ops.math.compare import equal
from dataflow.ops.reductions.reduce import reduce_all
from dataflow.values import dtypes, nest
from dataflow.values.shapes import TensorShape, dimension_value
from dataflow.variables.scope import variable_scope


@shortened
def dynamic_rnn(
    cell: Any,
    inputs: Any,
    sequence_length: Any = None,
    initial_state: Any = None,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: Any = None,
) -> tuple[Any, Any]:
    """Runs a cell over sequences, in a loop.

    Args:
      cell: An `RNNCell`.
      inputs: A tensor [batch, time, ...], or a structure of them, as the cell takes.
      sequence_length: Length of each example: behind it outputs are zero and the state stays. None
        if all are as long as the inputs.
      initial_state: State before the first step; the cell's own, which is zero, if None.
      dtype: Element type of first state and outputs; needed unless there is an `initial_state`.
      parallel_iterations: How many steps may be under way at once; 32 by default.
      swap_memory: Whether values saved for gradients may be moved to host memory.
      time_major: Whether inputs and outputs are [time, batch, ...], which saves two transpositions.
      scope: Variable scope of the cell's variables; "rnn" by default.

    Returns:
      The outputs of all steps, [batch, time, ...], and the last state.

    Raises:
      TypeError: `cell` is no cell.
      ValueError: The size of an input is not known, inputs disagree on time or batch, or there is
        neither a state nor a `dtype`.

    >>> cell = tf.nn.rnn_cell.LSTMCell(4)
    >>> outputs, state = tf.nn.dynamic_rnn(cell, tf.zeros([2, 7, 3]), [7, 5], dtype=tf.float32)
    >>> outputs.shape.as_list(), state.c.shape.as_list()
    ([2, 7, 4], [2, 4])
    """
    assert_like_rnncell("cell", cell)
    with rnn_scope(scope):
        flat_inputs = [convert_to_tensor(each) for each in nest.flatten(inputs)]
        if not time_major:
            flat_inputs = [swap_batch_and_time(each) for each in flat_inputs]
        if sequence_length is not None:
            sequence_length = cast(sequence_length, dtypes.int32)
            if sequence_length.shape.rank not in (None, 1):
                raise ValueError(
                    "Argument sequence_length must be a vector of length batch_size. Received "
                    f"sequence_length={sequence_length} of shape: {sequence_length.shape}"
                )
            sequence_length = identity(sequence_length, name="sequence_length")
        batch_size = batch_of_time_major(flat_inputs)
        refusal = "If there is no initial_state, you must give a dtype."
        state = first_state(cell, initial_state, batch_size, dtype, refusal)
        if sequence_length is not None:
            with control_dependencies([_assert_shape(sequence_length, [batch_size])]):
                sequence_length = identity(sequence_length, name="CheckSeqLen")
        loop = Loop(cell, nest.pack_sequence_as(inputs, flat_inputs), state, dtype)
        outputs, final_state = loop.run(sequence_length, parallel_iterations or 32, swap_memory)
        if not time_major:
            outputs = nest.map_structure(swap_batch_and_time, outputs)
        return outputs, final_state


@shortened
def bidirectional_dynamic_rnn(
    cell_fw: Any,
    cell_bw: Any,
    inputs: Any,
    sequence_length: Any = None,
    initial_state_fw: Any = None,
    initial_state_bw: Any = None,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: Any = None,
) -> tuple[Any, Any]:
    """Runs a cell over sequences and another one over the same sequences from their ends.

    Args:
      cell_fw: An `RNNCell`.
      cell_bw: The cell that runs from the ends.
      inputs: See `dynamic_rnn`, as for the rest.
      sequence_length: See above.
      initial_state_fw: The first cell's state before the first step.
      initial_state_bw: The second cell's.
      dtype: See above.
      parallel_iterations: See above.
      swap_memory: See above.
      time_major: See above.
      scope: Variable scope; "bidirectional_rnn" by default.

    Returns:
      The outputs of both cells, in the order of the inputs, and the last states of both.

    Raises:
      TypeError: A cell is no cell.
      ValueError: See above.
    """
    assert_like_rnncell("cell_fw", cell_fw)
    assert_like_rnncell("cell_bw", cell_bw)
    time_axis, batch_axis = (0, 1) if time_major else (1, 0)

    def reversed_in_time(tensor: Any) -> Tensor:
        if sequence_length is None:
            return reverse(tensor, axis=[time_axis])
        return reverse_sequence(tensor, sequence_length, time_axis, batch_axis)

    def run(cell: Any, inputs: Any, initial_state: Any, scope: Any) -> tuple[Any, Any]:
        return dynamic_rnn(
            cell,
            inputs,
            sequence_length,
            initial_state,
            dtype,
            parallel_iterations,
            swap_memory,
            time_major,
            scope,
        )

    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as forward:
            output_fw, state_fw = run(cell_fw, inputs, initial_state_fw, forward)
        with variable_scope("bw") as backward:
            from_end = nest.map_structure(reversed_in_time, inputs)
            output_bw, state_bw = run(cell_bw, from_end, initial_state_bw, backward)
    output_bw = nest.map_structure(reversed_in_time, output_bw)
    return (output_fw, output_bw), (state_fw, state_bw)


class Loop:
    """The loop of a cell over inputs [time, batch, ...]."""

    def __init__(self, cell: Any, inputs: Any, state: Any, dtype: Any) -> None:
        self._call = called_by_loops(cell)
        self._inputs = inputs
        self._state = state
        self._flat_inputs = nest.flatten(inputs)
        self._output_sizes = nest.flatten(cell.output_size)
        self._steps = shape(self._flat_inputs[0])[0]
        batch_size = batch_of_time_major(self._flat_inputs)
        self._input_shapes = [each.shape.with_rank_at_least(3) for each in self._flat_inputs]
        self._known_sizes = self._input_shapes[0].as_list()[:2]
        self._check_inputs()
        self._dtype = state_type(dtype, state)
        zero_outputs = [
            zeros(joined_shape(batch_size, size), self._dtype) for size in self._output_sizes
        ]
        self._zero_output = nest.pack_sequence_as(cell.output_size, zero_outputs)

    def _check_inputs(self) -> None:
        """Fails unless sizes of inputs are known, and times and batches agree."""
        time, batch = self._known_sizes
        for tensor, known in zip(self._flat_inputs, self._input_shapes, strict=True):
            if not known[2:].is_fully_defined():
                raise ValueError(
                    "Input size (depth of inputs) must be accessible via shape inference, but saw "
                    "value None."
                )
            got_time, got_batch = dimension_value(known[0]), dimension_value(known[1])
            if got_time != time:
                raise ValueError(
                    "Time steps is not the same for all the elements in the input in a batch. "
                    f"Received time steps={got_time} for input={tensor}."
                )
            if got_batch != batch:
                raise ValueError(
                    "Batch_size is not the same for all the elements in the input. Received batch "
                    f"size={got_batch} for input={tensor}."
                )

    def run(
        self, sequence_length: Any, parallel_iterations: int, swap_memory: bool
    ) -> tuple[Any, Any]:
        """The outputs [time, batch, ...] and the last state."""
        assert isinstance(parallel_iterations, int), "parallel_iterations must be int"
        ends = None
        if sequence_length is not None:
            ends = SequenceEnds(sequence_length, self._zero_output)
        time = constant(0, dtype=dtypes.int32, name="time")
        outputs, inputs = self._arrays()

        def step(time: Any, outputs: Sequence[TensorArray], state: Any) -> Any:
            seen = [each.read(time) for each in inputs]
            for tensor, known in zip(seen, self._input_shapes, strict=True):
                tensor.set_shape(known[1:])
            packed = nest.pack_sequence_as(self._inputs, seen)
            if ends is None:
                output, new_state = self._call(packed, state)
            else:
                output, new_state = ends.step(time, state, lambda: self._call(packed, state))
            flat_output = nest.flatten(output)
            written = [
                array.write(time, each) for array, each in zip(outputs, flat_output, strict=True)
            ]
            return time + 1, tuple(written), new_state

        # One step at least tells the arrays the shapes of outputs.
        longest = self._steps if ends is None else ends.longest
        bound = minimum(self._steps, maximum(1, longest))
        _, written, final_state = while_loop(
            lambda time, *_: time < bound,
            step,
            (time, outputs, self._state),
            parallel_iterations=parallel_iterations,
            maximum_iterations=self._steps,
            swap_memory=swap_memory,
        )
        stacked = [each.stack() for each in written]
        for tensor, size in zip(stacked, self._output_sizes, strict=True):
            tensor.set_shape(known_shape(self._known_sizes, size))
        return nest.pack_sequence_as(self._zero_output, stacked), final_state

    def _arrays(self) -> tuple[tuple[TensorArray, ...], list[TensorArray]]:
        """The arrays of outputs, and those of inputs with the inputs in them."""
        with name_scope("dynamic_rnn") as scope:
            pass

        def array(name: str, dtype: Any, element_shape: TensorShape) -> TensorArray:
            return TensorArray(
                dtype, self._steps, element_shape=element_shape, tensor_array_name=scope + name
            )

        batch = TensorShape(self._known_sizes[1:])
        outputs = [
            array(f"output_{index}", self._dtype, batch.concatenate(shape_of_size(size)))
            for index, size in enumerate(self._output_sizes)
        ]
        inputs = [
            array(f"input_{index}", each.dtype, each.shape[1:])
            for index, each in enumerate(self._flat_inputs)
        ]
        filled = [
            each.unstack(tensor) for each, tensor in zip(inputs, self._flat_inputs, strict=True)
        ]
        return tuple(outputs), filled


def swap_batch_and_time(tensor: Tensor) -> Tensor:
    """A tensor with its first two dimensions, if it has two, in the other order."""
    known = tensor.shape
    if known.rank is not None and known.rank < 2:
        return tensor
    order = concat([[1, 0], range_of(2, rank(tensor))], axis=0)
    result = transpose(tensor, order)
    if known.rank is not None:
        result.set_shape(TensorShape([known[1], known[0]]).concatenate(known[2:]))
    return result


def batch_of_time_major(flat_inputs: Sequence[Any]) -> Any:
    """The batch of inputs [time, batch, ...], as an integer if one of them knows it.

    Raises:
      ValueError: An input has less than two dimensions.
    """
    for each in flat_inputs:
        if each.shape.rank is None:
            continue
        if each.shape.rank < 2:
            raise ValueError(f"Expected input tensor {each.name} to have rank at least 2")
        size = dimension_value(each.shape[1])
        if size is not None:
            return size
    return shape(flat_inputs[0])[1]


def _assert_shape(tensor: Tensor, sizes: Sequence[Any]) -> Operation | None:
    """Fails at run time unless a tensor has a shape."""
    have, want = shape(tensor), stack(sizes)
    data = [f"Expected shape for Tensor {tensor.name} is ", want, " but saw shape: ", have]
    return Assert(reduce_all(equal(have, want)), data)
