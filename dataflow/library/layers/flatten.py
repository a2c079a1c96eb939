"""Flatten: all dimensions but the first become one."""

from __future__ import annotations

import math
from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.graph.tensor import Tensor
from dataflow.library.layers.arguments import data_format_of
from dataflow.library.layers.base import BaseLayer
from dataflow.library.layers.input_spec import InputSpec
from dataflow.library.layers.layer import Layer
from dataflow.ops.array.transpose import transpose
from dataflow.ops.basic.constant import constant
from dataflow.values.shapes import TensorShape, as_shape


class FlattenCore(BaseLayer):
    """What `Flatten` computes, of tf.layers and of tf.keras."""

    def __init__(self, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = data_format_of(data_format)
        self.input_spec = InputSpec(min_ndim=1)

    def call(self, inputs: Any) -> Tensor:
        """The joined inputs, with as much of the static shape as is known."""
        rank = inputs.shape.rank
        if rank == 1:
            return array_shape.expand_dims(inputs, axis=1)
        if self.data_format == "channels_first" and rank:
            inputs = transpose(inputs, [0, *range(2, rank), 1])
        batch, *others = inputs.shape.dims_tuple or (None, None)
        if None not in others:
            return array_shape.reshape(inputs, constant([-1, math.prod(others)]))
        if batch is not None:
            return array_shape.reshape(inputs, constant([batch, -1]))
        return array_shape.reshape(inputs, [array_shape.shape(inputs)[0], -1])

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """The sizes of the batch and of the rest together."""
        batch, *others = as_shape(input_shape).as_list() or [1]
        return TensorShape([batch, math.prod(others) if all(others) else None])


class Flatten(FlattenCore, Layer):
    """Joins all dimensions but that of the batch; a vector becomes a matrix of one column.

    Args:
      data_format: "channels_last", or "channels_first" for inputs whose channels come second:
        they are moved to the end first.
      **kwargs: See `Layer`.
    """


def flatten(inputs: Any, name: str | None = None, data_format: str = "channels_last") -> Tensor:
    """Joins all dimensions of the inputs but the first; see `Flatten`."""
    flat: Tensor = Flatten(data_format, name=name)(inputs)
    return flat
