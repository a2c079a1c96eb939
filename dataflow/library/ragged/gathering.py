"""Rows and values of ragged tensors, picked by number."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.gather as array_gather
import dataflow.ops.array.shape as array_shape
from dataflow.graph import scopes
from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.tensor import Tensor
from dataflow.library.ragged.tensor import RaggedTensor, as_ragged_or_tensor, normalized_axis
from dataflow.ops.array.concat import concat
from dataflow.ops.basic.cast import cast
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape


def gather_rows(params: Any, indices: Any) -> Any:
    """Rows of a tensor, or of a ragged one, by a tensor of numbers or a ragged one."""
    if isinstance(indices, RaggedTensor):
        return indices.with_values(gather_rows(params, indices.values))
    if isinstance(params, Tensor):
        return array_gather.gather(params, indices)
    indices = convert_to_tensor(indices, dtype_hint=params.row_splits.dtype)
    if indices.dtype not in (dtypes.int32, dtypes.int64):
        indices = cast(indices, dtypes.int64)
    rank = indices.shape.rank
    if rank is None:
        raise ValueError("rank(indices) must be known statically")
    wanted = rank + params.ragged_rank - 1
    made: Any = apply_op(
        "RaggedGather",
        list(params.nested_row_splits),
        params.flat_values,
        indices,
        OUTPUT_RAGGED_RANK=wanted,
    )
    splits, values = list(made[0]), made[1]
    flat = params.flat_values.shape
    if flat.rank is not None:
        values.set_shape(TensorShape([None]).concatenate(flat[1:]))
    result = RaggedTensor.from_nested_row_splits(values, splits, validate=False)
    return _with_uniform_rows(result, params, rank)


def with_rows(x: Any, counted: Any) -> Any:
    """The ragged tensor, known to have as many rows as the other tensor has entries."""
    dims = counted.shape.dims_tuple
    if isinstance(x, RaggedTensor) and dims and dims[0] is not None:
        x.row_splits.set_shape([dims[0] + 1])
    return x


def _with_uniform_rows(result: Any, params: RaggedTensor, rank: int) -> Any:
    """The rows of `result` that are known to be as long as those of `params` were."""
    lengths = [partition.uniform_row_length() for partition in params._nested_row_partitions]
    if rank != 1 or all(length is None for length in lengths):
        return result
    values: Any = result.flat_values
    parts = list(zip(result._nested_row_partitions, lengths, strict=True))
    for partition, length in reversed(parts):
        if length is None:
            values = RaggedTensor(values, partition, internal=True)
        else:
            values = RaggedTensor.from_uniform_row_length(
                values, length, nrows=partition.nrows(), validate=False
            )
    return values


def gather(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    name: str | None = None,
    axis: Any = None,
    batch_dims: Any = 0,
) -> Any:
    """Entries along a dimension, by number.

    Args:
      params: A tensor, or a ragged one.
      indices: Integers: a tensor, or a ragged one.
      validate_indices: Not used.
      name: Prefix of the operations' names.
      axis: The dimension; `batch_dims` by default.
      batch_dims: How many first dimensions both have in common.

    Raises:
      ValueError: There is no such dimension.
      InvalidArgumentError: At run time: there is no such entry.
    """
    del validate_indices
    with scopes.name_scope(name, "RaggedGather", [params, indices, axis, batch_dims]):
        x = as_ragged_or_tensor(params, name="params")
        numbers = as_ragged_or_tensor(indices, name="indices", preferred_dtype=dtypes.int32)
        rank = numbers.shape.rank
        batch = normalized_axis(
            batch_dims, None if rank is None else rank + 1, "rank(indices)", "batch_dims"
        )
        axis = batch if axis is None else axis
        axis = normalized_axis(axis, x.shape.rank, "rank(params)")
        if axis < batch:
            raise ValueError("batch_dims must be less than or equal to axis")
        return _gathered(x, numbers, axis, batch)


def _gathered(x: Any, numbers: Any, axis: int, batch: int) -> Any:
    if isinstance(x, Tensor) and isinstance(numbers, Tensor):
        return array_gather.gather(x, numbers, axis=axis, batch_dims=batch)
    if batch == 0 and axis == 0:
        return gather_rows(x, numbers)
    if batch:
        return _gathered_in_batch(x, numbers, axis, batch)
    if isinstance(x, Tensor):
        x = RaggedTensor.from_tensor(x, ragged_rank=axis, row_splits_dtype=dtypes.int64)
    if axis > 1:
        return x.with_values(_gathered(x.values, numbers, axis - 1, 0))
    # Each row's entries, by the same numbers.
    rows: Any = x.row_starts()
    kind = rows.dtype
    if isinstance(numbers, RaggedTensor):
        raise ValueError("Ragged indices along an inner dimension need batch_dims")
    for _ in range(numbers.shape.rank or 0):
        rows = array_shape.expand_dims(rows, -1)
    return gather_rows(x.values, rows + cast(numbers, kind))


def _gathered_in_batch(x: Any, numbers: Any, axis: int, batch: int) -> Any:
    """With dimensions in common: numbers within a row become numbers of all rows' entries."""
    kind = (x if isinstance(x, RaggedTensor) else numbers).row_splits.dtype
    if not isinstance(x, RaggedTensor):
        x = RaggedTensor.from_tensor(x, ragged_rank=1, row_splits_dtype=kind)
    if batch > 1 or axis > batch:
        if not isinstance(numbers, RaggedTensor):
            numbers = RaggedTensor.from_tensor(numbers, ragged_rank=1, row_splits_dtype=kind)
        if batch > 1:
            return numbers.with_values(_gathered(x.values, numbers.values, axis - 1, batch - 1))
        raise ValueError("axis may not be greater than batch_dims for ragged batches")
    starts: Any = x.row_starts()
    if isinstance(numbers, RaggedTensor):
        owners = numbers.value_rowids()
        inner: Any = numbers.values
        if isinstance(inner, RaggedTensor):
            # Every innermost number belongs to the row of the outermost level.
            for partition in inner._nested_row_partitions:
                owners = array_gather.gather(owners, partition.value_rowids())
        flat: Any = cast(numbers.flat_values, kind)
        shifts = array_gather.gather(starts, owners)
        rank = flat.shape.rank or 1
        for _ in range(rank - 1):
            shifts = array_shape.expand_dims(shifts, -1)
        places = numbers.with_flat_values(flat + shifts)
        return gather_rows(x.values, places)
    flat = cast(numbers, kind)
    rank = flat.shape.rank
    for _ in range((rank or 1) - 1):
        starts = array_shape.expand_dims(starts, -1)
    return gather_rows(x.values, flat + starts)


def batch_gather(params: Any, indices: Any, name: str | None = None) -> Any:
    """Entries of rows by number; all but the last dimension of `indices` are in common."""
    with scopes.name_scope(name, "RaggedBatchGather", [params, indices]):
        x = as_ragged_or_tensor(params, name="params")
        numbers = as_ragged_or_tensor(indices, name="indices")
        rank = numbers.shape.rank
        if rank is None:
            raise ValueError("batch_gather does not allow indices with unknown shape.")
        if rank == 0:
            raise ValueError("indices.rank must be at least 1.")
        return _gathered(x, numbers, rank - 1, rank - 1)


def gather_nd(params: Any, indices: Any, name: str | None = None, batch_dims: Any = 0) -> Any:
    """Values and rows by coordinates.

    Raises:
      ValueError: `batch_dims` is not 0, or the size of coordinates is not known.
    """
    if not isinstance(batch_dims, int) or batch_dims != 0:
        raise ValueError("batch_dims != 0 is not supported for ragged gather yet.")
    with scopes.name_scope(name, "RaggedGatherNd", [params, indices]):
        x = as_ragged_or_tensor(params, name="params")
        numbers: Any = as_ragged_or_tensor(indices, name="indices")
        rank = numbers.shape.rank
        if rank is None:
            raise ValueError("indices.rank be statically known.")
        if rank == 0:
            raise ValueError("indices.rank must be at least 1.")
        dims = numbers.shape.dims_tuple
        if isinstance(numbers, RaggedTensor) and rank - 1 <= numbers.ragged_rank:
            raise ValueError("The innermost dimension of indices may not be ragged")
        depth = dims[-1]
        if depth is None:
            raise ValueError("indices.shape[-1] must be statically known.")
        if isinstance(x, Tensor) and isinstance(numbers, Tensor):
            return array_gather.gather_nd(x, numbers)
        if isinstance(numbers, RaggedTensor):
            return numbers.with_flat_values(gather_nd(x, numbers.flat_values))
        if depth == 0:
            raise ValueError("Coordinates of no size pick the whole, which is ragged")
        if rank > 2:
            kind = x.row_splits.dtype
            nested = RaggedTensor.from_tensor(numbers, ragged_rank=rank - 2, row_splits_dtype=kind)
            found = gather_nd(x, nested.flat_values)
            if isinstance(found, RaggedTensor):
                return nested.with_flat_values(found)
            outer: Any = array_shape.shape(numbers)
            inner: Any = array_shape.shape(found)
            made = array_shape.reshape(found, concat([outer[:-1], inner[1:]], 0))
            made.set_shape(TensorShape(dims[:-1]).concatenate(found.shape[1:]))
            return made
        if rank == 1:
            found = gather_nd(x, array_shape.expand_dims(numbers, 0))
            if isinstance(found, RaggedTensor):
                return found.values
            return array_shape.squeeze(found, [0])
        places: Any = cast(numbers[:, 0], x.row_splits.dtype)
        level: Any = x
        for axis in range(1, depth):
            if not isinstance(level, RaggedTensor):
                return array_gather.gather_nd(level, _with_first(places, numbers[:, axis:]))
            starts: Any = array_gather.gather(level.row_splits, places)
            places = starts + cast(numbers[:, axis], places.dtype)
            level = level.values
        return gather_rows(level, places)


def _with_first(places: Any, rest: Any) -> Tensor:
    return concat([array_shape.expand_dims(places, 1), cast(rest, places.dtype)], 1)
