"""Transposed convolutions: each element is spread over a window of the output."""

from __future__ import annotations

from collections.abc import Callable, Sized
from typing import Any

import numpy as np

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.shape as array_shape
import dataflow.ops.array.space as array_space
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.ops.nn.arguments import channel_index_of, per_dimension, split_padding
from dataflow.values.deprecated_args import renamed
from dataflow.values.shapes import TensorShape


def conv1d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str | None = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The transpose, or gradient, of conv1d: spreads each element over a window of the output.

    Args:
      input: Tensor (batch, width, channels).
      filters: Filter (width, out channels, in channels).
      output_shape: Shape of the result.
      strides: Steps of the window in the output.
      padding: "SAME" or "VALID".
      data_format: "NWC" or "NCW".
      dilations: Distance of two taps.
      name: Name of the operation.

    Raises:
      ValueError: The data format is neither.
    """
    with name_scope(name, "conv1d_transpose", [input, filters, output_shape]) as scope:
        if data_format in (None, "NWC"):
            image_format, axis, channel_index = "NHWC", 1, 2
        elif data_format == "NCW":
            image_format, axis, channel_index = "NCHW", 2, 1
        else:
            raise ValueError('data_format must be "NWC" or "NCW".')
        strides = [1, *per_dimension(strides, 1, channel_index, "stride")]
        rates = [1, *per_dimension(dilations, 1, channel_index, "dilations")]
        images = array_shape.expand_dims(input, axis)
        filters = array_shape.expand_dims(filters, 0)
        shape: Any = output_shape if isinstance(output_shape, Tensor) else list(output_shape)
        shape = array_concat.concat([shape[:axis], [1], shape[axis:]], 0)
        result = single(
            "Conv2DBackpropInput",
            shape,
            filters,
            images,
            strides=strides,
            padding=padding,
            data_format=image_format,
            dilations=rates,
            name=scope,
        )
        return array_shape.squeeze(result, axis)


def conv2d_transpose(
    value: Any = None,
    filter: Any = None,
    output_shape: Any = None,
    strides: Any = None,
    padding: Any = "SAME",
    data_format: str | None = "NHWC",
    name: str | None = None,
    input: Any = None,
    filters: Any = None,
    dilations: Any = None,
) -> Tensor:
    """The transpose, or gradient, of conv2d: spreads each pixel over a window of the output.

    Args:
      value: Images.
      filter: Filter (height, width, out channels, in channels).
      output_shape: Shape of the result.
      strides: Steps of the window in the output, in the forms that conv2d takes.
      padding: "SAME", "VALID", or a list of pairs.
      data_format: "NHWC" or "NCHW".
      name: Name of the operation.
      input: Other name of `value`.
      filters: Other name of `filter`.
      dilations: Distance of two taps, in the forms of `strides`.
    """
    value = renamed("input", input, "value", value)
    filters = renamed("filters", filters, "filter", filter)
    with name_scope(name, "conv2d_transpose", [value, filters, output_shape]) as scope:
        return _transpose_2d(
            value, filters, output_shape, strides, padding, data_format, dilations, scope
        )


def _transpose_2d(
    images: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str | None = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    with name_scope(name, "conv2d_transpose", [images, output_shape]) as scope:
        data_format = "NHWC" if data_format is None else data_format
        channel_index = channel_index_of(data_format, 2)
        strides = per_dimension(strides, 2, channel_index, "strides")
        rates = per_dimension(dilations, 2, channel_index, "dilations")
        kind, explicit = split_padding(padding)
        return single(
            "Conv2DBackpropInput",
            output_shape,
            filters,
            images,
            strides=strides,
            padding=kind,
            explicit_paddings=explicit,
            data_format=data_format,
            dilations=rates,
            name=scope,
        )


def conv3d_transpose(
    value: Any,
    filter: Any = None,
    output_shape: Any = None,
    strides: Any = None,
    padding: Any = "SAME",
    data_format: str | None = "NDHWC",
    name: str | None = None,
    input: Any = None,
    filters: Any = None,
    dilations: Any = None,
) -> Tensor:
    """The transpose, or gradient, of conv3d.

    Args:
      value: Volumes.
      filter: Filter (depth, height, width, out channels, in channels).
      output_shape: Shape of the result.
      strides: Steps of the window in the output: one number, one a spatial dimension, or all.
      padding: "SAME" or "VALID".
      data_format: "NDHWC" or "NCDHW".
      name: Name of the operation.
      input: Other name of `value`.
      filters: Other name of `filter`.
      dilations: Distance of two taps, in the forms of `strides`.
    """
    filters = renamed("filters", filters, "filter", filter)
    value = renamed("input", input, "value", value)
    return _transpose_3d(
        value, filters, output_shape, strides, padding, data_format, dilations, name
    )


def _transpose_3d(
    volumes: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str | None = "NDHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    with name_scope(name, "conv3d_transpose", [volumes, output_shape]) as scope:
        data_format = "NDHWC" if data_format is None else data_format
        channel_index = 1 if data_format.startswith("NC") else 4
        return single(
            "Conv3DBackpropInputV2",
            output_shape,
            filters,
            volumes,
            strides=per_dimension(strides, 3, channel_index, "strides"),
            padding=padding,
            data_format=data_format,
            dilations=per_dimension(dilations, 3, channel_index, "dilations"),
            name=scope,
        )


def conv_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The transpose of a convolution along one, two or three axes, as `output_shape` has.

    Args:
      input: Tensor.
      filters: Filter (*taps, out channels, in channels).
      output_shape: Shape of the result.
      strides: Steps of the window in the output.
      padding: "SAME" or "VALID".
      data_format: Order of the dimensions; channels last by default.
      dilations: Distance of two taps.
      name: Name of the operation.

    Raises:
      ValueError: `output_shape` is not of length 3, 4 or 5.
    """
    with name_scope(name, "conv_transpose", [input, output_shape]) as scope:
        if isinstance(output_shape, Tensor):
            length = output_shape.shape.as_list()[0] if output_shape.shape.rank else None
        elif isinstance(output_shape, Sized):
            length = len(output_shape)
        else:
            raise ValueError("output_shape must be a tensor or sized collection.")
        transposes: dict[int | None, Callable[..., Tensor]] = {
            3: conv1d_transpose,
            4: _transpose_2d,
            5: _transpose_3d,
        }
        if length not in transposes:
            raise ValueError(
                "output_shape must be of length 3, 4 or 5 but was "
                f"{'?' if length is None else length}."
            )
        return transposes[length](
            input,
            filters,
            output_shape,
            strides,
            padding=padding,
            data_format=data_format,
            dilations=dilations,
            name=scope,
        )


def atrous_conv2d_transpose(
    value: Any,
    filters: Any,
    output_shape: Any,
    rate: int,
    padding: Any,
    name: str | None = None,
) -> Tensor:
    """The transpose of atrous_conv2d.

    Args:
      value: Images, channels last.
      filters: Filter (height, width, out channels, in channels).
      output_shape: Shape of the result.
      rate: Distance of two taps.
      padding: "SAME" or "VALID".
      name: Name of the operation.

    Raises:
      ValueError: The channels do not fit, or the rate is not positive.
    """
    with name_scope(name, "atrous_conv2d_transpose", [value, filters, output_shape]):
        images = convert_to_tensor(value, name="value")
        filters = convert_to_tensor(filters, name="filters")
        _check_channels(images, filters)
        if rate < 1:
            raise ValueError(f"rate {rate} cannot be less than one")
        if rate == 1:
            return conv2d_transpose(
                images, filters, output_shape, strides=[1, 1, 1, 1], padding=padding
            )
        as_tensor = convert_to_tensor(output_shape, name="output_shape")
        if not as_tensor.shape.is_compatible_with(TensorShape([4])):
            raise ValueError(f"output_shape must have shape (4,), got {as_tensor.shape}")
        sizes: Any = list(output_shape) if isinstance(output_shape, tuple) else output_shape
        if isinstance(sizes, (list, np.ndarray)):
            _check_output_channels(filters, sizes)
        (top, bottom), (left, right) = _same_pads(filters, rate, padding)
        height = sizes[1] + top + bottom
        width = sizes[2] + left + right
        extra_bottom = (rate - height % rate) % rate
        extra_right = (rate - width % rate) % rate
        batched = array_space.space_to_batch(
            images, paddings=[[0, extra_bottom], [0, extra_right]], block_size=rate
        )
        input_sizes = [
            rate * rate * sizes[0],
            (height + extra_bottom) // rate,
            (width + extra_right) // rate,
            sizes[3],
        ]
        result = single(
            "Conv2DBackpropInput",
            input_sizes,
            filters,
            batched,
            strides=[1, 1, 1, 1],
            padding="VALID",
            data_format="NHWC",
        )
        crops = [[top, bottom + extra_bottom], [left, right + extra_right]]
        return array_space.batch_to_space(result, crops, block_size=rate)


def _same_pads(filters: Tensor, rate: int, padding: Any) -> Any:
    """Padding before and after both spatial dimensions."""
    if padding == "VALID":
        return (0, 0), (0, 0)
    if padding != "SAME":
        raise ValueError(f"padding must be either VALID or SAME: {padding}")
    known = filters.shape.is_fully_defined()
    sizes: Any = filters.shape.as_list() if known else array_shape.shape(filters)
    pairs = []
    heights = [sizes[0], sizes[1]]
    for extent in [size + (size - 1) * (rate - 1) for size in heights]:
        pairs.append(extent - 1)
    halves = []
    for total in pairs:
        before = total // 2
        halves.append((before, total - before))
    return halves


def _check_channels(images: Tensor, filters: Tensor) -> None:
    have, want = images.shape[3], filters.shape[3]
    if not have.is_compatible_with(want):
        raise ValueError(
            f"value's input channels does not match filters' input channels, {have} != {want}"
        )


def _check_output_channels(filters: Tensor, sizes: Any) -> None:
    if not isinstance(sizes[3], Tensor) and not filters.shape[2].is_compatible_with(sizes[3]):
        raise ValueError(
            f"output_shape does not match filter's output channels, {sizes[3]} != "
            f"{filters.shape[2]}"
        )
