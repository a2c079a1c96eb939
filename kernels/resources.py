"""State of a device that outlives a step: named resources in containers, and variables."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any, TypeVar, cast

R = TypeVar("R")


class Variable:
    """A variable's cell: holds an immutable snapshot, so that a read never copies and never tears.

    Writers take `lock`, compute the new value from `value` and store it; readers just read
    `value`. None means uninitialised. Arrays stored here are never written to again, unless the
    writer knows that no one else holds them.
    """

    __slots__ = ("dtype", "lock", "name", "value")

    def __init__(self, name: str, dtype: Any) -> None:
        self.name = name
        self.dtype = dtype
        self.value: Any = None
        self.lock = threading.RLock()


class ResourceManager:
    """The resources of a device by container, type and name. Safe to use from many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._containers: dict[str, dict[tuple[type, str], Any]] = {}

    def lookup_or_create(
        self, container: str, name: str, kind: type[R], create: Callable[[], R]
    ) -> R:
        """The resource of that kind and name, made by `create` if there is none yet."""
        with self._lock:
            resources = self._containers.setdefault(container, {})
            key = (kind, name)
            if key not in resources:
                resources[key] = create()
            return cast(R, resources[key])

    def lookup(self, container: str, name: str, kind: type[R]) -> R | None:
        """The resource of that kind and name, or None."""
        with self._lock:
            return cast("R | None", self._containers.get(container, {}).get((kind, name)))

    def delete(self, container: str, name: str, kind: type[R]) -> bool:
        """Forgets a resource; False if there was none."""
        with self._lock:
            return self._containers.get(container, {}).pop((kind, name), None) is not None

    def clear(self, containers: Iterable[str] = ()) -> None:
        """Forgets the resources of these containers ("" is the default one), or of all."""
        with self._lock:
            for container in tuple(containers) or tuple(self._containers):
                self._containers.pop(container, None)
