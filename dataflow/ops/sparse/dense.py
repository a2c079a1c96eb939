"""Dense tensors of sparse ones, and the other way round."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.gather as array_gather
import dataflow.ops.array.select as array_select
import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.compare as math_compare
import dataflow.ops.reductions.reduce as reductions
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import name_scope
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.ops.sparse.conversion import as_sparse
from dataflow.schema.opdef import InferenceContext, define_op
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape


def _dense_shape(c: InferenceContext) -> TensorShape:
    return c.constant_as_shape(1)


def _dense_gradient(op: Operation, grad: Any) -> Any:
    """Values take the gradient of their places, the default that of all others."""
    indices, shape, _, _ = op.inputs
    of_values: Any = array_gather.gather_nd(grad, indices)
    of_default: Any = reductions.reduce_sum(grad)
    of_default = of_default - reductions.reduce_sum(of_values)
    return array_fill.zeros_like(indices), array_fill.zeros_like(shape), of_values, of_default


define_op(
    "SparseToDense",
    inputs="sparse_indices: Tindices, output_shape: Tindices, sparse_values: T, default_value: T",
    outputs="dense: T",
    attrs=["validate_indices: bool = true", "T: type", "Tindices: {int32, int64}"],
    shape=_dense_shape,
    gradient=_dense_gradient,
    doc="A tensor that has values at some places, and everywhere else a default.",
)


def sparse_to_dense(
    sparse_indices: Any,
    output_shape: Any,
    sparse_values: Any,
    default_value: Any = 0,
    validate_indices: bool = True,
    name: str | None = None,
) -> Tensor:
    """A tensor that has values at some places, and everywhere else a default.

    Args:
      sparse_indices: int32 or int64: the places, of shape `[n, rank]`, `[n]` or `[]`.
      output_shape: The shape, of the same type.
      sparse_values: A value for each place, or one for all.
      default_value: A scalar of the values' type.
      validate_indices: Whether places must be in order, each there once.
      name: Name of the operation.

    Raises:
      InvalidArgumentError: In the run: a place is out of bounds, or out of order if that is
        checked.
    """
    return single(
        "SparseToDense",
        sparse_indices,
        output_shape,
        sparse_values,
        default_value,
        validate_indices=validate_indices,
        name=name,
    )


def sparse_tensor_to_dense(
    sp_input: Any,
    default_value: Any = None,
    validate_indices: bool = True,
    name: str | None = None,
) -> Tensor:
    """The dense tensor of a sparse one; see `sparse_to_dense`. The default is 0 if None."""
    sp_input = as_sparse(sp_input)
    if default_value is None:
        default_value = array_fill.zeros([], dtype=sp_input.dtype)
    return sparse_to_dense(
        sp_input.indices,
        sp_input.dense_shape,
        sp_input.values,
        default_value,
        validate_indices,
        name,
    )


def from_dense(tensor: Any, name: str | None = None) -> SparseTensor:
    """The sparse tensor of what is not zero in a dense one."""
    with name_scope(name, "dense_to_sparse"):
        tensor = convert_to_tensor(tensor)
        is_there = math_compare.not_equal(tensor, array_fill.zeros_like(tensor))
        indices = array_select.where_v2(is_there)
        values = array_gather.gather_nd(tensor, indices)
        return SparseTensor(indices, values, array_shape.shape(tensor, out_type=dtypes.int64))
