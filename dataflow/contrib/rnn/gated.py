"""Cells with few gates: UGRNNCell and IntersectionRNNCell (Collins et al., 2016), SRUCell."""

from __future__ import annotations

from typing import Any

from dataflow.contrib.rnn.linear import Linear
from dataflow.contrib.rnn.parts import input_size
from dataflow.graph.variable_scope_object import get_variable_scope
from dataflow.library.layers.arguments import ZEROS
from dataflow.library.rnn.cell import RNNCell, SizedCell
from dataflow.ops.array.concat import concat
from dataflow.ops.array.split import split
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.math.sigmoid import sigmoid
from dataflow.ops.math.trig import tanh
from dataflow.ops.nn.activation import relu
from dataflow.ops.nn.bias import bias_add
from dataflow.variables.scope import variable_scope


class _OneState(RNNCell):
    """A cell whose state and output are `num_units` numbers."""

    def __init__(self, num_units: int, reuse: Any, **kwargs: Any) -> None:
        super().__init__(_reuse=reuse, **kwargs)
        self._num_units = num_units

    @property
    def state_size(self) -> Any:
        """Size of the state."""
        return self._num_units

    @property
    def output_size(self) -> Any:
        """Size of the outputs."""
        return self._num_units


class UGRNNCell(_OneState):
    """A recurrent net with an update gate (Collins et al., 2016, arXiv:1611.09913).

    Args:
      num_units: Size of the state.
      initializer: Initial value of the weights; the variable scope's default if None.
      forget_bias: What is added to the sums of the gate.
      activation: Of new values.
      reuse: Whether variables that exist in the cell's scope are shared.
    """

    def __init__(
        self,
        num_units: int,
        initializer: Any = None,
        forget_bias: float = 1.0,
        activation: Any = tanh,
        reuse: Any = None,
    ) -> None:
        super().__init__(num_units, reuse)
        self._initializer = initializer
        self._forget_bias = forget_bias
        self._activation = activation
        self._linear: Any = None

    def call(self, inputs: Any, state: Any) -> tuple[Any, Any]:
        """The new state, twice."""
        input_size(inputs)
        with variable_scope(get_variable_scope(), initializer=self._initializer):
            joined = concat([inputs, state], 1)
            if self._linear is None:
                self._linear = Linear(joined, 2 * self._num_units, True)
            gate, new = split(self._linear(joined), 2, axis=1)
        kept = sigmoid(gate + self._forget_bias)
        new_state = kept * state + (1.0 - kept) * self._activation(new)
        return new_state, new_state


class IntersectionRNNCell(_OneState):
    """A recurrent net with a gate for time and one for depth (Collins et al., 2016).

    Args:
      num_units: Size of state and outputs, and of inputs unless they are projected.
      num_in_proj: `num_units` if inputs are to be projected to that size; None if not.
      initializer: Initial value of the weights; the variable scope's default if None.
      forget_bias: What is added to the sums of the gates.
      y_activation: Of what is passed on in depth.
      reuse: Whether variables that exist in the cell's scope are shared.
    """

    def __init__(
        self,
        num_units: int,
        num_in_proj: int | None = None,
        initializer: Any = None,
        forget_bias: float = 1.0,
        y_activation: Any = relu,
        reuse: Any = None,
    ) -> None:
        super().__init__(num_units, reuse)
        self._initializer = initializer
        self._forget_bias = forget_bias
        self._num_input_proj = num_in_proj
        self._y_activation = y_activation
        self._linear1: Any = None
        self._linear2: Any = None

    def call(self, inputs: Any, state: Any) -> tuple[Any, Any]:
        """Outputs and new state.

        Raises:
          ValueError: Inputs have not the size of the state, and are not projected.
        """
        size = input_size(inputs)
        with variable_scope(get_variable_scope(), initializer=self._initializer):
            if size != self._num_units:
                if not self._num_input_proj:
                    raise ValueError(
                        "Must have input size == output size for Intersection RNN. To fix, "
                        "num_in_proj should be set to num_units at cell init."
                    )
                with variable_scope("in_projection"):
                    if self._linear1 is None:
                        self._linear1 = Linear(inputs, self._num_units, True)
                    inputs = self._linear1(inputs)
            joined = concat([inputs, state], 1)
            if self._linear2 is None:
                self._linear2 = Linear(joined, 4 * self._num_units, True)
            time_gate, new, depth_gate, shown = split(self._linear2(joined), 4, axis=1)
        kept = sigmoid(time_gate + self._forget_bias)
        passed = sigmoid(depth_gate + self._forget_bias)
        new_state = kept * state + (1.0 - kept) * tanh(new)
        return passed * inputs + (1.0 - passed) * self._y_activation(shown), new_state


class SRUCell(SizedCell):
    """The simple recurrent unit (Lei et al., 2017, arXiv:1709.02755); inputs have the state's size.

    Args:
      num_units: Size of the state.
      activation: Of the state; tanh if None.
      reuse: Whether variables that exist in the cell's scope are shared.
      name: Name of the cell and of its variable scope.
      **kwargs: See `tf.layers.Layer`.
    """

    def __init__(
        self,
        num_units: int,
        activation: Any = None,
        reuse: Any = None,
        name: Any = None,
        **kwargs: Any,
    ) -> None:
        dtype = kwargs.pop("dtype", None)
        super().__init__(num_units, activation, reuse, name, dtype, **kwargs)

    def build(self, inputs_shape: Any) -> None:
        """Makes `kernel` and `bias`."""
        size = self._self_input_size(inputs_shape)
        self._kernel = self.add_weight("kernel", shape=[size, 4 * self._num_units])
        self._bias = self.add_weight("bias", shape=[2 * self._num_units], initializer=ZEROS)
        self.built = True

    def call(self, inputs: Any, state: Any) -> tuple[Any, Any]:
        """The output and the new state."""
        new, forget, reset, shown = split(matmul(inputs, self._kernel), 4, axis=1)
        gates = sigmoid(bias_add(concat([forget, reset], 1), self._bias))
        kept, seen = split(gates, 2, axis=1)
        c = kept * state + (1.0 - kept) * new
        return seen * self._activation(c) + (1.0 - seen) * shown, c
