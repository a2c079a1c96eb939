"""Kernels of reductions over segments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.element_types import NUMBERS
from dataflow.kernels.contract.indices import are_below
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.precision import accumulator
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.reductions.combined_rows import combine_rows
from dataflow.kernels.reductions.groups import reduce_groups
from dataflow.values.dtypes import DType

FEW = 128
"""Elements up to which adding them one by one is faster than sorting them first."""
_FEW_IDS: Final = 32
"""Ids that are looked at faster one by one."""


def _reduction(op: str, dtype: DType, xp: Any) -> tuple[Any, Any]:
    """The ufunc of a segment op, and the value of a segment without rows."""
    if op.endswith("Prod"):
        return xp.multiply, 1
    if op.endswith("Max"):
        return xp.maximum, dtype.min
    if op.endswith("Min"):
        return xp.minimum, dtype.max
    return xp.add, 0


@kernel("SegmentSum", "SegmentMean", "SegmentProd", device="CPU", dtypes={"T": NUMBERS})
@kernel("SegmentMax", "SegmentMin", device="CPU")
def segments(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.output_dtypes[0]
    result, wide = dtype.as_numpy_dtype, accumulator(dtype)
    ufunc, _ = _reduction(node.op, dtype, xp)
    of_none = 1 if node.op == "SegmentProd" else 0
    is_mean = node.op == "SegmentMean"

    def run(data: Any, ids: Any) -> Any:
        _check_sorted(data, ids)
        if not ids.size:
            return np.full((0, *data.shape[1:]), of_none, dtype=result)
        rows = data.astype(wide, copy=False)
        identity = _identity(node.op, rows.dtype, of_none)
        out = _reduce_sorted(ufunc, ids, rows, identity, of_none)
        if is_mean:
            sizes = np.maximum(np.bincount(ids), 1).reshape((-1,) + (1,) * (data.ndim - 1))
            out = _divided(out, sizes, dtype, xp)
        return out.astype(result, copy=False)

    return run


def _identity(op: str, dtype: np.dtype[Any], otherwise: int) -> Any:
    """What changes no row that it is reduced with."""
    if op not in ("SegmentMax", "SegmentMin"):
        return otherwise
    if dtype.kind == "f":
        return -np.inf if op == "SegmentMax" else np.inf
    return np.iinfo(dtype).min if op == "SegmentMax" else np.iinfo(dtype).max


def _reduce_sorted(
    ufunc: Any, ids: np.ndarray, rows: np.ndarray, identity: Any, of_none: int
) -> np.ndarray:
    """Reduces the rows of each segment; a segment without rows gives `of_none`."""
    count = int(ids[-1]) + 1
    shape = (count, *rows.shape[1:])
    if rows.size > FEW:
        total = np.full(shape, identity, rows.dtype)
        if combine_rows(ufunc, total, ids, rows, are_known=True):
            if identity != of_none:
                total[np.bincount(ids, minlength=count) == 0] = of_none
            return total
    starts = run_starts(ids)
    found = reduce_groups(ufunc, rows, starts)
    if len(starts) == count:
        # Each segment has rows.
        return found
    out = np.full(shape, of_none, rows.dtype)
    out[ids[starts]] = found
    return out


def run_starts(ids: np.ndarray) -> np.ndarray:
    """Where runs of equal ids begin."""
    if ids.size <= _FEW_IDS:
        numbers: list[int] = ids.tolist()
        later = (i for i in range(1, len(numbers)) if numbers[i] != numbers[i - 1])
        return np.array([0, *later])
    return np.flatnonzero(np.concatenate(([True], ids[1:] != ids[:-1])))


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
    if ids[0] >= 0 and ascends(ids):
        return
    if ids[-1] < 0:
        raise invalid("segment ids must be >= 0")
    for i, found in enumerate(numbers := ids.tolist()):
        if found > numbers[min(i + 1, ids.size - 1)]:
            raise invalid("segment ids are not increasing")
        if not 0 <= found <= numbers[-1]:
            raise invalid(
                f"Segment id {found} out of range [0, {numbers[-1] + 1}), possibly because "
                "'segment_ids' input is not sorted."
            )


def ascends(ids: np.ndarray) -> bool:
    """True if no id is less than the one before it."""
    if ids.size <= _FEW_IDS:
        numbers: list[int] = ids.tolist()
        return numbers == sorted(numbers)
    return int(np.count_nonzero(ids[1:] < ids[:-1])) == 0


ReduceInto = Callable[[Any, Any, Any, Any], None]
"""`f(ufunc, out, ids, rows)` reduces rows into their segments."""


def one_by_one(ufunc: Any, out: Any, ids: Any, rows: Any) -> None:
    """Does so element by element."""
    ufunc.at(out, ids, rows)


@kernel(
    "UnsortedSegmentSum",
    "UnsortedSegmentProd",
    dtypes={"T": NUMBERS},
    host_inputs=("num_segments",),
)
@kernel("UnsortedSegmentMax", "UnsortedSegmentMin", host_inputs=("num_segments",))
def unsorted_segments(
    node: KernelNode, xp: Any, reduce_into: ReduceInto = one_by_one
) -> Callable[..., Any]:
    dtype = node.output_dtypes[0]
    result, wide = dtype.as_numpy_dtype, accumulator(dtype)
    ufunc, of_none = _reduction(node.op, dtype, xp)

    def run(data: Any, ids: Any, num_segments: Any) -> Any:
        count = _checked_count(data, ids, num_segments)
        inner = data.shape[ids.ndim :]
        flat_ids = ids.reshape(-1)
        rows = data.reshape((flat_ids.size, *inner)).astype(wide, copy=False)
        if not are_below(flat_ids, count):
            members = flat_ids >= 0
            if not members.all():
                flat_ids, rows = flat_ids[members], rows[members]
            if flat_ids.size and (flat_ids >= count).any():
                _refuse(ids, count)
        shape = (count, *inner)
        out = xp.full(shape, of_none, wide) if of_none else xp.zeros(shape, wide)
        reduce_into(ufunc, out, flat_ids, rows)
        return out.astype(result, copy=False)

    return run


def _refuse(ids: Any, count: int) -> None:
    position = int(np.argmax(np.asarray(ids).reshape(-1) >= count))
    where = ",".join(map(str, np.unravel_index(position, ids.shape)))
    raise invalid(
        f"segment_ids[{where}] = {ids.reshape(-1)[position]} is out of range [0, {count})"
    )


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
