"""Ragged tensors put behind each other, and stacked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dataflow.ops.array.concat as array_concat
from dataflow.graph import scopes
from dataflow.graph.tensor import Tensor
from dataflow.library import check_values
from dataflow.library.ragged import segments
from dataflow.library.ragged.gathering import gather_rows, with_rows
from dataflow.library.ragged.shaping import expanded, merged
from dataflow.library.ragged.tensor import RaggedTensor, as_ragged_or_tensor, normalized_axis
from dataflow.ops.array.shape import reshape
from dataflow.ops.array.sorting import argsort
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.grouping import with_dependencies


def concat(values: Any, axis: Any, name: str | None = None) -> Any:
    """Tensors and ragged ones behind each other along a dimension.

    Args:
      values: A list of them, with as many dimensions.
      axis: The dimension.
      name: Prefix of the operations' names.

    Raises:
      ValueError: The ranks are not known or differ.
    """
    if not isinstance(values, (list, tuple)):
        values = [values]
    with scopes.name_scope(name, "RaggedConcat", values):
        return _together(values, axis, is_stack=False)


def stack(values: Any, axis: int = 0, name: str | None = None) -> Any:
    """Tensors and ragged ones as the entries along a new dimension; see `concat`."""
    if not isinstance(values, (list, tuple)):
        values = [values]
    with scopes.name_scope(name, "RaggedConcat", values):
        return _together(values, axis, is_stack=True)


def _together(values: Sequence[Any], axis: Any, is_stack: bool) -> Any:
    if not values:
        raise ValueError("rt_inputs may not be empty.")
    given = [as_ragged_or_tensor(value, name="rt_input") for value in values]
    kinds = {value.row_splits.dtype for value in given if isinstance(value, RaggedTensor)}
    if len(kinds) > 1:
        raise ValueError(
            "Input RaggedTensors have mismatched row_splits dtypes; use "
            "RaggedTensor.with_row_splits_dtype() to convert them to compatible dtypes."
        )
    if len(given) == 1 and not is_stack:
        return given[0]
    rank = None
    for value in given:
        if rank is None:
            rank = value.shape.rank
        else:
            value.shape.assert_has_rank(rank)
    if all(isinstance(value, Tensor) for value in given) and not is_stack:
        return array_concat.concat(given, axis)
    whole = None if rank is None else rank + is_stack
    axis = normalized_axis(axis, whole, "rank(inputs)")
    if all(isinstance(value, Tensor) for value in given) and rank == 0:
        return array_concat.stack(given)
    if is_stack:
        return _stacked(given, axis)
    return joined(given, axis)


def _stacked(values: Sequence[Any], axis: int) -> Any:
    if all(isinstance(value, Tensor) for value in values):
        if axis == 0 and values[0].shape.rank == 1:
            lengths = [segments.first_size(value, "int32") for value in values]
            return RaggedTensor.from_row_lengths(
                array_concat.concat(values, 0), array_concat.stack(lengths), validate=False
            )
        values = [
            RaggedTensor.from_tensor(value, ragged_rank=max(value.shape.rank - 1, 1))
            if value.shape.rank > 1
            else value
            for value in values
        ]
    if axis == 0:
        rows = [_as_single_row(value) for value in values]
        return joined(rows, 0)
    return joined([expanded(value, axis) for value in values], axis)


def _as_single_row(value: Any) -> Any:
    if isinstance(value, RaggedTensor):
        return expanded(value, 0)
    kind = "int64"
    length = reshape(segments.first_size(value, kind), [1])
    return RaggedTensor.from_row_lengths(value, length, validate=False)


def joined(values: Sequence[Any], axis: int) -> Any:
    """Tensors and ragged ones of one rank behind each other along `axis`."""
    if all(isinstance(value, Tensor) for value in values):
        return array_concat.concat(values, axis)
    kind = next(v.row_splits.dtype for v in values if isinstance(v, RaggedTensor))
    rank = max(max(v.ragged_rank for v in values if isinstance(v, RaggedTensor)), min(axis, 1))
    values = [_with_ragged_rank(value, rank, kind) for value in values]
    if axis == 0:
        return _behind(values)
    if axis == 1:
        return _side_by_side(values)
    first = values[0]
    checks = [
        check_values.assert_equal(
            first.row_splits, value.row_splits, message="Input tensors have incompatible shapes."
        )
        for value in values[1:]
    ]
    inner = joined([value.values for value in values], axis - 1)
    partition = first._row_partition.with_dependencies(checks)
    return RaggedTensor(inner, partition, internal=True)


def _with_ragged_rank(value: Any, rank: int, kind: Any) -> Any:
    if isinstance(value, Tensor):
        return RaggedTensor.from_tensor(value, ragged_rank=rank, row_splits_dtype=kind)
    if value.ragged_rank < rank:
        return value.with_values(_with_ragged_rank(value.values, rank - 1, kind))
    return value


def _behind(values: Sequence[RaggedTensor]) -> Any:
    inner = joined([value.values for value in values], 0)
    lengths = [value.row_lengths() for value in values]
    known = [value._row_partition.static_uniform_row_length for value in values]
    if None not in known and len(set(known)) == 1:
        rows = values[0].nrows()
        for value in values[1:]:
            rows = rows + value.nrows()
        return RaggedTensor.from_uniform_row_length(
            inner, constant(known[0], rows.dtype), nrows=rows, validate=False
        )
    return RaggedTensor.from_row_lengths(inner, array_concat.concat(lengths, 0), validate=False)


def _side_by_side(values: Sequence[RaggedTensor]) -> Any:
    """Each row made of the rows of all, in turn."""
    first = values[0]
    rows: Any = first.nrows()
    checks = [
        check_values.assert_equal(
            value.nrows(), rows, message="Input tensors have incompatible shapes."
        )
        for value in values[1:]
    ]
    below = _behind(values)
    kind = first.row_splits.dtype
    count = len(values)
    offsets = [segments.numbers(rows, kind) + rows * place for place in range(count)]
    order = reshape(array_concat.stack(offsets, axis=1), [-1])
    picked = gather_rows(below, with_dependencies(checks, order))
    splits: Any = picked.row_splits
    made = RaggedTensor.from_row_splits(picked.values, splits[::count], validate=False)
    return with_rows(made, first.row_starts())


def stack_dynamic_partitions(
    data: Any, partitions: Any, num_partitions: Any, name: str | None = None
) -> RaggedTensor:
    """A row for each partition, with the entries that are in it.

    Args:
      data: A tensor, or a ragged one.
      partitions: int32 or int64, of the shape of the first dimensions of `data`: where each
        entry goes.
      num_partitions: How many partitions there are.
      name: Prefix of the operations' names.

    Raises:
      ValueError: The rank of `partitions` is not known, or does not fit.
    """
    with scopes.name_scope(name, "SegmentStack", [data, partitions, num_partitions]):
        x = as_ragged_or_tensor(data, name="data")
        splits_type = x.row_splits.dtype if isinstance(x, RaggedTensor) else None
        where: Any = as_ragged_or_tensor(partitions, name="partitions")
        kind = where.dtype
        rows = cast(as_ragged_or_tensor(num_partitions, preferred_dtype=kind), kind)
        rank = where.shape.rank
        if rank is None:
            raise ValueError("partitions must have known rank.")
        rows.shape.assert_has_rank(0)
        if rank == 0:
            x, where = expanded(x, 0), reshape(where, [1])
            rank = 1
        while rank > 1:
            x = x.values if isinstance(x, RaggedTensor) else merged(x, 0, 1)
            where = where.values if isinstance(where, RaggedTensor) else merged(where, 0, 1)
            rank -= 1
        order = argsort(where, stable=True)
        moved = gather_rows(x, order)
        sorted_rows = cast(gather_rows(where, order), splits_type or kind)
        rows = cast(rows, sorted_rows.dtype)
        return RaggedTensor.from_value_rowids(moved, sorted_rows, nrows=rows, validate=False)
