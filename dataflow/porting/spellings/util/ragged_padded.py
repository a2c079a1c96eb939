"""Functions of 1.15's modules about ragged tensors that no public name has."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.select as select
from dataflow.graph.scopes import name_scope
from dataflow.library.ragged.choosing import one_hot, where
from dataflow.library.ragged.concatenation import concat
from dataflow.library.ragged.gathering import batch_gather
from dataflow.library.ragged.shaping import expand_dims
from dataflow.library.ragged.tensor import RaggedTensor, as_ragged_or_tensor, is_ragged
from dataflow.ops.array.broadcast import broadcast_to
from dataflow.ops.array.concat import concat as joined
from dataflow.ops.array.shape import shape
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.range import range as numbers_to

__all__ = ["batch_gather_with_default", "ragged_one_hot"]

ragged_one_hot = one_hot


def batch_gather_with_default(
    params: Any, indices: Any, default_value: Any = "", name: str | None = None
) -> Any:
    """Entries of rows by number, and another value where there is none.

    Args:
      params: Rows, some dimensions of which are in common with `indices`.
      indices: Numbers of entries; all but the last dimension are those in common.
      default_value: Stands for what is out of bounds: a scalar, or a vector.
      name: Prefix of the operations' names.

    Raises:
      ValueError: A rank is unknown, or the value has more dimensions.
    """
    with name_scope(name, "RaggedBatchGatherWithDefault"):
        rows: Any = as_ragged_or_tensor(params, name="params")
        numbers: Any = as_ragged_or_tensor(indices, name="indices")
        value: Any = as_ragged_or_tensor(default_value, name="default_value")
        if value.shape.rank not in (0, 1):
            raise ValueError('"default_value" must be a scalar or vector')
        if numbers.shape.rank is None:
            raise ValueError("Indices must have a known rank.")
        if rows.shape.rank is None:
            raise ValueError("Params must have a known rank.")
        axis = numbers.shape.rank - 1
        padded = concat([_pad(rows, cast(value, rows.dtype), axis), rows], axis)
        if is_ragged(rows):
            counts = expand_dims(rows.row_lengths(axis), -1) if axis else rows.nrows()
        else:
            counts = shape(rows)[axis]
        beyond = (numbers < 0) | (numbers >= cast(counts, numbers.dtype))
        choose = where if is_ragged(numbers) else select.where
        places = choose(beyond, numbers * 0, numbers + 1)
        return batch_gather(padded, places)


def _pad(rows: Any, value: Any, axis: int) -> Any:
    """A value for each row, such that it can stand before the row's entries."""
    depth = rows.ragged_rank if is_ragged(rows) else 0
    flat = rows.flat_values if depth else rows
    sizes = shape(flat)
    if axis > depth or not depth:
        place = axis - depth
        made = broadcast_to(value, joined([sizes[:place], [1], sizes[place + 1 :]], 0))
        return rows.with_flat_values(made) if depth else made
    outer = list(rows.nested_row_splits)[: max(axis - 1, 0)]
    kind = rows.nested_row_splits[0].dtype
    ends = rows.nested_row_splits[axis - 1] if axis else [0, 0]
    count = shape(ends)[0] - 1
    made = broadcast_to(value, joined([[count], sizes[1:]], 0))
    single = cast(numbers_to(count + 1), kind)
    splits = [*outer, *[single] * (depth - len(outer))]
    return RaggedTensor.from_nested_row_splits(made, splits, validate=False)
