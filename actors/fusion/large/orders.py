"""Operands of an elementwise cluster that were transposed: blocks in the order of their memory.

A transposed array is a view. numpy goes through such views one function at a time and on one
thread, so a cluster does better: with all operands turned to where they are contiguous, or, where
they lie differently, with copies of those that are not.

Results lie as those of the nodes one by one: what reads them, a sum or a product, goes through them
as they lie, and would come to other bits. How that is, is found out by running the nodes on arrays
of the same orders that have two elements along an axis at most.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dataflow.actors.nodes.binding import Adapter
from dataflow.actors.nodes.plan_node import PlanNode
from dataflow.kernels.memory.orders import Order, order_of, turned_back
from dataflow.kernels.memory.packing import pack_into, packed


def orders_one_by_one(
    nodes: Sequence[PlanNode],
    operands: Mapping[tuple[int, Adapter | None], Any],
    numbers: Mapping[int, Any],
) -> Mapping[int, Order | None]:
    """The orders of the results of elementwise nodes by slot, axes of one element at the end.

    Args:
      nodes: The nodes in the order to run them.
      operands: What they take from outside, by slot and by how it is adapted,
      numbers: and by slot what else they read.
    """
    taken = {key: _small(operand) for key, operand in operands.items()}
    made = dict(numbers)
    for node in nodes:
        keys = zip(node.inputs, node.adapters, strict=True)
        arguments = [taken[key] if key in taken else made[key[0]] for key in keys]
        made[node.outputs[0]] = node.call(*arguments)
    return {node.outputs[0]: significant(made[node.outputs[0]]) for node in nodes}


def _small(value: Any) -> Any:
    """An array that lies as another one does, of ones."""
    strides = [abs(stride) for stride in value.strides]
    order = sorted(range(value.ndim), key=lambda axis: -strides[axis])
    shape = [min(length, 2) for length in value.shape]
    own = [shape[axis] if strides[axis] else 1 for axis in order]
    return np.broadcast_to(turned_back(np.ones(own, value.dtype), tuple(order)), shape)


def significant(array: Any) -> Order | None:
    """The order of an array's axes; those of one element lie nowhere, and come last."""
    order = order_of(array)
    return None if order is None else tuple(sorted(order, key=lambda a: array.shape[a] == 1))


def lying(array: Any, order: Order) -> Any:
    """An array, or a copy of it if it lies in another order."""
    if significant(array) == order:
        return array
    copy = np.empty([array.shape[axis] for axis in order], array.dtype)
    pack_into(copy, array.transpose(order))
    return turned_back(copy, order)


def made_contiguous(arrays: Sequence[Any], wholes: Sequence[bool]) -> list[Any]:
    """The operands, copies in the place of large ones that are not contiguous."""
    return [
        array if array.flags.c_contiguous or not is_whole else packed(array)
        for array, is_whole in zip(arrays, wholes, strict=True)
    ]
