"""Transposed convolutions: from the shape of a convolution's output to that of its input."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.shape as array_shape
import dataflow.ops.nn.convolution_transpose as nn_transpose
from dataflow.library.layers.arguments import ZEROS, op_format, transposed_length
from dataflow.library.layers.convolution import Conv, Conv2D, Conv3D
from dataflow.library.layers.functional import function_of
from dataflow.library.layers.input_spec import InputSpec
from dataflow.ops.array.concat import stack
from dataflow.ops.array.transpose import transpose
from dataflow.values.shapes import as_shape


class _Transposed(Conv):
    """`activation(transposed convolution of the inputs with kernel + bias)`.

    The kernel has the output channels before the input channels.

    Args:
      filters: Number of output channels.
      kernel_size: Size of the windows: one number, or one for each spatial dimension.
      strides: Steps between windows in the output, in the same forms.
      padding: "valid", or "same", with which sizes grow by the strides.
      data_format: "channels_last", or "channels_first".
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
    """

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str | None = "channels_last",
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
        super().__init__(
            filters,
            kernel_size,
            strides,
            padding,
            data_format,
            activation=activation,
            use_bias=use_bias,
            kernel_initializer=kernel_initializer,
            bias_initializer=bias_initializer,
            kernel_regularizer=kernel_regularizer,
            bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer,
            kernel_constraint=kernel_constraint,
            bias_constraint=bias_constraint,
            trainable=trainable,
            name=name,
            **kwargs,
        )
        self.input_spec = InputSpec(ndim=self.rank + 2)

    def build(self, input_shape: Any) -> None:
        """Makes `kernel` and `bias`."""
        shape = as_shape(input_shape)
        if shape.rank != self.rank + 2:
            raise ValueError(
                f"Inputs should have rank {self.rank + 2}. Received input shape: {shape}"
            )
        channels = self._input_channels(shape)
        self.input_spec = InputSpec(ndim=self.rank + 2, axes={self._channel_axis: channels})
        self.kernel = self._add_kernel((*self.kernel_size, self.filters, channels))
        self._add_bias()
        self.built = True

    def call(self, inputs: Any) -> Any:
        """The transposed convolution, with bias and activation."""
        shape = inputs.shape
        output_shape = self._output_shape_of(inputs)
        # Operations for images take the channels last.
        moved = self.rank == 2 and self.data_format == "channels_first"
        if moved:
            batch, channels, *spatial = output_shape
            output_shape = [batch, *spatial, channels]
        target = stack(output_shape)
        options = {
            "padding": self.padding.upper(),
            "data_format": op_format("channels_last", 2) if moved else self._op_format,
        }
        if moved:
            inputs = transpose(inputs, (0, 2, 3, 1))
        strides = (1, *self.strides, 1)
        if self.data_format == "channels_first" and not moved:
            strides = (1, 1, *self.strides)
        operation = (
            nn_transpose.conv2d_transpose if self.rank == 2 else nn_transpose.conv3d_transpose
        )
        outputs = operation(inputs, self.kernel, target, strides=strides, **options)
        if moved:
            outputs = transpose(outputs, (0, 3, 1, 2))
        outputs.set_shape(self.compute_output_shape(shape))
        return self._activated(self._with_bias(outputs))

    def _output_shape_of(self, inputs: Any) -> list[Any]:
        """The sizes of the output: numbers, or tensors where they are not known."""
        tensor = array_shape.shape(inputs)
        first = 1 if self.data_format == "channels_last" else 2
        known = inputs.shape.as_list()
        if self.rank == 3:
            known = [None] * 5
        spatial: list[Any] = []
        batch = tensor[0]
        for axis in range(first, first + self.rank):
            spatial.append(tensor[axis] if known[axis] is None else known[axis])
        grown = [self._output_length(length, index) for index, length in enumerate(spatial)]
        if self.data_format == "channels_last":
            return [batch, *grown, self.filters]
        return [batch, self.filters, *grown]

    def _output_length(self, length: Any, index: int) -> Any:
        return transposed_length(length, self.kernel_size[index], self.padding, self.strides[index])


class Conv2DTranspose(_Transposed, Conv2D):
    """Transposed convolution of images; arguments as in the base class."""


class Conv3DTranspose(_Transposed, Conv3D):
    """Transposed convolution of volumes; arguments as in the base class."""


conv2d_transpose = function_of(Conv2DTranspose)
conv3d_transpose = function_of(Conv3DTranspose)
