"""Cells each of whose units sees its own state only (Li et al., 2018, arXiv:1803.04831)."""

from __future__ import annotations

from typing import Any

from dataflow.library.layers.arguments import ZEROS
from dataflow.library.rnn.cell import SizedCell
from dataflow.library.rnn.lstm import LSTMStateTuple
from dataflow.ops.array.concat import concat
from dataflow.ops.array.split import split
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.math.sigmoid import sigmoid
from dataflow.ops.nn.bias import bias_add
from dataflow.variables.initializers import Constant, RandomUniform


class _Independent(SizedCell):
    def _own(self, name: str, parts: int) -> Any:
        """How units weigh their own state."""
        size = [1, parts * self._num_units]
        return self.add_weight(name, shape=size, initializer=RandomUniform(-1.0, 1.0))


class IndRNNCell(_Independent):
    """The state, which is the output, is `activation(inputs @ kernel_w + state * kernel_u + bias)`.

    Args:
      num_units: Size of the state.
      activation: tanh if None.
      reuse: Whether variables that exist in the cell's scope are shared.
      name: Name of the cell and of its variable scope.
      dtype: Element type of the variables; that of the first inputs if None.
    """

    def __init__(
        self,
        num_units: int,
        activation: Any = None,
        reuse: Any = None,
        name: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(num_units, activation, reuse, name, dtype)

    def build(self, inputs_shape: Any) -> None:
        """Makes `kernel_w`, `kernel_u` and `bias`."""
        size = self._self_input_size(inputs_shape)
        self._kernel_w = self.add_weight("kernel_w", shape=[size, self._num_units])
        self._kernel_u = self._own("kernel_u", 1)
        self._bias = self.add_weight("bias", shape=[self._num_units], initializer=ZEROS)
        self.built = True

    def call(self, inputs: Any, state: Any) -> tuple[Any, Any]:
        """The new state, twice."""
        sums = matmul(inputs, self._kernel_w) + state * self._kernel_u
        output = self._activation(bias_add(sums, self._bias))
        return output, output


class IndyGRUCell(_Independent):
    """A GRU each of whose units sees its own state only.

    Args:
      num_units: Size of the state.
      activation: tanh if None.
      reuse: Whether variables that exist in the cell's scope are shared.
      kernel_initializer: Initial value of the inputs' weights.
      bias_initializer: Initial value of both biases; 1 for the gates and 0 otherwise if None.
      name: Name of the cell and of its variable scope.
      dtype: Element type of the variables; that of the first inputs if None.
    """

    def __init__(
        self,
        num_units: int,
        activation: Any = None,
        reuse: Any = None,
        kernel_initializer: Any = None,
        bias_initializer: Any = None,
        name: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(num_units, activation, reuse, name, dtype)
        self._kernel_initializer = kernel_initializer
        self._bias_initializer = bias_initializer

    def build(self, inputs_shape: Any) -> None:
        """Makes the weights of gates and candidates."""
        size = self._self_input_size(inputs_shape)
        self._gates = self._weights("gates", "gates/kernel_w", size, 2, Constant(1.0))
        self._candidate = self._weights("candidate", "candidate/kernel", size, 1, ZEROS)
        self.built = True

    def _weights(self, what: str, kernel: str, size: int, parts: int, bias: Any) -> Any:
        columns = parts * self._num_units
        weights = self.add_weight(
            kernel, shape=[size, columns], initializer=self._kernel_initializer
        )
        own = self._own(f"{what}/kernel_u", parts)
        start = bias if self._bias_initializer is None else self._bias_initializer
        return weights, own, self.add_weight(f"{what}/bias", shape=[columns], initializer=start)

    def call(self, inputs: Any, state: Any) -> tuple[Any, Any]:
        """The new state, twice."""
        kernel, own, bias = self._gates
        sums = matmul(inputs, kernel) + concat([state, state], 1) * own
        seen, kept = split(sigmoid(bias_add(sums, bias)), 2, axis=1)
        kernel, own, bias = self._candidate
        sums = matmul(inputs, kernel) + seen * state * own
        new = kept * state + (1 - kept) * self._activation(bias_add(sums, bias))
        return new, new


class IndyLSTMCell(_Independent):
    """An LSTM each of whose units sees its own state only (arXiv:1903.08023).

    Args:
      num_units: Size of memory and output.
      forget_bias: What is added to the sums of the forget gate.
      activation: tanh if None.
      reuse: Whether variables that exist in the cell's scope are shared.
      kernel_initializer: Initial value of the inputs' weights.
      bias_initializer: Initial value of the bias; 0 if None.
      name: Name of the cell and of its variable scope.
      dtype: Element type of the variables; that of the first inputs if None.
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        activation: Any = None,
        reuse: Any = None,
        kernel_initializer: Any = None,
        bias_initializer: Any = None,
        name: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(num_units, activation, reuse, name, dtype)
        self._forget_bias = forget_bias
        self._kernel_initializer = kernel_initializer
        self._bias_initializer = bias_initializer

    @property
    def state_size(self) -> Any:
        """Sizes of memory and output."""
        return LSTMStateTuple(self._num_units, self._num_units)

    def build(self, inputs_shape: Any) -> None:
        """Makes `kernel_w`, `kernel_u` and `bias`."""
        size, columns = self._self_input_size(inputs_shape), 4 * self._num_units
        self._kernel_w = self.add_weight(
            "kernel_w", shape=[size, columns], initializer=self._kernel_initializer
        )
        self._kernel_u = self._own("kernel_u", 4)
        start = ZEROS if self._bias_initializer is None else self._bias_initializer
        self._bias = self.add_weight("bias", shape=[columns], initializer=start)
        self.built = True

    def call(self, inputs: Any, state: Any) -> tuple[Any, Any]:
        """The output and the new state."""
        c, h = state
        sums = matmul(inputs, self._kernel_w) + concat([h] * 4, 1) * self._kernel_u
        admit, new, forget, show = split(bias_add(sums, self._bias), 4, axis=1)
        new_c = c * sigmoid(forget + self._forget_bias) + sigmoid(admit) * self._activation(new)
        new_h = self._activation(new_c) * sigmoid(show)
        return new_h, LSTMStateTuple(new_c, new_h)
