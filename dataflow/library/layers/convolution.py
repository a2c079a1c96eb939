"""Convolutions in one to three dimensions."""

from __future__ import annotations

from typing import Any, ClassVar

import dataflow.ops.array.shape as array_shape
from dataflow.library.layers.arguments import (
    ZEROS,
    activation_of,
    data_format_of,
    initializer_of,
    op_format,
    padding_of,
    sizes,
    window_count,
)
from dataflow.library.layers.base import BaseLayer
from dataflow.library.layers.functional import function_of
from dataflow.library.layers.input_spec import InputSpec
from dataflow.library.layers.layer import Layer
from dataflow.ops.array.pad import pad
from dataflow.ops.nn.arguments import over_batch_dims
from dataflow.ops.nn.bias import bias_add
from dataflow.ops.nn.convolution import convolution
from dataflow.values.shapes import TensorShape, as_shape


class Conv(BaseLayer):
    """`activation(convolution of the inputs with kernel + bias)`.

    Args:
      filters: Number of output channels.
      kernel_size: Size of the windows: one number, or one for each spatial dimension.
      strides: Steps between windows, in the same forms.
      padding: "valid"; "same", which pads so that windows begin at every step; with one dimension
        also "causal", which pads in front, so that no output depends on later inputs.
      data_format: "channels_last", or "channels_first".
      dilation_rate: Distance of two taps of a window, in the forms of `strides`.
      activation: Function of the sums, or its name; None for none.
      use_bias: Whether there is a `bias`.
      kernel_initializer: Initial value of `kernel`; the variable scope's default if None.
      bias_initializer: Initial value of `bias`.
      kernel_regularizer: Makes a loss of `kernel`.
      bias_regularizer: Makes a loss of `bias`.
      activity_regularizer: Makes a loss of the output.
      kernel_constraint: Function that optimizers apply to `kernel` after an update.
      bias_constraint: The same for `bias`.
      trainable: Whether optimizers train the variables.
      name: Name of the layer.
      **kwargs: See `Layer`.

    Raises:
      ValueError: An argument is not among the values it can have.
    """

    rank: ClassVar[int]
    kernel: Any
    bias: Any

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str | None = "channels_last",
        dilation_rate: Any = 1,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = ZEROS,
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(trainable, name, activity_regularizer=activity_regularizer, **kwargs)
        self.filters = int(filters) if isinstance(filters, float) else filters
        if self.filters < 0:
            raise ValueError(
                "Received a negative value for `filters`.Was expecting a positive value, got "
                f"{filters}."
            )
        self.kernel_size = sizes(kernel_size, self.rank, "kernel_size")
        self.strides = sizes(strides, self.rank, "strides")
        self.padding = padding_of(padding)
        self.data_format = data_format_of(data_format)
        self.dilation_rate = sizes(dilation_rate, self.rank, "dilation_rate")
        self.activation = activation_of(activation)
        self.use_bias = use_bias
        self.kernel_initializer = initializer_of(kernel_initializer)
        self.bias_initializer = initializer_of(bias_initializer)
        self.kernel_regularizer = kernel_regularizer
        self.bias_regularizer = bias_regularizer
        self.kernel_constraint = kernel_constraint
        self.bias_constraint = bias_constraint
        self.input_spec = InputSpec(min_ndim=self.rank + 2)
        if not all(self.kernel_size):
            raise ValueError(
                f"The argument `kernel_size` cannot contain 0(s). Received: {self.kernel_size}"
            )
        if not all(self.strides):
            raise ValueError(
                f"The argument `strides` cannot contains 0(s). Received: {self.strides}"
            )
        if self.padding == "causal" and self.rank > 1:
            raise ValueError("Causal padding is only supported for `Conv1D`and ``SeparableConv1D`.")

    def build(self, input_shape: Any) -> None:
        """Makes `kernel` and `bias`."""
        channels = self._input_channels(input_shape)
        self.kernel = self._add_kernel((*self.kernel_size, channels, self.filters))
        self._add_bias()
        self.input_spec = InputSpec(min_ndim=self.rank + 2, axes={self._channel_axis: channels})
        self.built = True

    @property
    def _channel_axis(self) -> int:
        return -1 if self.data_format == "channels_last" else -1 - self.rank

    @property
    def _op_format(self) -> str:
        return op_format(self.data_format, self.rank)

    def _input_channels(self, input_shape: Any) -> int:
        size = as_shape(input_shape).as_list()[self._channel_axis]
        if size is None:
            raise ValueError("The channel dimension of the inputs should be defined. Found `None`.")
        return size

    def _add_kernel(self, shape: tuple[int, ...]) -> Any:
        return self.add_weight(
            "kernel",
            shape=shape,
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )

    def _add_bias(self) -> None:
        self.bias = None
        if self.use_bias:
            self.bias = self.add_weight(
                "bias",
                shape=(self.filters,),
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )

    def call(self, inputs: Any) -> Any:
        """The convolution, with bias and activation."""
        shape = inputs.shape
        outputs = convolution(
            self._padded(inputs),
            self.kernel,
            padding=self._op_padding,
            strides=list(self.strides),
            dilation_rate=list(self.dilation_rate),
            data_format=self._op_format,
            name="conv1d" if isinstance(self, Conv1DCore) else type(self).__name__,
        )
        outputs = self._with_bias(outputs)
        if shape.rank is not None:
            outputs.set_shape(self.compute_output_shape(shape))
        return self._activated(outputs)

    @property
    def _op_padding(self) -> str:
        return "VALID" if self.padding == "causal" else self.padding.upper()

    def _padded(self, inputs: Any) -> Any:
        """The inputs, with zeros in front if the padding is causal."""
        if self.padding != "causal":
            return inputs
        front = [self.dilation_rate[0] * (self.kernel_size[0] - 1), 0]
        batch = [[0, 0]] * (inputs.shape.rank - 2)
        last = [front, [0, 0]] if self.data_format == "channels_last" else [[0, 0], front]
        return pad(inputs, [*batch, *last])

    def _with_bias(self, outputs: Any) -> Any:
        if not self.use_bias:
            return outputs
        if self.rank == 1 and self.data_format == "channels_first":
            # The operation takes images with the channels second, and no vectors.
            return outputs + array_shape.reshape(self.bias, (1, self.filters, 1))
        if outputs.shape.rank is not None and outputs.shape.rank > self.rank + 2:
            return over_batch_dims(
                outputs,
                lambda flat: bias_add(flat, self.bias, data_format=self._op_format),
                self.rank + 1,
                None,
            )
        return bias_add(outputs, self.bias, data_format=self._op_format)

    def _activated(self, outputs: Any) -> Any:
        return outputs if self.activation is None else self.activation(outputs)

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """The shape of the input with the numbers of windows and of filters."""
        shape = as_shape(input_shape).as_list()
        first = len(shape) - self.rank - (self.data_format == "channels_last")
        for index, length in enumerate(shape[first : first + self.rank]):
            shape[first + index] = self._output_length(length, index)
        shape[self._channel_axis] = self.filters
        return TensorShape(shape)

    def _output_length(self, length: int | None, index: int) -> Any:
        return window_count(
            length,
            self.kernel_size[index],
            self.padding,
            self.strides[index],
            self.dilation_rate[index],
        )


class Conv1DCore(Conv):
    """What `Conv1D` computes, of tf.layers and of tf.keras."""

    rank = 1


class Conv1D(Conv1DCore, Layer):
    """Convolution of (batch, steps, channels); the arguments are those of `Conv`."""


class Conv2DCore(Conv):
    """What `Conv2D` computes, of tf.layers and of tf.keras."""

    rank = 2


class Conv2D(Conv2DCore, Layer):
    """Convolution of images; the arguments are those of `Conv`.

    >>> tf.layers.Conv2D(8, 3, strides=2, padding="same")(tf.zeros([1, 28, 28, 1])).shape.as_list()
    [1, 14, 14, 8]
    """


class Conv3DCore(Conv):
    """What `Conv3D` computes, of tf.layers and of tf.keras."""

    rank = 3


class Conv3D(Conv3DCore, Layer):
    """Convolution of volumes; the arguments are those of `Conv`."""


conv1d = function_of(Conv1D)
conv2d = function_of(Conv2D)
conv3d = function_of(Conv3D)
