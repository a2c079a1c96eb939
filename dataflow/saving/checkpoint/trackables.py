"""What other objects an object that checkpoints hold is made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dataflow.library.containers.attributes import DictWrapper, ListWrapper
from dataflow.variables.tracked import is_trackable


def children(value: Any) -> dict[str, Any]:
    """The objects that an object is made of, by the names that they have in it."""
    if callable(found := getattr(value, "_checkpoint_children", None)):
        return dict(found())
    if isinstance(value, (ListWrapper, DictWrapper)):
        return {each.name: each.ref for each in value._checkpoint_dependencies}
    if isinstance(value, dict):
        return _named(value)
    if isinstance(value, (list, tuple)):
        numbered = ((str(place), item) for place, item in enumerate(value))
        return {name: item for name, item in numbered if is_trackable(item)}
    # Classes of programs that are written for TensorFlow's own base classes.
    if callable(found := getattr(value, "_trackable_children", None)):
        return {name: item for name, item in found().items() if is_trackable(item)}
    return {each.name: each.ref for each in getattr(value, "_checkpoint_dependencies", ())}


def _named(value: Mapping[Any, Any]) -> dict[str, Any]:
    found = {}
    for name, item in value.items():
        if not is_trackable(item):
            continue
        if not isinstance(name, str):
            raise ValueError(
                f"Unable to save a dictionary with the key {name!r}: keys of what is saved must "
                "be strings."
            )
        found[name] = item
    return found
