"""Sparse tensors with their axes in another order, or with one more."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.gather as array_gather
import dataflow.ops.array.select as array_select
import dataflow.ops.array.shape as array_shape
import dataflow.ops.array.slice as array_slice
import dataflow.ops.array.transpose as array_transpose
import dataflow.ops.basic.range as range_ops
import dataflow.ops.math.binary as math_binary
from dataflow.graph.constant_value import constant_value
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.cast import cast
from dataflow.ops.sparse.reorder import sparse_reorder
from dataflow.values import dtypes
from dataflow.values.shapes import dimension_value


def sparse_transpose(sp_input: Any, perm: Any = None, name: str | None = None) -> SparseTensor:
    """The sparse tensor with its axes in another order, its coordinates sorted again.

    Args:
      sp_input: The sparse tensor.
      perm: Which axis comes at each place; in reverse order if None.
      name: Name of the operations.
    """
    with name_scope(name, "SparseTranspose", [sp_input]):
        rank: Any = sp_input.shape.rank
        if perm is None and rank is not None:
            perm = rank - 1 - np.arange(0, rank, 1)
        elif perm is None:
            rank = array_shape.rank(sp_input)
            perm = rank - 1 - range_ops.range(0, rank, 1)
        columns = array_gather.gather(array_transpose.transpose(sp_input.indices), perm)
        indices = array_transpose.transpose(columns)
        known = constant_value(convert_to_tensor(perm))
        if known is not None and rank is not None and len(known) != rank:
            raise ValueError(f"Dimensions {len(known)} and {rank} are not compatible")
        if known is not None and sp_input.shape.is_fully_defined():
            sizes = sp_input.shape.as_list()
            shape: Any = [sizes[axis] for axis in known]
        else:
            shape = array_gather.gather(sp_input.dense_shape, perm)
        return sparse_reorder(SparseTensor(indices, sp_input.values, shape))


def sparse_expand_dims(sp_input: Any, axis: Any = None, name: str | None = None) -> SparseTensor:
    """The sparse tensor with one more axis, of size 1.

    Args:
      sp_input: The sparse tensor.
      axis: Where: an integer or a tensor; at the end if None.
      name: Name of the operations.

    Raises:
      TypeError: The axis is neither.
    """
    rank: Any = dimension_value(sp_input.dense_shape.shape[0])
    if rank is None:
        sizes: Any = array_shape.shape(sp_input.dense_shape)
        rank = sizes[0]
    axis = -1 if axis is None else axis
    with name_scope(name, "expand_dims", [sp_input]):
        if isinstance(axis, numbers.Integral):
            axis = convert_to_tensor(axis, name="axis", dtype=dtypes.int32)
        elif not isinstance(axis, Tensor):
            raise TypeError(
                "axis must be an integer value in range [-rank(sp_input) - 1, rank(sp_input)]"
            )
        axis = array_select.where_v2(axis >= 0, axis, axis + rank + 1)
        count: Any = array_shape.shape(sp_input.indices)
        column = array_fill.zeros([count[0], 1], dtype=dtypes.int64)
        before = array_slice.slice(sp_input.indices, [0, 0], [-1, axis])
        behind = array_slice.slice(sp_input.indices, [0, axis], [-1, -1])
        indices = array_concat.concat([before, column, behind], axis=1)
        sizes_before = array_slice.slice(sp_input.dense_shape, [0], [axis])
        sizes_behind = array_slice.slice(sp_input.dense_shape, [axis], [-1])
        one = convert_to_tensor([1], name="new_shape", dtype=dtypes.int64)
        shape = array_concat.concat([sizes_before, one, sizes_behind], axis=0)
        return SparseTensor(indices, sp_input.values, shape)


def sparse_eye(
    num_rows: Any, num_columns: Any = None, dtype: Any = dtypes.float32, name: str | None = None
) -> SparseTensor:
    """A sparse matrix with ones on the diagonal; square if `num_columns` is None."""
    with name_scope(name, "eye", [num_rows, num_columns]):
        rows = _as_size(num_rows, "num_rows")
        columns = rows if num_columns is None else _as_size(num_columns, "num_columns")
        size = math_binary.minimum(rows, columns)
        numbers_of_rows = range_ops.range(size, dtype=dtypes.int64)
        return SparseTensor(
            array_concat.stack([numbers_of_rows, numbers_of_rows], axis=1),
            array_fill.ones(size, dtype=dtype),
            [rows, columns],
        )


def _as_size(value: Any, name: str) -> Tensor:
    if isinstance(value, numbers.Integral):
        return convert_to_tensor(value, name=name, dtype=dtypes.int64)
    if not isinstance(value, Tensor):
        raise TypeError(f"{name} must be an integer value")
    size: Tensor = value if value.dtype == dtypes.int64 else cast(value, dtypes.int64)
    return size
