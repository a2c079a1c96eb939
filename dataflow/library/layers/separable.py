"""Separable convolutions: one filter for each channel, then sums over channels."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.library.layers.arguments import ZEROS, initializer_of, op_format
from dataflow.library.layers.convolution import Conv
from dataflow.library.layers.functional import function_of
from dataflow.library.layers.input_spec import InputSpec
from dataflow.library.layers.layer import Layer
from dataflow.ops.nn.bias import bias_add
from dataflow.ops.nn.separable import separable_conv2d as separable_op


class _Separable(Conv):
    """`activation(depthwise, then pointwise convolution of the inputs + bias)`.

    Args:
      filters: Number of output channels.
      kernel_size: Size of the windows: one number, or one for each spatial dimension.
      strides: Steps between windows, in the same forms.
      padding: "valid", "same", and with one dimension "causal"; see `Conv1D`.
      data_format: "channels_last", or "channels_first".
      dilation_rate: Distance of two taps of a window, in the forms of `strides`.
      depth_multiplier: Number of filters for each input channel.
      activation: Function of the sums, or its name; None for none.
      use_bias: Whether there is a `bias`.
      depthwise_initializer: Initial value of `depthwise_kernel`, the filters of the channels.
      pointwise_initializer: Initial value of `pointwise_kernel`, the factors of the sums.
      bias_initializer: Initial value of `bias`.
      depthwise_regularizer: Makes a loss of `depthwise_kernel`.
      pointwise_regularizer: Makes a loss of `pointwise_kernel`.
      bias_regularizer: Makes a loss of `bias`.
      activity_regularizer: Makes a loss of the output.
      depthwise_constraint: Function that optimizers apply to `depthwise_kernel` after an update.
      pointwise_constraint: The same for `pointwise_kernel`.
      bias_constraint: The same for `bias`.
      trainable: Whether optimizers train the variables.
      name: Name of the layer.
      **kwargs: See `Layer`.
    """

    depthwise_kernel: Any
    pointwise_kernel: Any

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str | None = "channels_last",
        dilation_rate: Any = 1,
        depth_multiplier: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = None,
        pointwise_initializer: Any = None,
        bias_initializer: Any = ZEROS,
        depthwise_regularizer: Any = None,
        pointwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        depthwise_constraint: Any = None,
        pointwise_constraint: Any = None,
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
            dilation_rate,
            activation,
            use_bias,
            bias_initializer=bias_initializer,
            bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer,
            bias_constraint=bias_constraint,
            trainable=trainable,
            name=name,
            **kwargs,
        )
        self.depth_multiplier = depth_multiplier
        self.depthwise_initializer = initializer_of(depthwise_initializer)
        self.pointwise_initializer = initializer_of(pointwise_initializer)
        self.depthwise_regularizer = depthwise_regularizer
        self.pointwise_regularizer = pointwise_regularizer
        self.depthwise_constraint = depthwise_constraint
        self.pointwise_constraint = pointwise_constraint

    def build(self, input_shape: Any) -> None:
        """Makes `depthwise_kernel`, `pointwise_kernel` and `bias`."""
        channels = self._input_channels(input_shape)
        self.input_spec = InputSpec(ndim=self.rank + 2, axes={self._channel_axis: channels})
        self.depthwise_kernel = self.add_weight(
            "depthwise_kernel",
            shape=(*self.kernel_size, channels, self.depth_multiplier),
            initializer=self.depthwise_initializer,
            regularizer=self.depthwise_regularizer,
            constraint=self.depthwise_constraint,
        )
        self.pointwise_kernel = self.add_weight(
            "pointwise_kernel",
            shape=(*(1,) * self.rank, channels * self.depth_multiplier, self.filters),
            initializer=self.pointwise_initializer,
            regularizer=self.pointwise_regularizer,
            constraint=self.pointwise_constraint,
        )
        self._add_bias()
        self.built = True


class SeparableConv1DCore(_Separable):
    """What `SeparableConv1D` computes, of tf.layers and of tf.keras."""

    rank = 1

    def call(self, inputs: Any) -> Any:
        """The convolution, with bias and activation; it is that of images of one row."""
        inputs = self._padded(inputs)
        last = self.data_format == "channels_last"
        axis = 1 if last else 2
        strides = (1, *self.strides * 2, 1) if last else (1, 1, *self.strides * 2)
        inputs = array_shape.expand_dims(inputs, axis)
        depthwise = array_shape.expand_dims(self.depthwise_kernel, 0)
        pointwise = array_shape.expand_dims(self.pointwise_kernel, 0)
        outputs: Any = separable_op(
            inputs,
            depthwise,
            pointwise,
            strides=strides,
            padding=self._op_padding,
            rate=(1, *self.dilation_rate),
            data_format=op_format(self.data_format, 2),
        )
        if self.use_bias:
            outputs = bias_add(outputs, self.bias, data_format=op_format(self.data_format, 2))
        return self._activated(array_shape.squeeze(outputs, [axis]))


class SeparableConv1D(SeparableConv1DCore, Layer):
    """Separable convolution of (batch, steps, channels); arguments as in the base class."""


class SeparableConv2DCore(_Separable):
    """What `SeparableConv2D` computes, of tf.layers and of tf.keras."""

    rank = 2

    def call(self, inputs: Any) -> Any:
        """The convolution, with bias and activation."""
        last = self.data_format == "channels_last"
        outputs = separable_op(
            inputs,
            self.depthwise_kernel,
            self.pointwise_kernel,
            strides=(1, *self.strides, 1) if last else (1, 1, *self.strides),
            padding=self.padding.upper(),
            rate=self.dilation_rate,
            data_format=self._op_format,
        )
        return self._activated(self._with_bias(outputs))


class SeparableConv2D(SeparableConv2DCore, Layer):
    """Separable convolution of images; arguments as in the base class."""


separable_conv1d = function_of(SeparableConv1D)
separable_conv2d = function_of(SeparableConv2D)
