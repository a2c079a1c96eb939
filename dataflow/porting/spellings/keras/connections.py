"""tensorflow.python.keras.utils.conv_utils: which inputs of a convolution reach which outputs."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from dataflow.porting.spellings.keras.lengths import conv_output_length

Shape = tuple[int, ...]


def conv_output_shape(
    input_shape: Sequence[int], kernel_shape: Sequence[int], strides: Sequence[int], padding: str
) -> Shape:
    """Sizes of the output along each axis; an empty axis stays empty."""
    found = []
    for size, kernel, stride in zip(input_shape, kernel_shape, strides, strict=False):
        length = conv_output_length(size, kernel, padding, stride)
        assert length is not None
        found.append(length if size else 0)
    return tuple(found)


def conv_connected_inputs(
    input_shape: Sequence[int],
    kernel_shape: Sequence[int],
    output_position: Sequence[int],
    strides: Sequence[int],
    padding: str,
) -> list[range]:
    """Along each axis the inputs that the output at a position is made of."""
    found = []
    places = zip(input_shape, kernel_shape, output_position, strides, strict=False)
    for size, kernel, position, stride in places:
        first = position * stride - (0 if padding == "valid" else kernel // 2)
        found.append(range(max(0, first), min(size, first + kernel)))
    return found


def conv_kernel_mask(
    input_shape: Shape, kernel_shape: int | Shape, strides: int | Shape, padding: str
) -> np.ndarray:
    """True for pairs of an input and an output that a weight connects.

    Args:
      input_shape: Sizes of the input along its axes.
      kernel_shape: Of the filter, or one for all axes.
      strides: Along each axis, or one for all.
      padding: "same" or "valid".

    Returns:
      A bool array of the shape of the input followed by that of the output.

    Raises:
      NotImplementedError: There is no such padding.
      ValueError: The numbers of axes differ.
    """
    kernel, strides = _of_all_axes(input_shape, kernel_shape, strides, padding)
    mask = np.zeros(input_shape + conv_output_shape(input_shape, kernel, strides, padding), bool)
    for output, inputs in _connections(input_shape, kernel, strides, padding):
        seen: list[Any] = [slice(each.start, max(each.start, each.stop)) for each in inputs]
        mask[(*seen, *output)] = True
    return mask


def conv_kernel_idxs(
    input_shape: Shape,
    kernel_shape: int | Shape,
    strides: int | Shape,
    padding: str,
    filters_in: int,
    filters_out: int,
    data_format: str,
) -> Iterator[tuple[int, int]]:
    """Pairs of an output and an input that a weight connects, as places in flattened arrays.

    Args:
      input_shape: Sizes of the input along its axes, but for the channels.
      kernel_shape: Of the filter, or one for all axes.
      strides: Along each axis, or one for all.
      padding: "same" or "valid".
      filters_in: Channels of the input,
      filters_out: and of the output.
      data_format: "channels_first" or "channels_last".

    Raises:
      NotImplementedError: There is no such padding.
      ValueError: The numbers of axes differ, or there is no such format.
    """
    kernel, strides = _of_all_axes(input_shape, kernel_shape, strides, padding)
    if data_format not in ("channels_first", "channels_last"):
        raise ValueError(
            f"Data format {data_format} not recignized."
            '`data_format` must be "channels_first" or "channels_last".'
        )
    is_first = data_format == "channels_first"

    def with_channel(places: Shape, channel: int) -> Shape:
        return (channel, *places) if is_first else (*places, channel)

    output_dims = with_channel(
        conv_output_shape(input_shape, kernel, strides, padding), filters_out
    )
    input_dims = with_channel(input_shape, filters_in)
    for output, inputs in _connections(input_shape, kernel, strides, padding):
        for place in itertools.product(*inputs):
            for channel, made in itertools.product(range(filters_in), range(filters_out)):
                yield (
                    int(np.ravel_multi_index(with_channel(output, made), output_dims)),
                    int(np.ravel_multi_index(with_channel(place, channel), input_dims)),
                )


def _connections(
    input_shape: Shape, kernel: Shape, strides: Shape, padding: str
) -> Iterator[tuple[Shape, list[range]]]:
    """Places of the output, each with the inputs it is made of."""
    for output in np.ndindex(conv_output_shape(input_shape, kernel, strides, padding)):
        yield output, conv_connected_inputs(input_shape, kernel, output, strides, padding)


def _of_all_axes(
    input_shape: Shape, kernel_shape: int | Shape, strides: int | Shape, padding: str
) -> tuple[Shape, Shape]:
    if padding not in ("same", "valid"):
        raise NotImplementedError(
            f'Padding type {padding} not supported. Only "valid" and "same" are implemented.'
        )
    rank = len(input_shape)
    kernel = (kernel_shape,) * rank if isinstance(kernel_shape, int) else kernel_shape
    strides = (strides,) * rank if isinstance(strides, int) else strides
    if not len(kernel) == len(strides) == rank:
        raise ValueError(
            "Number of strides, input and kernel dimensions must all match. "
            f"Received: {len(strides)}, {rank}, {len(kernel)}."
        )
    return kernel, strides
