"""Convolutional LSTMs (Shi et al., 2015, arXiv:1506.04214)."""

from __future__ import annotations

from typing import Any

from dataflow.graph.tensor import Tensor
from dataflow.library.layers.arguments import ZEROS
from dataflow.library.rnn.cell import RNNCell
from dataflow.library.rnn.lstm import LSTMStateTuple
from dataflow.ops.array.concat import concat
from dataflow.ops.array.split import split
from dataflow.ops.math.sigmoid import sigmoid
from dataflow.ops.math.trig import tanh
from dataflow.ops.nn.convolution import convolution
from dataflow.values.shapes import TensorShape, dimension_value
from dataflow.variables.scope import get_variable


class ConvLSTMCell(RNNCell):
    """An LSTM whose sums are convolutions.

    Args:
      conv_ndims: How many dimensions are convolved over: 1, 2 or 3.
      input_shape: Shape of the inputs without the batch, channels last.
      output_channels: Number of channels of memory and output.
      kernel_shape: Sizes of the window.
      use_bias: Whether there is a bias.
      skip_connection: Whether inputs are joined to the outputs.
      forget_bias: What is added to the sums of the forget gate.
      initializers: Not used.
      name: Name of the cell and of its variable scope.

    Raises:
      ValueError: `input_shape` has not one dimension more than `conv_ndims`.
    """

    def __init__(
        self,
        conv_ndims: int,
        input_shape: Any,
        output_channels: int,
        kernel_shape: Any,
        use_bias: bool = True,
        skip_connection: bool = False,
        forget_bias: float = 1.0,
        initializers: Any = None,
        name: str = "conv_lstm_cell",
    ) -> None:
        super().__init__(name=name)
        if conv_ndims != len(input_shape) - 1:
            raise ValueError(f"Invalid input_shape {input_shape} for conv_ndims={conv_ndims}.")
        self._conv_ndims = conv_ndims
        self._input_shape = list(input_shape)
        self._output_channels = output_channels
        self._kernel_shape = list(kernel_shape)
        self._use_bias = use_bias
        self._forget_bias = forget_bias
        self._skip_connection = skip_connection

    @property
    def output_size(self) -> Any:
        """Shape of the outputs."""
        more = self._input_shape[-1] if self._skip_connection else 0
        return TensorShape([*self._input_shape[:-1], self._output_channels + more])

    @property
    def state_size(self) -> Any:
        """Shapes of memory and output."""
        size = TensorShape([*self._input_shape[:-1], self._output_channels])
        return LSTMStateTuple(size, size)

    def call(self, inputs: Any, state: Any, scope: Any = None) -> tuple[Any, Any]:
        """The outputs and the new state."""
        c, h = state
        sums = self._convolved(concat([inputs, h], -1))
        admit, new, forget, show = split(sums, 4, axis=self._conv_ndims + 1)
        new_c = sigmoid(forget + self._forget_bias) * c + sigmoid(admit) * tanh(new)
        new_h = tanh(new_c) * sigmoid(show)
        output = concat([new_h, inputs], -1) if self._skip_connection else new_h
        return output, LSTMStateTuple(new_c, new_h)

    def _convolved(self, joined: Tensor) -> Any:
        """Sums of the four parts.

        Raises:
          ValueError: There are not one, two or three dimensions to convolve over.
        """
        if joined.shape.rank not in (3, 4, 5):
            raise ValueError(f"Conv Linear expects 3D, 4D or 5D arguments: {joined.shape}")
        columns = 4 * self._output_channels
        size = [*self._kernel_shape, dimension_value(joined.shape[-1]), columns]
        kernel = get_variable("kernel", size, dtype=joined.dtype)
        result: Any = convolution(joined, kernel, padding="SAME")
        if not self._use_bias:
            return result
        bias = get_variable("biases", [columns], dtype=joined.dtype, initializer=ZEROS)
        return result + bias


class Conv1DLSTMCell(ConvLSTMCell):
    """`ConvLSTMCell` over one dimension.

    Args:
      name: Name of the cell and of its variable scope.
      **kwargs: See `ConvLSTMCell`.
    """

    def __init__(self, name: str = "conv_1d_lstm_cell", **kwargs: Any) -> None:
        super().__init__(conv_ndims=1, name=name, **kwargs)


class Conv2DLSTMCell(ConvLSTMCell):
    """`ConvLSTMCell` over two dimensions.

    Args:
      name: Name of the cell and of its variable scope.
      **kwargs: See `ConvLSTMCell`.
    """

    def __init__(self, name: str = "conv_2d_lstm_cell", **kwargs: Any) -> None:
        super().__init__(conv_ndims=2, name=name, **kwargs)


class Conv3DLSTMCell(ConvLSTMCell):
    """`ConvLSTMCell` over three dimensions.

    Args:
      name: Name of the cell and of its variable scope.
      **kwargs: See `ConvLSTMCell`.
    """

    def __init__(self, name: str = "conv_3d_lstm_cell", **kwargs: Any) -> None:
        super().__init__(conv_ndims=3, name=name, **kwargs)
