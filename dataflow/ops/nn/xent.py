"""The cross entropy between labels and the softmax of logits: ops that give loss and gradient."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.shape as array_shape
import dataflow.ops.linalg.matmul as linalg_matmul
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.shape_parts import vector
from dataflow.ops.basic.single import single
from dataflow.ops.math.types import NN_FLOAT
from dataflow.schema.opdef import InferenceContext, define_op
from dataflow.schema.shape_functions import broadcast_shapes, merge_dim, with_rank
from dataflow.values.shapes import TensorShape


def _dense_shape(c: InferenceContext) -> list[TensorShape]:
    shape = broadcast_shapes(c.input(0), c.input(1))
    if shape.rank not in (None, 2):
        raise ValueError(f"Shape must be broadcasted with rank 2, but is rank {shape.rank}")
    batch, classes = shape.dims_tuple or (None, None)
    return [vector(batch), TensorShape.of((batch, classes))]


def _sparse_shape(c: InferenceContext) -> list[TensorShape]:
    batch, classes = with_rank(c.input(0), 2).dims_tuple or (None, None)
    (labels,) = with_rank(c.input(1), 1).dims_tuple or (None,)
    batch = merge_dim(batch, labels)
    return [vector(batch), TensorShape.of((batch, classes))]


def _logits_gradient(op: Operation, grad_loss: Any, grad_backprop: Any) -> Tensor:
    """Of both outputs: the second one's slope is that of softmax itself."""
    grad: Any = _per_row(grad_loss, op.outputs[1])
    if grad_backprop is not None and not getattr(grad_backprop, "_is_zeros_tensor", False):
        softmax: Any = single("Softmax", op.inputs[0])
        projection = linalg_matmul.matmul(
            array_shape.expand_dims(grad_backprop, 1), array_shape.expand_dims(softmax, 2)
        )
        grad += (grad_backprop - array_shape.squeeze(projection, axis=1)) * softmax
    result: Tensor = grad
    return result


def _dense_gradient(op: Operation, grad_loss: Any, grad_backprop: Any) -> Any:
    grad = _logits_gradient(op, grad_loss, grad_backprop)
    log_probabilities: Any = single("LogSoftmax", op.inputs[0])
    return grad, _per_row(grad_loss, -log_probabilities)


def _sparse_gradient(op: Operation, grad_loss: Any, grad_backprop: Any) -> Any:
    return _logits_gradient(op, grad_loss, grad_backprop), None


def _per_row(factors: Any, matrix: Any) -> Any:
    return array_shape.expand_dims(factors, -1) * matrix


define_op(
    "SoftmaxCrossEntropyWithLogits",
    inputs="features: T, labels: T",
    outputs="loss: T, backprop: T",
    attrs=[NN_FLOAT],
    shape=_dense_shape,
    gradient=_dense_gradient,
    doc="Cross entropy of each row of labels and the softmax of logits, and its gradient.",
)
define_op(
    "SparseSoftmaxCrossEntropyWithLogits",
    inputs="features: T, labels: Tlabels",
    outputs="loss: T, backprop: T",
    attrs=[NN_FLOAT, "Tlabels: {int32, int64} = int64"],
    shape=_sparse_shape,
    gradient=_sparse_gradient,
    doc="Like SoftmaxCrossEntropyWithLogits, with one class a row instead of a distribution.",
)
