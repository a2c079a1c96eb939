"""Kernels that choose between tensors, or find where a condition holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.element_types import ANY, PLAIN
from dataflow.kernels.contract.indices import are_below
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.parameters import is_fixed
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.elementwise.selection import put
from dataflow.kernels.elementwise.selection import select as choose_bits
from dataflow.values import dtypes

_MANY: Final = 1 << 12
"""Elements from which on it pays that no branch is taken for each."""
_LONG_ROW: Final = 1 << 10
"""Elements of a row that is as well copied by a call of its own."""
_MOST_ROWS: Final = 64
"""Vectors of `OneHot` that are kept, and so the size of each."""


@kernel("Where", dtypes={"T": PLAIN})
def where(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(value: Any) -> Any:
        if not 1 <= value.ndim <= 8:
            raise invalid(f"WhereOp : Unhandled input dimensions: {value.ndim}")
        if xp is np and value.ndim > 1 and value.size >= _MANY:
            # numpy takes no branches for a vector of truth values.
            found = np.unravel_index(np.flatnonzero(value), value.shape)
        else:
            found = xp.nonzero(value)
        places = xp.empty((found[0].size, value.ndim), np.int64)
        for axis, along in enumerate(found):
            places[:, axis] = along
        return places

    return run


@kernel("Select", elementwise=True, takes_out=True, dtypes={"T": ANY})
def select(node: KernelNode, xp: Any) -> Callable[..., Any]:
    choose = _chooser(node, xp)

    def run(condition: Any, x: Any, y: Any, out: Any = None) -> Any:
        if x.shape != y.shape:
            raise invalid(
                "'then' and 'else' must have the same size.  but received: "
                f"{shape_text(x.shape)} vs. {shape_text(y.shape)}"
            )
        if condition.shape != x.shape and condition.ndim:
            condition = _rows(node, condition, x)
            if xp is np and x.size >= _LONG_ROW * len(x):
                return _choose_rows(condition, x, y, out)
        return choose(condition, x, y, out)

    return run


def _choose_rows(condition: Any, x: Any, y: Any, out: Any) -> Any:
    """Copies each row from one of two arrays."""
    result = np.empty(x.shape, x.dtype) if out is None else out
    for i, is_first in enumerate(condition.reshape(-1).tolist()):
        result[i] = x[i] if is_first else y[i]
    return result


def _rows(node: KernelNode, condition: Any, x: Any) -> Any:
    """A vector condition in a shape that broadcasts over whole rows of `x`."""
    if condition.ndim != 1:
        raise invalid(
            f"Inputs to operation {node.name} of type Select must have the same size and shape.  "
            f"Input 0: {shape_text(condition.shape)} != input 1: {shape_text(x.shape)}"
        )
    if not x.ndim:
        raise invalid(f"'then' must be at least a vector, but saw shape: {shape_text(x.shape)}")
    if len(condition) != x.shape[0]:
        raise invalid(
            "Number of batches of 'then' must match size of 'cond', but saw: "
            f"{x.shape[0]} vs. {len(condition)}"
        )
    return condition.reshape((-1,) + (1,) * (x.ndim - 1))


@kernel("SelectV2", elementwise=True, broadcasts=True, takes_out=True, dtypes={"T": ANY})
def select_v2(node: KernelNode, xp: Any) -> Callable[..., Any]:
    choose = _chooser(node, xp)

    def run(condition: Any, x: Any, y: Any, out: Any = None) -> Any:
        try:
            return choose(condition, x, y, out)
        except ValueError:
            raise invalid(
                f"condition {shape_text(condition.shape)}, then {shape_text(x.shape)}, and else "
                f"{shape_text(y.shape)} must be broadcastable"
            ) from None

    return run


def _chooser(node: KernelNode, xp: Any) -> Callable[[Any, Any, Any, Any], Any]:
    if node.output_dtypes[0] == dtypes.string:
        return lambda condition, x, y, out: np.asarray(np.where(condition, x, y), object)
    if xp is not np:
        return lambda condition, x, y, out: xp.where(condition, x, y)

    def choose(condition: Any, x: Any, y: Any, out: Any) -> Any:
        shape = condition.shape
        if condition.size >= _MANY and x.shape in (shape, ()) and y.shape in (shape, ()):
            return choose_bits(np, condition, x, y, out)
        return put(np.where(condition, x, y), out)

    return choose


def _may_be_kept(depth: Any, on_value: Any, off_value: Any) -> bool:
    """True if the vectors of all indices are few, and will be wanted again."""
    is_small = not depth.ndim and 0 < depth <= _MOST_ROWS
    return is_small and is_fixed(depth) and is_fixed(on_value) and is_fixed(off_value)


@kernel("OneHot", dtypes={"T": ANY}, host_inputs=("depth",))
def one_hot(node: KernelNode, xp: Any) -> Callable[..., Any]:
    axis: int = node.attr("axis")
    dtype = node.output_dtypes[0].as_numpy_dtype
    seen: tuple[Any, Any, Any, Any] = (None, None, None, None)

    def run(indices: Any, depth: Any, on_value: Any, off_value: Any) -> Any:
        nonlocal seen
        known, on, off, rows = seen
        if depth is known and on_value is on and off_value is off:
            if are_below(indices, len(rows)):
                return rows.take(indices, axis=0)
        elif axis == -1 and xp is np and _may_be_kept(depth, on_value, off_value):
            rows = compute(np.arange(int(depth)), depth, on_value, off_value)
            seen = (depth, on_value, off_value, rows)
        return compute(indices, depth, on_value, off_value)

    def compute(indices: Any, depth: Any, on_value: Any, off_value: Any) -> Any:
        if not -1 <= axis <= indices.ndim:
            raise invalid(
                f"Expected axis to be -1 or between [0, {indices.ndim + 1}).  But received: {axis}"
            )
        for name, scalar in (("depth", depth), ("on_value", on_value), ("off_value", off_value)):
            if scalar.ndim:
                raise invalid(f"{name} must be a scalar, but got: {shape_text(scalar.shape)}")
        size = int(depth)
        if size < 0:
            raise invalid(f"depth must be non-negative, got: {size}")
        place = indices.ndim if axis == -1 else axis
        shape = (*indices.shape[:place], size, *indices.shape[place:])
        result = xp.full(shape, off_value.reshape(()), dtype)
        positions = xp.expand_dims(indices.astype(np.int64), place)
        if xp is not np:
            column = xp.arange(size).reshape((-1,) + (1,) * (indices.ndim - place))
            return xp.where(positions == column, on_value, result)
        # Only the places that are on are written: the others were filled.
        inside = (positions >= 0) & (positions < size)
        on = list(np.nonzero(inside))
        on[place] = positions[tuple(on)]
        result[tuple(on)] = on_value[()]
        return result

    return run
