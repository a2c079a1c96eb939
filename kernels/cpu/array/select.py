"""Kernels that choose between tensors or find where a condition holds, taking few branches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.indices import are_below
from dataflow.kernels.contract.parameters import is_fixed
from dataflow.kernels.contract.registry import KernelNode, override
from dataflow.kernels.elementwise.selection import put, select_rows
from dataflow.kernels.elementwise.selection import select as choose_bits
from dataflow.kernels.ops.array import select as generic
from dataflow.values import dtypes

_MANY: Final = 1 << 12
"""Elements from which on it pays that no branch is taken for each."""
_MOST_ROWS: Final = 64
"""Vectors of `OneHot` that are kept, and so the size of each."""


@override(generic.where, device="CPU")
def where(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return generic.places_by(xp, _nonzero)


def _nonzero(value: np.ndarray) -> Any:
    if value.ndim > 1 and value.size >= _MANY:
        # numpy takes no branches for a vector of truth values.
        return np.unravel_index(np.flatnonzero(value), value.shape)
    return np.nonzero(value)


@override(generic.select, device="CPU")
def select(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return generic.selection(node, _chooser(node, xp), select_rows)


@override(generic.select_v2, device="CPU")
def select_v2(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return generic.broadcast_selection(_chooser(node, xp))


def _chooser(node: KernelNode, xp: Any) -> generic.Choose:
    if node.output_dtypes[0] == dtypes.string:
        return generic.chooser(node, xp)

    def choose(condition: Any, x: Any, y: Any, out: Any) -> Any:
        shape = condition.shape
        if x.size >= _MANY:
            # Masks of what an index is out of bounds for, or a slope too steep, mostly agree.
            only = x if condition.all() else None if condition.any() else y
            if only is not None and only.shape == np.broadcast_shapes(shape, x.shape, y.shape):
                return put(only, out)
        if condition.size >= _MANY and x.shape in (shape, ()) and y.shape in (shape, ()):
            return choose_bits(np, condition, x, y, out)
        return put(np.where(condition, x, y), out)

    return choose


@override(generic.one_hot, device="CPU")
def one_hot(node: KernelNode, xp: Any) -> Callable[..., Any]:
    axis: int = node.attr("axis")
    compute = generic.one_hot_by(node, xp, _put_on)
    seen: tuple[Any, Any, Any, Any] = (None, None, None, None)

    def run(indices: Any, depth: Any, on_value: Any, off_value: Any) -> Any:
        nonlocal seen
        known, on, off, rows = seen
        if depth is known and on_value is on and off_value is off:
            if are_below(indices, len(rows)):
                return rows.take(indices, axis=0)
        elif axis == -1 and _may_be_kept(depth, on_value, off_value):
            rows = compute(np.arange(int(depth)), depth, on_value, off_value)
            seen = (depth, on_value, off_value, rows)
        return compute(indices, depth, on_value, off_value)

    return run


def _may_be_kept(depth: Any, on_value: Any, off_value: Any) -> bool:
    """True if the vectors of all indices are few, and will be wanted again."""
    is_small = not depth.ndim and 0 < depth <= _MOST_ROWS
    return is_small and is_fixed(depth) and is_fixed(on_value) and is_fixed(off_value)


def _put_on(result: np.ndarray, positions: np.ndarray, axis: int, value: Any) -> np.ndarray:
    """Writes only the places that are on."""
    inside = (positions >= 0) & (positions < result.shape[axis])
    on = list(np.nonzero(inside))
    on[axis] = positions[tuple(on)]
    result[tuple(on)] = value[()]
    return result
