"""Sparse tensors of dense ones, of ids that indicators stand for, and how long their rows are."""

from __future__ import annotations

from typing import Any

from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.concat import concat
from dataflow.ops.array.fill import ones_like, zeros_like
from dataflow.ops.array.gather import gather_nd
from dataflow.ops.array.select import where
from dataflow.ops.array.shape import reshape, shape
from dataflow.ops.basic.cast import cast
from dataflow.ops.math.compare import equal, not_equal
from dataflow.ops.reductions.reduce import reduce_max
from dataflow.ops.reductions.scan import cumsum
from dataflow.ops.reductions.segment import unsorted_segment_max
from dataflow.values import dtypes
from dataflow.values.dtypes import DType


def _ignored(dtype: DType, value: Any) -> Tensor:
    """What stands for nothing: the value, or that of the type that is like zero if None."""
    if value is None:
        value = "" if dtype == dtypes.string else dtype.as_numpy_dtype()
    ignored: Tensor = cast(value, dtype, name="ignore_value")
    return ignored


def dense_to_sparse_tensor(dense_tensor: Any, ignore_value: Any = None) -> SparseTensor:
    """The elements that are not `ignore_value` (zero or "" if None), with their places."""
    with name_scope("DenseToSparseTensor"):
        dense = convert_to_tensor(dense_tensor)
        ignored = _ignored(dense.dtype, ignore_value)
        indices = where(not_equal(dense, ignored), name="indices")
        values = gather_nd(dense, indices, name="values")
        return SparseTensor(
            indices, values, shape(dense, out_type=dtypes.int64, name="dense_shape")
        )


def indicators_to_sparse_ids(
    indicators: Any, ignore_value: Any = None, dtype: DType = dtypes.int64
) -> SparseTensor:
    """The ids that indicators [..., classes] stand for, packed to the left of each row.

    Args:
      indicators: Elements that are not `ignore_value` say that their column is an id.
      ignore_value: Zero or "" if None.
      dtype: The type of the ids.

    Raises:
      ValueError: `dtype` is no integer.
    """
    if not dtype.is_integer:
        raise ValueError(f"Invalid dtype {dtype} not integer.")
    with name_scope(None, "indicators_to_sparse_ids", [indicators, ignore_value]):
        indicators = convert_to_tensor(indicators, name="indicators")
        missing = equal(indicators, _ignored(indicators.dtype, ignore_value), name="missing")
        zeros = zeros_like(indicators, dtype=dtypes.int64, name="zeros")
        ones = ones_like(indicators, dtype=dtypes.int64, name="ones")
        present = where(missing, zeros, ones, name="binary_indicators")
        # One more than the column that an id has in its row; zero says that there is none.
        places = where(missing, zeros, cumsum(present, axis=-1), "row_index_indicators")
        longest = reshape(reduce_max(places), shape=(1,), name="result_last_dim")
        found = dense_to_sparse_tensor(places, ignore_value=0)
        rows = found.indices[:, :-1]
        columns = reshape(found.values - 1, (-1, 1))
        return SparseTensor(
            concat((rows, columns), axis=1, name="indices"),
            cast(found.indices[:, -1], dtype=dtype, name="values"),
            concat((found.dense_shape[0:-1], longest), axis=0, name="dense_shape"),
        )


def sparse_row_envelope(
    sparse_input: SparseTensor, row_axis: Any = 0, col_axis: Any = 1, name: str | None = None
) -> Tensor:
    """How long each row of a SparseTensor is, up to the last element that it holds.

    Raises:
      ValueError: The axes are the same, or are no integers.
    """
    if not (isinstance(row_axis, int) and isinstance(col_axis, int)):
        raise ValueError("`row_axis` and `col_axis` must be integers.")
    if row_axis == col_axis:
        raise ValueError("Row and column can not be the same axis.")
    with name_scope(name, "sparse_row_envelope", [sparse_input]):
        rows, columns = sparse_input.indices[:, row_axis], sparse_input.indices[:, col_axis]
        count = cast(sparse_input.dense_shape[row_axis], dtypes.int32)
        lengths = unsorted_segment_max(columns + 1, rows, count, name=name)
        zeros = zeros_like(lengths)
        return where(lengths > zeros, lengths, zeros)
