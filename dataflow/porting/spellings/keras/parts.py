"""tensorflow.python.keras.utils.tf_utils: lists that functions of structures see as one."""

from __future__ import annotations

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
