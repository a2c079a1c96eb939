"""Cells each step of which is one op: LSTMBlockCell and GRUBlockCell."""

from __future__ import annotations

from typing import Any

from dataflow.library.layers.arguments import ZEROS
from dataflow.library.rnn.cell import SizedCell
from dataflow.library.rnn.lstm import LSTMStateTuple
from dataflow.ops.array.fill import zeros
from dataflow.ops.sequences.gru_block import gru_block_cell
from dataflow.ops.sequences.lstm_block import lstm_block_cell
from dataflow.variables.initializers import Constant


class LSTMBlockCell(SizedCell):
    """A BasicLSTMCell that is one op, with peepholes and limits.

    Args:
      num_units: Size of memory and output.
      forget_bias: What is added to the sums of the forget gate.
      cell_clip: The memory stays between this and its negative; None for no limits.
      use_peephole: Whether the gates see the memory.
      dtype: Element type of the variables; that of the first inputs if None.
      reuse: Whether variables that exist in the cell's scope are shared.
      name: Name of the cell and of its variable scope.
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        cell_clip: Any = None,
        use_peephole: bool = False,
        dtype: Any = None,
        reuse: Any = None,
        name: str = "lstm_cell",
    ) -> None:
        super().__init__(num_units, None, reuse, name, dtype)
        self._forget_bias = forget_bias
        self._cell_clip = cell_clip if cell_clip is not None else -1
        self._use_peephole = use_peephole

    @property
    def state_size(self) -> Any:
        """Sizes of memory and output."""
        return LSTMStateTuple(self._num_units, self._num_units)

    def build(self, inputs_shape: Any) -> None:
        """Makes `kernel` and `bias`, and weights of peepholes."""
        rows = self._self_input_size(inputs_shape) + self._num_units
        self._kernel = self.add_weight("kernel", [rows, 4 * self._num_units])
        self._bias = self.add_weight("bias", [4 * self._num_units], initializer=ZEROS)
        self._diagonals = peephole_weights(self, self._use_peephole)
        self.built = True

    def call(self, inputs: Any, state: Any) -> tuple[Any, Any]:
        """The output and the new state.

        Raises:
          ValueError: The state is no pair.
        """
        if len(state) != 2:
            raise ValueError("Expecting state to be a tuple with length 2.")
        c, h = state
        unseen = zeros([self._num_units], dtype=inputs.dtype)
        see_i, see_f, see_o = self._diagonals or (unseen, unseen, unseen)
        _, new_c, _, _, _, _, new_h = lstm_block_cell(
            inputs,
            c,
            h,
            self._kernel,
            see_i,
            see_f,
            see_o,
            self._bias,
            forget_bias=self._forget_bias,
            cell_clip=self._cell_clip,
            use_peephole=self._use_peephole,
        )
        return new_h, LSTMStateTuple(new_c, new_h)


def peephole_weights(cell: Any, there_are: bool) -> tuple[Any, ...] | None:
    """`w_i_diag`, `w_f_diag` and `w_o_diag` of a cell, if there are to be any."""
    if not there_are:
        return None
    return tuple(
        cell.add_weight(name, [cell._num_units]) for name in ("w_i_diag", "w_f_diag", "w_o_diag")
    )


class GRUBlockCell(SizedCell):
    """A GRUCell that is one op.

    Args:
      num_units: Size of the state.
      cell_size: Another name of it.
      reuse: Whether variables that exist in the cell's scope are shared.
      name: Name of the cell and of its variable scope.

    Raises:
      ValueError: Both sizes are given, or none.
    """

    _names = ("w_ru", "b_ru", "w_c", "b_c")

    def __init__(
        self,
        num_units: Any = None,
        cell_size: Any = None,
        reuse: Any = None,
        name: str = "gru_cell",
    ) -> None:
        if num_units is not None and cell_size is not None:
            raise ValueError("Cannot specify both 'cell_size' and 'num_units'.")
        units = cell_size if num_units is None else num_units
        if units is None:
            raise ValueError("num_units must be specified.")
        super().__init__(units, None, reuse, name, None)

    def build(self, inputs_shape: Any) -> None:
        """Makes kernel and bias of gates and candidates."""
        units = self._num_units
        rows = self._self_input_size(inputs_shape) + units
        w_ru, b_ru, w_c, b_c = self._names
        self._gate_kernel = self.add_weight(w_ru, [rows, 2 * units])
        self._gate_bias = self.add_weight(b_ru, [2 * units], initializer=Constant(1.0))
        self._candidate_kernel = self.add_weight(w_c, [rows, units])
        self._candidate_bias = self.add_weight(b_c, [units], initializer=Constant(0.0))
        self.built = True

    def call(self, inputs: Any, state: Any) -> tuple[Any, Any]:
        """The new state, twice."""
        _, _, _, new_h = gru_block_cell(
            inputs,
            state,
            self._gate_kernel,
            self._candidate_kernel,
            self._gate_bias,
            self._candidate_bias,
        )
        return new_h, new_h


class GRUBlockCellV2(GRUBlockCell):
    """`GRUBlockCell` whose variables have the names of GRUCell's.

    Args:
      num_units: Size of the state.
      cell_size: Another name of it.
      reuse: Whether variables that exist in the cell's scope are shared.
      name: Name of the cell and of its variable scope.

    Raises:
      ValueError: Both sizes are given, or none.
    """

    _names = ("gates/kernel", "gates/bias", "candidate/kernel", "candidate/bias")
