"""slim's DataProvider: tensors by name, and how many examples there are."""

from __future__ import annotations

import abc
from collections.abc import KeysView, Mapping
from typing import Any


class DataProvider(abc.ABC):  # noqa: B024 (subclasses say where the tensors come from)
    """Gives tensors by name.

    Args:
      items_to_tensors: The tensors.
      num_samples: How many examples there are.
    """

    def __init__(self, items_to_tensors: Mapping[str, Any], num_samples: Any) -> None:
        self._items_to_tensors = items_to_tensors
        self._num_samples = num_samples

    def get(self, items: Any) -> list[Any]:
        """The tensors of these names, in their order.

        Raises:
          ValueError: The names are no list, or one of them is none.
        """
        if not isinstance(items, (list, tuple)):
            raise ValueError("items must be a list or tuple")
        valid = self.list_items()
        for item in items:
            if item not in valid:
                raise ValueError(f"Item [{item}] is invalid. Valid entries include: {valid}")
        return [self._items_to_tensors[item] for item in items]

    def list_items(self) -> KeysView[str]:
        """The names of all tensors."""
        return self._items_to_tensors.keys()

    def num_samples(self) -> Any:
        """How many examples there are."""
        return self._num_samples
