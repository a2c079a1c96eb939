"""Sparse tensors in batches: a map holds them, and the queue their numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dataflow.control_flow.smart_cond import smart_cond
from dataflow.graph.apply_op import apply_op
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import colocate_with
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.fill import ones
from dataflow.ops.array.gather import gather
from dataflow.ops.array.shape import expand_dims, shape, squeeze
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.grouping import with_dependencies
from dataflow.ops.basic.single import single
from dataflow.ops.sparse.rows import sparse_retain
from dataflow.values import dtypes


@dataclass(frozen=True, slots=True)
class Stored:
    """What is known of a component that is stored; of a dense one nothing."""

    map_op: Operation | None = None
    """The operation whose map holds it."""
    rank: int | None = None
    """Of an element."""


def store(
    tensors: Sequence[Any],
    enqueue_many: bool,
    keep_input: Tensor,
    shared: Sequence[Stored] | None = None,
) -> tuple[list[Any], list[Stored]]:
    """Puts the sparse ones among tensors into maps.

    Args:
      tensors: The components.
      enqueue_many: Whether they hold many elements.
      keep_input: Whether they are to be put into the queue.
      shared: How the same components of another list were stored.

    Returns:
      The components, numbers in place of the sparse ones; and how each was stored.
    """
    components, found = [], []
    for place, tensor in enumerate(tensors):
        known = None if shared is None else shared[place]
        component, stored = _stored(tensor, enqueue_many, keep_input, known)
        components.append(component)
        found.append(stored)
    return components, found


def _stored(
    tensor: Any, enqueue_many: bool, keep_input: Tensor, shared: Stored | None
) -> tuple[Any, Stored]:
    if not isinstance(tensor, SparseTensor):
        return tensor, Stored()
    rank = tensor.dense_shape.shape.with_rank(1).as_list()[0]
    if rank is not None and enqueue_many:
        rank -= 1
    made: list[Operation] = []
    other = None if shared is None or shared.map_op is None else shared.map_op.name
    op_type = "AddManySparseToTensorsMap" if enqueue_many else "AddSparseToTensorsMap"

    def add() -> Tensor:
        numbers = single(
            op_type, tensor.indices, tensor.values, tensor.dense_shape, shared_name=other
        )
        made.append(numbers.op)
        return numbers

    def left_out() -> Tensor:
        if not enqueue_many:
            return constant(-1, dtypes.int64)
        none: Tensor = -1 * ones(shape(tensor)[0:1], dtypes.int64)
        return none

    if keep_input.shape.rank == 1:
        tensor = _kept(tensor, keep_input)
        numbers = add()
    else:
        numbers = smart_cond(keep_input, add, left_out)
        if enqueue_many:
            numbers.set_shape([None])
    map_op = made[0] if made else None
    if shared is not None and shared.map_op is not None:
        map_op = shared.map_op
    return expand_dims(numbers, [-1]), Stored(map_op, rank)


def _kept(tensor: SparseTensor, keep_input: Tensor) -> SparseTensor:
    """The rows of a sparse tensor that are to be kept; the others are empty."""
    return sparse_retain(tensor, gather(keep_input, tensor.indices[:, 0]))


def restore(taken: Any, stored: Sequence[Stored]) -> Any:
    """The tensors of a batch, sparse ones in place of their numbers."""
    is_list = isinstance(taken, (list, tuple))
    components = list(taken) if is_list else [taken]
    tensors = [
        component if how.map_op is None else _taken(component, how.map_op, how.rank)
        for component, how in zip(components, stored, strict=True)
    ]
    if any(isinstance(tensor, SparseTensor) for tensor in tensors):
        # A map is changed by who takes out of it: whoever uses one takes all.
        first = [t.values if isinstance(t, SparseTensor) else t for t in tensors]
        tensors = [_after(first, tensor) for tensor in tensors]
    return tensors if is_list else tensors[0]


def _taken(numbers: Tensor, map_op: Operation, rank: int | None) -> SparseTensor:
    numbers = squeeze(numbers, [1])
    with colocate_with(map_op):
        indices, values, dense_shape = apply_op(
            "TakeManySparseFromTensorsMap",
            numbers,
            dtype=map_op.get_attr("T"),
            container=map_op.get_attr("container"),
            shared_name=map_op.get_attr("shared_name").decode() or map_op.name,
        )
    width = None if rank is None else rank + 1
    indices.set_shape([None, width])
    dense_shape.set_shape([width])
    return SparseTensor(indices, values, dense_shape)


def _after(tensors: Sequence[Tensor], tensor: Any) -> Any:
    if isinstance(tensor, SparseTensor):
        parts = (tensor.indices, tensor.values, tensor.dense_shape)
        return SparseTensor(*(with_dependencies(tensors, part) for part in parts))
    return with_dependencies(tensors, tensor)
