"""DictWrapper: stands for a dictionary that is an attribute of what checkpoints hold."""

from __future__ import annotations

import collections
import copy
from collections.abc import Iterator, Sequence
from collections.abc import Mapping as AnyMapping
from typing import Any

from dataflow.library.containers.container import Container, wrapped, wraps
from dataflow.library.layers.untracked import NoDependency
from dataflow.variables.tracked import TrackableReference, is_part


@wraps(collections.OrderedDict)
@wraps(dict)
class DictWrapper(Container):
    """Passes for its dictionary; it is saved if keys are strings and it alone was changed.

    Args:
      wrapped_dict: The dictionary, which is kept and changed, not copied; or what `dict` takes.
    """

    def __init__(self, wrapped_dict: Any = None) -> None:
        self.__wrapped__: Any = _dictionary({} if wrapped_dict is None else wrapped_dict)
        self._has_other_keys = False
        self._is_changed_outside = False
        for key, value in list(self.__wrapped__.items()):
            self.__wrapped__[key] = self._track(value, key)
        self._known: dict[Any, Any] | None = dict(self.__wrapped__)

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return type(self.__wrapped__)

    def __getattr__(self, name: str) -> Any:
        if name == "__wrapped__":
            raise AttributeError(name)
        return getattr(self.__wrapped__, name)

    def _parts(self) -> Sequence[Any]:
        return [value for _, value in sorted(self.__wrapped__.items())]

    def _look_for_changes(self) -> None:
        """Notes whether the dictionary was changed without this object."""
        if not (self._is_changed_outside or self._has_other_keys) and self != self._known:
            self._is_changed_outside = True
            self._known = None

    def _accept(self) -> None:
        if not (self._is_changed_outside or self._has_other_keys):
            self._known = dict(self.__wrapped__)

    @property
    def _checkpoint_dependencies(self) -> list[TrackableReference]:
        """What is in it by its keys.

        Raises:
          ValueError: A key is no string, or the dictionary was changed without this object.
        """
        self._look_for_changes()
        advice = (
            "\n\nIf you don't need this dictionary checkpointed, wrap it in a "
            "tf.contrib.checkpoint.NoDependency object; it will be automatically un-wrapped and "
            "subsequently ignored."
        )
        if self._has_other_keys:
            raise ValueError(
                f"Unable to save the object {self} (a dictionary wrapper constructed automatically "
                "on attribute assignment). The wrapped dictionary contains a non-string key which "
                f"maps to a trackable object or mutable data structure.{advice}"
            )
        if self._is_changed_outside:
            raise ValueError(
                f"Unable to save the object {self} (a dictionary wrapper constructed automatically "
                "on attribute assignment). The wrapped dictionary was modified outside the wrapper "
                f"(its final value was {self}, its value when a checkpoint dependency was added "
                f"was {self._known}), which breaks restoration on object creation.{advice}"
            )
        return super()._checkpoint_dependencies

    def _track(self, value: Any, name: Any) -> Any:
        kept = wrapped(value)
        if not is_part(kept) or isinstance(value, NoDependency):
            return kept
        if isinstance(name, str):
            return self._note(kept, name)
        self._has_other_keys = True
        return kept

    def __setitem__(self, key: Any, value: Any) -> None:
        self._look_for_changes()
        self.__wrapped__[key] = self._track(value, key)
        self._accept()

    def __delitem__(self, key: Any) -> None:
        self._look_for_changes()
        del self.__wrapped__[key]
        self._accept()

    def update(self, *args: Any, **kwargs: Any) -> None:
        """Sets what `dict` takes."""
        for key, value in dict(*args, **kwargs).items():
            self[key] = value

    def copy(self) -> DictWrapper:
        """Another one with a copy of the dictionary."""
        return self.__copy__()

    def __copy__(self) -> DictWrapper:
        return self._marked(DictWrapper(copy.copy(self.__wrapped__)))

    def __deepcopy__(self, memo: dict[int, Any]) -> DictWrapper:
        return self._marked(DictWrapper(copy.deepcopy(self.__wrapped__, memo)))

    def _marked(self, copied: DictWrapper) -> DictWrapper:
        copied._has_other_keys = self._has_other_keys
        copied._is_changed_outside = self._is_changed_outside
        return copied

    def __reduce_ex__(self, protocol: Any) -> Any:
        return DictWrapper, (self.__wrapped__,)

    def __getitem__(self, key: Any) -> Any:
        return self.__wrapped__[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.__wrapped__)

    def __reversed__(self) -> Any:
        return reversed(self.__wrapped__)

    def __len__(self) -> int:
        return len(self.__wrapped__)

    def __contains__(self, key: object) -> bool:
        return key in self.__wrapped__

    def __or__(self, other: Any) -> Any:
        return self.__wrapped__ | other

    def __ror__(self, other: Any) -> Any:
        return other | self.__wrapped__

    def __str__(self) -> str:
        return str(self.__wrapped__)

    def __repr__(self) -> str:
        return f"DictWrapper({self.__wrapped__!r})"

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return bool(self.__wrapped__ == getattr(other, "__wrapped__", other))


def _dictionary(given: Any) -> Any:
    return given if isinstance(given, AnyMapping) else dict(given)
