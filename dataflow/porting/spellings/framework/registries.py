"""tensorflow.python.framework.registry: objects by their names."""

from __future__ import annotations

from typing import Any

from dataflow.values import logging


class Registry:
    """Objects by their names, each of which is taken once."""

    def __init__(self, name: str) -> None:
        """Takes what errors call it."""
        self._name = name
        self._registry: dict[str, Any] = {}

    def register(self, candidate: Any, name: str | None = None) -> None:
        """Takes an object.

        Args:
          candidate: The object.
          name: By default its `__name__`, or "unknown" where it has none.

        Raises:
          ValueError: `candidate` is nothing.
          KeyError: The name is taken.
        """
        if not candidate:
            raise ValueError("candidate must not be None")
        key = str(name or getattr(candidate, "__name__", "unknown"))
        if key in self._registry:
            raise KeyError(
                f"Registering two {self._name} with name '{key}'! "
                f"(Previous registration was {self._registry[key]})"
            )
        logging.vlog(1, "Registering %s (%s) in %s.", key, candidate, self._name)
        self._registry[key] = candidate

    def list(self) -> list[str]:
        """The names."""
        return list(self._registry)

    def lookup(self, name: Any) -> Any:
        """The object of a name.

        Raises:
          LookupError: There is none.
        """
        key = name.decode() if isinstance(name, bytes) else name
        if key not in self._registry:
            raise LookupError(f"{self._name} registry has no entry for: {key}")
        return self._registry[key]
