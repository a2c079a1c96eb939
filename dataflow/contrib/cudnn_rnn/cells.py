"""Cells that compute what NVIDIA's cuDNN computes, step by step."""

from __future__ import annotations

from typing import Any

from dataflow.contrib.rnn.block import LSTMBlockCell
from dataflow.library.layers.arguments import ZEROS, initializer_of
from dataflow.library.rnn.cell import SizedCell
from dataflow.ops.array.concat import concat
from dataflow.ops.array.split import split
from dataflow.ops.math.sigmoid import sigmoid
from dataflow.ops.nn.bias import xw_plus_b
from dataflow.variables.initializers import Constant


class CudnnCompatibleLSTMCell(LSTMBlockCell):
    """An LSTM without forget bias, limits and peepholes, as cuDNN has it.

    Args:
      num_units: Size of memory and output.
      reuse: Whether variables that exist in the cell's scope are shared.
    """

    def __init__(self, num_units: int, reuse: Any = None) -> None:
        super().__init__(
            num_units,
            forget_bias=0,
            cell_clip=None,
            use_peephole=False,
            reuse=reuse,
            name="cudnn_compatible_lstm_cell",
        )


class CudnnCompatibleGRUCell(SizedCell):
    """A GRU whose state is weighted before it is looked at, as cuDNN has it.

    `c = tanh(x @ W + b + r * (h @ U + d))`, the next state is `(1 - u) * c + u * h`.

    Args:
      num_units: Size of the state.
      reuse: Whether variables that exist in the cell's scope are shared.
      kernel_initializer: Initial value of the weights; the variable scope's default if None.
    """

    def __init__(self, num_units: int, reuse: Any = None, kernel_initializer: Any = None) -> None:
        super().__init__(num_units, None, reuse, None, None)
        self._kernel_initializer = initializer_of(kernel_initializer)

    def build(self, inputs_shape: Any) -> None:
        """Makes the weights of gates and candidates."""
        size, units = self._self_input_size(inputs_shape), self._num_units
        of_input, of_state = "candidate/input_projection", "candidate/hidden_projection"
        gates = self._kernel("gates", size + units, 2 * units)
        self._gate_weights = gates, self._bias("gates", 2 * units, Constant(1.0))
        kernels = self._kernel(of_input, size, units), self._kernel(of_state, units, units)
        self._input_weights = kernels[0], self._bias(of_input, units, ZEROS)
        self._state_weights = kernels[1], self._bias(of_state, units, ZEROS)
        self.built = True

    def _kernel(self, name: str, rows: int, columns: int) -> Any:
        return self.add_weight(
            f"{name}/kernel", shape=[rows, columns], initializer=self._kernel_initializer
        )

    def _bias(self, name: str, size: int, start: Any) -> Any:
        return self.add_weight(f"{name}/bias", shape=[size], initializer=start)

    def call(self, inputs: Any, state: Any) -> tuple[Any, Any]:
        """The new state, twice."""
        gates = xw_plus_b(concat([inputs, state], 1), *self._gate_weights)
        seen, kept = split(sigmoid(gates), 2, axis=1)
        of_state = xw_plus_b(state, *self._state_weights)
        new = self._activation(xw_plus_b(inputs, *self._input_weights) + seen * of_state)
        new_state = (1 - kept) * new + kept * state
        return new_state, new_state
