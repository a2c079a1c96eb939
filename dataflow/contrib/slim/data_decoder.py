"""slim's DataDecoder: makes tensors, by name, of a record."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import Any


class DataDecoder(abc.ABC):
    """Makes items, which are tensors with names, of a record."""

    @abc.abstractmethod
    def decode(self, data: Any, items: Any) -> list[Any]:
        """The items of these names, in their order, that a record holds."""

    @abc.abstractmethod
    def list_items(self) -> Sequence[str]:
        """The names of all items."""
