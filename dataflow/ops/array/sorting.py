"""Sorting along an axis, made of TopK."""

from __future__ import annotations

from typing import Any

import numpy as np

import dataflow.ops.array.scatter as array_scatter
import dataflow.ops.array.shape as array_shape
import dataflow.ops.array.transpose as array_transpose
import dataflow.ops.basic.range as range_ops
from dataflow.graph.apply_op import apply_op
from dataflow.graph.constant_value import constant_value
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.constant import constant


def sort(
    values: Any, axis: Any = -1, direction: str = "ASCENDING", name: str | None = None
) -> Tensor:
    """The elements in order along an axis.

    Args:
      values: Tensor of numbers.
      axis: The axis, known while the graph is built.
      direction: "ASCENDING" or "DESCENDING".
      name: Name of the scope.

    Raises:
      ValueError: The direction is another, or `axis` is no known scalar.
    """
    with name_scope(name, "sort"):
        result: Tensor = _sorted(values, axis, direction, indices=False)
        return result


def argsort(
    values: Any,
    axis: Any = -1,
    direction: str = "ASCENDING",
    stable: bool = False,
    name: str | None = None,
) -> Tensor:
    """The int32 positions, along an axis, that its elements in order are taken from.

    Args:
      values: Tensor of numbers.
      axis: The axis, known while the graph is built.
      direction: "ASCENDING" or "DESCENDING".
      stable: Equal elements keep their order; they always do.
      name: Name of the scope.

    Raises:
      ValueError: The direction is another, or `axis` is no known scalar.
    """
    del stable
    with name_scope(name, "argsort"):
        result: Tensor = _sorted(values, axis, direction, indices=True)
        return result


def _sorted(values: Any, axis: Any, direction: str, indices: bool) -> Any:
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(f"{direction} should be one of ASCENDING, DESCENDING")
    axis = convert_to_tensor(axis, name="axis")
    number = constant_value(axis)
    if axis.shape.rank not in (None, 0) or number is None:
        raise ValueError("axis must be a constant scalar")
    x: Any = convert_to_tensor(values, name="values")
    if direction == "DESCENDING":
        return _descending(x, int(number), indices)
    # TopK puts the greatest first, so the order is turned round, without overflow.
    if x.dtype.is_unsigned:
        result = _descending(x.dtype.max - x, int(number), indices)
        return result if indices else x.dtype.max - result
    if x.dtype.is_integer:
        result = _descending(-x - 1, int(number), indices)
        return result if indices else -result - 1
    result = _descending(-x, int(number), indices)
    return result if indices else -result


def _descending(x: Tensor, axis: int, indices: bool) -> Any:
    count: Any = array_shape.shape(x)
    count = count[axis]
    rank = array_shape.rank(x)
    if axis == -1 or axis + 1 == x.shape.rank:
        return _greatest(x, count, indices)
    swap = _swap_with_last(axis, x.shape.rank, rank)
    result = _greatest(array_transpose.transpose(x, swap), count, indices)
    return array_transpose.transpose(result, swap)


def _greatest(x: Tensor, count: Any, indices: bool) -> Tensor:
    values, places = apply_op("TopKV2", x, count)
    result: Tensor = places if indices else values
    return result


def _swap_with_last(axis: Any, static_rank: int | None, rank: Any) -> Tensor:
    """The permutation that changes an axis and the last one; it is its own inverse."""
    if static_rank is not None:
        order = np.arange(static_rank)
        order[axis], order[-1] = order[-1], order[axis]
        return constant(order.astype(np.int64), name="transposition")
    if axis < 0:
        axis = axis + rank
    return array_scatter.tensor_scatter_nd_update(
        range_ops.range(rank), [[axis], [rank - 1]], [rank - 1, axis]
    )
