"""Pooling along as many axes as the input has, with strides or rates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import dataflow.ops.array.shape as array_shape
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.ops.nn.arguments import channel_index_of, per_dimension
from dataflow.ops.nn.pooling import (
    avg_pool,
    avg_pool1d,
    avg_pool3d,
    max_pool,
    max_pool1d,
    max_pool2d,
    max_pool3d,
)
from dataflow.ops.nn.space_to_batch import with_space_to_batch
from dataflow.schema.shape_functions import with_rank
from dataflow.values.deprecated_args import renamed


def max_pool_v2(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The greatest element of each window along one, two or three axes, as the input has.

    Args:
      input: Tensor of known rank.
      ksize: Size of the window: one number, one a spatial dimension, or one a dimension.
      strides: Steps of the window, in the forms of `ksize`.
      padding: "SAME", "VALID", or a list of pairs.
      data_format: Order of the dimensions; channels last by default.
      name: Name of the operation.

    Raises:
      ValueError: The rank is not 3, 4 or 5, or explicit padding is not supported for it.
    """
    rank = _spatial_rank(input)
    index = rank + 1 if data_format is None else channel_index_of(data_format, rank)
    sizes = per_dimension(ksize, rank, index, "ksize")
    steps = per_dimension(strides, rank, index, "strides")
    if isinstance(padding, (list, tuple)) and rank == 3:
        raise ValueError(
            "Explicit padding is not supported with an input tensor of rank 5. Received: "
            f"padding={padding}"
        )
    if rank == 3:
        return _volumes("MaxPool3D", input, sizes, steps, padding, data_format, name)
    function = max_pool1d if rank == 1 else max_pool2d
    return function(input, sizes, steps, padding, data_format=data_format, name=name)


def avg_pool_v2(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The mean of each window along one, two or three axes; arguments as those of max_pool_v2."""
    rank = _spatial_rank(input)
    index = rank + 1 if data_format is None else channel_index_of(data_format, rank)
    sizes = per_dimension(ksize, rank, index, "ksize")
    steps = per_dimension(strides, rank, index, "strides")
    if rank == 1:
        return avg_pool1d(input, sizes, steps, padding, data_format=data_format, name=name)
    op_type = "AvgPool" if rank == 2 else "AvgPool3D"
    return _volumes(op_type, input, sizes, steps, padding, data_format, name)


def _volumes(
    op_type: str,
    value: Any,
    ksize: list[Any],
    strides: list[Any],
    padding: Any,
    data_format: str | None,
    name: str | None,
) -> Tensor:
    return single(
        op_type,
        value,
        ksize=ksize,
        strides=strides,
        padding=padding,
        data_format=data_format,
        name=name,
    )


def _spatial_rank(value: Any) -> int:
    rank = len(value.shape) - 2
    if not 1 <= rank <= 3:
        raise ValueError(f"Input tensor must be of rank 3, 4 or 5 but was {rank + 2}.")
    return rank


def pool(
    input: Any,
    window_shape: Sequence[int],
    pooling_type: str,
    padding: Any,
    dilation_rate: Any = None,
    strides: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: Any = None,
) -> Tensor:
    """Pooling along one, two or three axes, with strides or rates.

    Args:
      input: Tensor (batch, *spatial, channels).
      window_shape: Size of the window, one number a spatial dimension.
      pooling_type: "AVG" or "MAX".
      padding: "SAME" or "VALID".
      dilation_rate: Distance of two taps, one number a spatial dimension.
      strides: Steps of the window, one number a spatial dimension.
      name: Name of the operations.
      data_format: Order of the dimensions; channels last unless it starts with "NC".
      dilations: Other name of `dilation_rate`.

    Raises:
      ValueError: An argument does not fit the others.
    """
    dilation_rate = renamed("dilations", dilations, "dilation_rate", dilation_rate)
    with name_scope(name, f"{pooling_type.lower()}_pool", [input]) as scope:
        tensor = convert_to_tensor(input, name="input")
        rank = len(window_shape)
        if not 1 <= rank <= 3:
            raise ValueError("It is required that 1 <= num_spatial_dims <= 3.")
        with_rank(tensor.shape, rank + 2)
        steps = _positive(strides, rank, "strides")
        rates = _positive(dilation_rate, rank, "dilation_rate")
        if np.any(steps > 1) and np.any(rates > 1):
            raise ValueError("strides > 1 not supported in conjunction with dilation_rate > 1")
        if padding == "SAME" and np.any(rates > 1):
            raise ValueError("pooling with SAME padding is not implemented for dilation_rate > 1")
        if np.any(steps > np.array(window_shape)):
            raise ValueError(
                "strides > window_shape not supported due to inconsistency between CPU and GPU "
                "implementations"
            )
        op = _pooling(pooling_type, window_shape, steps.tolist(), data_format, scope)
        first = 2 if data_format is not None and data_format.startswith("NC") else 1
        result: Tensor = with_space_to_batch(
            tensor,
            dilation_rate=rates,
            padding=padding,
            op=op,
            spatial_dims=range(first, first + rank),
            filter_shape=window_shape,
        )
        return result


def _positive(values: Any, rank: int, name: str) -> Any:
    if values is None:
        return np.ones(rank, np.int32)
    if len(values) != rank:
        raise ValueError(f"len({name})={len(values)} but should be {rank}")
    array = np.array(values, np.int32)
    if np.any(array < 1):
        raise ValueError(f"all values of {name} must be positive")
    return array


def _pooling(
    pooling_type: str,
    window: Sequence[int],
    strides: Sequence[int],
    data_format: str | None,
    scope: str,
) -> Any:
    """The pooling op, as what with_space_to_batch applies."""
    rank = len(window)
    functions = {
        ("MAX", 1): max_pool,
        ("MAX", 2): max_pool,
        ("MAX", 3): max_pool3d,
        ("AVG", 1): avg_pool,
        ("AVG", 2): avg_pool,
        ("AVG", 3): avg_pool3d,
    }
    function: Any = functions.get((pooling_type, rank))
    if function is None:
        raise ValueError(f"{rank}-D {pooling_type} pooling is not supported.")
    channels_first = data_format is not None and data_format.startswith("NC")
    before, after = ([1, 1], []) if channels_first else ([1], [1])
    ksize, steps = [*before, *window, *after], [*before, *strides, *after]
    target, axis = data_format, 2 if channels_first else 1
    if rank == 1:
        if data_format not in (None, "NWC", "NCW"):
            raise ValueError("data_format must be either 'NWC' or 'NCW'.")
        target = "NCHW" if data_format == "NCW" else "NHWC"
        ksize, steps = [1, *ksize], [1, *steps]

    def apply(tensor: Tensor, _: int, padding: Any) -> Any:
        if rank == 1:
            tensor = array_shape.expand_dims(tensor, axis)
        result = function(tensor, ksize, steps, padding, name=scope, data_format=target)
        return array_shape.squeeze(result, [axis]) if rank == 1 else result

    return apply
