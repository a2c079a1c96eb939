"""Kernels of rows of different lengths as a dense or a sparse tensor."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from dataflow.errors import ResourceExhaustedError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text

_MOST: Final = 1 << 33
"""Elements that a result may have."""
_FIRST: Final = "FIRST_DIM_SIZE"
_ROWS: Final = "VALUE_ROWIDS"
_SPLITS: Final = "ROW_SPLITS"


@kernel(
    "RaggedTensorToTensor",
    host_inputs=("shape", "values", "default_value", "row_partition_tensors"),
    host_outputs=("result",),
    grows=True,
)
def to_tensor(node: KernelNode, xp: Any) -> Callable[..., Any]:
    kinds = [kind.decode(errors="replace") for kind in node.attr("row_partition_types")]
    for kind in kinds:
        if kind not in (_FIRST, _ROWS, _SPLITS):
            raise invalid(f"Unknown string for partition info type: {kind}")
    if kinds[:1] == [_ROWS]:
        raise invalid("Cannot handle VALUE_ROWIDS in first dimension.")
    if len(kinds) != node.attr("num_row_partition_tensors") or _FIRST in kinds[1:]:
        raise invalid(f"These kinds of partitions do not fit together: {', '.join(kinds)}")
    rank = len(kinds) - (kinds[0] == _FIRST)

    def run(shape: Any, values: Any, default: Any, *partitions: Any) -> Any:
        values, default = np.asarray(values), np.asarray(default)
        if not partitions[0].size:
            raise invalid("Invalid first partition input. Tensor requires at least one element.")
        wanted = _wanted(shape)
        _check_shapes(wanted, values, default, rank)
        is_first = kinds[0] == _FIRST
        count = int(partitions[0].flat[0]) if is_first else partitions[0].size - 1
        if count < 0:
            raise invalid(f"Dimension {count} must be >= 0")
        levels = [
            _level(kind, np.ravel(part))
            for kind, part in zip(kinds[is_first:], partitions[is_first:], strict=True)
        ]
        widths = [count, *(width for _, _, width in levels)]
        sizes: list[Any] = [
            width if wanted is None or wanted[i] is None else wanted[i]
            for i, width in enumerate(widths)
        ]
        element = values.shape[1:]
        total = math.prod(sizes) * math.prod(element)
        if total > _MOST:
            raise ResourceExhaustedError(
                None, None, f"OOM when allocating tensor with shape{shape_text((*sizes, *element))}"
            )
        places = np.arange(count)
        places = np.where(places < sizes[0], places, -1)
        for (rows, within, _), size in zip(levels, sizes[1:], strict=True):
            _check_rows(rows, len(places))
            parents = places[rows]
            places = np.where((parents >= 0) & (within < size), parents * size + within, -1)
        if len(places) != len(values):
            if kinds[-1] == _SPLITS or len(places) > len(values):
                raise invalid("Invalid row split size.")
            values = values[: len(places)]
        made = np.empty((math.prod(sizes), *element), values.dtype)
        made[...] = default
        is_kept = places >= 0
        made[places[is_kept]] = values[is_kept]
        return made.reshape(*sizes, *element)

    return run


def _wanted(shape: Any) -> list[int | None] | None:
    """The sizes that are asked for, None for those that follow from the rows."""
    if np.ndim(shape) > 1:
        raise invalid(f"Shape must be at most rank 1 but is rank {np.ndim(shape)}")
    if not np.ndim(shape):
        if int(shape) != -1:
            raise invalid(
                "The only valid scalar shape tensor is the fully unknown shape specified as -1."
            )
        return None
    sizes = [int(size) for size in shape]
    for size in sizes:
        if size < -1:
            raise invalid(f"Dimension {size} must be >= -1")
    return [None if size == -1 else size for size in sizes]


def _check_shapes(wanted: list[int | None] | None, values: Any, default: Any, rank: int) -> None:
    text = (
        f"default_value.shape={shape_text(default.shape)} and rt_input.flat_values.shape="
        f"{shape_text(values.shape)} are incompatible: "
    )
    if default.ndim >= values.ndim:
        raise invalid(
            f"{text}default_value.rank = {default.ndim}  must be less than "
            f"rt_input.flat_values.rank = {values.ndim}"
        )
    for place in range(1, default.ndim + 1):
        have, need = default.shape[-place], values.shape[-place]
        if have not in (1, need):
            raise invalid(
                f"{text}default_value.shape[-{place}] = {have} but "
                f"rt_input.flat_values.shape[-{place}] = {need}"
            )
    if wanted is None:
        return
    shown = "[" + ",".join("?" if size is None else str(size) for size in wanted) + "]"
    text = f"rt_input.shape and shape={shown} are incompatible: "
    whole = rank + values.ndim
    if len(wanted) != whole:
        raise invalid(f"{text}rt_input.rank = {whole} but shape.rank = {len(wanted)}")
    for axis in range(rank + 1, whole):
        size = values.shape[axis - rank]
        if wanted[axis] not in (None, size):
            raise invalid(
                f"{text}rt_input.shape[{axis}] = {size} but shape[{axis}] = {wanted[axis]}"
            )


def _level(kind: str, partition: Any) -> tuple[Any, Any, int]:
    """Of each item its row and its place there; and how long the longest row is."""
    if kind == _SPLITS:
        if not partition.size:
            raise invalid("Invalid row split size.")
        lengths = np.diff(partition)
        if partition[0] or (lengths < 0).any():
            raise invalid("Invalid row split size.")
        if partition[-1] > _MOST:
            raise invalid("Invalid row split size.")
        rows = np.repeat(np.arange(lengths.size), lengths)
        within = np.arange(rows.size) - np.repeat(partition[:-1], lengths)
        return rows, within, int(lengths.max(initial=0))
    rows = partition.astype(np.int64)
    starts_row = np.ones(rows.size, bool)
    starts_row[1:] = rows[1:] != rows[:-1]
    starts = np.flatnonzero(starts_row)
    within = np.arange(rows.size) - starts[np.cumsum(starts_row) - 1] if rows.size else rows
    return rows, within, int(within.max(initial=-1)) + 1


def _check_rows(rows: Any, count: int) -> None:
    wrong = (rows < 0) | (rows >= count)
    if wrong.any():
        first = int(wrong.argmax())
        name = "next_value_rowid" if first else "current_value_rowid"
        raise invalid(f"Got {name}={rows[first]} which is not less than {count}")


@kernel(
    "RaggedTensorToSparse",
    host_inputs=("rt_nested_splits", "rt_dense_values"),
    host_outputs=("sparse_indices", "sparse_values", "sparse_dense_shape"),
)
def to_sparse(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(*inputs: Any) -> Any:
        *splits, values = (np.asarray(part) for part in inputs)
        if not values.ndim:
            raise invalid("rt_dense_values must have a first dimension")
        _check_nested(splits, values)
        rows: Any = np.arange(len(values))
        columns: list[Any] = []
        sizes: list[int] = []
        for part in reversed(splits):
            lengths = np.diff(part)
            owners = np.repeat(np.arange(lengths.size), lengths)
            within = np.arange(owners.size) - np.repeat(part[:-1], lengths)
            columns.insert(0, within[rows])
            sizes.insert(0, int(lengths.max(initial=0)))
            rows = owners[rows]
        outer = np.stack([rows, *columns], axis=1)
        element = values.shape[1:]
        count = math.prod(element)
        inner = np.indices(element).reshape(len(element), count).T
        indices = np.concatenate(
            [np.repeat(outer, count, axis=0), np.tile(inner, (len(outer), 1))], axis=1
        )
        shape = np.array([splits[0].size - 1, *sizes, *element], np.int64)
        return indices.astype(np.int64), values.reshape(-1), shape

    return run


def _check_nested(splits: Sequence[Any], values: Any) -> None:
    for place, part in enumerate(splits):
        if part.ndim != 1:
            raise invalid(f"Ragged splits must be vectors, but are {shape_text(part.shape)}")
        if not part.size:
            raise invalid("ragged splits may not be empty.")
        if part[0]:
            raise invalid("First value of ragged splits must be 0.")
        wrong = np.flatnonzero(part[1:] < part[:-1])
        if wrong.size:
            raise invalid(
                f"Ragged splits should be non decreasing, but we got {part[wrong[0]]} followed by "
                f"{part[wrong[0] + 1]}"
            )
        inner = splits[place + 1].size - 1 if place + 1 < len(splits) else len(values)
        if part[-1] != inner:
            raise invalid(
                "Final value of ragged splits must match the length the corresponding ragged "
                "values."
            )
