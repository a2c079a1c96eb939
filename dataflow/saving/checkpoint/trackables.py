"""What checkpoints of objects can hold: which objects, and what other objects those are made of."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from dataflow.library.datasets.iterators import Iterator
from dataflow.library.layers.base import Layer
from dataflow.library.layers.module import Module
from dataflow.library.layers.untracked import untracked
from dataflow.variables.base import BaseVariable
from dataflow.variables.partitioned import PartitionedVariable


def is_trackable(value: Any) -> bool:
    """Whether an object is saved, or has parts that are."""
    return (
        isinstance(value, (list, tuple, dict, Iterator, Layer, Module))
        or is_variable(value)
        or _tells_children(value)
        or own_saveable(value) is not None
    )


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


def is_structure(value: Any) -> bool:
    """Whether it only holds other objects."""
    return isinstance(value, (list, tuple, dict))


def children(value: Any) -> dict[str, Any]:
    """The objects that an object is made of, by the names that they have in it."""
    if isinstance(value, dict):
        return _named(value)
    if isinstance(value, (list, tuple)):
        numbered = ((str(place), item) for place, item in enumerate(value))
        return {name: item for name, item in numbered if is_trackable(item)}
    if callable(found := getattr(value, "_checkpoint_children", None)):
        return dict(found())
    if isinstance(value, Layer):
        return parts_of_layer(value, _weights_by_name(value), untracked(value))
    if isinstance(value, Module):
        apart = untracked(value)
        attributes = vars(value).items()
        return {name: item for name, item in attributes if is_trackable(item) and name not in apart}
    if isinstance(value, (Iterator, BaseVariable)):
        return {}
    # Classes of programs that are written for TensorFlow's own base classes.
    if callable(found := getattr(value, "_trackable_children", None)):
        return {name: item for name, item in found().items() if is_trackable(item)}
    return {each.name: each.ref for each in getattr(value, "_checkpoint_dependencies", ())}


def _tells_children(value: Any) -> bool:
    if isinstance(value, type):
        return False
    return any(
        hasattr(value, name)
        for name in ("_checkpoint_children", "_trackable_children", "_checkpoint_dependencies")
    )


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


def parts_of_layer(
    layer: Layer, named: Mapping[str, Any], apart: Collection[str]
) -> dict[str, Any]:
    """What the layer names itself, parts with names, those that are attributes, other weights.

    Args:
      layer: The layer.
      named: Parts by their names.
      apart: The names of attributes that are no parts.
    """
    found = {each.name: each.ref for each in getattr(layer, "_checkpoint_dependencies", ())}
    told = {id(each) for each in found.values()}
    found = {**named, **found}
    lists = (layer._trainable_weights, layer._non_trainable_weights)
    for name, item in vars(layer).items():
        seen = name in found or name in apart
        if seen or any(item is each for each in lists):
            continue
        if told and told.issuperset(map(id, item if isinstance(item, (list, tuple)) else [item])):
            continue
        if (is_trackable(item) and not is_structure(item)) or _holds_some(item):
            found[name] = item
    known = {id(each) for each in found.values()}
    for name, weight in _weights_by_name(layer).items():
        if id(weight) not in known:
            found.setdefault(name, weight)
    return found


def _weights_by_name(layer: Layer) -> dict[str, Any]:
    weights = [*layer._trainable_weights, *layer._non_trainable_weights]
    found: dict[str, Any] = {}
    for each in weights:
        if is_variable(each):
            found.setdefault(each.op.name.rpartition("/")[2], each)
    return found


def _holds_some(value: Any) -> bool:
    """Whether it is a structure of what is saved, or of such structures."""
    if isinstance(value, dict):
        items = [item for name, item in value.items() if isinstance(name, str)]
    elif isinstance(value, (list, tuple)):
        items = list(value)
    else:
        return False
    return any(_holds_some(item) if is_structure(item) else is_trackable(item) for item in items)
