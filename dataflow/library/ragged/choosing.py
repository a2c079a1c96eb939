"""tf.where, and tensors of zeros and ones, for ragged tensors."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.select as array_select
from dataflow.control_flow.cond import cond
from dataflow.graph import scopes
from dataflow.library.ragged import segments
from dataflow.library.ragged.concatenation import concat
from dataflow.library.ragged.elementwise import broadcast, map_flat_values
from dataflow.library.ragged.gathering import gather_rows
from dataflow.library.ragged.tensor import RaggedTensor, as_ragged_or_tensor
from dataflow.ops.array.concat import concat as dense_concat
from dataflow.ops.array.concat import stack
from dataflow.ops.array.gather import gather
from dataflow.ops.basic.cast import cast
from dataflow.values import dtypes


def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Any:
    """`x` where a condition is true, else `y`; without both, the positions where it is true.

    Raises:
      ValueError: Only one of them is given.
    """
    if (x is None) != (y is None):
        raise ValueError("x and y must be either both None or both non-None")
    with scopes.name_scope(name, "RaggedWhere", [condition, x, y]):
        condition = as_ragged_or_tensor(condition, name="condition")
        if x is None:
            return _places(condition)
        x, y = as_ragged_or_tensor(x, name="x"), as_ragged_or_tensor(y, name="y")
        if isinstance(condition, RaggedTensor):
            return map_flat_values(array_select.where, condition, x, y)
        if condition.shape.rank == 0:
            return _whole(condition, x, y)
        # Rows of one or the other.
        if not isinstance(x, RaggedTensor):
            x = RaggedTensor.from_tensor(x, row_splits_dtype=y.row_splits.dtype)
        if not isinstance(y, RaggedTensor):
            y = RaggedTensor.from_tensor(y, row_splits_dtype=x.row_splits.dtype)
        both: Any = concat([x, y], 0)
        rows: Any = x.nrows()
        kind = rows.dtype
        first = segments.numbers(rows, kind)
        return gather_rows(both, array_select.where(condition, first, first + rows))


def _whole(condition: Any, x: Any, y: Any) -> Any:
    """One of two as a whole, by a scalar."""
    if isinstance(x, RaggedTensor) and isinstance(y, RaggedTensor):
        if x.ragged_rank != y.ragged_rank:
            raise ValueError("x and y must have the same ragged_rank")
        return cond(condition, lambda: x, lambda: y)
    return map_flat_values(lambda a, b: array_select.where_v2(condition, a, b), x, y)


def where_v2(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Any:
    """Like `where`, but all three are broadcast against each other."""
    if (x is None) != (y is None):
        raise ValueError("x and y must be either both None or both non-None")
    with scopes.name_scope(name, "RaggedWhere", [condition, x, y]):
        condition = as_ragged_or_tensor(condition, dtypes.bool, name="condition")
        if x is None:
            return _places(condition)
        x = as_ragged_or_tensor(x, name="x")
        y = as_ragged_or_tensor(y, name="y", preferred_dtype=x.dtype)
        rows: Any = None
        given = [condition, x, y]
        for _ in range(2):
            # The first pass finds the rows of all, the second gives them to each.
            for place, value in enumerate(given):
                if rows is None:
                    rows = value if isinstance(value, RaggedTensor) else None
                    continue
                other, given[place], rows = broadcast(rows, value)
                rows = other if isinstance(other, RaggedTensor) else rows
        flat: Any = [
            value.flat_values if isinstance(value, RaggedTensor) else value for value in given
        ]
        return rows.with_flat_values(array_select.where_v2(*flat))


def _places(condition: Any) -> Any:
    """Coordinates of what is true."""
    if not isinstance(condition, RaggedTensor):
        return array_select.where_v2(condition)
    inner: Any = cast(_places(condition.values), dtypes.int64)
    owners: Any = cast(condition.value_rowids(), dtypes.int64)
    starts: Any = cast(condition.row_starts(), dtypes.int64)
    first = inner[:, 0]
    rows = gather(owners, first)
    within = first - gather(starts, rows)
    return dense_concat([stack([rows, within], axis=1), inner[:, 1:]], 1)


def one_hot(
    indices: Any,
    depth: Any,
    on_value: Any = None,
    off_value: Any = None,
    axis: Any = None,
    dtype: Any = None,
    name: str | None = None,
) -> Any:
    """Vectors of zeros with a one at each index.

    Raises:
      ValueError: The new dimension is among the ragged ones.
    """
    with scopes.name_scope(name, "RaggedOneHot", [indices]):
        x = as_ragged_or_tensor(indices, name="indices")
        if axis is None:
            axis = -1
        if isinstance(x, RaggedTensor):
            if axis != -1 and (axis < 0 or axis <= x.ragged_rank):
                raise ValueError("axis may not be less than indices.ragged_rank.")
            place = axis if axis < 0 else axis - x.ragged_rank
            made = array_select.one_hot(x.flat_values, depth, on_value, off_value, place, dtype)
            return x.with_flat_values(made)
        return array_select.one_hot(x, depth, on_value, off_value, axis, dtype)
