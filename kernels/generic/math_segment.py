"""Kernels of reductions over segments."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow import dtypes
from dataflow.dtypes import DType
from dataflow.kernels.invalid import invalid
from dataflow.kernels.precision import accumulator
from dataflow.kernels.registry import FLOATS, KernelNode, kernel
from dataflow.kernels.row_sums import add_rows
from dataflow.kernels.shape_text import shape_text

_REAL = (
    *FLOATS,
    dtypes.int8,
    dtypes.int16,
    dtypes.int32,
    dtypes.int64,
    dtypes.uint8,
    dtypes.uint16,
    dtypes.uint32,
    dtypes.uint64,
)
_NUMBERS = (*_REAL, dtypes.complex64, dtypes.complex128)

_FEW = 128
"""Elements up to which adding them one by one is faster than sorting them first."""


def _reduction(op: str, dtype: DType, xp: Any) -> tuple[Any, Any]:
    """The ufunc of a segment op, and the value of a segment without rows."""
    if op.endswith("Prod"):
        return xp.multiply, 1
    if op.endswith("Max"):
        return xp.maximum, dtype.min
    if op.endswith("Min"):
        return xp.minimum, dtype.max
    return xp.add, 0


@kernel("SegmentSum", "SegmentMean", "SegmentProd", device="CPU", dtypes={"T": _NUMBERS})
@kernel("SegmentMax", "SegmentMin", device="CPU")
def segments(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.output_dtypes[0]
    result, wide = dtype.as_numpy_dtype, accumulator(dtype)
    ufunc, _ = _reduction(node.op, dtype, xp)
    of_none = 1 if node.op == "SegmentProd" else 0
    is_mean = node.op == "SegmentMean"

    def run(data: Any, ids: Any) -> Any:
        _check_sorted(data, ids)
        count = int(ids[-1]) + 1 if ids.size else 0
        out = xp.full((count, *data.shape[1:]), of_none, dtype=wide)
        if not ids.size:
            return out.astype(result)
        starts = np.flatnonzero(np.concatenate(([True], ids[1:] != ids[:-1])))
        reduced = ufunc.reduceat(data.astype(wide, copy=False), starts, axis=0)
        if is_mean:
            sizes = np.diff(np.append(starts, ids.size)).reshape((-1,) + (1,) * (data.ndim - 1))
            reduced = _divided(reduced, xp.asarray(sizes), dtype, xp)
        out[ids[starts]] = reduced
        return out.astype(result, copy=False)

    return run


def _divided(total: Any, sizes: Any, dtype: DType, xp: Any) -> Any:
    """The quotient; of integers cut towards zero."""
    if dtype.is_integer:
        sizes = sizes.astype(total.dtype)
        return (total - xp.fmod(total, sizes)) // sizes
    return total / sizes.astype(total.dtype)


def _check_sorted(data: Any, ids: Any) -> None:
    if data.ndim < 1:
        raise invalid("input must be at least rank 1")
    if ids.ndim != 1:
        raise invalid("segment_ids should be a vector.")
    if ids.size != data.shape[0]:
        raise invalid("segment_ids should be the same size as dimension 0 of input.")
    if not ids.size:
        return
    if ids[0] < 0:
        raise invalid(
            f"Segment id {ids[0]} out of range [0, {int(ids[-1]) + 1}), possibly because "
            "'segment_ids' input is not sorted."
        )
    if (ids[1:] < ids[:-1]).any():
        raise invalid("segment ids are not increasing")


@kernel(
    "UnsortedSegmentSum",
    "UnsortedSegmentProd",
    dtypes={"T": _NUMBERS},
    host_inputs=("num_segments",),
)
@kernel("UnsortedSegmentMax", "UnsortedSegmentMin", host_inputs=("num_segments",))
def unsorted_segments(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.output_dtypes[0]
    result, wide = dtype.as_numpy_dtype, accumulator(dtype)
    ufunc, of_none = _reduction(node.op, dtype, xp)

    def run(data: Any, ids: Any, num_segments: Any) -> Any:
        count = _checked_count(data, ids, num_segments)
        inner = data.shape[ids.ndim :]
        flat_ids = ids.reshape(-1)
        rows = data.reshape((flat_ids.size, *inner)).astype(wide, copy=False)
        members = flat_ids >= 0
        if not members.all():
            flat_ids, rows = flat_ids[members], rows[members]
        if flat_ids.size and (flat_ids >= count).any():
            position = int(np.argmax(np.asarray(ids).reshape(-1) >= count))
            where = ",".join(map(str, np.unravel_index(position, ids.shape)))
            raise invalid(
                f"segment_ids[{where}] = {ids.reshape(-1)[position]} is out of range [0, {count})"
            )
        out = xp.full((count, *inner), of_none, dtype=wide)
        if ufunc is np.add and flat_ids.size and add_rows(out, flat_ids, rows):
            return out.astype(result, copy=False)
        if ufunc is np.add and rows.size > _FEW and math.prod(inner) > 1:
            _add_sorted(out, flat_ids, rows)
        else:
            ufunc.at(out, flat_ids, rows)
        return out.astype(result, copy=False)

    return run


def _add_sorted(out: Any, ids: Any, rows: Any) -> None:
    """Sums rows into their segments: sorted, where `add.at` goes element by element."""
    order = np.argsort(ids, kind="stable")
    ordered = ids[order]
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    out[ordered[starts]] = np.add.reduceat(rows[order], starts, axis=0, dtype=out.dtype)


def _checked_count(data: Any, ids: Any, num_segments: Any) -> int:
    if num_segments.ndim:
        raise invalid(
            f"num_segments should be a scalar, not shape {shape_text(num_segments.shape)}"
        )
    if num_segments < 0:
        raise invalid(f"Input num_segments == {num_segments} must not be negative.")
    if data.shape[: ids.ndim] != ids.shape:
        raise invalid(
            f"data.shape = {shape_text(data.shape)} does not start with segment_ids.shape = "
            f"{shape_text(ids.shape)}"
        )
    return int(num_segments)
