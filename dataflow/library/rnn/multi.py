"""MultiRNNCell: cells one on the other, each of which takes the outputs of the one below."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.graph.scopes import name_scope
from dataflow.library.layers.base import BaseLayer
from dataflow.library.rnn.cell import RNNCell
from dataflow.ops.array.concat import concat
from dataflow.ops.array.slice import slice as slice_of
from dataflow.values import logging, nest
from dataflow.variables.scope import variable_scope
from dataflow.variables.tracked import is_trackable


class MultiRNNCell(RNNCell):
    """Cells one on the other.

    Args:
      cells: The cells, from the one that takes the inputs to the one that gives the outputs.
      state_is_tuple: Whether states are tuples, a state for each cell, not side by side.

    Raises:
      ValueError: There is no cell, or states of cells that are tuples should be side by side.
      TypeError: `cells` is no list.
    """

    def __init__(self, cells: Sequence[Any], state_is_tuple: bool = True) -> None:
        super().__init__()
        if not cells:
            raise ValueError("Must specify at least one cell for MultiRNNCell.")
        if not nest.is_nested(cells):
            raise TypeError(f"cells must be a list or tuple, but saw: {cells}.")
        if len({id(cell) for cell in cells}) < len(cells):
            logging.log_first_n(
                logging.WARN,
                "At least two cells provided to MultiRNNCell are the same object and will share "
                "weights.",
                1,
            )
        self._cells = cells
        self._state_is_tuple = state_is_tuple
        if not state_is_tuple and any(nest.is_nested(cell.state_size) for cell in cells):
            raise ValueError(
                "Some cells return tuples of states, but the flag state_is_tuple is not set.  "
                f"State sizes are: {[cell.state_size for cell in cells]}"
            )
        for index, cell in enumerate(cells):
            if is_trackable(cell):
                self._track_trackable(cell, f"cell-{index}")

    @property
    def state_size(self) -> Any:
        """Sizes of the cells' states, or their sum."""
        sizes = [cell.state_size for cell in self._cells]
        return tuple(sizes) if self._state_is_tuple else sum(sizes)

    @property
    def output_size(self) -> Any:
        """Size of the outputs, which are those of the last cell."""
        return self._cells[-1].output_size

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """A state of zeros for a number of examples."""
        with name_scope(f"{type(self).__name__}ZeroState"):
            if self._state_is_tuple:
                return tuple(cell.zero_state(batch_size, dtype) for cell in self._cells)
            return super().zero_state(batch_size, dtype)

    @property
    def trainable_weights(self) -> list[Any]:
        """The cells' variables that optimizers train."""
        if not self.trainable:
            return []
        return [each for cell in self._self_layers() for each in cell.trainable_weights]

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The cells' other variables."""
        others = [each for cell in self._self_layers() for each in cell.non_trainable_weights]
        if self.trainable:
            return others
        return [each for cell in self._self_layers() for each in cell.trainable_weights] + others

    def _self_layers(self) -> list[BaseLayer]:
        return [cell for cell in self._cells if isinstance(cell, BaseLayer)]

    def call(self, inputs: Any, state: Any) -> tuple[Any, Any]:
        """The outputs of the last cell, and the new states."""
        if self._state_is_tuple and not nest.is_nested(state):
            raise ValueError(
                f"Expected state to be a tuple of length {len(self.state_size)}, but received: "
                f"{state}"
            )
        states = []
        start = 0
        for index, cell in enumerate(self._cells):
            with variable_scope(f"cell_{index}"):
                if self._state_is_tuple:
                    before = state[index]
                else:
                    before = slice_of(state, [0, start], [-1, cell.state_size])
                    start += cell.state_size
                inputs, after = cell(inputs, before)
                states.append(after)
        return inputs, tuple(states) if self._state_is_tuple else concat(states, 1)
