"""In which order the axes of arrays lie in memory, and views that have them so."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

Order = tuple[int, ...]
"""Axes, as `transpose` takes them."""


def order_of(array: Any) -> Order | None:
    """The order of axes in which an array is contiguous; None if it is in none."""
    if array.flags.c_contiguous:
        return tuple(range(array.ndim))
    strides = array.strides
    order = tuple(sorted(range(array.ndim), key=lambda axis: -strides[axis]))
    return order if array.transpose(order).flags.c_contiguous else None


def common_order(arrays: Sequence[Any]) -> Order | None:
    """The order of axes in which arrays of one shape are contiguous; None if they have none."""
    first = next((array for array in arrays if not array.flags.c_contiguous), arrays[0])
    order = order_of(first)
    if order is None:
        return None
    return order if all(a.transpose(order).flags.c_contiguous for a in arrays) else None


def turned_back(array: Any, order: Order) -> Any:
    """A view of an array whose axes are in an order, with the axes as they were."""
    return array.transpose(sorted(range(len(order)), key=order.__getitem__))


def in_line(*arrays: Any) -> list[Any] | None:
    """Arrays of one shape as vectors, views in the order of memory; None if that is not the same.

    Elements of the same place in the arrays have the same place in the vectors.
    """
    if all(array.flags.c_contiguous for array in arrays):
        return [array.reshape(-1) for array in arrays]
    order = common_order(arrays)
    if order is None:
        return None
    return [array.transpose(order).reshape(math.prod(array.shape)) for array in arrays]
