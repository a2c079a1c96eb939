"""Depthwise and separable convolutions of images."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.ops.nn.arguments import split_padding
from dataflow.ops.nn.convolution import conv2d
from dataflow.ops.nn.space_to_batch import with_space_to_batch
from dataflow.schema.shape_functions import with_rank
from dataflow.values.deprecated_args import renamed

__all__ = [
    "depthwise_conv2d",
    "depthwise_conv2d_backprop_filter",
    "depthwise_conv2d_backprop_input",
    "depthwise_conv2d_native",
    "depthwise_conv2d_native_backprop_filter",
    "depthwise_conv2d_native_backprop_input",
    "separable_conv2d",
]


def depthwise_conv2d_native(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """Convolves each channel with filters of its own, by the op DepthwiseConv2dNative.

    Args:
      input: Images.
      filter: Filter (height, width, channels, multiplier).
      strides: One number a dimension.
      padding: "SAME", "VALID", or a list of pairs.
      data_format: "NHWC" or "NCHW".
      dilations: One number a dimension.
      name: Name of the operation.

    Returns:
      Images of channels * multiplier channels.
    """
    kind, explicit = split_padding(padding)
    return single(
        "DepthwiseConv2dNative",
        input,
        filter,
        strides=strides,
        padding=kind,
        explicit_paddings=explicit,
        data_format=data_format,
        dilations=dilations,
        name=name,
    )


def depthwise_conv2d_native_backprop_input(
    input_sizes: Any,
    filter: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """The gradient of depthwise_conv2d_native with respect to its images.

    Args:
      input_sizes: Shape of the images.
      filter: Filter (height, width, channels, multiplier).
      out_backprop: Gradient of the convolution's output.
      strides: One number a dimension.
      padding: "SAME", "VALID", or a list of pairs.
      data_format: "NHWC" or "NCHW".
      dilations: One number a dimension.
      name: Name of the operation.
    """
    kind, explicit = split_padding(padding)
    return single(
        "DepthwiseConv2dNativeBackpropInput",
        input_sizes,
        filter,
        out_backprop,
        strides=strides,
        padding=kind,
        explicit_paddings=explicit,
        data_format=data_format,
        dilations=dilations,
        name=name,
    )


def depthwise_conv2d_native_backprop_filter(
    input: Any,
    filter_sizes: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """The gradient of depthwise_conv2d_native with respect to its filter.

    Args:
      input: Images.
      filter_sizes: Shape of the filter.
      out_backprop: Gradient of the convolution's output.
      strides: One number a dimension.
      padding: "SAME", "VALID", or a list of pairs.
      data_format: "NHWC" or "NCHW".
      dilations: One number a dimension.
      name: Name of the operation.
    """
    kind, explicit = split_padding(padding)
    return single(
        "DepthwiseConv2dNativeBackpropFilter",
        input,
        filter_sizes,
        out_backprop,
        strides=strides,
        padding=kind,
        explicit_paddings=explicit,
        data_format=data_format,
        dilations=dilations,
        name=name,
    )


depthwise_conv2d_backprop_input = depthwise_conv2d_native_backprop_input
depthwise_conv2d_backprop_filter = depthwise_conv2d_native_backprop_filter


def depthwise_conv2d(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    rate: Sequence[int] | None = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: Sequence[int] | None = None,
) -> Tensor:
    """Convolves each channel with filters of its own.

    Args:
      input: Images.
      filter: Filter (height, width, channels, multiplier).
      strides: One number a dimension.
      padding: "SAME", "VALID", or a list of pairs.
      rate: Distance of two taps, a pair; (1, 1) by default.
      name: Name of the operation.
      data_format: "NHWC" (the default) or "NCHW".
      dilations: Other name of `rate`.

    Returns:
      Images of channels * multiplier channels.
    """
    rate = renamed("dilations", dilations, "rate", rate)
    with name_scope(name, "depthwise", [input, filter]) as scope:
        images = convert_to_tensor(input, name="tensor_in")
        filters = convert_to_tensor(filter, name="filter_in")
        rates = [1, 1] if rate is None else rate
        if any(r > 1 for r in rates) and any(stride != 1 for stride in strides):
            warnings.warn(
                "When dilation rate is greater than 1, then all values of strides must be 1. "
                f"Received: `dilation rate` {rates} and `strides` {strides}",
                stacklevel=2,
            )

        def convolve(tensor: Tensor, _: int, kind: Any) -> Tensor:
            return depthwise_conv2d_native(
                tensor, filters, strides, kind, data_format=data_format, name=scope
            )

        result: Tensor = with_space_to_batch(
            images,
            filter_shape=array_shape.shape(filters),
            dilation_rate=rates,
            padding=padding,
            data_format=data_format,
            op=convolve,
        )
        return result


def separable_conv2d(
    input: Any,
    depthwise_filter: Any,
    pointwise_filter: Any,
    strides: Any,
    padding: Any,
    rate: Sequence[int] | None = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: Sequence[int] | None = None,
) -> Tensor:
    """A depthwise convolution, whose channels are then mixed pixel by pixel.

    Args:
      input: Images.
      depthwise_filter: Filter (height, width, channels, multiplier).
      pointwise_filter: Filter (1, 1, channels * multiplier, out channels).
      strides: One number a dimension, for the depthwise convolution.
      padding: "SAME", "VALID", or a list of pairs.
      rate: Distance of two taps, a pair; (1, 1) by default.
      name: Name of the operation.
      data_format: "NHWC" (the default) or "NCHW".
      dilations: Other name of `rate`.

    Raises:
      ValueError: The pointwise filter has more than one tap.
    """
    rate = renamed("dilations", dilations, "rate", rate)
    with name_scope(name, "separable_conv2d", [input, depthwise_filter, pointwise_filter]) as scope:
        images = convert_to_tensor(input, name="tensor_in")
        depthwise = convert_to_tensor(depthwise_filter, name="depthwise_filter")
        pointwise = convert_to_tensor(pointwise_filter, name="pointwise_filter")
        shape = with_rank(pointwise.shape, 4)
        shape[0].assert_is_compatible_with(1)
        shape[1].assert_is_compatible_with(1)

        def convolve(tensor: Tensor, _: int, kind: Any) -> Tensor:
            return depthwise_conv2d_native(
                tensor, depthwise, strides, kind, data_format=data_format, name="depthwise"
            )

        result = with_space_to_batch(
            images,
            filter_shape=array_shape.shape(depthwise),
            dilation_rate=[1, 1] if rate is None else rate,
            padding=padding,
            data_format=data_format,
            op=convolve,
        )
        return conv2d(
            result,
            pointwise,
            [1, 1, 1, 1],
            padding="VALID",
            data_format=data_format,
            name=scope,
        )
