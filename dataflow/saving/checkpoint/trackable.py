"""Bases of classes whose objects checkpoints can hold, for programs that write such classes."""

from __future__ import annotations

from typing import Any

from dataflow.library.layers.untracked import assigned, untracked
from dataflow.saving.checkpoint.trackables import is_trackable
from dataflow.variables.tracked import TrackableReference


class Trackable:
    """An object that checkpoints can hold: it says what it is made of."""

    @property
    def _checkpoint_dependencies(self) -> list[TrackableReference]:
        return [TrackableReference(name, ref) for name, ref in self._tracked().items()]

    def _lookup_dependency(self, name: str) -> Any:
        return self._tracked().get(name)

    def _track_trackable(self, trackable: Any, name: str, overwrite: bool = False) -> Any:
        """Notes that the object is made of another one, and returns that.

        Raises:
          TypeError: It is nothing that checkpoints can hold.
          ValueError: There is another one of that name.
        """
        if not is_trackable(trackable):
            raise TypeError(
                f"Trackable._track_trackable() passed type {type(trackable)}, not a Trackable."
            )
        known = self._tracked().get(name)
        if not overwrite and known is not None and known is not trackable:
            raise ValueError(
                f"Called Trackable._track_trackable() with name='{name}', but a Trackable with "
                "this name is already declared as a dependency. Names must be unique (or "
                "overwrite=True)."
            )
        self._tracked()[name] = trackable
        return trackable

    def _tracked(self) -> dict[str, Any]:
        known: dict[str, Any] = vars(self).setdefault("_self_tracked", {})
        return known


class AutoTrackable(Trackable):
    """An object that is made of those of its attributes that checkpoints can hold."""

    def __setattr__(self, name: str, value: Any) -> None:
        value = assigned(self, name, value)
        object.__setattr__(self, name, value)
        if is_trackable(value) and name not in untracked(self):
            self._tracked()[name] = value
        else:
            self._tracked().pop(name, None)

    def __delattr__(self, name: str) -> None:
        self._tracked().pop(name, None)
        object.__delattr__(self, name)
