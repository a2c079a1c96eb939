"""Operands of an elementwise cluster that were transposed: blocks in the order of their memory.

A transposed array is a view. numpy goes through such views one function at a time and on one
thread, so a cluster does better: with all operands turned to where they are contiguous, or, where
they lie differently, with copies of those that are not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.kernels.memory.packing import packed

Order = tuple[int, ...]
"""Axes, as `transpose` takes them."""


def common_order(arrays: Sequence[Any]) -> Order | None:
    """The order of axes in which arrays of one shape are contiguous; None if they have none."""
    first = next(array for array in arrays if not array.flags.c_contiguous)
    strides = first.strides
    order = tuple(sorted(range(first.ndim), key=lambda axis: -strides[axis]))
    return order if all(a.transpose(order).flags.c_contiguous for a in arrays) else None


def turned(array: Any, order: Order) -> Any:
    """A view of an operand, which may be repeated along axes, with the axes in an order."""
    missing = len(order) - array.ndim
    return array.reshape((1,) * missing + array.shape).transpose(order)


def turned_back(array: Any, order: Order) -> Any:
    """A view of an array whose axes are in an order, with the axes as they were."""
    return array.transpose(sorted(range(len(order)), key=order.__getitem__))


def made_contiguous(arrays: Sequence[Any], wholes: Sequence[bool]) -> list[Any]:
    """The operands, copies in the place of large ones that are not contiguous."""
    return [
        array if array.flags.c_contiguous or not is_whole else packed(array)
        for array, is_whole in zip(arrays, wholes, strict=True)
    ]
