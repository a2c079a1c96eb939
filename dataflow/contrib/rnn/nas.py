"""NASCell: a cell that was found by a search (Zoph and Le, 2016, arXiv:1611.01578)."""

from __future__ import annotations

from typing import Any

from dataflow.contrib.rnn.parts import LSTMLike
from dataflow.library.layers.arguments import ZEROS
from dataflow.library.layers.layer import Layer
from dataflow.library.rnn.lstm import LSTMStateTuple
from dataflow.ops.array.split import split
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.math.sigmoid import sigmoid
from dataflow.ops.math.trig import tanh
from dataflow.ops.nn.activation import relu
from dataflow.ops.nn.bias import bias_add
from dataflow.values.shapes import TensorShape, dimension_value

_PARTS = 8


class NASCell(LSTMLike):
    """The cell that neural architecture search found.

    Args:
      num_units: Size of the memory.
      num_proj: Size of the output, for which it is projected; None for no projection.
      use_bias: Whether there is a bias.
      reuse: Whether variables that exist in the cell's scope are shared.
      **kwargs: See `tf.layers.Layer`.
    """

    def __init__(
        self,
        num_units: int,
        num_proj: int | None = None,
        use_bias: bool = False,
        reuse: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(num_units, num_proj, reuse, **kwargs)
        self._use_bias = use_bias

    def __call__(
        self, inputs: Any, state: Any, scope: Any = None, *args: Any, **kwargs: Any
    ) -> Any:
        """One step; see `RNNCell`."""
        return Layer.__call__(self, inputs, state, *args, scope=scope, **kwargs)

    def build(self, inputs_shape: Any) -> None:
        """Makes `recurrent_kernel` and `kernel`, and perhaps `bias` and `projection_weights`.

        Raises:
          ValueError: The size of the inputs is not known.
        """
        size = dimension_value(TensorShape(inputs_shape).with_rank(2)[1])
        if size is None:
            raise ValueError("Could not infer input size from inputs.get_shape()[-1]")
        columns = _PARTS * self._num_units
        self.recurrent_kernel = self.add_weight("recurrent_kernel", [self.output_size, columns])
        self.kernel = self.add_weight("kernel", [size, columns])
        if self._use_bias:
            self.bias = self.add_weight("bias", shape=[columns], initializer=ZEROS)
        if self._num_proj is not None:
            self.projection_weights = self.add_weight(
                "projection_weights", [self._num_units, self._num_proj]
            )
        self.built = True

    def call(self, inputs: Any, state: Any) -> tuple[Any, Any]:
        """The output and the new state."""
        c, m = state
        of_state = matmul(m, self.recurrent_kernel)
        if self._use_bias:
            of_state = bias_add(of_state, self.bias)
        a = split(of_state, _PARTS, axis=1)
        b = split(matmul(inputs, self.kernel), _PARTS, axis=1)
        first = tanh(sigmoid(b[0] + a[0]) * relu(b[1] + a[1]))
        second = tanh(sigmoid(b[2] + a[2]) + relu(b[3] * a[3]))
        third = tanh(tanh(b[4] + a[4]) * sigmoid(b[5] + a[5]))
        fourth = sigmoid(tanh(b[6] + a[6]) + sigmoid(b[7] + a[7]))
        new_c = tanh(first + c) * second
        new_m: Any = tanh(new_c * tanh(third + fourth))
        if self._num_proj is not None:
            new_m = matmul(new_m, self.projection_weights)
        return new_m, LSTMStateTuple(new_c, new_m)
