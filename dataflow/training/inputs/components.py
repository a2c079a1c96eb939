"""The tensors of a batch: their order, types and shapes, and the structure they are given in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.tensor import Tensor
from dataflow.values.shapes import TensorShape, as_shape


def as_list(tensors: Any) -> Any:
    """The tensors of a dictionary in the order of its keys; a list as it is."""
    if isinstance(tensors, dict):
        return [tensors[key] for key in sorted(tensors, key=str)]
    return tensors


def as_lists(tensors_list: Any) -> Any:
    """`as_list` for several of one structure.

    Raises:
      ValueError: There is none, or dictionaries have different keys.
    """
    if not tensors_list:
        raise ValueError("Expected at least one set of tensors")
    if not isinstance(tensors_list[0], dict):
        return tensors_list
    if any(tensors.keys() != tensors_list[0].keys() for tensors in tensors_list[1:]):
        raise ValueError("All dictionaries in tensors_list must have the same keys")
    return [as_list(tensors) for tensors in tensors_list]


def as_given(original: Any, tensors: Any) -> Any:
    """What a queue gives, in the structure in which its components were given."""
    if not isinstance(original, dict):
        return tensors
    found = [tensors] if len(original) == 1 else tensors
    return dict(zip(sorted(original, key=str), found, strict=False))


def checked_keep_input(keep_input: Any, enqueue_many: bool) -> Tensor:
    """The condition under which tensors are put into a queue.

    Raises:
      ValueError: It is of a rank that it cannot have.
    """
    condition = convert_to_tensor(keep_input)
    rank = condition.shape.rank
    if rank is None:
        raise ValueError("`keep_input` dimensions must be known at graph construction.")
    if not enqueue_many and rank == 1:
        raise ValueError("`keep_input` cannot be a vector when `enqueue_many=False`.")
    if rank > 1:
        raise ValueError("`keep_input` must be 0 or 1 dimensions.")
    return condition


def common_types(lists: Sequence[Sequence[Any]]) -> list[Any]:
    """The element types that the tensors of all lists have.

    Raises:
      TypeError: They differ.
    """
    types = [tensor.dtype for tensor in lists[0]]
    for tensors in lists[1:]:
        others = [tensor.dtype for tensor in tensors]
        if others != types:
            first, second = (", ".join(dtype.name for dtype in each) for each in (types, others))
            raise TypeError(f"Expected types to be consistent: {first} vs. {second}.")
    return types


def common_shapes(lists: Sequence[Sequence[Any]], shapes: Any, enqueue_many: bool) -> Any:
    """The shapes of elements: those that are given, or what the tensors of all lists have.

    Raises:
      ValueError: A rank is not known, or shapes contradict each other.
    """
    if shapes is not None:
        return shapes
    for tensors in lists:
        for tensor in tensors:
            if tensor.shape.rank is None:
                raise ValueError(f"Cannot infer Tensor's rank: {tensor}")
    columns = zip(*lists, strict=False)
    return [_common_shape([t.shape for t in column], enqueue_many) for column in columns]


def _common_shape(shapes: Sequence[TensorShape], enqueue_many: bool) -> Any:
    found = [as_shape(shape) for shape in shapes]
    if enqueue_many:
        found = [shape.with_rank_at_least(1)[1:] for shape in found]
    for shape in found[1:]:
        found[0].merge_with(shape)
    return found[0].as_list()
