"""The tensors of a batch as they go into its queue."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dataflow.graph.indexed_slices import convert_n_to_tensor_or_indexed_slices
from dataflow.graph.tensor import Tensor
from dataflow.training.inputs.components import (
    as_list,
    as_lists,
    checked_keep_input,
    common_shapes,
    common_types,
)


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
    converted = [convert_n_to_tensor_or_indexed_slices(tensors) for tensors in lists]
    if not is_joined and not converted[0]:
        raise ValueError("Expected at least one tensor in batch().")
    keep = checked_keep_input(keep_input, enqueue_many)
    types = common_types(converted)
    found = common_shapes(converted, shapes, enqueue_many)
    return Prepared(converted, keep, types, found)
