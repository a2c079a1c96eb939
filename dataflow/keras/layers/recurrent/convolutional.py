"""ConvLSTM2D: an LSTM of images, whose products are convolutions (Shi et al., 2015)."""

from __future__ import annotations

from typing import Any

from dataflow.keras import backend as K
from dataflow.keras import ops
from dataflow.keras.arguments import takes_arguments
from dataflow.keras.backend.settings import format_of
from dataflow.keras.engine.base_layer import Layer
from dataflow.keras.layers.recurrent.cells import LSTMCell
from dataflow.keras.layers.recurrent.layers import layer_of_cell
from dataflow.keras.layers.recurrent.rnn import RNN
from dataflow.library.layers.arguments import sizes, window_count
from dataflow.values.shapes import as_shape


class ConvLSTM2DCell(LSTMCell):
    """The cell; strides and dilation are those of the convolution of the inputs."""

    filters: int
    kernel_size: Any
    strides: Any
    padding: str
    data_format: str
    dilation_rate: Any

    @takes_arguments
    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = (1, 1),
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Any = (1, 1),
        activation: Any = "tanh",
        recurrent_activation: Any = "hard_sigmoid",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        unit_forget_bias: bool = True,
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        **kwargs: Any,
    ) -> None:
        Layer.__init__(self, **kwargs)
        self.kernel_size = sizes(kernel_size, 2, "kernel_size")
        self.strides = sizes(strides, 2, "strides")
        self.dilation_rate = sizes(dilation_rate, 2, "dilation_rate")
        self.padding, self.data_format = padding.lower(), format_of(data_format)
        self.units = filters
        self._settle()
        self.state_size = [filters, filters]
        self._gate_axis = 1 if self.data_format == "channels_first" else -1

    def build(self, input_shape: Any) -> None:
        """Makes `kernel`, `recurrent_kernel` and `bias`.

        Raises:
          ValueError: The number of channels is not known.
        """
        channels = as_shape(input_shape).as_list()[self._gate_axis]
        if channels is None:
            raise ValueError("The channel dimension of the inputs should be defined. Found `None`.")
        width = 4 * self.filters
        self.kernel = self._weight("kernel", "kernel", (*self.kernel_size, channels, width))
        self.recurrent_kernel = self._weight(
            "recurrent_kernel", "recurrent", (*self.kernel_size, self.filters, width)
        )
        self.bias = self._weight("bias", "bias", (width,)) if self.use_bias else None
        self.built = True

    def _product(self, inputs: Any, kernel: Any, bias: Any, recurrent: bool) -> Any:
        if recurrent:
            return K.conv2d(inputs, kernel, (1, 1), "same", self.data_format)
        product = K.conv2d(
            inputs, kernel, self.strides, self.padding, self.data_format, self.dilation_rate
        )
        return product if bias is None else K.bias_add(product, bias, self.data_format)

    def get_initial_state(
        self, inputs: Any = None, batch_size: Any = None, dtype: Any = None
    ) -> Any:
        """Zeros in the shape of the convolution of a step."""
        shape = self.kernel.shape.as_list()
        nothing = ops.zeros([*shape[:-1], self.filters], dtype=inputs.dtype)
        state = self._product(ops.zeros_like(inputs), nothing, None, False)
        return [state, state]


class ConvRNN2D(RNN):
    """A loop of a cell over sequences of images.

    Raises:
      TypeError: There are several cells, or the loop is to be unrolled.
    """

    _input_rank = 5

    def __init__(self, cell: Any, *args: Any, **kwargs: Any) -> None:
        if isinstance(cell, (list, tuple)):
            raise TypeError("It is not possible at the moment tostack convolutional cells.")
        super().__init__(cell, *args, **kwargs)
        if self.unroll:
            raise TypeError("Unrolling isn't possible with convolutional RNNs.")

    def _sizes(self, size: Any, inner: list[Any]) -> list[Any]:
        first = self.cell.data_format == "channels_first"
        lengths = []
        for place, length in enumerate(inner[1:] if first else inner[:2]):
            reach = (self.cell.kernel_size[place] - 1) * self.cell.dilation_rate[place] + 1
            strides = self.cell.strides[place]
            lengths.append(
                None if length is None else window_count(length, reach, self.cell.padding, strides)
            )
        return [size, *lengths] if first else [*lengths, size]


ConvLSTM2D = layer_of_cell(
    "ConvLSTM2D",
    ConvLSTM2DCell,
    "A loop of `ConvLSTM2DCell` over sequences of images.",
    ConvRNN2D,
    ("return_sequences", "go_backwards", "stateful"),
)
