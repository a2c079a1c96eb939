"""tf.test.StubOutForTesting: attributes that a test replaces, and puts back."""

from __future__ import annotations

import inspect
from typing import Any, Final

_INHERITED: Final = object()
"""Stands for an attribute that a class has from another one."""


class StubOutForTesting:
    """Remembers what it has replaced; `CleanUp`, or the end of a `with`, puts all back."""

    def __init__(self) -> None:
        """Begins with nothing replaced."""
        self._set: list[tuple[Any, str, Any]] = []
        self._smartly_set: list[tuple[Any, str, Any]] = []

    def __enter__(self) -> StubOutForTesting:
        return self

    def __exit__(self, *error: object) -> None:
        self.CleanUp()

    def CleanUp(self) -> None:
        """Puts back all that was replaced."""
        self.SmartUnsetAll()
        self.UnsetAll()

    def SmartSet(self, obj: Any, attr_name: str, new_attr: Any) -> None:
        """Replaces an attribute of a module or class; of an instance, that of its class.

        Raises:
          AttributeError: There is no such attribute.
        """
        if not hasattr(obj, attr_name):
            raise AttributeError(f"{obj!r} has no attribute {attr_name!r} to replace.")
        is_holder = inspect.ismodule(obj) or inspect.isclass(obj) or attr_name in vars(obj)
        holder = obj if is_holder else type(obj)
        self._smartly_set.append((holder, attr_name, vars(holder).get(attr_name, _INHERITED)))
        setattr(holder, attr_name, new_attr)

    def SmartUnsetAll(self) -> None:
        """Puts back what `SmartSet` replaced, the last first."""
        while self._smartly_set:
            holder, name, old = self._smartly_set.pop()
            if old is _INHERITED:
                delattr(holder, name)
            else:
                setattr(holder, name, old)

    def Set(self, parent: Any, child_name: str, new_child: Any) -> None:
        """Replaces an attribute of an object, whatever kind of method it is."""
        old = getattr(parent, child_name)
        kept = vars(parent).get(child_name, old) if hasattr(parent, "__dict__") else old
        if isinstance(kept, (classmethod, staticmethod)):
            old, new_child = kept, type(kept)(new_child)
        self._set.append((parent, child_name, old))
        setattr(parent, child_name, new_child)

    def UnsetAll(self) -> None:
        """Puts back what `Set` replaced, the last first."""
        while self._set:
            setattr(*self._set.pop())
