"""Kernels of sums and means over segments of rows that are picked by index."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.element_types import FLOATS, REAL
from dataflow.kernels.contract.indices import are_below
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.precision import accumulator
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.ops.reductions.segment import ascends
from dataflow.kernels.reductions.combined_rows import combine_rows
from dataflow.kernels.reductions.sorted_distinct import sorted_codes

_KINDS: Final = ("Sum", "Mean", "SqrtN")
_SUMS = [f"SparseSegment{kind}" for kind in _KINDS]
_COUNTED = [f"SparseSegment{kind}WithNumSegments" for kind in _KINDS]
_GRADIENTS = [f"SparseSegment{kind}Grad" for kind in _KINDS]
_SPARSE_GRADIENTS = [f"SparseSegment{kind}GradV2" for kind in _KINDS]


def _divisors(op: str, sizes: Any, dtype: Any) -> Any:
    """What the sums of segments of these sizes are divided by; None for sums."""
    if "Sum" in op.removesuffix("WithNumSegments"):
        return None
    divisors = np.maximum(sizes, 1).astype(dtype)
    return np.sqrt(divisors) if "SqrtN" in op else divisors


@kernel(*_SUMS, *_COUNTED, device="CPU", dtypes={"T": REAL})
def sparse_segments(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype, op = node.output_dtypes[0], node.op
    result, wide = dtype.as_numpy_dtype, accumulator(dtype)

    def run(data: Any, indices: Any, ids: Any, num_segments: Any = None) -> Any:
        _check(data, indices, ids)
        count = _count(ids, num_segments)
        if not are_below(indices, len(data)):
            _refuse_index(indices, len(data))
        _check_ids(ids)
        out = np.zeros((count, *data.shape[1:]), wide)
        if ids.size:
            _add(out, ids, data[indices].astype(wide, copy=False))
            divisors = _divisors(op, np.bincount(ids, minlength=count), wide)
            if divisors is not None:
                out /= divisors.reshape((-1,) + (1,) * (data.ndim - 1))
        return out.astype(result, copy=False)

    return run


def _add(out: Any, places: Any, rows: Any) -> None:
    if not combine_rows(np.add, out, places, rows):
        np.add.at(out, places, rows)


def _check(data: Any, indices: Any, ids: Any) -> None:
    if data.ndim < 1:
        raise invalid("Shape must be at least rank 1")
    for name, array in (("indices", indices), ("segment_ids", ids)):
        if array.ndim != 1:
            raise invalid(f"{name} should be a vector.")
    if indices.size != ids.size:
        raise invalid("segment_ids and indices should have same size.")


def _count(ids: Any, num_segments: Any) -> int:
    last = int(ids[-1]) + 1 if ids.size else 0
    if num_segments is None:
        return max(last, 0)
    if num_segments.ndim:
        raise invalid(
            f"num_segments should be a scalar, not shape {shape_text(num_segments.shape)}"
        )
    if num_segments < 0:
        raise invalid("segment ids must be >= 0")
    if last > num_segments:
        raise invalid("segment ids must be < num_segments")
    return int(num_segments)


def _check_ids(ids: Any) -> None:
    if ids.size and ids[0] < 0:
        raise invalid(
            f"Segment id {ids[0]} out of range [0, {max(int(ids[-1]) + 1, 0)}), possibly because "
            "'segment_ids' input is not sorted."
        )
    if not ascends(ids):
        raise invalid("segment ids are not increasing")


def _refuse_index(indices: Any, count: int) -> None:
    wrong = np.flatnonzero((indices < 0) | (indices >= count))
    if wrong.size:
        raise invalid(f"Bad: indices[{wrong[0]}] == {indices[wrong[0]]} out of range [0, {count})")


@kernel(*_GRADIENTS, *_SPARSE_GRADIENTS, device="CPU", dtypes={"T": FLOATS})
def sparse_segment_gradients(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype, op = node.output_dtypes[0], node.op
    result, wide = dtype.as_numpy_dtype, accumulator(dtype)
    is_sparse = op in _SPARSE_GRADIENTS
    name = "dense_output_dim0" if is_sparse else "output_dim0"

    def run(grad: Any, indices: Any, ids: Any, size: Any) -> Any:
        if size.ndim:
            raise invalid(f"{name} should be a scalar.")
        _check(grad, indices, ids)
        if size < 0:
            raise invalid(f"Expected a non-negative size, got {size}")
        _check_range("Segment id", ids, len(grad))
        _check_range("Index", indices, int(size))
        shares = grad.astype(wide, copy=False)
        divisors = _divisors(op, np.bincount(ids, minlength=len(grad)), wide)
        if divisors is not None:
            shares = shares / divisors.reshape((-1,) + (1,) * (grad.ndim - 1))
        rows, places, count = None, indices, int(size)
        if is_sparse:
            rows, places = sorted_codes(indices)
            count = rows.size
        out = np.zeros((count, *grad.shape[1:]), wide)
        if ids.size:
            _add(out, places, shares[ids])
        out = out.astype(result, copy=False)
        return (out, rows) if is_sparse else out

    return run


def _check_range(name: str, numbers: Any, limit: int) -> None:
    wrong = np.flatnonzero((numbers < 0) | (numbers >= limit))
    if wrong.size:
        raise invalid(f"{name} {numbers[wrong[0]]} out of range [0, {limit}).")
