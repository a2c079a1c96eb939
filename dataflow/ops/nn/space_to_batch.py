"""Dilated windows by an op that has none: the pixels a dilated window sees are made neighbours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.shape as array_shape
import dataflow.ops.array.space as array_space
from dataflow.graph.constant_value import constant_value
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.tensor import Tensor
from dataflow.ops.nn.arguments import split_padding
from dataflow.values import dtypes


def with_space_to_batch(
    input: Any,
    dilation_rate: Any,
    padding: Any,
    op: Callable[[Tensor, int, Any], Any],
    filter_shape: Any = None,
    spatial_dims: Sequence[int] | None = None,
    data_format: str | None = None,
) -> Any:
    """Applies `op` with a dilated window, by moving space to the batch and back.

    Args:
      input: Tensor.
      dilation_rate: Vector of positive integers, one a spatial dimension.
      padding: "SAME", "VALID" or a list of pairs.
      op: Takes a tensor, the number of spatial dimensions and a padding; gives a tensor.
      filter_shape: Shape of the window; needed for "SAME".
      spatial_dims: Dimensions that are dilated, in ascending order; the first ones by default.
      data_format: Order of the dimensions; channels last unless it starts with "NC".

    Raises:
      ValueError: An argument does not fit the others.
    """
    tensor = convert_to_tensor(input, name="input")
    return dilated(
        tensor,
        dilation_rate,
        padding,
        op,
        filter_shape=filter_shape,
        spatial_dims=spatial_dims,
        data_format=data_format,
    )


def dilated(
    tensor: Tensor,
    dilation_rate: Any,
    padding: Any,
    op: Callable[[Tensor, int, Any], Any],
    filter_shape: Any = None,
    spatial_dims: Sequence[int] | None = None,
    data_format: str | None = None,
    num_batch_dims: int = 1,
    output_channels: Any = None,
) -> Any:
    """`with_space_to_batch` for a tensor that may have several batch dimensions.

    `output_channels` is the size of the result's channels, for "NC..." formats where space to batch
    loses it.
    """
    rate = convert_to_tensor(dilation_rate, dtypes.int32, name="dilation_rate")
    if rate.shape.rank not in (None, 1):
        raise ValueError("rate must be rank 1")
    if not rate.shape.is_fully_defined():
        raise ValueError("rate must have known shape")
    count = rate.shape.as_list()[0] or 0
    channels_first = data_format is not None and data_format.startswith("NC")
    dims = _spatial_dims(tensor, spatial_dims, count, channels_first, num_batch_dims)
    known_rate = constant_value(rate)
    if known_rate is not None:
        if np.any(known_rate < 1):
            raise ValueError("dilation_rate must be positive")
        if np.all(known_rate == 1):
            return op(tensor, count, padding)
    any_rate: Any = rate if known_rate is None else known_rate
    base = _base_paddings(padding, filter_shape, count, any_rate, channels_first)
    static = tensor.shape.as_list() if tensor.shape.rank is not None else None
    sizes: Any = None if static is None else [static[i] for i in dims]
    if sizes is None or None in sizes:
        shape: Any = array_shape.shape(tensor)
        sizes = array_concat.stack([shape[i] for i in dims])
    paddings, crops = array_space.required_space_to_batch_paddings(
        input_shape=sizes, base_paddings=base, block_shape=rate
    )
    block = _for_all_dims(rate, 1, dims)
    paddings = _for_all_dims(paddings, 0, dims)
    crops = _for_all_dims(crops, 0, dims)
    batched = array_space.space_to_batch_nd(tensor, block, paddings)
    result = op(batched, count, "VALID")
    output = array_space.batch_to_space_nd(result, block, crops)
    if channels_first and output_channels is not None and output.shape.rank is not None:
        known = output.shape.as_list()
        if not known[1]:
            known[1] = output_channels
            output.set_shape(known)
    return output


def _spatial_dims(
    tensor: Tensor,
    given: Sequence[int] | None,
    count: int,
    channels_first: bool,
    num_batch_dims: int,
) -> list[int]:
    first = num_batch_dims + 1 if channels_first else num_batch_dims
    original = list(range(first, first + count) if given is None else given)
    dims = sorted({int(d) for d in original})
    if dims != original or any(d < 1 for d in dims):
        raise ValueError(
            "spatial_dims must be a montonically increasing sequence of positive integers"
        )
    least = dims[-1] if channels_first else dims[-1] + 1
    if tensor.shape.rank is not None and tensor.shape.rank < least:
        raise ValueError(f"input tensor must have rank {least} at least")
    return dims


def _base_paddings(
    padding: Any, filter_shape: Any, count: int, rate: Any, channels_first: bool
) -> Any:
    """The padding that the dilated window itself needs, one pair a spatial dimension."""
    kind, explicit = split_padding(padding)
    if kind == "SAME":
        if filter_shape is None:
            raise ValueError("filter_shape must be specified for SAME padding")
        shape: Any = convert_to_tensor(filter_shape, name="filter_shape")
        known = constant_value(shape)
        extra = ((shape if known is None else known)[:count] - 1) * rate
        start = extra // 2
        end = extra - start
        return array_concat.stack([[start[i], end[i]] for i in range(count)])
    if kind == "VALID":
        return np.zeros([count, 2], np.int32)
    if kind == "EXPLICIT":
        pairs = np.array(explicit).reshape([count + 2, 2])
        return pairs[2:] if channels_first else pairs[1:-1]
    raise ValueError(f"Invalid padding method {padding!r}")


def _for_all_dims(values: Tensor, fill: int, dims: Sequence[int]) -> Any:
    """`values`, one row a spatial dimension, and rows of `fill` for the dimensions between."""
    row_shape: list[Any] = values.shape.as_list()[1:]
    dtype = values.dtype.as_numpy_dtype
    known = constant_value(values)
    source: Any = values if known is None else known
    parts = []
    previous = 0
    i = 0
    while i < len(dims):
        start = i
        if dims[i] > 1:
            missing = [dims[i] - 1 - previous, *row_shape]
            parts.append(np.full(missing, fill, dtype=dtype))
        while i + 1 < len(dims) and dims[i + 1] == dims[i] + 1:
            i += 1
        parts.append(source[start : i + 1])
        previous = dims[i]
        i += 1
    return array_concat.concat(parts, 0) if known is None else np.concatenate(parts)
