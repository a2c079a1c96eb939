"""ListWrapper: stands for a list that is an attribute of what checkpoints hold."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dataflow.library.containers.append_only import List
from dataflow.library.containers.container import wrapped, wraps
from dataflow.variables.tracked import TrackableReference, is_part, is_trackable


@wraps(list)
class ListWrapper(List, list[Any]):
    """A list that can be changed in every way, but saved only if things were added at its end.

    Places are names in checkpoints: what was moved has another name than before.

    Args:
      wrapped_list: The list, which is kept and changed, not copied; or what `list` takes.
    """

    def __init__(self, wrapped_list: Any) -> None:
        self._is_rearranged = False
        self._is_changed_outside = False
        kept = wrapped_list if isinstance(wrapped_list, list) else list(wrapped_list)
        self._storage = kept
        for place, value in enumerate(kept):
            kept[place] = self._track(value, str(place))
        self._known: list[Any] | None = list(kept)

    def _look_for_changes(self) -> None:
        """Notes whether the list was changed without this object."""
        if not (self._is_changed_outside or self._is_rearranged) and self._storage != self._known:
            self._is_changed_outside = True
            self._known = None

    def _accept(self) -> None:
        if not (self._is_changed_outside or self._is_rearranged):
            self._known = list(self._storage)

    @property
    def _checkpoint_dependencies(self) -> list[TrackableReference]:
        """What is in it by its places.

        Raises:
          ValueError: The places are others than they were.
        """
        self._look_for_changes()
        if self._is_rearranged:
            raise ValueError(
                f"Unable to save the object {self} (a list wrapper constructed to track trackable "
                "TensorFlow objects). A list element was replaced (__setitem__, __setslice__), "
                "deleted (__delitem__, __delslice__), or moved (sort). In order to support "
                "restoration on object creation, tracking is exclusively for append-only data "
                f"structures.{_advice('list')}"
            )
        if self._is_changed_outside:
            raise ValueError(
                f"Unable to save the object {self} (a list wrapper constructed to track trackable "
                "TensorFlow objects). The wrapped list was modified outside the wrapper (its final "
                f"value was {self._storage}, its value when a checkpoint dependency was added was "
                f"{self._known}), which breaks restoration on object creation.{_advice('list')}"
            )
        found: list[TrackableReference] = super()._checkpoint_dependencies
        return found

    def _track(self, value: Any, name: str) -> Any:
        kept = wrapped(value)
        return super()._track(value, name) if is_part(kept) else kept

    def append(self, value: Any) -> None:
        self._look_for_changes()
        super().append(value)
        self._accept()

    def extend(self, values: Iterable[Any]) -> None:
        self._look_for_changes()
        super().extend(values)
        self._accept()

    def insert(self, index: Any, value: Any) -> None:
        self._is_rearranged = True
        self._storage.insert(index, value)

    def sort(self, **options: Any) -> None:
        self._is_rearranged = True
        self._storage.sort(**options)

    def pop(self, index: Any = -1) -> Any:
        value = self._storage[index]
        del self[index]
        return value

    def remove(self, value: Any) -> None:
        del self[self._storage.index(value)]

    def reverse(self) -> None:
        self[:] = self._storage[::-1]

    def clear(self) -> None:
        del self[:]

    def __delitem__(self, key: Any) -> None:
        self._is_rearranged = True
        del self._storage[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._look_for_changes()
        if isinstance(key, slice):
            self._set_slice(key, value)
        else:
            if is_trackable(self._storage[key]):
                self._is_rearranged = True
            self._storage[key] = self._track(value, str(key))
        self._accept()

    def _set_slice(self, key: slice, values: Any) -> None:
        before = list(self._storage)
        self._storage[key] = values
        if any(is_trackable(value) for value in before):
            self._is_rearranged = True
        for place, value in enumerate(self._storage):
            if place >= len(before) or value is not before[place]:
                self._storage[place] = self._track(value, str(place))

    def __imul__(self, count: Any) -> Any:
        if count <= 0:
            self._is_rearranged = True
            self._storage *= count
            return self
        return super().__imul__(count)

    def __copy__(self) -> ListWrapper:
        return self._marked(super().__copy__())

    def __deepcopy__(self, memo: dict[int, Any]) -> ListWrapper:
        return self._marked(super().__deepcopy__(memo))

    def _marked(self, copied: ListWrapper) -> ListWrapper:
        copied._is_rearranged = self._is_rearranged
        copied._is_changed_outside = self._is_changed_outside
        return copied

    def __reduce_ex__(self, protocol: Any) -> Any:
        return type(self), (self._storage,)

    def __sizeof__(self) -> int:
        return self._storage.__sizeof__()

    def __repr__(self) -> str:
        return f"ListWrapper({self._storage!r})"

    __hash__ = None

    def __eq__(self, other: object) -> Any:
        return self._storage == _plain(other)

    def __ne__(self, other: object) -> Any:
        return self._storage != _plain(other)

    def __lt__(self, other: Any) -> Any:
        return self._storage < _plain(other)

    def __le__(self, other: Any) -> Any:
        return self._storage <= _plain(other)

    def __gt__(self, other: Any) -> Any:
        return self._storage > _plain(other)

    def __ge__(self, other: Any) -> Any:
        return self._storage >= _plain(other)


def _plain(value: Any) -> Any:
    return getattr(value, "_storage", value)


def _advice(what: str) -> str:
    return (
        f"\n\nIf you don't need this {what} checkpointed, wrap it in a "
        "tf.contrib.checkpoint.NoDependency object; it will be automatically un-wrapped and "
        "subsequently ignored."
    )
