"""Layers once more, with other weights."""

from __future__ import annotations

from typing import Any

from dataflow.graph.operation import Operation
from dataflow.ops.array.space import batch_to_space_nd
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.nn.convolution import conv2d
from dataflow.ops.nn.separable import depthwise_conv2d


def with_weights(layer: Operation, space: Operation | None, inputs: Any, weights: Any) -> Any:
    """The output of a layer that takes other weights.

    Args:
      layer: A Conv2D, DepthwiseConv2dNative or MatMul.
      space: What follows a dilated convolution, BatchToSpaceND.
      inputs: What the layer takes.
      weights: The new weights.
    """
    scope, slash, _ = layer.name.rpartition("/")
    with layer.graph.name_scope(scope + slash):
        if layer.type == "MatMul":
            return matmul(
                inputs,
                weights,
                transpose_a=layer.get_attr("transpose_a"),
                transpose_b=layer.get_attr("transpose_b"),
                name=_name(layer),
            )
        convolution = conv2d if layer.type == "Conv2D" else depthwise_conv2d
        output = convolution(
            inputs,
            weights,
            strides=layer.get_attr("strides"),
            padding=layer.get_attr("padding").decode(),
            data_format=layer.get_attr("data_format").decode(),
            name=_name(layer),
        )
        if space is None:
            return output
        return batch_to_space_nd(output, space.inputs[1], space.inputs[2], name=_name(space))


def _name(op: Operation) -> str:
    return op.name.rpartition("/")[2] + "_Fold"
