"""Rows of sparse tensors: filled where they are empty, or some elements left out."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.gather as array_gather
import dataflow.ops.array.select as array_select
import dataflow.ops.array.shape as array_shape
from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import name_scope
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.identity import identity
from dataflow.ops.basic.shape_parts import size_at, vector
from dataflow.ops.sparse.conversion import as_sparse, checked_parts
from dataflow.schema.opdef import MISSING_GRADIENT, InferenceContext, define_op
from dataflow.schema.shape_functions import SCALAR, merge_dim, with_rank
from dataflow.values.shapes import TensorShape, as_dimension


def _fill_shape(c: InferenceContext) -> list[TensorShape]:
    indices, values, shape = checked_parts(c)
    with_rank(c.input(3), 0)
    count = merge_dim(size_at(indices, 0), size_at(values, 0))
    merge_dim(size_at(indices, 1), size_at(shape, 0))
    rank = size_at(shape, 0)
    if rank == 0:
        raise ValueError("dense_shape must not be empty")
    whole = c.constant_as_shape(2)
    rows = None if whole.rank is None else size_at(whole, 0)
    return [TensorShape.of((None, rank)), vector(None), vector(rows), vector(count)]


def _fill_gradient(op: Operation, _: Any, grad: Any, *__: Any) -> Any:
    of_values, of_default = apply_op("SparseFillEmptyRowsGrad", op.outputs[3], grad)
    return None, of_values, None, of_default


define_op(
    "SparseFillEmptyRows",
    inputs="indices: int64, values: T, dense_shape: int64, default_value: T",
    outputs=(
        "output_indices: int64, output_values: T, empty_row_indicator: bool, "
        "reverse_index_map: int64"
    ),
    attrs=["T: type"],
    shape=_fill_shape,
    gradient=_fill_gradient,
    doc="A default put at the start of each row without elements, and where the others went.",
)
define_op(
    "SparseFillEmptyRowsGrad",
    inputs="reverse_index_map: int64, grad_values: T",
    outputs="d_values: T, d_default_value: T",
    attrs=["T: type"],
    shape=lambda c: [with_rank(c.input(0), 1), _scalar_behind(c)],
    gradient=MISSING_GRADIENT,
    doc="The gradients of the values and of the default.",
)


def _scalar_behind(c: InferenceContext) -> TensorShape:
    with_rank(c.input(1), 1)
    return SCALAR


def sparse_fill_empty_rows(
    sp_input: Any, default_value: Any, name: str | None = None
) -> tuple[SparseTensor, Tensor]:
    """The sparse tensor with an element at the start of each row that has none.

    Args:
      sp_input: A sparse tensor of rank 1 or more.
      default_value: The element: a scalar of the same type.
      name: Name of the operation.

    Returns:
      The sparse tensor, its rows in order, and which rows were empty.

    Raises:
      TypeError: The input is not sparse.
    """
    sp_input = as_sparse(sp_input)
    with name_scope(name, "SparseFillEmptyRows", [sp_input]):
        default_value = convert_to_tensor(default_value, dtype=sp_input.values.dtype)
        indices, values, was_empty, _ = apply_op(
            "SparseFillEmptyRows",
            sp_input.indices,
            sp_input.values,
            sp_input.dense_shape,
            default_value,
        )
        return SparseTensor(indices, values, sp_input.dense_shape), was_empty


def sparse_retain(sp_input: Any, to_retain: Any) -> SparseTensor:
    """The sparse tensor with some of its elements.

    Args:
      sp_input: The sparse tensor.
      to_retain: bool, of shape `[n]`: whether each of the n elements stays.

    Raises:
      TypeError: The input is not sparse.
      ValueError: The static shapes do not fit.
    """
    sp_input = as_sparse(sp_input)
    to_retain = convert_to_tensor(to_retain)
    to_retain.shape.assert_has_rank(1)
    if sp_input.values.shape.rank is not None and to_retain.shape.rank is not None:
        count = as_dimension(sp_input.values.shape[0])
        count.assert_is_compatible_with(as_dimension(to_retain.shape[0]))
    places = array_shape.reshape(array_select.where_v2(to_retain), [-1])
    return SparseTensor(
        array_gather.gather(sp_input.indices, places),
        array_gather.gather(sp_input.values, places),
        identity(sp_input.dense_shape),
    )
