"""Sums of sparse tensors, and of a sparse and a dense one."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.broadcast as array_broadcast
import dataflow.ops.array.gather as array_gather
from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.operation import Operation
from dataflow.graph.sparse_tensor import SparseTensor, is_sparse
from dataflow.ops.basic.shape_parts import size_at, vector
from dataflow.ops.basic.single import single
from dataflow.ops.math.types import NUMBER, REAL
from dataflow.ops.sparse.conversion import as_sparse
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import with_rank
from dataflow.values.deprecated_args import renamed
from dataflow.values.shapes import TensorShape


def _sum_shape(c: InferenceContext) -> list[TensorShape]:
    shape = with_rank(c.input(2), 1)
    return [TensorShape.of((None, size_at(shape, 0))), vector(None), shape]


def _sum_gradient(op: Operation, _: Any, grad: Any, __: Any) -> Any:
    """Each element takes the gradient of what it went into."""
    of_a, of_b = apply_op("SparseAddGrad", grad, op.inputs[0], op.inputs[3], op.outputs[0])
    of_a.set_shape(op.inputs[1].shape)
    of_b.set_shape(op.inputs[4].shape)
    return None, of_a, None, None, of_b, None, None


def _sum_gradient_shape(c: InferenceContext) -> list[TensorShape]:
    a, b = with_rank(c.input(1), 2), with_rank(c.input(2), 2)
    return [vector(size_at(a, 0)), vector(size_at(b, 0))]


def _dense_sum_gradient(op: Operation, grad: Any) -> Any:
    return None, array_gather.gather_nd(grad, op.inputs[0]), None, grad


define_op(
    "SparseAdd",
    inputs=(
        "a_indices: int64, a_values: T, a_shape: int64, "
        "b_indices: int64, b_values: T, b_shape: int64, thresh: Treal"
    ),
    outputs="sum_indices: int64, sum_values: T, sum_shape: int64",
    attrs=[NUMBER, f"Treal{REAL.removeprefix('T')}"],
    shape=_sum_shape,
    gradient=_sum_gradient,
    doc="The sum of two sparse tensors, without what is small where both have an element.",
)
define_op(
    "SparseAddGrad",
    inputs="backprop_val_grad: T, a_indices: int64, b_indices: int64, sum_indices: int64",
    outputs="a_val_grad: T, b_val_grad: T",
    attrs=[NUMBER],
    shape=_sum_gradient_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="The gradients of the elements of both.",
)
define_op(
    "SparseTensorDenseAdd",
    inputs="a_indices: Tindices, a_values: T, a_shape: Tindices, b: T",
    outputs="output: T",
    attrs=[NUMBER, "Tindices: {int32, int64}"],
    shape=lambda c: c.input(3),
    gradient=_dense_sum_gradient,
    doc="The sum of a sparse and a dense tensor.",
)


def sparse_add(a: Any, b: Any, threshold: Any = None, thresh: Any = None) -> Any:
    """The sum of two tensors, one of which at least is sparse.

    Args:
      a: A sparse tensor, in order, or a dense one.
      b: Likewise, of the same type and shape.
      threshold: Sums of two sparse tensors whose size is below it are left out: a scalar.
      thresh: Old name of `threshold`.

    Returns:
      A sparse tensor if both are sparse, else a dense one.

    Raises:
      TypeError: Neither is sparse.
      ValueError: The static shapes do not fit.
    """
    threshold = renamed("threshold", threshold, "thresh", thresh)
    if threshold is None:
        threshold = 0
    if not is_sparse(a) and not is_sparse(b):
        raise TypeError("At least one input should be SparseTensor; do you mean to use tf.add()?")
    if not is_sparse(a) or not is_sparse(b):
        sparse, dense = (a, b) if is_sparse(a) else (b, a)
        return single(
            "SparseTensorDenseAdd", sparse.indices, sparse.values, sparse.dense_shape, dense
        )
    a, b = as_sparse(a), as_sparse(b)
    least = convert_to_tensor(
        threshold, dtype=a.values.dtype.real_dtype.base_dtype, name="threshold"
    )
    parts = [part for each in (a, b) for part in (each.indices, each.values, each.dense_shape)]
    indices, values, shape = apply_op("SparseAdd", *parts, least)
    a.shape.assert_is_compatible_with(b.shape)
    static = array_broadcast.broadcast_static_shape(a.shape, b.shape)
    if static.is_fully_defined():
        shape = static.as_list()
    return SparseTensor(indices, values, shape)
