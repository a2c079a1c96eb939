"""Kernels on vectors as sets. Their outputs' sizes depend on values, so they run on the host."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.element_types import REAL
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.reductions.distinct import number_distinct
from dataflow.values import dtypes

_HASHED = (*REAL, dtypes.bool, dtypes.string)
_OUTPUTS = ("y", "idx", "count")
_FEW: Final = 16
"""Values that are looked up one by one."""


@kernel("Unique", dtypes={"T": _HASHED}, host_inputs=("x",), host_outputs=_OUTPUTS)
@kernel("UniqueWithCounts", dtypes={"T": _HASHED}, host_inputs=("x",), host_outputs=_OUTPUTS)
def unique(node: KernelNode, xp: Any) -> Callable[..., Any]:
    distinct = _distinct(node)

    def run(values: Any) -> Any:
        if values.ndim != 1:
            raise invalid("unique expects a 1D vector.")
        return distinct(values, 0)

    return run


@kernel("UniqueV2", dtypes={"T": _HASHED}, host_inputs=("x", "axis"), host_outputs=_OUTPUTS)
@kernel(
    "UniqueWithCountsV2", dtypes={"T": _HASHED}, host_inputs=("x", "axis"), host_outputs=_OUTPUTS
)
def unique_v2(node: KernelNode, xp: Any) -> Callable[..., Any]:
    distinct = _distinct(node)

    def run(values: Any, axis: Any) -> Any:
        if axis.ndim != 1:
            raise invalid("axis expects a 1D vector.")
        if axis.size > 1:
            raise invalid("axis does not support input tensors larger than 1 elements")
        if not axis.size and values.ndim != 1:
            raise invalid("unique expects a 1D vector.")
        place = int(axis[0]) if axis.size else 0
        if not -values.ndim <= place < values.ndim:
            raise invalid(f"axis has to be between [0, {values.ndim})")
        return distinct(values, place % values.ndim)

    return run


def _distinct(node: KernelNode) -> Callable[[Any, int], Any]:
    """`f(values, axis)` giving the outputs of the node."""
    dtype = node.attr("out_idx").as_numpy_dtype
    counted = len(node.output_dtypes) == 3

    def run(values: Any, axis: int) -> Any:
        numbered = None
        if values.ndim == 1 and len(values) > _FEW:
            numbered = number_distinct(values, dtype)
        if numbered is None:
            firsts, places = _hashed(values) if values.ndim == 1 else _hashed_slices(values, axis)
            numbered = values.take(firsts, axis), places.astype(dtype)
        if not counted:
            return numbered
        distinct, places = numbered
        return distinct, places, np.bincount(places, minlength=distinct.shape[axis]).astype(dtype)

    return run


def _hashed(values: Any) -> tuple[Any, Any]:
    """Where each distinct value is first, and for each value which of them it is."""
    if values.dtype == object or (values.size <= _FEW and values.dtype.kind in "biuf"):
        # No two NaNs are one object, and so none are equal here.
        numbers: dict[Any, int] = {}
        firsts: list[int] = []
        places = np.empty(len(values), np.int64)
        for i, value in enumerate(values.tolist()):
            number = numbers.setdefault(value, len(firsts))
            if number == len(firsts):
                firsts.append(i)
            places[i] = number
        return np.array(firsts, np.int64), places
    if values.dtype.kind not in "biuf":
        # numpy sorts its own types only; float32 holds every bfloat16.
        values = values.astype(np.float32)
    _, firsts_sorted, inverse = np.unique(
        values, return_index=True, return_inverse=True, equal_nan=False
    )
    return _by_appearance(firsts_sorted, inverse)


def _hashed_slices(values: Any, axis: int) -> tuple[Any, Any]:
    """`_hashed` of the slices along an axis."""
    rows = np.moveaxis(values, axis, 0)
    rows = rows.reshape(len(rows), math.prod(rows.shape[1:]))
    if rows.dtype == object:
        keys = np.empty(len(rows), object)
        keys[:] = [tuple(row) for row in rows.tolist()]
        return _hashed(keys)
    if rows.dtype.kind not in "biuf":
        rows = rows.astype(np.float32)
    if not rows.shape[1]:
        places = np.zeros(len(rows), np.int64)
        return places[:1], places
    _, firsts, inverse = np.unique(
        rows, return_index=True, return_inverse=True, axis=0, equal_nan=False
    )
    return _by_appearance(firsts, inverse.reshape(-1))


def _by_appearance(firsts: Any, inverse: Any) -> tuple[Any, Any]:
    """Renumbers values sorted by size in the order in which they appear."""
    order = np.argsort(firsts, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return firsts[order], rank[inverse]


@kernel(
    "ListDiff",
    dtypes={"T": (*REAL, dtypes.string)},
    host_inputs=("x", "y"),
    host_outputs=("out", "idx"),
)
def difference(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.attr("out_idx").as_numpy_dtype

    def run(x: Any, y: Any) -> Any:
        for name, values in (("x", x), ("y", y)):
            if values.ndim != 1:
                raise invalid(f"{name} should be a 1D vector.")
        known = set(y.tolist())
        places = [i for i, value in enumerate(x.tolist()) if value not in known]
        return x[places], np.array(places, dtype)

    return run


def _bound(node: KernelNode, side: Any) -> Callable[..., Any]:
    dtype = node.attr("out_type").as_numpy_dtype

    def run(rows: Any, values: Any) -> Any:
        for name, array in (("sorted_inputs", rows), ("values", values)):
            if array.ndim != 2:
                raise invalid(
                    f"Shape must be rank 2 but is rank {array.ndim} for `{name}` argument"
                )
        if len(rows) != len(values):
            raise invalid("Leading dim_size of both tensors must match.")
        if rows.dtype.kind not in "iuf":
            rows, values = rows.astype(np.float32), values.astype(np.float32)
        found = np.empty(values.shape, dtype)
        for i, row in enumerate(rows):
            found[i] = np.searchsorted(row, values[i], side)
        return found

    return run


@kernel(
    "LowerBound",
    dtypes={"T": REAL},
    host_inputs=("sorted_inputs", "values"),
    host_outputs=("output",),
)
def lower_bound(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return _bound(node, "left")


@kernel(
    "UpperBound",
    dtypes={"T": REAL},
    host_inputs=("sorted_inputs", "values"),
    host_outputs=("output",),
)
def upper_bound(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return _bound(node, "right")
