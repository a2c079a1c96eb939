"""BasicRNNCell: the next state is a function of weighted inputs and state (Elman, 1990)."""

from __future__ import annotations

from typing import Any

from dataflow.graph.tensor import Tensor
from dataflow.library.layers.arguments import ZEROS
from dataflow.library.rnn.cell import SizedCell, check_types
from dataflow.ops.array.concat import concat
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.nn.bias import bias_add


class BasicRNNCell(SizedCell):
    """The state, which is the output, is `activation([inputs, state] @ kernel + bias)`.

    Args:
      num_units: Size of the state.
      activation: Function, or its name, of the sums; tanh if None.
      reuse: Whether variables that exist in the cell's scope are shared.
      name: Name of the cell and of its variable scope.
      dtype: Element type of the variables; that of the first inputs if None.
      **kwargs: See `tf.layers.Layer`.
    """

    def __init__(
        self,
        num_units: Any,
        activation: Any = None,
        reuse: Any = None,
        name: Any = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(num_units, activation, reuse, name, dtype, **kwargs)

    def build(self, inputs_shape: Any) -> None:
        """Makes `kernel` and `bias`."""
        rows = self._self_input_size(inputs_shape) + self._num_units
        self._kernel = self.add_weight("kernel", shape=[rows, self._num_units])
        self._bias = self.add_weight("bias", shape=[self._num_units], initializer=ZEROS)
        self.built = True

    def call(self, inputs: Any, state: Any) -> tuple[Tensor, Tensor]:
        """The new state, twice."""
        check_types(inputs, state)
        sums = bias_add(matmul(concat([inputs, state], 1), self._kernel), self._bias)
        output = self._activation(sums)
        return output, output
