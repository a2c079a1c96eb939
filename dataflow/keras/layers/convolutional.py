"""Convolutions that tf.layers has not, and layers around them: padding, cropping, upsampling."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from dataflow.keras import backend as K
from dataflow.keras import ops
from dataflow.keras.arguments import takes_arguments
from dataflow.keras.backend.settings import format_of
from dataflow.keras.engine.base_layer import Layer
from dataflow.keras.layers.adapted import Conv2D, Conv3D
from dataflow.library.layers import transposed
from dataflow.library.layers.arguments import sizes, window_count
from dataflow.library.layers.input_spec import InputSpec
from dataflow.values.shapes import TensorShape, as_shape


class _Transposed:
    """From the shape of a convolution's output to that of its input."""

    def _settle(self, output_padding: Any) -> None:
        self.output_padding = (
            None if output_padding is None else sizes(output_padding, self.rank, "output_padding")
        )
        if self.output_padding:
            for stride, out in zip(self.strides, self.output_padding, strict=True):
                if out >= stride:
                    raise ValueError(
                        f"Stride {self.strides} must be greater than output padding "
                        f"{self.output_padding}"
                    )

    def build(self, input_shape: Any) -> None:
        """Makes `kernel`, with the output channels before the input channels, and `bias`."""
        channels = self._input_channels(input_shape)
        self.input_spec = InputSpec(ndim=self.rank + 2, axes={self._channel_axis: channels})
        self.kernel = self._add_kernel((*self.kernel_size, self.filters, channels))
        self._add_bias()
        self.built = True

    def _length(self, length: Any, index: int) -> Any:
        if length is None:
            return None
        window, stride = self.kernel_size[index], self.strides[index]
        window += (window - 1) * (self.dilation_rate[index] - 1)
        if self.output_padding is None:
            grown = max(window - stride, 0) if self.padding == "valid" else 0
            return length * stride + grown
        pad = window // 2 if self.padding == "same" else 0
        return (length - 1) * stride + window - 2 * pad + self.output_padding[index]

    _output_length = _length

    def call(self, inputs: Any) -> Any:
        """The transposed convolution, with bias and activation."""
        first = 2 if self.data_format == "channels_first" else 1
        shape = ops.shape(inputs)
        known = inputs.shape.as_list()
        lengths = [
            self._length(shape[at] if known[at] is None else known[at], at - first)
            for at in range(first, first + self.rank)
        ]
        wanted = [self.filters, *lengths] if first == 2 else [*lengths, self.filters]
        target = ops.stack([shape[0], *wanted])
        if self.rank == 2:
            outputs = K.conv2d_transpose(
                inputs, self.kernel, target, self.strides, self.padding, self.data_format,
                self.dilation_rate,
            )  # fmt: skip
        else:
            steps = [1, 1, *self.strides] if first == 2 else [1, *self.strides, 1]
            outputs = ops.conv3d_transpose(
                inputs, self.kernel, target, steps, self.padding.upper(), self._op_format
            )
        outputs.set_shape(self.compute_output_shape(inputs.shape))
        return self._activated(self._with_bias(outputs))

    rank: Any
    strides: Any
    kernel_size: Any
    dilation_rate: Any
    padding: Any
    data_format: Any
    filters: Any
    _input_channels: Any
    _channel_axis: Any
    _add_kernel: Any
    _add_bias: Any
    _op_format: Any
    _activated: Any
    _with_bias: Any
    compute_output_shape: Any


class Conv2DTranspose(_Transposed, Conv2D):  # type: ignore[misc]
    """Transposed convolution of images."""

    @takes_arguments
    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = (1, 1),
        padding: str = "valid",
        output_padding: Any = None,
        data_format: str | None = None,
        dilation_rate: Any = (1, 1),
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            filters, kernel_size, strides, padding, data_format, dilation_rate, activation,
            use_bias, kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer,
            activity_regularizer, kernel_constraint, bias_constraint, **kwargs,
        )  # fmt: skip
        self._settle(output_padding)


class Conv3DTranspose(_Transposed, Conv3D):  # type: ignore[misc]
    """Transposed convolution of volumes."""

    @takes_arguments
    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = (1, 1, 1),
        padding: str = "valid",
        output_padding: Any = None,
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
        **kwargs: Any,
    ) -> None:
        super().__init__(
            filters, kernel_size, strides, padding, data_format, (1, 1, 1), activation,
            use_bias, kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer,
            activity_regularizer, kernel_constraint, bias_constraint, **kwargs,
        )  # fmt: skip
        self._settle(output_padding)


Conv2DTranspose.register(transposed.Conv2DTranspose)
Conv3DTranspose.register(transposed.Conv3DTranspose)


class DepthwiseConv2D(Conv2D):  # type: ignore[misc]
    """Convolution of each channel for itself."""

    @takes_arguments
    def __init__(
        self,
        kernel_size: Any,
        strides: Any = (1, 1),
        padding: str = "valid",
        depth_multiplier: int = 1,
        data_format: str | None = None,
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        depthwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        depthwise_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            filters=0,
            kernel_size=kernel_size,
            strides=strides,
            padding=padding,
            data_format=data_format,
            activation=activation,
            use_bias=use_bias,
            bias_initializer=bias_initializer,
            bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer,
            bias_constraint=bias_constraint,
            **kwargs,
        )

    def build(self, input_shape: Any) -> None:
        """Makes `depthwise_kernel` and `bias`."""
        channels = self._input_channels(input_shape)
        self.filters = channels * self.depth_multiplier
        self.depthwise_kernel = self.add_weight(
            "depthwise_kernel",
            (*self.kernel_size, channels, self.depth_multiplier),
            initializer=self.depthwise_initializer,
            regularizer=self.depthwise_regularizer,
            constraint=self.depthwise_constraint,
        )
        self._add_bias()
        self.input_spec = InputSpec(ndim=4, axes={self._channel_axis: channels})
        self.built = True

    def call(self, inputs: Any) -> Any:
        """The convolutions, with bias and activation."""
        outputs = K.depthwise_conv2d(
            inputs, self.depthwise_kernel, self.strides, self.padding, self.data_format,
            self.dilation_rate,
        )  # fmt: skip
        return self._activated(self._with_bias(outputs))

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """The shape of the input with the numbers of windows and of channels."""
        shape = as_shape(input_shape).as_list()
        first = 2 if self.data_format == "channels_first" else 1
        channels = 1 if first == 2 else 3
        for index in range(2):
            shape[first + index] = window_count(
                shape[first + index], self.kernel_size[index], self.padding, self.strides[index]
            )
        shape[channels] = (
            None if shape[channels] is None else shape[channels] * self.depth_multiplier
        )
        return TensorShape(shape)


class _Spatial(Layer):
    """A change of the lengths of the spatial dimensions."""

    _rank: ClassVar[int]
    data_format = "channels_last"

    def _set_format(self, data_format: Any) -> None:
        self.data_format = format_of(data_format) if self._rank > 1 else "channels_last"
        self.input_spec = InputSpec(ndim=self._rank + 2)

    @property
    def _first(self) -> int:
        return 2 if self.data_format == "channels_first" else 1

    def _changed(self, length: int, index: int) -> int:
        raise NotImplementedError

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """The shape of the input with the new lengths."""
        shape = as_shape(input_shape).as_list()
        for index in range(self._rank):
            length = shape[self._first + index]
            if length is not None:
                shape[self._first + index] = self._changed(length, index)
        return TensorShape(shape)


class _UpSampling(_Spatial):
    size: Any

    def _changed(self, length: int, index: int) -> int:
        return length * self.size[index]  # type: ignore[no-any-return]


class UpSampling1D(_UpSampling):
    """Each step several times."""

    _rank = 1

    @takes_arguments
    def __init__(self, size: int = 2, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._set_format(None)

    def _changed(self, length: int, index: int) -> int:
        return length * int(self.size)

    def call(self, inputs: Any) -> Any:
        """The repeated steps."""
        return K.repeat_elements(inputs, int(self.size), axis=1)


class UpSampling2D(_UpSampling):
    """Images several times as large."""

    _rank = 2
    interpolation: str

    @takes_arguments
    def __init__(
        self,
        size: Any = (2, 2),
        data_format: str | None = None,
        interpolation: str = "nearest",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._set_format(data_format)
        self.size = sizes(size, 2, "size")
        if interpolation not in ("nearest", "bilinear"):
            raise ValueError(
                '`interpolation` argument should be one of `"nearest"` or `"bilinear"`.'
            )

    def call(self, inputs: Any) -> Any:
        """The larger images."""
        return K.resize_images(
            inputs, self.size[0], self.size[1], self.data_format, self.interpolation
        )


class UpSampling3D(_UpSampling):
    """Volumes several times as large."""

    _rank = 3

    @takes_arguments
    def __init__(
        self, size: Any = (2, 2, 2), data_format: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self._set_format(data_format)
        self.size = sizes(size, 3, "size")

    def call(self, inputs: Any) -> Any:
        """The larger volumes."""
        return K.resize_volumes(inputs, self.size[0], self.size[1], self.size[2], self.data_format)


_COUNTS: Final = {1: "two", 2: "two", 3: "3"}
"""How texts count the elements, by the number of dimensions."""


def _forms(change: str) -> dict[int, str]:
    """What else than an int is taken, by the number of dimensions."""
    dims = [f"symmetric_dim{index}_{change}" for index in (1, 2, 3)]
    # The last one says right_dim2, as TensorFlow's text does.
    pairs = [
        f"(left_dim{left}_{change}, right_dim{right}_{change})"
        for left, right in ((1, 1), (2, 2), (3, 2))
    ]
    return {
        1: f"a tuple of 2 ints (left_{change}, right_{change})",
        2: f"a tuple of 2 ints (symmetric_height_{change}, symmetric_width_{change}), or a tuple "
        f"of 2 tuples of 2 ints ((top_{change}, bottom_{change}), (left_{change}, right_{change}))",
        3: f"a tuple of 3 ints ({', '.join(dims)}), or a tuple of 3 tuples of 2 ints "
        f"({', '.join(pairs)})",
    }


_FORMS: Final = {"padding": _forms("pad"), "cropping": _forms("crop")}


def _pairs(value: Any, rank: int, name: str) -> tuple[tuple[int, int], ...]:
    """One pair of numbers for each dimension; of one number or pair for all."""
    if isinstance(value, int):
        return ((value, value),) * rank
    if not hasattr(value, "__len__"):
        raise ValueError(f"`{name}` should be either an int, {_FORMS[name][rank]}. Found: {value}")
    if rank == 1 and len(value) == 2 and isinstance(value[0], int):
        return (tuple(value),)
    if len(value) != rank:
        raise ValueError(f"`{name}` should have {_COUNTS[rank]} elements. Found: {value}")
    return tuple((each, each) if isinstance(each, int) else tuple(each) for each in value)


class _Padding(_Spatial):
    padding: Any

    def _changed(self, length: int, index: int) -> int:
        return length + sum(_pairs(self.padding, self._rank, "padding")[index])

    def call(self, inputs: Any) -> Any:
        """The inputs with zeros around."""
        around = [list(each) for each in _pairs(self.padding, self._rank, "padding")]
        outside = [[0, 0]] * self._first
        return ops.pad(inputs, [*outside, *around, *[[0, 0]] * (2 - self._first)])


class ZeroPadding1D(_Padding):
    """Zeros before and behind the steps."""

    _rank = 1

    @takes_arguments
    def __init__(self, padding: Any = 1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._set_format(None)
        self.padding = _pairs(padding, 1, "padding")[0]


class ZeroPadding2D(_Padding):
    """Zeros around images."""

    _rank = 2

    @takes_arguments
    def __init__(self, padding: Any = (1, 1), data_format: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._set_format(data_format)
        self.padding = _pairs(padding, 2, "padding")


class ZeroPadding3D(_Padding):
    """Zeros around volumes."""

    _rank = 3

    @takes_arguments
    def __init__(self, padding: Any = (1, 1, 1), data_format: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._set_format(data_format)
        self.padding = _pairs(padding, 3, "padding")


class _Cropping(_Spatial):
    cropping: Any

    def _changed(self, length: int, index: int) -> int:
        return length - sum(_pairs(self.cropping, self._rank, "cropping")[index])

    def call(self, inputs: Any) -> Any:
        """The inputs without their edges."""
        cut = [
            slice(before, -after if after else None)
            for before, after in _pairs(self.cropping, self._rank, "cropping")
        ]
        return inputs[(*[slice(None)] * self._first, *cut)]


class Cropping1D(_Cropping):
    """The steps without some at both ends."""

    _rank = 1

    @takes_arguments
    def __init__(self, cropping: Any = (1, 1), **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._set_format(None)
        self.cropping = _pairs(cropping, 1, "cropping")[0]


class Cropping2D(_Cropping):
    """Images without their edges."""

    _rank = 2

    @takes_arguments
    def __init__(
        self, cropping: Any = ((0, 0), (0, 0)), data_format: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self._set_format(data_format)
        self.cropping = _pairs(cropping, 2, "cropping")


class Cropping3D(_Cropping):
    """Volumes without their edges."""

    _rank = 3

    @takes_arguments
    def __init__(
        self, cropping: Any = ((1, 1), (1, 1), (1, 1)), data_format: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self._set_format(data_format)
        self.cropping = _pairs(cropping, 3, "cropping")
