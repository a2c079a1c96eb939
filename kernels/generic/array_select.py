"""Kernels that choose between tensors, or find where a condition holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow import dtypes
from dataflow.kernels.element_types import ANY, PLAIN
from dataflow.kernels.invalid import invalid
from dataflow.kernels.registry import KernelNode, kernel
from dataflow.kernels.shape_text import shape_text


@kernel("Where", dtypes={"T": PLAIN})
def where(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(value: Any) -> Any:
        if not 1 <= value.ndim <= 8:
            raise invalid(f"WhereOp : Unhandled input dimensions: {value.ndim}")
        return xp.stack(xp.nonzero(value), axis=1).astype(np.int64, copy=False)

    return run


@kernel("Select", elementwise=True, dtypes={"T": ANY})
def select(node: KernelNode, xp: Any) -> Callable[..., Any]:
    choose = _chooser(node, xp)

    def run(condition: Any, x: Any, y: Any) -> Any:
        if x.shape != y.shape:
            raise invalid(
                "'then' and 'else' must have the same size.  but received: "
                f"{shape_text(x.shape)} vs. {shape_text(y.shape)}"
            )
        if condition.shape != x.shape and condition.ndim:
            condition = _rows(node, condition, x)
        return choose(condition, x, y)

    return run


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


@kernel("SelectV2", elementwise=True, dtypes={"T": ANY})
def select_v2(node: KernelNode, xp: Any) -> Callable[..., Any]:
    choose = _chooser(node, xp)

    def run(condition: Any, x: Any, y: Any) -> Any:
        try:
            return choose(condition, x, y)
        except ValueError:
            raise invalid(
                f"condition {shape_text(condition.shape)}, then {shape_text(x.shape)}, and else "
                f"{shape_text(y.shape)} must be broadcastable"
            ) from None

    return run


def _chooser(node: KernelNode, xp: Any) -> Callable[[Any, Any, Any], Any]:
    if node.output_dtypes[0] == dtypes.string:
        return lambda condition, x, y: np.asarray(np.where(condition, x, y), object)
    return xp.where  # type: ignore[no-any-return]


@kernel("OneHot", dtypes={"T": ANY}, host_inputs=("depth",))
def one_hot(node: KernelNode, xp: Any) -> Callable[..., Any]:
    axis: int = node.attr("axis")
    dtype = node.output_dtypes[0].as_numpy_dtype

    def run(indices: Any, depth: Any, on_value: Any, off_value: Any) -> Any:
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
