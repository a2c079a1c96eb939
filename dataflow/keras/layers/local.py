"""Convolutions whose windows each have a kernel of their own."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from dataflow.keras import backend as K
from dataflow.keras import ops
from dataflow.keras.arguments import takes_arguments
from dataflow.keras.backend.nets import local_conv
from dataflow.keras.backend.settings import format_of
from dataflow.keras.engine.base_layer import Layer
from dataflow.library.layers.arguments import sizes, window_count
from dataflow.library.layers.input_spec import InputSpec
from dataflow.values.shapes import TensorShape, as_shape


class _Local(Layer):
    """`activation(each window times its kernel + bias of each place)`."""

    _rank: ClassVar[int]
    filters: int
    kernel_size: Any
    strides: Any
    padding: str
    data_format: Any
    activation: Any
    use_bias: bool
    kernel_initializer: Any
    bias_initializer: Any
    kernel_regularizer: Any
    bias_regularizer: Any
    kernel_constraint: Any
    bias_constraint: Any
    implementation: int
    kernel_shape: tuple[int, ...]
    kernel_mask: Any
    kernel_idxs: Any

    def _settle(self) -> None:
        self.kernel_size = sizes(self.kernel_size, self._rank, "kernel_size")
        self.strides = sizes(self.strides, self._rank, "strides")
        self.padding = self.padding.lower()
        if self.implementation not in (1, 2, 3):
            raise ValueError(f"Unrecognized implementation mode: {self.implementation}.")
        if self.padding != "valid" and self.implementation == 1:
            raise ValueError(
                f'Invalid border mode for {type(self).__name__} (only "valid" is supported if '
                f"implementation is 1): {self.padding}"
            )
        self.data_format = format_of(self.data_format)
        self.input_spec = InputSpec(ndim=self._rank + 2)

    def _windows(self, input_shape: Any) -> list[Any]:
        shape = as_shape(input_shape).as_list()
        first = 2 if self.data_format == "channels_first" else 1
        return [
            window_count(shape[first + at], self.kernel_size[at], self.padding, self.strides[at])
            for at in range(self._rank)
        ]

    def build(self, input_shape: Any) -> None:
        """Makes `kernel`, one for each window, and `bias`.

        Raises:
          ValueError: A size is not known.
        """
        shape = as_shape(input_shape).as_list()
        channels = shape[1 if self.data_format == "channels_first" else -1]
        windows = self._windows(input_shape)
        if channels is None or None in windows:
            raise ValueError(
                f"The spatial dimensions of the inputs to  a {type(self).__name__} layer should "
                f"be fully-defined, but layer received the inputs shape {tuple(shape)}"
            )
        lengths = shape[2:] if self.data_format == "channels_first" else shape[1:-1]
        self.kernel = self.add_weight(
            "kernel",
            self._kernel_shape(lengths, windows, channels),
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )
        self.bias = None
        if self.use_bias:
            self.bias = self.add_weight(
                "bias",
                (*windows, self.filters),
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )
        self.built = True

    def _kernel_shape(self, lengths: Any, windows: Any, channels: int) -> tuple[int, ...]:
        if self.implementation == 1:
            return math.prod(windows), math.prod(self.kernel_size) * channels, self.filters
        joined = self._joined(lengths, windows)
        if self.implementation == 3:
            self.kernel_shape = (math.prod(windows) * self.filters, math.prod(lengths) * channels)
            self.kernel_idxs = self._places(joined, channels)
            return (len(self.kernel_idxs),)
        if self.data_format == "channels_first":
            self.kernel_mask = joined.reshape(1, *lengths, 1, *windows)
            self.kernel_shape = (channels, *lengths, self.filters, *windows)
        else:
            self.kernel_mask = joined.reshape(*lengths, 1, *windows, 1)
            self.kernel_shape = (*lengths, channels, *windows, self.filters)
        return self.kernel_shape

    def _joined(self, lengths: Any, windows: Any) -> Any:
        """A matrix that says which places of the inputs a window has."""
        joined = np.ones((1, 1), bool)
        for length, count, size, stride in zip(
            lengths, windows, self.kernel_size, self.strides, strict=True
        ):
            before = 0 if self.padding == "valid" else size // 2
            start = np.arange(count) * stride - before
            place = np.arange(length)[:, None]
            one = (place >= start) & (place < start + size)
            joined = np.kron(joined, one)
        return joined

    def _places(self, joined: Any, channels: int) -> Any:
        """Where the matrix of all outputs by all inputs is not zero, in the order of its rows."""
        each = np.ones((self.filters, channels), bool)
        first = self.data_format == "channels_first"
        return np.argwhere(np.kron(each, joined.T) if first else np.kron(joined.T, each))

    def _product(self, inputs: Any, windows: Any) -> Any:
        if self.implementation == 1:
            return local_conv(
                inputs, self.kernel, self.kernel_size, self.strides, windows, self.data_format
            )
        flat = ops.reshape(inputs, [ops.shape(inputs)[0], math.prod(inputs.shape.as_list()[1:])])
        if self.implementation == 2:
            kernel = self.kernel * ops.cast(self.kernel_mask, self.kernel.dtype.base_dtype)
            width = math.prod(self.kernel_shape[: self._rank + 1])
            made = ops.matmul(flat, ops.reshape(kernel, [width, -1]))
        else:
            sparse = ops.SparseTensor(self.kernel_idxs, self.kernel, self.kernel_shape)
            made = ops.transpose(ops.sparse_tensor_dense_matmul(sparse, flat, adjoint_b=True))
        ends = (
            [self.filters, *windows]
            if self.data_format == "channels_first"
            else [*windows, self.filters]
        )
        return ops.reshape(made, [-1, *ends])

    def call(self, inputs: Any) -> Any:
        """See above."""
        outputs = self._product(inputs, self._windows(inputs.shape))
        if self.bias is not None:
            outputs = K.bias_add(outputs, self.bias, data_format=self.data_format)
        return self.activation(outputs)

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """The numbers of windows and of filters."""
        batch, windows = as_shape(input_shape).as_list()[0], self._windows(input_shape)
        if self.data_format == "channels_first":
            return TensorShape([batch, self.filters, *windows])
        return TensorShape([batch, *windows, self.filters])


class LocallyConnected1D(_Local):
    """Windows of steps, each with a kernel of its own."""

    _rank = 1

    @takes_arguments
    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str | None = None,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        implementation: int = 1,
        **kwargs: Any,
    ) -> None:
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self._settle()


class LocallyConnected2D(_Local):
    """Windows of images, each with a kernel of its own."""

    _rank = 2

    @takes_arguments
    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = (1, 1),
        padding: str = "valid",
        data_format: str | None = None,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        implementation: int = 1,
        **kwargs: Any,
    ) -> None:
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self._settle()
