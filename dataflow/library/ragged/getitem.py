"""Python's index on ragged tensors: rows, ranges of rows and of their values, new dimensions."""

from __future__ import annotations

import operator
from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.tensor import Tensor
from dataflow.library.ragged import segments
from dataflow.library.ragged.gathering import gather_rows, with_rows
from dataflow.library.ragged.ranges import ragged_range
from dataflow.library.ragged.tensor import RaggedTensor
from dataflow.ops.array.select import where_v2
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.single import single


def getitem(x: Any, key: tuple[Any, ...]) -> Any:
    """The entry, or the part, that an index stands for.

    Raises:
      ValueError: An index of one entry is for a dimension whose rows may differ.
      TypeError: A part of the index is of another kind.
    """
    if not key:
        return x
    if isinstance(x, Tensor):
        return x[key]
    first, rest = key[0], key[1:]
    if first is Ellipsis:
        return getitem(x, (*_filled(x, rest), *rest))
    if first is None:
        inner = getitem(x, rest)
        rows = inner.nrows() if isinstance(inner, RaggedTensor) else None
        if rows is None:
            return array_shape.expand_dims(inner, 0)
        return RaggedTensor.from_uniform_row_length(inner, rows, nrows=1, validate=False)
    if isinstance(first, slice):
        return _inner(_rows(x, first), rest)
    place = _scalar(first, x)
    starts: Any = x.row_splits[:-1]
    limits: Any = x.row_splits[1:]
    row = x.values[starts[place] : limits[place]]
    return getitem(row, rest)


def _filled(x: Any, rest: tuple[Any, ...]) -> tuple[Any, ...]:
    """As many whole slices as an ellipsis stands for."""
    rank = x.shape.rank
    if rank is None:
        raise ValueError("Ellipsis not supported for unknown shape RaggedTensors")
    used = sum(part is not None and part is not Ellipsis for part in rest)
    return tuple(slice(None) for _ in range(rank - used))


def _scalar(part: Any, x: Any) -> Any:
    if isinstance(part, bool):
        raise _wrong(part)
    if isinstance(part, Tensor):
        if part.shape.rank not in (None, 0):
            raise _wrong(part)
        return part
    try:
        return operator.index(part)
    except TypeError:
        raise _wrong(part) from None


def _wrong(part: Any) -> TypeError:
    return TypeError(
        "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar "
        f"tf.int32/tf.int64 tensors are valid indices, got {part!r}"
    )


def _is_whole(part: slice) -> bool:
    return part.start is None and part.stop is None and part.step in (None, 1)


def _rows(x: Any, part: slice) -> Any:
    """A range of rows."""
    if _is_whole(part):
        return x
    rows: Any = segments.numbers(x.nrows(), x.row_splits.dtype)
    picked = rows[part]
    return with_rows(gather_rows(x, picked), picked)


def _inner(x: Any, key: tuple[Any, ...]) -> Any:
    """What an index of the dimensions below the first one stands for, in each row."""
    if not key:
        return x
    if isinstance(x, Tensor):
        return x[(slice(None), *key)]
    first, rest = key[0], key[1:]
    if first is Ellipsis:
        used = sum(part is not None and part is not Ellipsis for part in rest)
        rank = x.shape.rank
        if rank is None:
            raise ValueError("Ellipsis not supported for unknown shape RaggedTensors")
        return _inner(x, (*(slice(None),) * max(rank - 1 - used, 0), *rest))
    if first is None:
        inner = _inner(x, rest)
        if isinstance(inner, Tensor):
            return array_shape.expand_dims(inner, 1)
        one = constant(1, inner.row_splits.dtype)
        return RaggedTensor.from_uniform_row_length(inner, one, inner.nrows(), validate=False)
    if isinstance(first, slice):
        cut = x if _is_whole(first) else _cut(x, first)
        return cut.with_values(_inner(cut.values, rest))
    length = x.uniform_row_length
    if length is None:
        raise ValueError("Cannot index into an inner ragged dimension.")
    place = cast(convert_to_tensor(_scalar(first, x)), length.dtype)
    place = where_v2(place < 0, place + length, place)
    starts: Any = x.row_starts()
    return _inner(gather_rows(x.values, starts + place), rest)


def _cut(x: Any, part: slice) -> Any:
    """A range of the values of each row."""
    kind = x.row_splits.dtype
    step = 1 if part.step is None else part.step
    if isinstance(step, int) and step == 0:
        raise ValueError("slice step cannot be zero")
    lengths: Any = x.row_lengths()
    zero = constant(0, kind)
    step = cast(convert_to_tensor(step), kind)
    is_back = single("Less", step, zero)
    # Backwards a range begins with the last value and ends before the first.
    low = where_v2(is_back, constant(-1, kind), zero)
    high = lengths + low

    def bound(given: Any, default: Any) -> Any:
        if given is None:
            return default
        place = cast(convert_to_tensor(given), kind)
        place = where_v2(single("Less", place, zero), lengths + place, lengths * 0 + place)
        return single("Minimum", single("Maximum", place, low), high)

    start = bound(part.start, where_v2(is_back, high, lengths * 0))
    stop = bound(part.stop, where_v2(is_back, lengths * 0 - 1, lengths))
    starts: Any = x.row_starts()
    places = ragged_range(starts + start, starts + stop, step, row_splits_dtype=kind)
    return gather_rows(x.values, places)
