"""Row splits, and of each value the row that it is in: one made of the other."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.shape as array_shape
import dataflow.ops.reductions.reduce as reductions
import dataflow.ops.reductions.scan as scans
from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.concat import concat
from dataflow.ops.array.fill import ones_like
from dataflow.ops.array.repeat import repeat
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.range import range as number_range
from dataflow.ops.reductions.segment import unsorted_segment_sum
from dataflow.values import dtypes


def repeated(values: Any, counts: Tensor) -> Tensor:
    """Each entry of a vector as often as the other vector says."""
    return repeat(values, counts, axis=0)


def first_size(x: Tensor, dtype: Any) -> Any:
    """The size of a tensor's first dimension: a constant if it is known."""
    known = x.shape.dims_tuple
    if known and known[0] is not None:
        return constant(known[0], dtype)
    sizes: Any = array_shape.shape(x, out_type=dtype)
    return sizes[0]


def splits_of(lengths: Any) -> Tensor:
    """The row splits of rows with these lengths."""
    lengths = convert_to_tensor(lengths)
    return concat([constant([0], lengths.dtype), scans.cumsum(lengths)], 0)


def numbers(count: Any, dtype: Any) -> Tensor:
    """0, 1 ... below a count."""
    return number_range(cast(count, dtype))


def row_splits_to_segment_ids(splits: Any, name: str | None = None, out_type: Any = None) -> Tensor:
    """Of each value the row that it is in.

    Args:
      splits: A vector of integers that do not fall, from 0: where rows begin and end.
      name: Prefix of the operations' names.
      out_type: int32 or int64; by default the type of `splits`.

    Raises:
      ValueError: `splits` is of another type, or known to be empty.
    """
    with scopes.name_scope(name, "RaggedSplitsToSegmentIds"):
        splits = convert_to_tensor(splits, name="splits", dtype_hint=dtypes.int64)
        if splits.dtype not in (dtypes.int32, dtypes.int64):
            raise ValueError("splits must have dtype int32 or int64")
        splits.shape.assert_has_rank(1)
        if splits.shape.dims_tuple == (0,):
            raise ValueError("Invalid row_splits: []")
        kind = dtypes.as_dtype(out_type or splits.dtype)
        lengths = splits[1:] - splits[:-1]
        count = first_size(splits, kind) - 1
        return repeated(number_range(cast(count, kind)), cast(lengths, kind))


def segment_ids_to_row_splits(
    segment_ids: Any, num_segments: Any = None, out_type: Any = None, name: str | None = None
) -> Tensor:
    """Where rows begin and end, of the row that each value is in.

    Args:
      segment_ids: A vector of integers that do not fall.
      num_segments: How many rows there are; by default as many as have values.
      out_type: int32 or int64; by default the type of `segment_ids`.
      name: Prefix of the operations' names.
    """
    with scopes.name_scope(name, "SegmentIdsToRaggedSplits", [segment_ids]):
        hint = out_type or getattr(num_segments, "dtype", None) or dtypes.int64
        segment_ids = convert_to_tensor(segment_ids, name="segment_ids", dtype_hint=hint)
        segment_ids.shape.assert_has_rank(1)
        if segment_ids.dtype not in (dtypes.int32, dtypes.int64):
            raise ValueError("segment_ids must have dtype int32 or int64")
        kind = dtypes.as_dtype(out_type or segment_ids.dtype)
        if num_segments is None:
            padded = concat([constant([-1], segment_ids.dtype), segment_ids], 0)
            num_segments = reductions.reduce_max(padded) + 1
        else:
            num_segments = convert_to_tensor(num_segments, dtype_hint=kind)
            num_segments.shape.assert_has_rank(0)
        lengths = unsorted_segment_sum(
            ones_like(segment_ids), segment_ids, cast(num_segments, segment_ids.dtype)
        )
        return splits_of(cast(lengths, kind))
