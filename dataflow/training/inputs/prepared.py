"""The tensors of a batch as they go into its queue."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dataflow.graph.indexed_slices import convert_to_tensor_or_indexed_slices
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.graph.tensor import Tensor
from dataflow.training.inputs.components import (
    as_list,
    as_lists,
    checked_keep_input,
    common_shapes,
    common_types,
)
from dataflow.training.inputs.sparse_components import Stored, store


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """What goes into a queue."""

    lists: list[Any]
    """The components of elements, for each thread."""
    keep_input: Tensor
    """Whether they are put in."""
    types: list[Any]
    """Element types of the components."""
    shapes: Any
    """Their shapes."""
    stored: list[Stored]
    """How sparse ones among them are stored."""


def given_lists(given: Any, is_joined: bool) -> list[Any]:
    """The lists of tensors of what a program has given; `is_joined`: it gives several."""
    return list(as_lists(given)) if is_joined else [as_list(given)]


def prepared(
    lists: Sequence[Any], is_joined: bool, keep_input: Any, enqueue_many: bool, shapes: Any
) -> Prepared:
    """Converts the tensors of lists.

    Raises:
      ValueError: There is none, or their shapes are not known far enough or contradict each other.
      TypeError: Types of lists differ.
    """
    converted = [list(map(_converted, tensors)) for tensors in lists]
    if not is_joined and not converted[0]:
        raise ValueError("Expected at least one tensor in batch().")
    keep = checked_keep_input(keep_input, enqueue_many)
    components, stored = store(converted[0], enqueue_many, keep)
    stored_lists = [components]
    for tensors in converted[1:]:
        # What a later list has beyond the first one is not read.
        components, others = store(tensors[: len(stored)], enqueue_many, keep, stored)
        if others != stored:
            raise ValueError(f"Inconsistent SparseTensors list: {converted[0]} vs. {tensors}")
        stored_lists.append(components)
    types = common_types(stored_lists)
    found = common_shapes(stored_lists, shapes, enqueue_many)
    return Prepared(stored_lists, keep, types, found, stored)


def _converted(tensor: Any) -> Any:
    if tensor is None or isinstance(tensor, SparseTensor):
        return tensor
    return convert_to_tensor_or_indexed_slices(tensor)
