"""Softmax and its logarithm, along any axis."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.select as array_select
import dataflow.ops.array.shape as array_shape
import dataflow.ops.array.transpose as array_transpose
import dataflow.ops.basic.range as range_ops
import dataflow.ops.math.binary as math_binary
import dataflow.ops.math.compare as math_compare
import dataflow.ops.math.unary as math_unary
import dataflow.ops.reductions.reduce as reductions
from dataflow.errors import InvalidArgumentError
from dataflow.graph.constant_value import constant_value
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.dispatch import dispatched, unary
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.ops.math.types import NN_FLOAT
from dataflow.schema.opdef import define_op
from dataflow.schema.shape_functions import rank_at_least
from dataflow.values.deprecated_args import renamed


def _softmax_gradient(op: Operation, grad: Any) -> Any:
    """(g - sum(g y)) y: the Jacobian is diag(y) less y y'."""
    softmax: Any = op.outputs[0]
    total = reductions.reduce_sum(grad * softmax, -1, keepdims=True)
    return (grad - total) * softmax


def _log_softmax_gradient(op: Operation, grad: Any) -> Any:
    probabilities = math_unary.exp(op.outputs[0])
    total: Any = reductions.reduce_sum(grad, -1, keepdims=True)
    return grad - total * probabilities


define_op(
    "Softmax",
    inputs="logits: T",
    outputs="softmax: T",
    attrs=[NN_FLOAT],
    shape=rank_at_least(1),
    gradient=_softmax_gradient,
    doc="exp(x) over its sum along the last axis.",
)
define_op(
    "LogSoftmax",
    inputs="logits: T",
    outputs="logsoftmax: T",
    attrs=[NN_FLOAT],
    shape=rank_at_least(1),
    gradient=_log_softmax_gradient,
    doc="x less the logarithm of the sum of exp(x) along the last axis.",
)


@dispatched
def softmax(logits: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Tensor:
    """exp(logits) over its sum along `axis`.

    Args:
      logits: Floating tensor.
      axis: Axis that sums to one, the last one by default.
      name: Name of the operation.
      dim: Former name of `axis`.

    Raises:
      InvalidArgumentError: There is no such axis.

    >>> with tf.Session() as session:
    ...     print(session.run(tf.nn.softmax([0.0, 0.0])))
    [0.5 0.5]
    """
    return _along("Softmax", logits, renamed("axis", axis, "dim", dim), name)


@unary
def log_softmax(logits: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Tensor:
    """logits less the logarithm of the sum of exp(logits) along `axis`.

    Args:
      logits: Floating tensor.
      axis: Axis along which probabilities sum to one, the last one by default.
      name: Name of the operation.
      dim: Former name of `axis`.

    Raises:
      InvalidArgumentError: There is no such axis.
    """
    return _along("LogSoftmax", logits, renamed("axis", axis, "dim", dim), name)


def _along(op_type: str, logits: Any, axis: Any, name: str | None) -> Tensor:
    """The op, which works along the last axis, along another one: by exchanging the two."""
    axis = -1 if axis is None else axis
    inputs = convert_to_tensor(logits)
    shape = inputs.shape
    if not isinstance(axis, Tensor) and (axis == -1 or (shape.rank and axis == shape.rank - 1)):
        return single(op_type, inputs, name=name)
    known = constant_value(axis) if isinstance(axis, Tensor) else axis
    if shape.rank is None:
        raise ValueError(f"The rank of `logits` must be known for `axis` {axis}, got {inputs}.")
    if known is not None and not -shape.rank <= known < shape.rank:
        raise InvalidArgumentError(
            None,
            None,
            f"Dimension ({known}) must be in the range [{-shape.rank}, {shape.rank}) where "
            f"{shape.rank} is the number of dimensions in the input.",
        )
    rank: Any = array_shape.rank(inputs)
    if isinstance(axis, Tensor):
        axis = array_select.where(math_compare.less(axis, 0), axis + rank, axis)
    elif axis < 0:
        axis += rank
    input_rank = array_shape.rank(inputs)
    position = axis % shape.rank
    swapped = _exchange(inputs, position, math_binary.subtract(input_rank, 1))
    output = single(op_type, swapped)
    output = _exchange(output, position, math_binary.subtract(input_rank, 1), name)
    output.set_shape(shape)
    return output


def _exchange(tensor: Tensor, first: Any, last: Any, name: str | None = None) -> Tensor:
    permutation = array_concat.concat(
        [range_ops.range(first), [last], range_ops.range(first + 1, last), [first]], 0
    )
    return array_transpose.transpose(tensor, permutation, name=name)
