"""Pooling: the mean or largest input of each window, in one to three dimensions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import dataflow.ops.array.shape as array_shape
import dataflow.ops.nn.pooling as nn_pooling
from dataflow.graph.tensor import Tensor
from dataflow.library.layers.arguments import (
    data_format_of,
    op_format,
    padding_of,
    sizes,
    window_count,
)
from dataflow.library.layers.base import BaseLayer
from dataflow.library.layers.functional import function_of
from dataflow.library.layers.input_spec import InputSpec
from dataflow.library.layers.layer import Layer
from dataflow.ops.array.transpose import transpose
from dataflow.values.shapes import TensorShape, as_shape


class _Pooling(BaseLayer):
    """Pooling over windows of one size.

    Args:
      pool_size: Size of the windows: one number, or one for each spatial dimension.
      strides: Steps between windows, in the same forms; None for `pool_size`.
      padding: "valid", or "same", which pads so that windows begin at every step.
      data_format: "channels_last", or "channels_first".
      name: Name of the layer.
      **kwargs: See `Layer`.
    """

    rank: ClassVar[int]
    pool_function: ClassVar[Callable[..., Tensor]]

    def __init__(
        self,
        pool_size: Any,
        strides: Any,
        padding: str = "valid",
        data_format: str | None = "channels_last",
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        self.pool_size = sizes(pool_size, self.rank, "pool_size")
        self.strides = sizes(pool_size if strides is None else strides, self.rank, "strides")
        self.padding = padding_of(padding)
        self.data_format = data_format_of(data_format)
        self.input_spec = InputSpec(ndim=self.rank + 2)

    def call(self, inputs: Any) -> Tensor:
        """The pooled inputs."""
        window, steps = self.pool_size, self.strides
        if self.rank == 1:
            # A row of pixels is an image of one column.
            axis = 2 if self.data_format == "channels_last" else 3
            inputs = array_shape.expand_dims(inputs, axis)
            window, steps = (*window, 1), (*steps, 1)
        # Images may have their channels second; for the other ranks operations may not.
        moved = self.data_format == "channels_first" and self.rank != 2
        spatial = len(window)
        if moved:
            inputs = transpose(inputs, [0, *range(2, spatial + 2), 1])
        data_format = "channels_last" if moved else self.data_format
        outputs = type(self).pool_function(
            inputs,
            ksize=_per_dimension(window, data_format),
            strides=_per_dimension(steps, data_format),
            padding=self.padding.upper(),
            data_format=op_format(data_format, spatial),
        )
        if moved:
            outputs = transpose(outputs, [0, spatial + 1, *range(1, spatial + 1)])
        return outputs if self.rank > 1 else array_shape.squeeze(outputs, [axis])

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """The shape of the input with the numbers of windows as spatial sizes."""
        shape = as_shape(input_shape).as_list()
        first = 2 if self.data_format == "channels_first" else 1
        for index, (window, stride) in enumerate(zip(self.pool_size, self.strides, strict=True)):
            axis = first + index
            shape[axis] = window_count(shape[axis], window, self.padding, stride)
        return TensorShape(shape)


def _per_dimension(values: tuple[int, ...], data_format: str) -> tuple[int, ...]:
    return (1, *values, 1) if data_format == "channels_last" else (1, 1, *values)


class AveragePooling1DCore(_Pooling):
    """What `AveragePooling1D` computes, of tf.layers and of tf.keras."""

    rank = 1
    pool_function = staticmethod(nn_pooling.avg_pool)


class AveragePooling1D(AveragePooling1DCore, Layer):
    """Means of windows of (batch, steps, channels); arguments as in the base class."""


class AveragePooling2DCore(_Pooling):
    """What `AveragePooling2D` computes, of tf.layers and of tf.keras."""

    rank = 2
    pool_function = staticmethod(nn_pooling.avg_pool)


class AveragePooling2D(AveragePooling2DCore, Layer):
    """Means of windows of images; arguments as in the base class."""


class AveragePooling3DCore(_Pooling):
    """What `AveragePooling3D` computes, of tf.layers and of tf.keras."""

    rank = 3
    pool_function = staticmethod(nn_pooling.avg_pool3d)


class AveragePooling3D(AveragePooling3DCore, Layer):
    """Means of windows of volumes; arguments as in the base class."""


class MaxPooling1DCore(_Pooling):
    """What `MaxPooling1D` computes, of tf.layers and of tf.keras."""

    rank = 1
    pool_function = staticmethod(nn_pooling.max_pool)


class MaxPooling1D(MaxPooling1DCore, Layer):
    """Largest elements of windows of (batch, steps, channels); arguments as in the base class."""


class MaxPooling2DCore(_Pooling):
    """What `MaxPooling2D` computes, of tf.layers and of tf.keras."""

    rank = 2
    pool_function = staticmethod(nn_pooling.max_pool)


class MaxPooling2D(MaxPooling2DCore, Layer):
    """Largest elements of windows of images; arguments as in the base class."""


class MaxPooling3DCore(_Pooling):
    """What `MaxPooling3D` computes, of tf.layers and of tf.keras."""

    rank = 3
    pool_function = staticmethod(nn_pooling.max_pool3d)


class MaxPooling3D(MaxPooling3DCore, Layer):
    """Largest elements of windows of volumes; arguments as in the base class."""


average_pooling1d = function_of(AveragePooling1D, shares=False)
average_pooling2d = function_of(AveragePooling2D, shares=False)
average_pooling3d = function_of(AveragePooling3D, shares=False)
max_pooling1d = function_of(MaxPooling1D, shares=False)
max_pooling2d = function_of(MaxPooling2D, shares=False)
max_pooling3d = function_of(MaxPooling3D, shares=False)
