"""Kernels that choose between tensors, or find where a condition holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.errors import InvalidArgumentError
from dataflow.kernels.contract.element_types import ANY, PLAIN
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.elementwise.formula import steps_of, tells
from dataflow.kernels.elementwise.selection import put
from dataflow.values import dtypes

Choose = Callable[[Any, Any, Any, Any], Any]
"""`f(condition, x, y, out)`: elements of `x` where the condition holds, and else of `y`."""
PutOn = Callable[[Any, Any, int, Any], Any]
"""`f(result, positions, axis, value)`: the result, with the value at positions along an axis."""


@kernel("Where", dtypes={"T": PLAIN})
def where(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return places_by(xp, xp.nonzero)


def places_by(xp: Any, nonzero: Callable[[Any], Any]) -> Callable[..., Any]:
    """The callable of `Where`, by a function that gives the places along each axis."""

    def run(value: Any) -> Any:
        if not 1 <= value.ndim <= 8:
            raise invalid(f"WhereOp : Unhandled input dimensions: {value.ndim}")
        found = nonzero(value)
        places = xp.empty((found[0].size, value.ndim), np.int64)
        for axis, along in enumerate(found):
            places[:, axis] = along
        return places

    return run


@kernel("Select", elementwise=True, takes_out=True, dtypes={"T": ANY})
def select(node: KernelNode, xp: Any) -> Callable[..., Any]:
    choose = chooser(node, xp)
    return selection(node, choose, choose)


def selection(node: KernelNode, choose: Choose, choose_rows: Choose) -> Callable[..., Any]:
    """The callable of `Select`, by a function for equal shapes and one for whole rows."""

    def run(condition: Any, x: Any, y: Any, out: Any = None) -> Any:
        if x.shape != y.shape:
            raise _unlike(node, condition, x, y)
        if condition.shape != x.shape and condition.ndim:
            condition = _rows(node, condition, x)
            return choose_rows(condition, x, y, out)
        return choose(condition, x, y, out)

    return tells(run, steps_of(_chosen, 3))


def _chosen(xp: Any, condition: Any, x: Any, y: Any) -> Any:
    return xp.where(condition, x, y)


def _unlike(node: KernelNode, condition: Any, x: Any, y: Any) -> InvalidArgumentError:
    """The error of two choices, or of them and their condition, that differ in shape."""
    if condition.ndim < 2:
        return invalid(
            "'then' and 'else' must have the same size.  but received: "
            f"{shape_text(x.shape)} vs. {shape_text(y.shape)}"
        )
    place, other = (1, x) if x.shape != condition.shape else (2, y)
    return invalid(
        f"Inputs to operation {node.name} of type Select must have the same size and shape.  "
        f"Input 0: {shape_text(condition.shape)} != input {place}: {shape_text(other.shape)}"
    )


def _rows(node: KernelNode, condition: Any, x: Any) -> Any:
    """A vector condition in a shape that broadcasts over whole rows of `x`."""
    if condition.ndim != 1:
        raise _unlike(node, condition, x, x)
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
    return broadcast_selection(chooser(node, xp))


def broadcast_selection(choose: Choose) -> Callable[..., Any]:
    """The callable of `SelectV2`, by a function that broadcasts."""

    def run(condition: Any, x: Any, y: Any, out: Any = None) -> Any:
        try:
            return choose(condition, x, y, out)
        except ValueError:
            raise invalid(
                f"condition {shape_text(condition.shape)}, then {shape_text(x.shape)}, and else "
                f"{shape_text(y.shape)} must be broadcastable"
            ) from None

    return tells(run, steps_of(_chosen, 3))


def chooser(node: KernelNode, xp: Any) -> Choose:
    """The function for a node, of any array library; strings are numpy's anywhere."""
    if node.output_dtypes[0] == dtypes.string:
        return lambda condition, x, y, out: np.asarray(np.where(condition, x, y), object)
    return lambda condition, x, y, out: put(xp.where(condition, x, y), out)


@kernel("OneHot", dtypes={"T": ANY}, host_inputs=("depth",), grows=True)
def one_hot(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def put_on(result: Any, positions: Any, axis: int, value: Any) -> Any:
        column = xp.arange(result.shape[axis]).reshape((-1,) + (1,) * (result.ndim - axis - 1))
        return xp.where(positions == column, value, result)

    return one_hot_by(node, xp, put_on)


def one_hot_by(node: KernelNode, xp: Any, put_on: PutOn) -> Callable[..., Any]:
    """The callable of `OneHot`, by a function that puts the values on."""
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
        return put_on(result, positions, place, on_value)

    return run
