"""Lists and dictionaries to which things are only added; all of it is held by checkpoints."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Mapping as AnyMapping
from typing import Any

from dataflow.library.containers.container import Container


class List(Container, Sequence[Any]):
    """A sequence of objects, whose names in checkpoints are their places."""

    def __init__(self, *args: Any) -> None:
        """Takes what `list` takes."""
        self._storage: list[Any] = []
        self.extend(list(*args))

    def _parts(self) -> Sequence[Any]:
        return self._storage

    def append(self, value: Any) -> None:
        """Adds an object.

        Raises:
          ValueError: Checkpoints cannot hold it.
        """
        self._storage.append(self._track(value, str(len(self._storage))))

    def extend(self, values: Iterable[Any]) -> None:
        """Adds objects; see `append`."""
        for value in values:
            self.append(value)

    def copy(self) -> Any:
        """Another one of the same objects."""
        return type(self)(copy.copy(self._storage))

    def __copy__(self) -> Any:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return type(self)(copy.deepcopy(self._storage, memo))

    def __getitem__(self, key: Any) -> Any:
        return self._storage[key]

    def __len__(self) -> int:
        return len(self._storage)

    def __iadd__(self, values: Iterable[Any]) -> Any:
        self.extend(list(values))
        return self

    def __add__(self, other: Iterable[Any]) -> Any:
        return type(self)([*self, *other])

    def __radd__(self, other: Iterable[Any]) -> Any:
        return type(self)([*other, *self])

    def __mul__(self, count: Any) -> Any:
        return type(self)(self._storage * count)

    __rmul__ = __mul__

    def __imul__(self, count: Any) -> Any:
        if count <= 0:
            raise ValueError(
                f"List only supports append, multiplying in place by {count} removes elements."
            )
        self.extend([*self] * (count - 1))
        return self

    def __repr__(self) -> str:
        return f"List({self._storage!r})"


class Mapping(Container, AnyMapping[str, Any]):
    """Objects by names, which are their names in checkpoints."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Takes what `dict` takes."""
        self.update(*args, **kwargs)

    def update(self, *args: Any, **kwargs: Any) -> None:
        """Adds what `dict` takes; see `__setitem__`."""
        for name, value in dict(*args, **kwargs).items():
            self[name] = value

    def __setitem__(self, key: str, value: Any) -> None:
        """Adds an object.

        Raises:
          TypeError: The name is no string.
          ValueError: There is another object of that name, or checkpoints cannot hold this one.
        """
        if not isinstance(key, str):
            raise TypeError(f"Mapping accepts only string keys, but got a key {key!r}.")
        current = self._tracked().get(key, value)
        if current is not value:
            raise ValueError(
                "Mappings are an append-only data structure. Tried to overwrite the key "
                f"'{key}' with value {value}, but it already contains {current}"
            )
        self._track(value, key)

    def __getitem__(self, key: str) -> Any:
        return self._tracked()[key]

    def __len__(self) -> int:
        return len(self._tracked())

    def __iter__(self) -> Iterator[str]:
        return iter(self._tracked())

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __repr__(self) -> str:
        return f"Mapping({self._tracked()!r})"

    def _parts(self) -> Sequence[Any]:
        return [value for _, value in sorted(self._tracked().items())]
