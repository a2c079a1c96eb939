"""Pooling over three dimensions, and over any number of them."""

from __future__ import annotations

from typing import Any

from dataflow.contrib.framework.arg_scope import add_arg_scope
from dataflow.contrib.layers.collections import collect_named_outputs
from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.library.layers.pooling import AveragePooling3D, MaxPooling3D
from dataflow.ops.nn.pooling_nd import pool as plain_pool


def _pooled(
    kind: Any,
    default: str,
    inputs: Any,
    kernel_size: Any,
    stride: Any,
    padding: str,
    data_format: str,
    outputs_collections: Any,
    scope: str | None,
) -> Any:
    if data_format not in ("NCDHW", "NDHWC"):
        raise ValueError("data_format has to be either NCDHW or NDHWC.")
    with scopes.name_scope(scope, default, [inputs]) as inside:
        layer = kind(
            pool_size=kernel_size,
            strides=stride,
            padding=padding,
            data_format="channels_first" if data_format == "NCDHW" else "channels_last",
            _scope=inside,
        )
        outputs = layer.apply(convert_to_tensor(inputs))
        return collect_named_outputs(outputs_collections, inside, outputs)


@add_arg_scope
def max_pool3d(
    inputs: Any,
    kernel_size: Any,
    stride: Any = 2,
    padding: str = "VALID",
    data_format: str = "NDHWC",
    outputs_collections: Any = None,
    scope: str | None = None,
) -> Any:
    """The largest of each window of three dimensions; arguments as `max_pool2d` has."""
    return _pooled(
        MaxPooling3D,
        "MaxPool3D",
        inputs,
        kernel_size,
        stride,
        padding,
        data_format,
        outputs_collections,
        scope,
    )


@add_arg_scope
def avg_pool3d(
    inputs: Any,
    kernel_size: Any,
    stride: Any = 2,
    padding: str = "VALID",
    data_format: str = "NDHWC",
    outputs_collections: Any = None,
    scope: str | None = None,
) -> Any:
    """The mean of each window of three dimensions; arguments as `avg_pool2d` has."""
    return _pooled(
        AveragePooling3D,
        "AvgPool3D",
        inputs,
        kernel_size,
        stride,
        padding,
        data_format,
        outputs_collections,
        scope,
    )


@add_arg_scope
def pool(
    inputs: Any,
    kernel_size: Any,
    pooling_type: str,
    padding: str = "VALID",
    data_format: str | None = None,
    dilation_rate: Any = 1,
    stride: Any = 1,
    outputs_collections: Any = None,
    scope: str | None = None,
) -> Any:
    """Pooling over all axes but those of batch and channels.

    Args:
      inputs: A tensor of rank 3 or more.
      kernel_size: One size, or one for each axis.
      pooling_type: "AVG" or "MAX".
      padding: "SAME" or "VALID".
      data_format: Begins with "NC" if the channels are second.
      dilation_rate: How far apart what a window sees is.
      stride: One step, or one for each axis.
      outputs_collections: Where the output is put.
      scope: The type, lower case, with "_pool" if None.

    Raises:
      ValueError: If the rank is not known, or less than 3.
    """
    with scopes.name_scope(scope, f"{pooling_type.lower()}_pool", [inputs]) as inside:
        inputs = convert_to_tensor(inputs)
        rank = inputs.shape.rank
        if rank is None:
            raise ValueError("Rank of inputs must be known")
        if rank < 3:
            raise ValueError("Rank of inputs must be >= 3")
        outputs = plain_pool(
            inputs,
            window_shape=_each(kernel_size, rank - 2),
            pooling_type=pooling_type,
            padding=padding,
            data_format=data_format,
            dilations=_each(dilation_rate, rank - 2),
            strides=_each(stride, rank - 2),
            name=inside,
        )
        return collect_named_outputs(outputs_collections, inside, outputs)


def _each(value: Any, count: int) -> list[int]:
    return [value] * count if isinstance(value, int) else list(value)
