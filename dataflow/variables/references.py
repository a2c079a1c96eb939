"""What an object is made of, as a list that its class may add to."""

from __future__ import annotations

from collections.abc import MutableSequence
from typing import Any, NamedTuple


class TrackableReference(NamedTuple):
    """A part of an object, and its name there."""

    name: str
    ref: Any


class References(MutableSequence[TrackableReference]):
    """The parts by name as a list, whose changes are changes of the parts.

    Args:
      parts: What has what name.
    """

    def __init__(self, parts: dict[str, Any]) -> None:
        self._parts = parts

    def __len__(self) -> int:
        return len(self._parts)

    def __getitem__(self, index: Any) -> Any:
        return [TrackableReference(*each) for each in self._parts.items()][index]

    def __setitem__(self, index: Any, value: Any) -> None:
        found = list(self)
        found[index] = value
        self._replace(found)

    def __delitem__(self, index: Any) -> None:
        found = list(self)
        del found[index]
        self._replace(found)

    def insert(self, index: int, value: TrackableReference) -> None:
        """Puts a part before another."""
        found = list(self)
        found.insert(index, value)
        self._replace(found)

    def _replace(self, found: list[TrackableReference]) -> None:
        self._parts.clear()
        self._parts.update(found)
