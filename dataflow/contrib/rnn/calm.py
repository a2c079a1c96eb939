"""Cells whose states stay calm: MinimalRNNCell and CFNCell."""

from __future__ import annotations

from typing import Any

from dataflow.graph.tensor import Tensor
from dataflow.library.layers.arguments import initializer_of
from dataflow.library.rnn.cell import SizedCell
from dataflow.ops.array.concat import concat
from dataflow.ops.array.split import split
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.math.sigmoid import sigmoid
from dataflow.ops.nn.bias import bias_add


class _Named(SizedCell):
    """A cell whose activation and initializers may be given by name."""

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "ones",
        name: Any = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(units, activation, None, name, dtype, **kwargs)
        self.units = units
        self.activation = self._activation
        self.kernel_initializer = initializer_of(kernel_initializer)
        self.bias_initializer = initializer_of(bias_initializer)


class MinimalRNNCell(_Named):
    """One gate between the state and the projected inputs (Chen et al., 2018, arXiv:1806.05394).

    Args:
      units: Size of the state, which is the output.
      activation: Of new values, or its name.
      kernel_initializer: Initial value of the weights, or its name.
      bias_initializer: Initial value of the gates' biases, or its name.
      name: Name of the cell and of its variable scope.
      dtype: Element type of the variables; that of the first inputs if None.
      **kwargs: See `tf.layers.Layer`.
    """

    def build(self, inputs_shape: Any) -> None:
        """Makes `kernel`, which projects inputs and weighs the gate's, and `bias`."""
        self._rows = self._self_input_size(inputs_shape)
        shape = [self._rows + 2 * self.units, self.units]
        self.kernel = self.add_weight("kernel", shape, initializer=self.kernel_initializer)
        self.bias = self.add_weight("bias", [self.units], initializer=self.bias_initializer)
        self.built = True

    def call(self, inputs: Any, state: Any) -> tuple[Tensor, Tensor]:
        """The new state, twice."""
        projection, of_gate = split(self.kernel, [self._rows, 2 * self.units], axis=0)
        new = self.activation(matmul(inputs, projection))
        kept = sigmoid(bias_add(matmul(concat([new, state], 1), of_gate), self.bias))
        new_state = kept * state + (1 - kept) * new
        return new_state, new_state


class CFNCell(_Named):
    """A net without chaos (Laurent and von Brecht, 2017, openreview.net/pdf?id=S1dIzvclg).

    Args:
      units: Size of the state, which is the output.
      activation: Of new values, or its name.
      kernel_initializer: Initial value of the weights, or its name.
      bias_initializer: Initial value of the gates' biases, or its name.
      name: Name of the cell and of its variable scope.
      dtype: Element type of the variables; that of the first inputs if None.
      **kwargs: See `tf.layers.Layer`.
    """

    def build(self, inputs_shape: Any) -> None:
        """Makes `kernel` for inputs, `recurrent_kernel` for the state, and `bias`."""
        of_inputs = [self._self_input_size(inputs_shape), 3 * self.units]
        of_state = [self.units, 2 * self.units]
        start = self.kernel_initializer
        self.kernel = self.add_weight("kernel", of_inputs, initializer=start)
        self.recurrent_kernel = self.add_weight("recurrent_kernel", of_state, initializer=start)
        self.bias = self.add_weight("bias", [2 * self.units], initializer=self.bias_initializer)
        self.built = True

    def call(self, inputs: Any, state: Any) -> tuple[Tensor, Tensor]:
        """The new state, twice."""
        of_gates, projection = split(self.kernel, [2 * self.units, self.units], axis=1)
        sums = matmul(state, self.recurrent_kernel) + matmul(inputs, of_gates)
        kept, shut = split(sigmoid(bias_add(sums, self.bias)), 2, axis=1)
        new = self.activation(matmul(inputs, projection))
        new_state = kept * self.activation(state) + (1 - shut) * new
        return new_state, new_state
