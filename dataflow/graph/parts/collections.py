"""The named collections of a graph."""

from __future__ import annotations

import re
import threading
from collections.abc import Hashable, Iterable
from typing import Any


class GraphCollections:
    """Lists of objects under names; names are any hashable values."""

    def __init__(self, lock: threading.RLock) -> None:
        self._lock = lock
        self._lists: dict[Any, list[Any]] = {}

    def add(self, name: Hashable, value: Any) -> None:
        """Appends to a collection."""
        with self._lock:
            self._lists.setdefault(name, []).append(value)

    def add_to_each(self, names: Iterable[Hashable] | str, value: Any) -> None:
        """Appends to several collections, once to each."""
        for name in (names,) if isinstance(names, str) else dict.fromkeys(names):
            self.add(name, value)

    def live(self, name: Hashable) -> list[Any]:
        """The collection itself: changes to the list change the collection."""
        with self._lock:
            return self._lists.setdefault(name, [])

    def get(self, name: Hashable, scope: str | None = None) -> list[Any]:
        """A copy of a collection, only of items whose name matches `scope` from its start."""
        with self._lock:
            items = list(self._lists.get(name, ()))
        if scope is None:
            return items
        pattern = re.compile(scope)
        return [item for item in items if hasattr(item, "name") and pattern.match(item.name)]

    def clear(self, name: Hashable) -> None:
        """Forgets a collection."""
        with self._lock:
            self._lists.pop(name, None)

    def keys(self) -> list[Any]:
        """The names of all collections."""
        with self._lock:
            return list(self._lists)

    def derived(self, shared: Iterable[Hashable]) -> GraphCollections:
        """Collections for the body of a function: some are the same lists, others copies."""
        with self._lock:
            made = GraphCollections(self._lock)
            made._lists = {name: list(items) for name, items in self._lists.items()}
            for name in shared:
                made._lists[name] = self._lists.setdefault(name, [])
            return made

    def only(self, shared: Iterable[Hashable]) -> GraphCollections:
        """Collections that begin with some of these lists, the same ones, and nothing else."""
        with self._lock:
            made = GraphCollections(self._lock)
            made._lists = {name: self._lists.setdefault(name, []) for name in shared}
            return made
