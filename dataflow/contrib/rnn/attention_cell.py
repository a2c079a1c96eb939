"""AttentionCellWrapper: a cell that attends to its own last outputs (arXiv:1601.06733)."""

from __future__ import annotations

from typing import Any

from dataflow.contrib.rnn.linear import Linear
from dataflow.graph.tensor import Tensor
from dataflow.library.rnn.cell import RNNCell, assert_like_rnncell
from dataflow.ops.array.concat import concat
from dataflow.ops.array.shape import expand_dims, reshape
from dataflow.ops.array.split import split
from dataflow.ops.math.trig import tanh
from dataflow.ops.nn.convolution import conv2d
from dataflow.ops.nn.softmax import softmax
from dataflow.ops.reductions.reduce import reduce_sum
from dataflow.values import nest
from dataflow.values.shapes import dimension_value
from dataflow.variables.scope import get_variable, variable_scope


class AttentionCellWrapper(RNNCell):
    """A cell whose inputs and outputs are joined with attention to its last outputs.

    Args:
      cell: An `RNNCell`.
      attn_length: How many of the last outputs it attends to.
      attn_size: Size of what it attends to; that of the cell's outputs if None.
      attn_vec_size: Size of what is compared; `attn_size` if None.
      input_size: Size of the cell's inputs; that of its own inputs if None.
      state_is_tuple: Whether states are tuples, not joined.
      reuse: Whether variables that exist in the cell's scope are shared.

    Raises:
      TypeError: `cell` is no cell.
      ValueError: The cell's state is a structure and `state_is_tuple` is false, or `attn_length` is
        not above 0.
    """

    def __init__(
        self,
        cell: Any,
        attn_length: int,
        attn_size: int | None = None,
        attn_vec_size: int | None = None,
        input_size: int | None = None,
        state_is_tuple: bool = True,
        reuse: Any = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        assert_like_rnncell("cell", cell)
        if nest.is_nested(cell.state_size) and not state_is_tuple:
            raise ValueError(
                "Cell returns tuple of states, but the flag state_is_tuple is not set. State size "
                f"is: {cell.state_size}"
            )
        if attn_length <= 0:
            raise ValueError(f"attn_length should be greater than zero, got {attn_length}")
        self._state_is_tuple = state_is_tuple
        self._cell = cell
        self._input_size = input_size
        self._attn_size = attn_size or cell.output_size
        self._attn_vec_size = attn_vec_size or self._attn_size
        self._attn_length = attn_length
        self._linear1: Any = None
        self._linear2: Any = None
        self._linear3: Any = None

    @property
    def state_size(self) -> Any:
        """Sizes of the cell's state, the last attention and the last outputs; or their sum."""
        return self._sizes() if self._state_is_tuple else sum(self._sizes())

    @property
    def output_size(self) -> Any:
        """Size of the outputs."""
        return self._attn_size

    def call(self, inputs: Any, state: Any) -> tuple[Any, Any]:
        """Outputs and new state."""
        parts = state if self._state_is_tuple else split(state, list(self._sizes()), axis=1)
        cell_state, attention, last = parts
        last = reshape(last, [-1, self._attn_length, self._attn_size])
        size = self._input_size or dimension_value(inputs.shape[1])
        if self._linear1 is None:
            self._linear1 = Linear([inputs, attention], size, True)
        outputs, new_state = self._cell(self._linear1([inputs, attention]), cell_state)
        query = concat(nest.flatten(new_state), 1) if self._state_is_tuple else new_state
        new_attention, kept = self._attend(query, last)
        with variable_scope("attn_output_projection"):
            if self._linear2 is None:
                self._linear2 = Linear([outputs, new_attention], self._attn_size, True)
            output = self._linear2([outputs, new_attention])
        seen = reshape(
            concat([kept, expand_dims(output, 1)], 1), [-1, self._attn_length * self._attn_size]
        )
        new = (new_state, new_attention, seen)
        return output, new if self._state_is_tuple else concat(list(new), 1)

    def _sizes(self) -> tuple[Any, int, int]:
        return (self._cell.state_size, self._attn_size, self._attn_size * self._attn_length)

    def _attend(self, query: Tensor, last: Tensor) -> tuple[Any, Any]:
        """The attention, and the last outputs but the first of them."""
        with variable_scope("attention"):
            kernel = get_variable("attn_w", [1, 1, self._attn_size, self._attn_vec_size])
            v = get_variable("attn_v", [self._attn_vec_size])
            hidden = reshape(last, [-1, self._attn_length, 1, self._attn_size])
            features = conv2d(hidden, kernel, [1, 1, 1, 1], "SAME")
            if self._linear3 is None:
                self._linear3 = Linear(query, self._attn_vec_size, True)
            y = reshape(self._linear3(query), [-1, 1, 1, self._attn_vec_size])
            weights = softmax(reduce_sum(v * tanh(features + y), [2, 3]))
            seen = reduce_sum(reshape(weights, [-1, self._attn_length, 1, 1]) * hidden, [1, 2])
            return reshape(seen, [-1, self._attn_size]), last[:, 1:]
