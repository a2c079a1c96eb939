"""How an object says what it is made of: by what checkpoints know its parts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.variables.base import BaseVariable
from dataflow.variables.partitioned import PartitionedVariable
from dataflow.variables.references import References
from dataflow.variables.references import TrackableReference as TrackableReference


class Trackable:
    """An object that checkpoints can hold: it says what it is made of."""

    @property
    def _checkpoint_dependencies(self) -> list[TrackableReference]:
        return [TrackableReference(name, ref) for name, ref in self._tracked().items()]

    @property
    def _unconditional_checkpoint_dependencies(self) -> References:
        """What it is made of, as a list that a program's class may add to."""
        return References(self._tracked())

    @property
    def _unconditional_dependency_names(self) -> dict[str, Any]:
        return self._tracked()

    def _maybe_initialize_trackable(self) -> None:
        """Nothing: what it is made of is noted when there is something."""

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


def is_trackable(value: Any) -> bool:
    """Whether an object is saved, or has parts that are."""
    return (
        isinstance(value, (list, tuple, dict))
        or is_variable(value)
        or _tells_parts(value)
        or own_saveable(value) is not None
    )


def is_structure(value: Any) -> bool:
    """Whether it only holds other objects."""
    return isinstance(value, (list, tuple, dict))


def is_part(value: Any) -> bool:
    """Whether a container is made of it: no tuple in which there is nothing to save is."""
    if isinstance(value, tuple) and not _tells_parts(value):
        return holds_some(value)
    return is_trackable(value)


def holds_some(value: Any) -> bool:
    """Whether it is a structure of what is saved, or of such structures."""
    if isinstance(value, dict):
        items = [item for name, item in value.items() if isinstance(name, str)]
    elif isinstance(value, (list, tuple)):
        items = list(value)
    else:
        return False
    return any(holds_some(item) if is_structure(item) else is_trackable(item) for item in items)


def is_variable(value: Any) -> bool:
    """Whether a value is saved for it."""
    return isinstance(value, BaseVariable) and not isinstance(value, PartitionedVariable)


def own_saveable(value: Any) -> tuple[str, Callable[..., Any]] | None:
    """What else is saved of an object that says so itself, as tables do.

    Returns:
      Its name among the object's attributes, and what makes a SaveableObject of a `name`.

    Raises:
      ValueError: There are several.
    """
    gather = getattr(value, "_gather_saveables_for_checkpoint", None)
    found = gather() if callable(gather) and not isinstance(value, type) else {}
    if len(found) > 1:
        raise ValueError(f"{value} is saved under several names; one is supported: {[*found]}")
    return next(iter(found.items()), None)


def _tells_parts(value: Any) -> bool:
    if isinstance(value, type):
        return False
    return any(
        hasattr(value, name)
        for name in ("_checkpoint_children", "_trackable_children", "_checkpoint_dependencies")
    )
