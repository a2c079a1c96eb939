"""The gradients of conv2d and conv3d as functions."""

from __future__ import annotations

from typing import Any

from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.ops.nn.arguments import split_padding
from dataflow.values.deprecated_args import renamed

__all__ = [
    "conv2d_backprop_filter",
    "conv2d_backprop_input",
    "conv3d_backprop_filter",
    "conv3d_backprop_filter_v2",
]


def conv2d_backprop_filter(
    input: Any,
    filter_sizes: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """The gradient of conv2d with respect to its filter; arguments as there.

    Args:
      input: Images.
      filter_sizes: Shape of the filter.
      out_backprop: Gradient of the convolution's output.
      strides: One number a dimension.
      padding: "SAME", "VALID", or a list of pairs.
      use_cudnn_on_gpu: Kept in the graph; has no effect.
      data_format: "NHWC" or "NCHW".
      dilations: One number a dimension.
      name: Name of the operation.
    """
    kind, explicit = split_padding(padding)
    return single(
        "Conv2DBackpropFilter",
        input,
        filter_sizes,
        out_backprop,
        strides=strides,
        padding=kind,
        use_cudnn_on_gpu=use_cudnn_on_gpu,
        explicit_paddings=explicit,
        data_format=data_format,
        dilations=dilations,
        name=name,
    )


def conv2d_backprop_input(
    input_sizes: Any,
    filter: Any = None,
    out_backprop: Any = None,
    strides: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
    filters: Any = None,
) -> Tensor:
    """The gradient of conv2d with respect to its images; arguments as there.

    Args:
      input_sizes: Shape of the images.
      filter: Filter.
      out_backprop: Gradient of the convolution's output.
      strides: One number a dimension.
      padding: "SAME", "VALID", or a list of pairs.
      use_cudnn_on_gpu: Kept in the graph; has no effect.
      data_format: "NHWC" or "NCHW".
      dilations: One number a dimension.
      name: Name of the operation.
      filters: Other name of `filter`.
    """
    filters = renamed("filters", filters, "filter", filter)
    kind, explicit = split_padding(padding)
    return single(
        "Conv2DBackpropInput",
        input_sizes,
        filters,
        out_backprop,
        strides=strides,
        padding=kind,
        use_cudnn_on_gpu=use_cudnn_on_gpu,
        explicit_paddings=explicit,
        data_format=data_format,
        dilations=dilations,
        name=name,
    )


def conv3d_backprop_filter(
    input: Any,
    filter_sizes: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NDHWC",
    dilations: Any = (1, 1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """The gradient of conv3d with respect to its filter; arguments as there.

    Args:
      input: Volumes.
      filter_sizes: Shape of the filter.
      out_backprop: Gradient of the convolution's output.
      strides: One number a dimension.
      padding: "SAME" or "VALID".
      data_format: "NDHWC" or "NCDHW".
      dilations: One number a dimension.
      name: Name of the operation.
    """
    return single(
        "Conv3DBackpropFilterV2",
        input,
        filter_sizes,
        out_backprop,
        strides=strides,
        padding=padding,
        data_format=data_format,
        dilations=dilations,
        name=name,
    )


conv3d_backprop_filter_v2 = conv3d_backprop_filter
