"""Ragged tensors in other shapes: dimensions merged, added, taken away, repeated and reversed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dataflow.ops.array.broadcast as array_broadcast
import dataflow.ops.array.index as array_index
import dataflow.ops.array.shape as array_shape
import dataflow.ops.array.transpose as array_transpose
import dataflow.ops.math.compare as compare
import dataflow.ops.reductions.reduce as reductions
import dataflow.ops.reductions.scan as scans
from dataflow.control_flow.assertion import Assert
from dataflow.graph import scopes
from dataflow.graph.constant_value import constant_value
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.library.ragged import segments
from dataflow.library.ragged.gathering import gather_rows, with_rows
from dataflow.library.ragged.tensor import (
    RaggedTensor,
    as_ragged_or_tensor,
    is_ragged,
    normalized_axis,
)
from dataflow.ops.array.concat import concat
from dataflow.ops.array.gather import gather
from dataflow.ops.array.select import where_v2
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.grouping import with_dependencies
from dataflow.values import dtypes


def merged(x: Any, outer: int, inner: int) -> Any:
    """The dimensions from `outer` to `inner`, both counted from the first, as one."""
    if outer == inner:
        return x
    if isinstance(x, Tensor):
        sizes: Any = array_shape.shape(x)
        made = array_shape.reshape(x, concat([sizes[:outer], [-1], sizes[inner + 1 :]], 0))
        dims = x.shape.dims_tuple
        if dims is not None:
            middle = None
            if None not in dims[outer : inner + 1]:
                middle = 1
                for dim in dims[outer : inner + 1]:
                    middle *= dim  # type: ignore[operator]
            made.set_shape([*dims[:outer], middle, *dims[inner + 1 :]])
        return made
    if outer > 1:
        return x.with_values(merged(x.values, outer - 1, inner - 1))
    if outer == 1:
        if inner > 2:
            x = x.with_values(merged(x.values, 1, inner - 1))
        values: Any = x.values
        if isinstance(values, RaggedTensor):
            splits = gather(values.row_splits, x.row_splits)
            return RaggedTensor.from_row_splits(values.values, splits, validate=False)
        sizes = array_shape.shape(values, out_type=x.row_splits.dtype)
        splits = x.row_splits * sizes[1]
        return RaggedTensor.from_row_splits(merged(values, 0, 1), splits, validate=False)
    if inner == 1:
        return x.values
    return merged(x.values, 0, inner - 1)


def expand_dims(input: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Any:
    """A dimension of size 1 more."""
    if dim is not None:
        if axis is not None:
            raise ValueError("Cannot specify both 'axis' and 'dim'")
        axis = dim
    if axis is None:
        raise ValueError("Must specify an axis argument to tf.expand_dims()")
    with scopes.name_scope(name, "RaggedExpandDims", [input]):
        x = as_ragged_or_tensor(input, name="input")
        if isinstance(x, Tensor):
            return array_shape.expand_dims(x, axis)
        rank = x.shape.rank
        axis = normalized_axis(axis, None if rank is None else rank + 1, "rank(input)+1")
        return expanded(x, axis)


def expanded(x: Any, axis: int) -> Any:
    """A dimension of size 1 more, before one counted from the first."""
    if isinstance(x, Tensor):
        return array_shape.expand_dims(x, axis)
    if axis == 0:
        return RaggedTensor.from_uniform_row_length(x, x.nrows(), nrows=1, validate=False)
    if axis == 1:
        one = constant(1, x.row_splits.dtype)
        return RaggedTensor.from_uniform_row_length(x, one, nrows=x.nrows(), validate=False)
    return x.with_values(expanded(x.values, axis - 1))


def squeeze(input: Any, axis: Any = None, name: str | None = None, squeeze_dims: Any = None) -> Any:
    """Without dimensions of size 1, which must be named; rows are counted when it runs.

    Raises:
      ValueError: None is named, or a dimension that is not ragged has another size.
      TypeError: Names are no integers.
    """
    if squeeze_dims is not None:
        if axis is not None:
            raise ValueError("Cannot specify both 'axis' and 'squeeze_dims'")
        axis = squeeze_dims
    with scopes.name_scope(name, "RaggedSqueeze", [input]):
        x = as_ragged_or_tensor(input)
        if isinstance(x, Tensor):
            return array_shape.squeeze(x, axis)
        if axis is None:
            raise ValueError("Ragged.squeeze must have an axis argument.")
        axes = [axis] if isinstance(axis, int) else axis
        if not isinstance(axes, (list, tuple)) or not all(isinstance(each, int) for each in axes):
            raise TypeError("Axis must be a list or tuple of integers.")
        rank, ragged_rank = x.shape.rank, x.ragged_rank
        found = {
            normalized_axis(each, rank, "rank(input)", f"axis[{place}]")
            for place, each in enumerate(axes)
        }
        values = with_dependencies(_single_rows(x, found), x.flat_values)
        dense = [each - ragged_rank for each in sorted(found) if each > ragged_rank]
        if dense:
            values = array_shape.squeeze(values, dense)
        splits = [each for level, each in enumerate(x.nested_row_splits, 1) if level not in found]
        # The only row of all is what is left.
        left = splits[1:] if 0 in found else splits
        if left:
            return RaggedTensor.from_nested_row_splits(values, left, validate=False)
        return array_shape.squeeze(values, [0]) if 0 in found and not splits else values


def _single_rows(x: RaggedTensor, axes: set[int]) -> list[Operation]:
    """Checks that rows that are taken away are alone."""
    one, checks = constant(1, x.row_splits.dtype), []
    for level, lengths in enumerate(x.nested_row_lengths(), 1):
        if level in axes:
            are_single = reductions.reduce_all(compare.equal(lengths, one))
            checks.append(_assert_that(are_single, level))
    if 0 in axes:
        checks.append(_assert_that(compare.equal(x.nrows(), one), 0))
    return checks


def _assert_that(condition: Any, axis: int) -> Operation:
    return Assert(condition, [f"the given axis (axis = {axis}) is not squeezable!"])


def size(input: Any, name: str | None = None, out_type: Any = None) -> Any:
    """The number of values."""
    kind = dtypes.int32 if out_type is None else out_type
    if isinstance(input, RaggedTensor):
        return array_shape.size(input.flat_values, out_type=kind, name=name)
    return array_shape.size(convert_to_tensor(input), out_type=kind, name=name)


def rank(input: Any, name: str | None = None) -> Any:
    """The number of dimensions."""
    with scopes.name_scope(name, "RaggedRank", [input]) as scope:
        if is_ragged(input):
            x = as_ragged_or_tensor(input)
            return x.ragged_rank + array_shape.rank(x.flat_values)
        return array_shape.rank(input, name=scope)


def reverse(tensor: Any, axis: Any, name: str | None = None) -> Any:
    """The order turned round along dimensions."""
    with scopes.name_scope(name, "Reverse", [tensor, axis]):
        if isinstance(axis, Tensor):
            known = constant_value(axis)
            if known is None:
                raise TypeError("`axis` argument must be a list or a constant tensor")
            axis = known.ravel().tolist()
        if isinstance(axis, int):
            axis = [axis]
        if not isinstance(axis, (list, tuple)):
            raise TypeError("`axis` argument must be a list or a constant tensor")
        x = as_ragged_or_tensor(tensor, name="tensor")
        axes = [normalized_axis(each, x.shape.rank, "rank(tensor)", "axis") for each in axis]
        return _reversed(x, axes)


def _reversed(x: Any, axes: Sequence[int]) -> Any:
    if not axes:
        return x
    if isinstance(x, Tensor):
        return array_transpose.reverse(x, list(axes))
    inner = [axis - 1 for axis in axes if axis > 1]
    values = _reversed(x.values, inner)
    if 1 in axes:
        owners = x.value_rowids()
        sums: Any = gather(x.row_splits[:-1], owners) + gather(x.row_splits[1:], owners)
        places = segments.numbers(x._row_partition.nvals(), x.row_splits.dtype)
        values = gather_rows(values, sums - places - constant(1, x.row_splits.dtype))
    x = x.with_values(values)
    if 0 in axes:
        count = x.nrows()
        last = count - constant(1, count.dtype)
        order: Any = last - segments.numbers(count, count.dtype)
        x = with_rows(gather_rows(x, order), order)
    return x


def tile(input: Any, multiples: Any, name: str | None = None) -> Any:
    """Repeated along each dimension as often as asked."""
    with scopes.name_scope(name, "RaggedTile", [input, multiples]):
        x = as_ragged_or_tensor(input, name="input")
        if isinstance(x, Tensor):
            return array_broadcast.tile(x, multiples)
        counts: Any = convert_to_tensor(multiples, name="multiples", dtype_hint=dtypes.int64)
        counts.shape.assert_has_rank(1)
        known = constant_value(counts)
        return _tiled(x, cast(counts, x.row_splits.dtype), known, 0)


def _tiled(x: Any, counts: Any, known: Any, level: int) -> Any:
    """Repeated along all dimensions but the first; then along that one as rows."""
    if isinstance(x, Tensor):
        return array_broadcast.tile(x, counts[level:])
    inner = _tiled_inner(x, counts, level)
    rows = inner.nrows()
    order = array_broadcast.tile(
        segments.numbers(rows, rows.dtype), array_shape.reshape(counts[level], [1])
    )
    if known is not None and known[level] == 1:
        return inner
    return with_rows(gather_rows(inner, order), order)


def _tiled_inner(x: RaggedTensor, counts: Any, level: int) -> RaggedTensor:
    """Repeated along all dimensions below the first."""
    values: Any = x.values
    if isinstance(values, RaggedTensor):
        values = _tiled_inner(values, counts, level + 1)
    elif values.shape.rank is None or values.shape.rank > 1:
        kept = concat([constant([1], counts.dtype), counts[level + 2 :]], 0)
        values = array_broadcast.tile(values, kept)
    # Each row's values behind themselves.
    times = counts[level + 1]
    lengths: Any = x.row_lengths()
    starts = segments.repeated(x.row_starts(), lengths * times)
    splits: Any = segments.splits_of(lengths * times)
    owners: Any = segments.row_splits_to_segment_ids(splits)
    within = segments.numbers(splits[-1], splits.dtype) - gather(splits, owners)
    places = starts + within % gather(lengths, owners)
    return RaggedTensor.from_row_splits(gather_rows(values, places), splits, validate=False)


def boolean_mask(data: Any, mask: Any, name: str | None = None) -> Any:
    """The values where the mask is true; rows stay rows.

    Args:
      data: A tensor, or a ragged one.
      mask: bool: of the shape of the first dimensions of `data`.
      name: Prefix of the operations' names.

    Raises:
      ValueError: The shapes are known not to fit.
      InvalidArgumentError: At run time: they do not.
    """
    with scopes.name_scope(name, "RaggedMask", [data, mask]):
        x = as_ragged_or_tensor(data, name="data")
        where = as_ragged_or_tensor(mask, dtypes.bool, name="mask")
        if where.shape.rank is None:
            raise ValueError("mask.shape.ndims must be known statically.")
        if where.shape.rank == 0:
            raise ValueError("mask cannot be scalar.")
        if isinstance(where, RaggedTensor) or isinstance(x, RaggedTensor):
            return _masked(x, where)
        flat = array_index.boolean_mask(x, where)
        if where.shape.rank == 1:
            return flat
        kind = dtypes.int64
        lengths = reductions.reduce_sum(cast(where, kind), axis=-1)
        flat_lengths = array_shape.reshape(lengths, [-1])
        made: Any = RaggedTensor.from_row_lengths(flat, flat_lengths, validate=False)
        sizes: Any = array_shape.shape(where, out_type=kind)
        for axis in range(where.shape.rank - 2, 0, -1):
            rows = reductions.reduce_prod(sizes[:axis])
            made = RaggedTensor.from_uniform_row_length(made, sizes[axis], rows, validate=False)
        return made


def _masked(x: Any, where: Any) -> Any:
    rank = where.shape.rank
    if rank == 1:
        places = array_shape.reshape(where_v2(where), [-1])
        return gather_rows(x, places)
    kind = (x if isinstance(x, RaggedTensor) else where).row_splits.dtype
    if not isinstance(x, RaggedTensor):
        x = RaggedTensor.from_tensor(x, ragged_rank=where.ragged_rank, row_splits_dtype=kind)
    if not isinstance(where, RaggedTensor):
        where = RaggedTensor.from_tensor(
            where, ragged_rank=min(x.ragged_rank, rank - 1), row_splits_dtype=kind
        )
    values = _masked(x.values, where.values)
    if rank == 2:
        kept = cast(where.values, kind)
        ends = concat([constant([0], kind), scans.cumsum(kept)], 0)
        splits = gather(ends, x.row_splits)
        return RaggedTensor.from_row_splits(values, splits, validate=False)
    return x.with_values(values)
