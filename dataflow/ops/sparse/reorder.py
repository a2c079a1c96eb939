"""Sparse tensors with their coordinates put in order."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.gather as array_gather
import dataflow.ops.array.shape as array_shape
import dataflow.ops.array.transpose as array_transpose
import dataflow.ops.basic.range as range_ops
from dataflow.graph.apply_op import apply_op
from dataflow.graph.operation import Operation
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.ops.basic.identity import identity
from dataflow.ops.sparse.conversion import as_sparse, checked_parts
from dataflow.schema.opdef import InferenceContext, define_op
from dataflow.values.shapes import TensorShape


def _reorder_shape(c: InferenceContext) -> list[TensorShape]:
    return list(checked_parts(c)[:2])


def _reorder_gradient(op: Operation, _: Any, grad: Any) -> Any:
    """What came out at a place went in where its number was."""
    indices, _, shape = op.inputs
    count: Any = array_shape.shape(indices)
    numbers = range_ops.range(count[0])
    ordered = sparse_reorder(SparseTensor(indices, numbers, shape))
    places = array_transpose.invert_permutation(ordered.values)
    return None, array_gather.gather(grad, places), None


define_op(
    "SparseReorder",
    inputs="input_indices: int64, input_values: T, input_shape: int64",
    outputs="output_indices: int64, output_values: T",
    attrs=["T: type"],
    shape=_reorder_shape,
    gradient=_reorder_gradient,
    doc="Coordinates in row-major order, equal ones as they come, and their values.",
)


def sparse_reorder(sp_input: Any, name: str | None = None) -> SparseTensor:
    """The sparse tensor with its coordinates in row-major order, equal ones as they come."""
    sp_input = as_sparse(sp_input)
    indices, values = apply_op(
        "SparseReorder", sp_input.indices, sp_input.values, sp_input.dense_shape, name=name
    )
    if sp_input.shape.is_fully_defined():
        return SparseTensor(indices, values, sp_input.shape.as_list())
    ordered = SparseTensor(indices, values, identity(sp_input.dense_shape))
    ordered.set_shape(sp_input.shape)
    return ordered
