"""Convolutions: conv1d, conv2d, conv3d, and convolution with any number of dimensions and rates."""

from __future__ import annotations

from typing import Any

import numpy as np

import dataflow.ops.array.shape as array_shape
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.graph.tracebacks import shortened
from dataflow.ops.basic.single import single
from dataflow.ops.nn.arguments import (
    CHANNELS_LAST_FORMATS,
    channel_index_of,
    over_batch_dims,
    per_dimension,
    split_padding,
    static_rank,
)
from dataflow.ops.nn.space_to_batch import dilated
from dataflow.values.deprecated_args import renamed


@shortened
def conv1d(
    value: Any = None,
    filters: Any = None,
    stride: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: bool | None = None,
    data_format: str | None = None,
    name: str | None = None,
    input: Any = None,
    dilations: Any = None,
) -> Tensor:
    """Convolution along one axis.

    Args:
      value: Tensor (batch, width, channels).
      filters: Filter (width, in channels, out channels).
      stride: Steps of the filter.
      padding: "SAME" or "VALID".
      use_cudnn_on_gpu: Kept in the graph; has no effect.
      data_format: "NWC" (the default) or "NCW".
      name: Name of the operation.
      input: Other name of `value`.
      dilations: Distance of two taps.

    Raises:
      ValueError: The data format is neither.
    """
    value = renamed("input", input, "value", value)
    with name_scope(name, "conv1d", [value, filters]) as scope:
        if data_format in (None, "NHWC", "NWC"):
            image_format, axis, channel_index = "NHWC", -3, 2
        elif data_format in ("NCHW", "NCW"):
            image_format, axis, channel_index = "NCHW", -2, 1
        else:
            raise ValueError('data_format must be "NWC" or "NCW".')
        attrs = {
            "strides": [1, *per_dimension(stride, 1, channel_index, "stride")],
            "dilations": [1, *per_dimension(dilations, 1, channel_index, "dilations")],
            "padding": padding,
            "use_cudnn_on_gpu": use_cudnn_on_gpu,
            "data_format": image_format,
        }
        images = array_shape.expand_dims(value, axis)
        filters = array_shape.expand_dims(filters, 0)
        if images.shape.rank is None or images.shape.rank <= 4:
            result = single("Conv2D", images, filters, name=scope, **attrs)
        else:
            result = over_batch_dims(
                images, lambda flat: single("Conv2D", flat, filters, **attrs), 3, scope
            )
        return array_shape.squeeze(result, [axis])


@shortened
def conv2d(
    input: Any,
    filter: Any = None,
    strides: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: bool = True,
    data_format: str | None = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
    filters: Any = None,
) -> Tensor:
    """Convolution of images.

    Args:
      input: Images; of more than four dimensions, all but the last three make the batch.
      filter: Filter (height, width, in channels, out channels).
      strides: Steps of the filter: one number, one a spatial dimension, or one a dimension.
      padding: "SAME", "VALID", or a list of a pair of numbers for each dimension.
      use_cudnn_on_gpu: Kept in the graph; has no effect.
      data_format: "NHWC" or "NCHW".
      dilations: Distance of two taps, in the forms of `strides`.
      name: Name of the operation.
      filters: Other name of `filter`.

    Raises:
      ValueError: An argument has a wrong length, or the shapes do not fit.

    >>> images, filters = tf.ones([1, 3, 3, 1]), tf.ones([2, 2, 1, 1])
    >>> with tf.Session() as session:
    ...     made = session.run(tf.nn.conv2d(images, filters, strides=[1, 1, 1, 1], padding="VALID"))
    ...     print(made[0, :, :, 0].tolist())
    [[4.0, 4.0], [4.0, 4.0]]
    """
    filters = renamed("filters", filters, "filter", filter)
    kind, explicit = split_padding(padding)
    data_format = "NHWC" if data_format is None else data_format
    channel_index = channel_index_of(data_format, 2)
    attrs = {
        "strides": per_dimension(strides, 2, channel_index, "strides"),
        "padding": kind,
        "use_cudnn_on_gpu": use_cudnn_on_gpu,
        "explicit_paddings": explicit,
        "data_format": data_format,
        "dilations": per_dimension(dilations, 2, channel_index, "dilations"),
    }
    return _of_images(input, filters, attrs, name)


def _of_images(images: Any, filters: Any, attrs: dict[str, Any], name: str | None) -> Tensor:
    rank = static_rank(images)
    if rank is None or rank <= 4:
        return single("Conv2D", images, filters, name=name, **attrs)
    return over_batch_dims(images, lambda flat: single("Conv2D", flat, filters, **attrs), 3, name)


@shortened
def conv3d(
    input: Any,
    filter: Any = None,
    strides: Any = None,
    padding: Any = None,
    data_format: str = "NDHWC",
    dilations: Any = (1, 1, 1, 1, 1),
    name: str | None = None,
    filters: Any = None,
) -> Tensor:
    """Convolution of volumes.

    Args:
      input: Tensor (batch, depth, height, width, channels).
      filter: Filter (depth, height, width, in channels, out channels).
      strides: One number a dimension.
      padding: "SAME" or "VALID".
      data_format: "NDHWC" or "NCDHW".
      dilations: One number a dimension.
      name: Name of the operation.
      filters: Other name of `filter`.
    """
    filters = renamed("filters", filters, "filter", filter)
    return single(
        "Conv3D",
        input,
        filters,
        strides=strides,
        padding=padding,
        data_format=data_format,
        dilations=dilations,
        name=name,
    )


def _of_volumes(volumes: Any, filters: Any, attrs: dict[str, Any], name: str | None) -> Tensor:
    rank = static_rank(volumes)
    if rank is None or rank <= 5:
        return single("Conv3D", volumes, filters, name=name, **attrs)
    return over_batch_dims(volumes, lambda flat: single("Conv3D", flat, filters, **attrs), 4, name)


def atrous_conv2d(
    value: Any, filters: Any, rate: Any, padding: Any, name: str | None = None
) -> Tensor:
    """conv2d whose taps are `rate` pixels apart.

    Args:
      value: Images, channels last.
      filters: Filter (height, width, in channels, out channels).
      rate: Distance of two taps, or a pair of distances.
      padding: "SAME" or "VALID".
      name: Name of the operations.
    """
    return convolution(
        value, filters, padding, dilation_rate=np.broadcast_to(rate, (2,)), name=name
    )


def convolution(
    input: Any,
    filter: Any,
    padding: Any,
    strides: Any = None,
    dilation_rate: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    filters: Any = None,
    dilations: Any = None,
) -> Tensor:
    """Convolution along one, two or three axes.

    Args:
      input: Tensor (batch, *spatial, channels).
      filter: Filter (*taps, in channels, out channels).
      padding: "SAME", "VALID" or a list of pairs.
      strides: One number a spatial dimension.
      dilation_rate: Distance of two taps, one number a spatial dimension.
      name: Name of the operations.
      data_format: Order of the dimensions; channels last unless it starts with "NC".
      filters: Other name of `filter`.
      dilations: Other name of `dilation_rate`.

    Raises:
      ValueError: The rank is not known, or arguments do not fit.
    """
    filters = renamed("filters", filters, "filter", filter)
    dilations = renamed("dilations", dilations, "dilation_rate", dilation_rate)
    if not hasattr(filters, "graph"):
        with name_scope("convolution_internal", None, [filters, input]):
            filters = convert_to_tensor(filters, name="filters")
    if not hasattr(input, "graph"):
        with name_scope("convolution_internal", None, [filters, input]):
            input = convert_to_tensor(input, name="input")
    rank, batch_dims = _ranks(input, filters)
    is_dilated = dilations is not None
    last = data_format is None or data_format in CHANNELS_LAST_FORMATS
    channel_index = batch_dims + rank if last else batch_dims
    rates = per_dimension(dilations, rank, channel_index, "dilations")
    is_dilated = is_dilated and any(rate != 1 for rate in rates)
    steps = per_dimension(strides, rank, channel_index, "strides")
    with name_scope(name, None if name else "convolution", [input, filters]) as scope:
        if not is_dilated:
            if rank == 1:
                return conv1d(
                    input,
                    filters,
                    steps,
                    padding=padding,
                    data_format=data_format,
                    dilations=rates,
                    name=scope,
                )
            function = _of_images if rank == 2 else _of_volumes
            attrs = {
                "strides": steps,
                "padding": padding,
                "data_format": data_format,
                "dilations": rates,
            }
            return function(input, filters, attrs, scope)
        inner = slice(2, None) if channel_index == 1 else slice(1, -1)
        return _dilated_convolution(
            input, filters, padding, steps[inner], rates[inner], scope, data_format, batch_dims
        )


def _ranks(input: Any, filters: Any) -> tuple[int, int]:
    """The number of spatial dimensions, and of those of the batch."""
    filter_rank, input_rank = filters.shape.rank, input.shape.rank
    if filter_rank:
        rank = filter_rank - 2
    elif input_rank:
        rank = input_rank - 2
    else:
        raise ValueError("rank of input or filter must be known")
    if rank not in (1, 2, 3):
        raise ValueError(f"Input tensor must be of rank 3, 4 or 5 but was {rank + 2}.")
    return rank, input_rank - rank - 1 if input_rank else 1


def _dilated_convolution(
    input: Any,
    filters: Any,
    padding: Any,
    strides: Any,
    rates: Any,
    scope: str,
    data_format: str | None,
    batch_dims: int,
) -> Tensor:
    rank = len(rates)
    rates, strides = np.array(rates, np.int32), np.array(strides, np.int32)
    if np.any(rates < 1):
        raise ValueError("all values of dilation_rate must be positive")
    if np.any(strides > 1):
        raise ValueError("strides > 1 not supported in conjunction with dilation_rate > 1")
    channels_first = data_format is not None and data_format.startswith("NC")
    first = batch_dims + 1 if channels_first else batch_dims
    image_format = {1: "NWC", 2: "NHWC", 3: "NDHWC"}[rank] if data_format is None else data_format
    index = 1 if channels_first else rank + 1

    def convolve(tensor: Tensor, _: int, kind: Any) -> Tensor:
        if rank == 1:
            return conv1d(
                tensor, filters, strides[0], padding=kind, data_format=image_format, name=scope
            )
        ones = {"padding": kind, "data_format": image_format}
        ones["strides"] = per_dimension(list(strides), rank, index, "strides")
        return (_of_images if rank == 2 else _of_volumes)(tensor, filters, ones, scope)

    result: Tensor = dilated(
        convert_to_tensor(input),
        rates,
        padding,
        convolve,
        filter_shape=filters.shape,
        spatial_dims=range(first, first + rank),
        data_format=data_format,
        num_batch_dims=batch_dims,
        output_channels=filters.shape.as_list()[-1] if filters.shape.rank else None,
    )
    return result
