"""Kernels of rows of different lengths: ranges, gathered rows, empty ones that are filled."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.errors import ResourceExhaustedError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.sparse.coordinates import sizes_of

_MOST: Final = 1 << 33
"""Elements that a result may have."""
_LONG: Final = 32
"""Numbers that ranges have on average where calls for each pay."""


@kernel(
    "RaggedRange",
    host_inputs=("starts", "limits", "deltas"),
    host_outputs=("rt_nested_splits", "rt_dense_values"),
)
def ragged_range(node: KernelNode, xp: Any) -> Callable[..., Any]:
    kind = node.attr("Tsplits").as_numpy_dtype
    is_integer = node.attr("T").is_integer

    def run(*inputs: Any) -> Any:
        for name, part in zip(("starts", "limits", "deltas"), inputs, strict=True):
            if np.ndim(part) > 1:
                raise invalid(f"{name} must be a scalar or vector")
        sizes = {part.size for part in inputs if np.ndim(part)}
        if len(sizes) > 1:
            raise invalid("starts, limits, and deltas must have the same shape")
        count = sizes.pop() if sizes else 1
        starts, limits, deltas = (np.broadcast_to(part, (count,)) for part in inputs)
        if (deltas == 0).any():
            raise invalid("Requires delta != 0")
        lengths = (_steps if is_integer else _rounded_steps)(starts, limits, deltas)
        total = _total(lengths, int(np.iinfo(kind).max))
        if total > _MOST:
            raise ResourceExhaustedError(
                None, None, f"OOM when allocating tensor with shape[{total}]"
            )
        counts = lengths.astype(np.int64)
        splits = np.zeros(count + 1, np.int64)
        np.cumsum(counts, out=splits[1:])
        if total > _LONG * count:
            fill = _row_by_row
        else:
            fill = _wrapping if is_integer else _side_by_side
        return splits.astype(kind, copy=False), fill(starts, deltas, counts, splits)

    return run


def _total(lengths: Any, most: int) -> int:
    """The sum of lengths, which splits can hold.

    Raises:
      InvalidArgumentError: If a row, or the sum, has more elements than that: what comes first.
    """
    large = np.flatnonzero(lengths > most)
    within = lengths[: large[0]] if large.size else lengths
    is_sure = int(within.max(initial=0)) * within.size < 2**64
    total = int(within.sum()) if is_sure else sum(within.tolist())
    if total > most:
        raise invalid(
            "The total range size overflowed. "
            "Consider using int64 instead of int32 for row_splits_dtype."
        )
    if large.size:
        raise invalid(f"Requires ((limit - start) / delta) <= {most}")
    return total


def _steps(starts: Any, limits: Any, deltas: Any) -> Any:
    """How many numbers each row has: between integers, whose distance may need 64 bits."""
    wide = [part.astype(np.int64).view(np.uint64) for part in (starts, limits, deltas)]
    up = deltas > 0
    size = np.where(up, wide[2], -wide[2])
    distance = np.where(up, wide[1] - wide[0], wide[0] - wide[1])
    is_empty = np.where(up, limits <= starts, limits >= starts)
    return np.where(is_empty, np.uint64(0), (distance - np.uint64(1)) // size + np.uint64(1))


def _rounded_steps(starts: Any, limits: Any, deltas: Any) -> Any:
    """How many numbers each row has: between floats; 2**63 if they cannot be counted."""
    starts, limits, deltas = (part.astype(np.float64) for part in (starts, limits, deltas))
    with np.errstate(all="ignore"):
        size = np.abs((limits - starts) / deltas)
        is_empty = np.where(deltas > 0, limits < starts, (deltas < 0) & (limits > starts))
        whole = np.where(is_empty, 0.0, np.ceil(size))
        return np.where(whole < 2.0**63, whole, 2.0**63).astype(np.uint64)


def _row_by_row(starts: Any, deltas: Any, counts: Any, splits: Any) -> Any:
    """The numbers of long rows: each is the one before it plus the step, rounded each time."""
    values = np.empty(splits[-1], starts.dtype)
    rows = zip(starts, deltas, splits[:-1].tolist(), splits[1:].tolist(), strict=True)
    for start, delta, begin, end in rows:
        row = values[begin:end]
        row[:] = delta
        row[:1] = start
        np.add.accumulate(row, dtype=row.dtype, out=row)
    return values


def _wrapping(starts: Any, deltas: Any, counts: Any, splits: Any) -> Any:
    """Integers of short rows, as one sum over all: they wrap around, and come out whole."""
    values = np.repeat(deltas, counts)
    filled = counts > 0
    starts, deltas, counts = starts[filled], deltas[filled], counts[filled]
    before = starts + (counts - 1).astype(starts.dtype) * deltas
    first = starts.copy()
    first[1:] -= before[:-1]
    values[splits[:-1][filled]] = first
    return np.cumsum(values, dtype=values.dtype, out=values)


def _side_by_side(starts: Any, deltas: Any, counts: Any, splits: Any) -> Any:
    """Floats of short rows: the first of all, then the second of all, rounded each time."""
    values = np.empty(splits[-1], starts.dtype)
    left = np.flatnonzero(counts)
    current = starts[left]
    place = 0
    while left.size:
        values[splits[left] + place] = current
        place += 1
        goes_on = counts[left] > place
        left = left[goes_on]
        current = current[goes_on] + deltas[left]
    return values


@kernel(
    "RaggedGather",
    host_inputs=("params_nested_splits", "params_dense_values", "indices"),
    host_outputs=("output_nested_splits", "output_dense_values"),
)
def ragged_gather(node: KernelNode, xp: Any) -> Callable[..., Any]:
    count: int = node.attr("PARAMS_RAGGED_RANK")
    wanted: int = node.attr("OUTPUT_RAGGED_RANK")
    kind = node.attr("Tsplits").as_numpy_dtype

    def run(*inputs: Any) -> Any:
        splits = [np.ravel(part) for part in inputs[:count]]
        values, indices = np.asarray(inputs[count]), np.asarray(inputs[count + 1])
        if not values.ndim:
            raise invalid("params.rank must be nonzero")
        if indices.ndim + count - 1 != wanted:
            raise invalid(
                "Expected OUTPUT_RAGGED_RANK=indices.rank + params_nested_splits.size - 1; but "
                f"OUTPUT_RAGGED_RANK={wanted}, indices.rank={indices.ndim}, "
                f"params_nested_splits.size={count}"
            )
        rows = np.ravel(indices).astype(np.int64)
        size = len(np.atleast_1d(inputs[0])) - 1
        wrong = np.flatnonzero((rows < 0) | (rows >= size))
        if wrong.size:
            raise invalid(f"indices[{wrong[0]}] = {rows[wrong[0]]} is not in [0, {size})")
        for place, part in enumerate(splits):
            inner = splits[place + 1].size - 1 if place + 1 < count else len(values)
            _check_splits(part, inner)
        outer = [_regular(indices.shape, axis, kind) for axis in range(indices.ndim - 1)]
        nested: list[Any] = []
        starts, ends = rows, rows + 1
        picked = rows
        for part in splits:
            starts, ends = part[picked].astype(np.int64), part[picked + 1].astype(np.int64)
            lengths = ends - starts
            new = np.concatenate([[0], np.cumsum(lengths)])
            nested.append(new.astype(kind))
            if new[-1] > _MOST:
                raise ResourceExhaustedError(
                    None, None, f"OOM when allocating tensor with shape[{new[-1]}]"
                )
            picked = np.arange(new[-1]) + np.repeat(starts - new[:-1], lengths)
        if not indices.ndim:
            # The one row's own splits stand for nothing any more.
            nested = nested[1:]
        results = (*outer, *nested, values[picked])
        return results if len(results) > 1 else results[0]

    return run


def _regular(shape: tuple[int, ...], axis: int, kind: Any) -> Any:
    """Row splits of a dimension of a tensor, whose rows all have the same length."""
    count = math.prod(shape[: axis + 1])
    return (
        np.arange(0, (count + 1) * shape[axis + 1], max(shape[axis + 1], 1))[: count + 1].astype(
            kind
        )
        if shape[axis + 1]
        else np.zeros(count + 1, kind)
    )


def _check_splits(splits: Any, size: int) -> None:
    if splits.size and splits[0] < 0:
        raise invalid("Ragged splits must be non-negative")
    if (splits[1:] < splits[:-1]).any():
        raise invalid("Ragged splits must be sorted")
    if splits.size and splits[-1] > size:
        raise invalid("Ragged splits must not point past values")


@kernel(
    "RaggedFillEmptyRows",
    host_inputs=("value_rowids", "values", "nrows", "default_value"),
    host_outputs=(
        "output_value_rowids",
        "output_values",
        "empty_row_indicator",
        "reverse_index_map",
    ),
)
def fill_empty_rows(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(rows: Any, values: Any, nrows: Any, default: Any) -> Any:
        values, default = np.asarray(values), np.asarray(default)
        for name, part, rank, word in (
            ("value_rowids", rows, 1, "vector"),
            ("values", values, 1, "vector"),
            ("nrows", nrows, 0, "scalar"),
            ("default_value", default, 0, "scalar"),
        ):
            if np.ndim(part) != rank:
                raise invalid(f"{name} must be a {word}, saw: {shape_text(np.shape(part))}")
        if rows.size != values.size:
            raise invalid(
                f"The length of `values` ({values.size}) must match the first dimension of "
                f"`value_rowids` ({rows.size})."
            )
        (count,) = sizes_of(np.reshape(nrows, [1]))
        if not count and rows.size:
            raise invalid(
                f"Received SparseTensor with dense_shape[0] = 0 but indices.shape[0] = {rows.size}"
            )
        wrong = np.flatnonzero((rows < 0) | (rows >= count))
        if wrong.size:
            raise invalid(f"indices({wrong[0]}, 0) is invalid: {rows[wrong[0]]} >= {count}")
        if count > _MOST:
            raise ResourceExhaustedError(
                None, None, f"OOM when allocating tensor with shape[{count}]"
            )
        sizes = np.bincount(rows, minlength=count)
        is_empty = sizes == 0
        filled_sizes = sizes + is_empty
        starts = np.cumsum(filled_sizes) - filled_sizes
        order = np.argsort(rows, kind="stable")
        earlier = np.arange(rows.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        places = starts[rows[order]] + earlier
        filled = np.repeat(np.arange(count), filled_sizes)
        whole = np.full(filled.size, default[()], values.dtype)
        whole[places] = values[order]
        went_to = np.empty(rows.size, np.int64)
        went_to[order] = places
        return filled.astype(np.int64), whole, is_empty, went_to

    return run
