"""tensorflow.python.keras.utils.tf_utils: what functions of structures take for one element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.values import nest


class ListWrapper:
    """A list that functions of structures take for one element."""

    def __init__(self, list_to_wrap: list[Any]) -> None:
        """Takes the list."""
        self._list = list_to_wrap

    def as_list(self) -> list[Any]:
        """The list."""
        return self._list


def map_structure_with_atomic(
    is_atomic_fn: Callable[[Any], bool], map_fn: Callable[[Any], Any], nested: Any
) -> Any:
    """A structure of what a function makes of the elements of another.

    Args:
      is_atomic_fn: Tells whether a part of the structure is an element.
      map_fn: The function.
      nested: The structure.

    Raises:
      ValueError: A part is neither an element nor a structure.
    """
    if is_atomic_fn(nested):
        return map_fn(nested)
    if not nest.is_nested(nested):
        raise ValueError(f"Received non-atomic and non-sequence element: {nested}")
    parts = [part for _, part in nest.sorted_items(nested)]
    mapped = [map_structure_with_atomic(is_atomic_fn, map_fn, part) for part in parts]
    return nest.sequence_like(nested, mapped)


def convert_inner_node_data(nested: Any, wrap: bool = False) -> Any:
    """A structure whose lists that tell of a layer's call are wrapped, or are lists again.

    Args:
      nested: The structure. Such a list begins with the layer's name and has three or four parts.
      wrap: Whether they are wrapped.
    """
    if isinstance(nested, ListWrapper):
        return nested if wrap else nested.as_list()
    if isinstance(nested, list) and len(nested) in (3, 4) and isinstance(nested[0], str):
        return ListWrapper(nested) if wrap else nested
    if isinstance(nested, dict):
        return {key: convert_inner_node_data(nested[key], wrap) for key in nested}
    if not nest.is_nested(nested):
        return nested
    parts = [convert_inner_node_data(each, wrap) for each in nested]
    return type(nested)(*parts) if hasattr(nested, "_fields") else type(nested)(parts)
