"""Sums the gradients that several consumers give to one tensor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dataflow.ops.array.concat as array_concat
from dataflow.graph import scopes
from dataflow.graph.indexed_slices import IndexedSlices
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.values import dtypes

Gradient = Tensor | IndexedSlices


class AggregationMethod:
    """How the gradients that meet at a tensor are summed."""

    ADD_N = 0
    """By one AddN: all terms are in memory at once."""
    DEFAULT = ADD_N
    """The method the library chooses."""
    EXPERIMENTAL_TREE = 1
    """By pairs, so that a term can be freed before the last one is there."""
    EXPERIMENTAL_ACCUMULATE_N = 2
    """Like `EXPERIMENTAL_TREE`."""


def aggregate(received: Sequence[Any], op: Operation, index: int, method: int | None) -> Any:
    """The sum of the gradients received for one output of an operation.

    Args:
      received: Tensors and IndexedSlices of one shape; may be empty.
      op: The operation.
      index: Which output.
      method: One of `AggregationMethod`, None for the default.

    Returns:
      A tensor; IndexedSlices if all terms are; None if there is none.

    Raises:
      TypeError: A gradient is neither a tensor nor IndexedSlices.
      ValueError: There is no such method.
    """
    method = _checked_method(method)
    if not all(isinstance(gradient, (Tensor, IndexedSlices)) for gradient in received):
        raise TypeError(
            f"Invalid gradient {list(received)} [index = {index}]. Gradients have to be either "
            f"all Tensors or all IndexedSlices; these are for output {index} of '{op.name}'."
        )
    if len(received) < 2:
        return received[0] if received else None
    if all(isinstance(gradient, Tensor) for gradient in received):
        if method == AggregationMethod.ADD_N:
            return _sum_by_device(received)
        return _sum_in_pairs(received, op)
    if any(isinstance(gradient, Tensor) for gradient in received):
        return _add(received)
    return _concatenate(received)


def _checked_method(method: int | None) -> int:
    accepted = [
        AggregationMethod.ADD_N,
        AggregationMethod.EXPERIMENTAL_TREE,
        AggregationMethod.EXPERIMENTAL_ACCUMULATE_N,
    ]
    if method is None:
        return AggregationMethod.DEFAULT
    if method not in accepted:
        raise ValueError(f"Invalid aggregation_method specified {method}.")
    return method


def _add(terms: Sequence[Gradient]) -> Tensor:
    first = terms[0]
    if len(terms) == 1 and isinstance(first, Tensor):
        return first
    return single("AddN", list(terms))


def _sum_by_device(tensors: Sequence[Tensor]) -> Tensor:
    """Sums on each device what is there, then the sums."""
    by_device: dict[str, list[Tensor]] = {}
    for tensor in tensors:
        by_device.setdefault(tensor.device, []).append(tensor)
    sums = []
    for device in sorted(by_device):
        terms = by_device[device]
        with scopes.colocate_with(terms[0].op, ignore_existing=True):
            sums.append(_add(terms))
    return _add(sums)


def _sum_in_pairs(tensors: Sequence[Tensor], op: Operation) -> Tensor:
    with scopes.name_scope(op.name + "_gradient_sum"):
        total = tensors[0]
        for tensor in tensors[1:]:
            total = _add((total, tensor))
    return total


def _concatenate(slices: Sequence[IndexedSlices]) -> IndexedSlices:
    """All slices one after the other; slices at the same index stay apart."""
    indices = [each.indices for each in slices]
    if len({each.dtype for each in indices}) > 1:
        indices = [
            single("Cast", each, DstT=dtypes.int64) if each.dtype is dtypes.int32 else each
            for each in indices
        ]
    return IndexedSlices(
        array_concat.concat([each.values for each in slices], axis=0),
        array_concat.concat(indices, axis=0),
        slices[0].dense_shape,
    )
