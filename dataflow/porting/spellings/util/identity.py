"""tensorflow.python.util.object_identity: collections that ask which object it is."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator, MutableMapping, MutableSet
from typing import Any


class _ObjectIdentityWrapper:
    """An object, equal to itself alone."""

    def __init__(self, wrapped: Any) -> None:
        """Takes the object."""
        self._wrapped = wrapped

    @property
    def unwrapped(self) -> Any:
        """The object."""
        return self._wrapped

    def deref(self) -> Any:
        """The object."""
        return self.unwrapped

    def __eq__(self, other: object) -> bool:
        """Whether both hold one object.

        Raises:
          TypeError: The other is no such wrapper: who compares them forgot to wrap or to unwrap.
        """
        if other is None:
            return False
        if not isinstance(other, _ObjectIdentityWrapper):
            raise TypeError("Cannot compare wrapped object with unwrapped object")
        return self._same(other)

    def _same(self, other: _ObjectIdentityWrapper) -> bool:
        return self.unwrapped is other.unwrapped

    def __hash__(self) -> int:
        return id(self._wrapped)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} wrapping {self.unwrapped!r}>"


class Reference(_ObjectIdentityWrapper):
    """An object that others refer to, by itself."""


class _WeakObjectIdentityWrapper(_ObjectIdentityWrapper):
    def __init__(self, wrapped: Any) -> None:
        super().__init__(weakref.ref(wrapped))
        self._id = id(wrapped)

    @property
    def unwrapped(self) -> Any:
        return self._wrapped()

    def _same(self, other: _ObjectIdentityWrapper) -> bool:
        return isinstance(other, _WeakObjectIdentityWrapper) and self._id == other._id

    def __hash__(self) -> int:
        return self._id


class ObjectIdentityDictionary(MutableMapping[Any, Any]):
    """A dict of values by objects."""

    _wrap: type[_ObjectIdentityWrapper] = _ObjectIdentityWrapper

    def __init__(self) -> None:
        self._storage: dict[_ObjectIdentityWrapper, Any] = {}

    def __getitem__(self, key: Any) -> Any:
        return self._storage[self._wrap(key)]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._storage[self._wrap(key)] = value

    def __delitem__(self, key: Any) -> None:
        del self._storage[self._wrap(key)]

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __iter__(self) -> Iterator[Any]:
        return _alive(self._storage)


class ObjectIdentityWeakKeyDictionary(ObjectIdentityDictionary):
    """A dict of values by objects, which it does not keep alive."""

    _wrap = _WeakObjectIdentityWrapper


class ObjectIdentitySet(MutableSet[Any]):
    """A set of objects."""

    _wrap: type[_ObjectIdentityWrapper] = _ObjectIdentityWrapper

    def __init__(self, items: Iterable[Any] = ()) -> None:
        """Takes the objects."""
        self._storage = dict.fromkeys(map(self._wrap, items))

    def __contains__(self, key: object) -> bool:
        return self._wrap(key) in self._storage

    def add(self, value: Any) -> None:
        """Takes an object."""
        self._storage[self._wrap(value)] = None

    def discard(self, value: Any) -> None:
        """Takes an object out, if it is in."""
        self._storage.pop(self._wrap(value), None)

    def update(self, items: Iterable[Any]) -> None:
        """Takes objects."""
        for each in items:
            self.add(each)

    def difference(self, items: Iterable[Any]) -> ObjectIdentitySet:
        """The objects that are not among others."""
        return type(self)(self - self._from_iterable(items))

    def intersection(self, items: Iterable[Any]) -> ObjectIdentitySet:
        """The objects that are among others, too."""
        return type(self)(self & self._from_iterable(items))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __iter__(self) -> Iterator[Any]:
        return _alive(self._storage)


class ObjectIdentityWeakSet(ObjectIdentitySet):
    """A set of objects, which it does not keep alive."""

    _wrap = _WeakObjectIdentityWrapper


def _alive(storage: dict[_ObjectIdentityWrapper, Any]) -> Iterator[Any]:
    """The objects that are still there; the others are forgotten."""
    for key in list(storage):
        if (value := key.unwrapped) is None and isinstance(key, _WeakObjectIdentityWrapper):
            del storage[key]
        else:
            yield value
