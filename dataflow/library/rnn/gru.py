"""GRUCell: gates decide what of the state is seen and what is kept (Cho et al., 2014)."""

from __future__ import annotations

from typing import Any

from dataflow.graph.tensor import Tensor
from dataflow.library.layers.arguments import ZEROS, initializer_of
from dataflow.library.rnn.cell import SizedCell, check_types
from dataflow.ops.array.concat import concat
from dataflow.ops.array.split import split
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.math.sigmoid import sigmoid
from dataflow.ops.nn.bias import bias_add
from dataflow.variables.initializers import Constant


class GRUCell(SizedCell):
    """A gated recurrent unit.

    `r, u = sigmoid([inputs, state] @ gates/kernel + gates/bias)`,
    `c = activation([inputs, r * state] @ candidate/kernel + candidate/bias)`;
    the next state, which is the output, is `u * state + (1 - u) * c`.

    Args:
      num_units: Size of the state.
      activation: Function, or its name, that makes candidates; tanh if None.
      reuse: Whether variables that exist in the cell's scope are shared.
      kernel_initializer: Initial value of both kernels; the variable scope's default if None.
      bias_initializer: Initial value of both biases; 1 for the gates and 0 otherwise if None.
      name: Name of the cell and of its variable scope.
      dtype: Element type of the variables; that of the first inputs if None.
      **kwargs: See `tf.layers.Layer`.
    """

    _arguments = (*SizedCell._arguments, "kernel_initializer", "bias_initializer")

    def __init__(
        self,
        num_units: Any,
        activation: Any = None,
        reuse: Any = None,
        kernel_initializer: Any = None,
        bias_initializer: Any = None,
        name: Any = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(num_units, activation, reuse, name, dtype, **kwargs)
        self._kernel_initializer = initializer_of(kernel_initializer)
        self._bias_initializer = initializer_of(bias_initializer)

    def build(self, inputs_shape: Any) -> None:
        """Makes kernel and bias of the gates and of the candidates."""
        rows = self._self_input_size(inputs_shape) + self._num_units
        self._gate_kernel, self._gate_bias = self._weights("gates", rows, 2, Constant(1.0))
        self._candidate_kernel, self._candidate_bias = self._weights("candidate", rows, 1, ZEROS)
        self.built = True

    def _weights(self, what: str, rows: int, count: int, bias: Any) -> tuple[Any, Any]:
        columns = count * self._num_units
        kernel = self.add_weight(
            f"{what}/kernel", shape=[rows, columns], initializer=self._kernel_initializer
        )
        if self._bias_initializer is not None:
            bias = self._bias_initializer
        return kernel, self.add_weight(f"{what}/bias", shape=[columns], initializer=bias)

    def call(self, inputs: Any, state: Any) -> tuple[Tensor, Tensor]:
        """The new state, twice."""
        check_types(inputs, state)
        gates = bias_add(matmul(concat([inputs, state], 1), self._gate_kernel), self._gate_bias)
        seen, kept = split(sigmoid(gates), 2, axis=1)
        sums = matmul(concat([inputs, seen * state], 1), self._candidate_kernel)
        candidate = self._activation(bias_add(sums, self._candidate_bias))
        new_state = kept * state + (1 - kept) * candidate
        return new_state, new_state
