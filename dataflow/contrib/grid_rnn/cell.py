"""GridRNNCell: a cell for each dimension of a grid (Kalchbrenner and others, arXiv:1507.01526)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dataflow.contrib.layers import fully_connected, xavier_initializer
from dataflow.graph.tensor import Tensor
from dataflow.library.rnn.cell import RNNCell
from dataflow.library.rnn.lstm import LSTMCell
from dataflow.ops.array.concat import concat
from dataflow.ops.array.fill import zeros
from dataflow.ops.array.shape import shape
from dataflow.ops.array.slice import slice as slice_
from dataflow.ops.array.split import split
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.nn.activation import relu
from dataflow.values import logging, nest
from dataflow.values.shapes import dimension_value
from dataflow.variables.scope import get_variable, variable_scope

_SLOW = "%s: Using a concatenated %s is slower and will soon be deprecated.  Use %s_is_tuple=True."


class GridRNNCell(RNNCell):
    """A step of a grid, each dimension of which has a cell that sees what the others put out.

    Args:
      num_units: Size of each dimension's output.
      num_dims: Number of dimensions.
      input_dims: One dimension or several into which inputs are projected.
      output_dims: Those whose outputs are the cell's.
      priority_dims: Those that are computed last, and see the others' new outputs.
      non_recurrent_dims: Those without a state: layers with `non_recurrent_fn`.
      tied: Whether the dimensions share their weights; layers share other ones than cells.
      cell_fn: Makes the cell of a dimension, of `num_units`, whose state is a tuple if it has
        several parts; LSTMCell if None.
      non_recurrent_fn: Activation of the layers; relu if None.
      state_is_tuple: Whether the state is a tuple with the state of each recurrent dimension, or
        all of them side by side.
      output_is_tuple: The same of the outputs.

    Raises:
      ValueError: There is no dimension, or one that is named is not there.
      TypeError: `cell_fn` makes something else.
    """

    def __init__(
        self,
        num_units: int,
        num_dims: int = 1,
        input_dims: Any = None,
        output_dims: Any = None,
        priority_dims: Any = None,
        non_recurrent_dims: Any = None,
        tied: bool = False,
        cell_fn: Callable[[int], Any] | None = None,
        non_recurrent_fn: Any = None,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        super().__init__()
        for what, is_tuple in (("state", state_is_tuple), ("output", output_is_tuple)):
            if not is_tuple:
                logging.warning(_SLOW, self, what, what)
        if num_dims < 1:
            raise ValueError(f"dims must be >= 1: {num_dims}")
        self._num_units = num_units
        self._num_dims = num_dims
        self._inputs = _dimensions(input_dims, num_dims)
        self._outputs = _dimensions(output_dims, num_dims)
        self._priority = _dimensions(priority_dims, num_dims)
        layers = _dimensions(non_recurrent_dims, num_dims)
        self._recurrents = [each for each in range(num_dims) if each not in layers]
        self._others = [each for each in range(num_dims) if each not in self._priority]
        self._activation = non_recurrent_fn or relu
        self._tied = tied
        self._state_is_tuple = state_is_tuple
        self._output_is_tuple = output_is_tuple
        made = LSTMCell if cell_fn is None else cell_fn
        cells = [made(num_units) for _ in range(1 if tied else num_dims)]
        self._cells = cells * num_dims if tied else cells
        first = cells[0]
        if not isinstance(first, RNNCell):
            raise TypeError(f"cell_fn must return an RNNCell instance, saw: {type(first)}")
        self._of_each = [int(size) for size in nest.flatten(first.state_size)]
        state: Any = (first.state_size,) * len(self._recurrents)
        output: Any = (first.output_size,) * len(self._outputs)
        self._state_size = state if state_is_tuple else sum(self._of_each) * len(state)
        self._output_size = output if output_is_tuple else first.output_size * len(output)

    @property
    def state_size(self) -> Any:
        """A tuple of sizes, or one size."""
        return self._state_size

    @property
    def output_size(self) -> Any:
        """A tuple of sizes, or one size."""
        return self._output_size

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> tuple[Any, Any]:
        """A step.

        Args:
          inputs: A matrix whose columns are divided among the input dimensions, or a tuple with a
            matrix for each of them; None, or no columns, for no input.
          state: The state.
          scope: Scope of the variables; one with the class's name if None.

        Returns:
          The outputs and the new state.

        Raises:
          ValueError: The inputs or the state have another number of parts.
        """
        memories, hidden = self._parts(state)
        values = [each for each in (*memories, *hidden) if each is not None]
        dtype = nest.flatten(inputs)[0].dtype if inputs is not None else values[0].dtype
        outputs: list[Any] = [None] * self._num_dims
        states: list[Any] = [None] * self._num_dims
        with variable_scope(scope or type(self).__name__):
            self._project(inputs, memories, hidden)
            made: set[str] = set()
            for dimensions in (self._others, self._priority):
                self._propagate(dimensions, memories, hidden, outputs, states, made)
            chosen = [outputs[each] for each in self._outputs]
            kept = [states[each] for each in self._recurrents]
            output = tuple(chosen) if self._output_is_tuple else _beside(chosen, dtype)
            new_state = tuple(kept) if self._state_is_tuple else _beside(nest.flatten(kept), dtype)
        return output, new_state

    def _parts(self, state: Any) -> tuple[list[Any], list[Any]]:
        """The memory, if cells have one, and the output before, of each dimension that has them."""
        memories: list[Any] = [None] * self._num_dims
        hidden: list[Any] = [None] * self._num_dims
        if self._state_is_tuple:
            if len(self._recurrents) != len(state):
                raise ValueError(f"Expected state as a tuple of {len(self._recurrents)} element")
            each_state = [nest.flatten(each) for each in state]
        else:
            total = sum(self._of_each)
            starts = [sum(self._of_each[:index]) for index in range(len(self._of_each))]
            each_state = [
                [
                    slice_(state, [0, place * total + start], [-1, size])
                    for start, size in zip(starts, self._of_each, strict=True)
                ]
                for place in range(len(self._recurrents))
            ]
        for dimension, values in zip(self._recurrents, each_state, strict=True):
            if len(values) > 1:
                memories[dimension], hidden[dimension] = values
            else:
                (hidden[dimension],) = values
        return memories, hidden

    def _project(self, inputs: Any, memories: list[Any], hidden: list[Any]) -> None:
        """Puts projected inputs in the place of the states of input dimensions."""
        if inputs is None or not self._inputs:
            return
        if isinstance(inputs, tuple):
            if len(self._inputs) != len(inputs):
                raise ValueError(f"Expect inputs as a tuple of {len(self._inputs)} tensors")
            pieces: Sequence[Tensor] = inputs
        else:
            if dimension_value(inputs.shape.with_rank(2)[1]) == 0:
                return
            pieces = split(inputs, len(self._inputs), axis=1)
        size = dimension_value(pieces[0].shape.with_rank(2)[1])
        for piece, dimension in zip(pieces, self._inputs, strict=True):
            for kind, values in (("m", hidden), ("c", memories)):
                if kind == "m" or len(self._of_each) > 1:
                    weights = get_variable(
                        f"project_{kind}_{dimension}", [size, self._num_units], dtype=piece.dtype
                    )
                    values[dimension] = matmul(piece, weights)

    def _propagate(
        self,
        dimensions: Sequence[int],
        memories: list[Any],
        hidden: list[Any],
        outputs: list[Any],
        states: list[Any],
        made: set[str],
    ) -> None:
        """Computes some dimensions of what the others have at that time.

        Args:
          dimensions: Which ones.
          memories: By dimension, the memory before.
          hidden: By dimension, the output before.
          outputs: By dimension, the new output; filled here.
          states: By dimension, the new state; filled here.
          made: Scopes whose variables have been made in this step; filled here.
        """
        if not dimensions:
            return
        seen = [before if now is None else now for before, now in zip(hidden, outputs, strict=True)]
        last = seen[-1]
        if self._num_dims > 1:
            cell_inputs = concat(seen[:-1], 1)
        else:
            batch = dimension_value(last.shape[0])
            cell_inputs = zeros([shape(last)[0] if batch is None else batch, 0], last.dtype)
        for place in dimensions:
            is_recurrent = place in self._recurrents
            kind = "recurrent" if is_recurrent else "non_recurrent"
            with variable_scope(kind if self._tied else f"{kind}/cell_{place}") as within:
                if self._tied and kind in made:
                    within.reuse_variables()
                made.add(kind)
                if is_recurrent:
                    memory = memories[place]
                    state = last if memory is None else (memory, last)
                    outputs[place], states[place] = self._cells[place](cell_inputs, state)
                else:
                    outputs[place] = fully_connected(
                        concat([cell_inputs, last], 1) if self._num_dims > 1 else last,
                        num_outputs=self._num_units,
                        activation_fn=self._activation,
                        weights_initializer=within.initializer or xavier_initializer(),
                        weights_regularizer=within.regularizer,
                    )


def _dimensions(given: Any, count: int) -> list[int]:
    """Dimensions in order, each once.

    Raises:
      ValueError: One is not there.
    """
    if given is None:
        given = []
    found = sorted({*given} if isinstance(given, list | tuple) else {given})
    if any(each < 0 or each >= count for each in found):
        raise ValueError(f"Invalid dims: {found}. Must be in [0, {count})")
    return found


def _beside(tensors: Sequence[Tensor], dtype: Any) -> Tensor:
    return concat(tensors, 1) if tensors else zeros([0, 0], dtype)
