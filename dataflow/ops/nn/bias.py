"""Adding a vector along the axis of the channels, and what is built of products and biases."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.broadcast as array_broadcast
import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.shape as array_shape
import dataflow.ops.basic.range as range_ops
import dataflow.ops.linalg.matmul as linalg_matmul
import dataflow.ops.nn.activation as nn_activation
import dataflow.ops.reductions.reduce as reductions
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.shape_parts import replaced, size_at, vector
from dataflow.ops.basic.single import single
from dataflow.ops.math.types import NUMBER
from dataflow.schema.opdef import InferenceContext, define_op
from dataflow.schema.shape_functions import merge_dim, with_rank, with_rank_at_least
from dataflow.values.shapes import TensorShape

_FORMAT = "data_format: {'NHWC', 'NCHW'} = 'NHWC'"


def _shape(c: InferenceContext, channels_first: bool) -> TensorShape:
    value = with_rank_at_least(c.input(0), 3 if channels_first else 2)
    bias = with_rank(c.input(1), 1)
    if value.rank is None:
        return value
    axis = 1 if channels_first else -1
    return replaced(value, axis, merge_dim(size_at(value, axis), size_at(bias, 0)))


def _add_shape(c: InferenceContext) -> TensorShape:
    return _shape(c, c.attr("data_format") == b"NCHW")


def bias_add_v1_shape(c: InferenceContext) -> TensorShape:
    """That of the first input, whose last axis has the bias's size."""
    return _shape(c, channels_first=False)


def _grad_shape(c: InferenceContext) -> TensorShape:
    channels_first = c.attr("data_format") == b"NCHW"
    value = with_rank_at_least(c.input(0), 3 if channels_first else 2)
    return vector(size_at(value, 1 if channels_first else -1))


def _add_gradient(op: Operation, grad: Any) -> Any:
    return grad, single("BiasAddGrad", grad, data_format=op.attrs["data_format"])


def _add_v1_gradient(op: Operation, grad: Any) -> Any:
    rank: Any = array_shape.rank(grad)
    return grad, reductions.reduce_sum(grad, range_ops.range(rank - 1))


def _grad_gradient(op: Operation, grad: Any) -> Tensor:
    """The gradient of the bias, repeated along all axes but that of the channels."""
    shape: Any = array_shape.shape(op.inputs[0])
    bias_shape = array_shape.shape(grad)
    if op.attrs["data_format"] == b"NCHW":
        parts = [array_fill.ones_like(shape[:1]), bias_shape, array_fill.ones_like(shape[2:])]
        expanded_shape = array_concat.concat(parts, 0)
        multiples = array_concat.concat([shape[:1], [1], shape[2:]], 0)
    else:
        expanded_shape = array_concat.concat([array_fill.ones_like(shape[:-1]), bias_shape], 0)
        multiples = array_concat.concat([shape[:-1], [1]], 0)
    return array_broadcast.tile(array_shape.reshape(grad, expanded_shape), multiples)


define_op(
    "BiasAdd",
    inputs="value: T, bias: T",
    outputs="output: T",
    attrs=[NUMBER, _FORMAT],
    shape=_add_shape,
    gradient=_add_gradient,
    doc="Adds a vector along the axis of the channels.",
)
define_op(
    "BiasAddV1",
    inputs="value: T, bias: T",
    outputs="output: T",
    attrs=[NUMBER],
    shape=bias_add_v1_shape,
    gradient=_add_v1_gradient,
    doc="Adds a vector along the last axis; found in old graphs.",
)
define_op(
    "BiasAddGrad",
    inputs="out_backprop: T",
    outputs="output: T",
    attrs=[NUMBER, _FORMAT],
    shape=_grad_shape,
    gradient=_grad_gradient,
    doc="Sums over all axes but that of the channels.",
)


def bias_add(
    value: Any, bias: Any, data_format: str | None = None, name: str | None = None
) -> Tensor:
    """Adds a vector along the axis of the channels.

    Args:
      value: Tensor of at least two dimensions.
      bias: Vector, one element a channel.
      data_format: "N...C" has the channels last, "NC..." second; last by default.
      name: Name of the operation.

    Raises:
      ValueError: The format is neither, or the shapes do not fit.
    """
    with name_scope(name, "BiasAdd", [value, bias]) as scope:
        if data_format is not None:
            if data_format.startswith("NC"):
                data_format = "NCHW"
            elif data_format.startswith("N") and data_format.endswith("C"):
                data_format = "NHWC"
            else:
                raise ValueError("data_format must be of the form `N...C` or `NC...`")
        value = convert_to_tensor(value, name="input")
        bias = convert_to_tensor(bias, dtype=value.dtype, name="bias")
        return single("BiasAdd", value, bias, data_format=data_format, name=scope)


def bias_add_v1(value: Any, bias: Any, name: str | None = None) -> Tensor:
    """Adds a vector along the last axis, by the older op BiasAddV1."""
    with name_scope(name, "BiasAddV1", [value, bias]) as scope:
        value = convert_to_tensor(value, name="input")
        bias = convert_to_tensor(bias, dtype=value.dtype, name="bias")
        return single("BiasAddV1", value, bias, name=scope)


def xw_plus_b(x: Any, weights: Any, biases: Any, name: str | None = None) -> Tensor:
    """matmul(x, weights) + biases.

    Args:
      x: Matrix, one row a sample.
      weights: Matrix of as many rows as `x` has columns.
      biases: Vector of as many elements as `weights` has columns.
      name: Name of the operation.
    """
    with name_scope(name, "xw_plus_b", [x, weights, biases]) as scope:
        x = convert_to_tensor(x, name="x")
        weights = convert_to_tensor(weights, name="weights")
        biases = convert_to_tensor(biases, name="biases")
        return bias_add(linalg_matmul.matmul(x, weights), biases, name=scope)


def relu_layer(x: Any, weights: Any, biases: Any, name: str | None = None) -> Tensor:
    """relu(matmul(x, weights) + biases).

    Args:
      x: Matrix, one row a sample.
      weights: Matrix of as many rows as `x` has columns.
      biases: Vector of as many elements as `weights` has columns.
      name: Name of the operation.
    """
    with name_scope(name, "relu_layer", [x, weights, biases]) as scope:
        x = convert_to_tensor(x, name="x")
        weights = convert_to_tensor(weights, name="weights")
        biases = convert_to_tensor(biases, name="biases")
        return nn_activation.relu(bias_add(linalg_matmul.matmul(x, weights), biases), name=scope)
