"""tensorflow.python.framework.registry: objects by their names."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from typing import Any

from dataflow.schema import opdef
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


class _GradientEntries(MutableMapping[str, dict[str, Any]]):
    """The gradients as a registry of 1.15 keeps them: by name, as the "type" of an entry."""

    def __getitem__(self, name: str) -> dict[str, Any]:
        return {"type": opdef.registered_gradients()[name]}

    def __setitem__(self, name: str, entry: dict[str, Any]) -> None:
        opdef.registered_gradients()[name] = entry["type"]

    def __delitem__(self, name: str) -> None:
        del opdef.registered_gradients()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(opdef.registered_gradients())

    def __len__(self) -> int:
        return len(opdef.registered_gradients())


class GradientRegistry:
    """What `RegisterGradient` registers: programs ask it whether a name is taken already."""

    def __init__(self) -> None:
        self._registry = _GradientEntries()

    def register(self, candidate: Any, name: str | None = None) -> None:
        """Takes a gradient function, by default under its `__name__`.

        Raises:
          KeyError: The name is taken.
        """
        opdef.register_gradient(name or candidate.__name__, candidate)

    def list(self) -> list[str]:
        """The names."""
        return list(self._registry)

    def lookup(self, name: str | bytes) -> Any:
        """The function of a name, or None where it says that there is no gradient.

        Raises:
          LookupError: There is none.
        """
        return opdef.find_gradient(name.decode() if isinstance(name, bytes) else name)
