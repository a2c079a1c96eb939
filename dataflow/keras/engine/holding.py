"""Holding: what a layer finds among its attributes: variables, and layers in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import dataflow.library.layers.base as library
from dataflow.keras import backend
from dataflow.library.layers.untracked import apart, assigned, unseen, untracked
from dataflow.saving.checkpoint.trackables import is_structure
from dataflow.values import nest
from dataflow.variables.base import BaseVariable
from dataflow.variables.resource_variable_base import UnreadVariable
from dataflow.variables.tracked import is_trackable

_BOOKKEEPING = frozenset(
    ("_inbound_nodes", "_outbound_nodes", "_calls", "_open_calls", "_losses", "_updates", "_graph",
     "_trainable_weights", "_non_trainable_weights", "_metrics_added", "_layers_of_graph",
     "inputs", "outputs", "_compile_metrics", "_loss_metrics", "_given_metrics", "_given_weighted",
     "_collected_trainable_weights", "_compiled_trainable", "_endpoints", "_functions", "history",
     "_self_tracked", "optimizer", "_states", "_stack")
)  # fmt: skip


class Holding:
    """The part of a layer that knows its attributes."""

    _trainable_weights: list[Any]
    _non_trainable_weights: list[Any]

    def __setattr__(self, name: str, value: Any) -> None:
        value = assigned(self, name, value)
        if isinstance(vars(self).get(name), BaseVariable):
            self._forget(name)
        try:
            object.__setattr__(self, name, value)
        except AttributeError as error:
            raise AttributeError(
                f'Can\'t set the attribute "{name}", likely because it conflicts with an existing '
                "read-only @property of the object. Please choose a different name."
            ) from error
        if name in _BOOKKEEPING or name.startswith("__") or name in unseen(self):
            return
        trained = vars(self).get("_trainable_weights")
        if trained is None:
            return
        for each in nest.flatten(value) if isinstance(value, (list, tuple, dict)) else [value]:
            if isinstance(each, BaseVariable) and not isinstance(each, UnreadVariable):
                others = self._non_trainable_weights
                if not any(each is known for known in (*trained, *others)):
                    (trained if each.trainable else others).append(each)
                    backend.track_variable(each)

    def __delattr__(self, name: str) -> None:
        self._forget(name)
        super().__delattr__(name)

    def _forget(self, name: str) -> None:
        """A variable that no other attribute holds is none of the layer any more."""
        gone = vars(self).get(name)
        held = [each for other, each in vars(self).items() if other != name]
        if isinstance(gone, BaseVariable) and not any(each is gone for each in held):
            for own in (self._trainable_weights, self._non_trainable_weights):
                own[:] = [each for each in own if each is not gone]

    def _sublayers(self) -> list[Any]:
        """Layers among the attributes, metrics too, in the order in which they were set."""
        return layers_of(self._groups())

    @property
    def _layers(self) -> list[Any]:
        return self._sublayers()

    def _groups(self) -> list[Any]:
        """What each attribute is the first to hold: a layer, or a list of those in a structure."""
        known = {id(self)}
        groups: list[Any] = []
        for name, value in vars(self).items():
            if name in _BOOKKEEPING or name in unseen(self):
                continue
            group = []
            # What is set apart from checkpoints is a layer of this one, but no list of layers is.
            for each in [value] if name in apart(self) else _parts(value):
                if isinstance(each, library.BaseLayer) and id(each) not in known:
                    known.add(id(each))
                    group.append(each)
            groups += group if isinstance(value, library.BaseLayer) else [group]
        return groups

    def _checkpoint_children(self) -> dict[str, Any]:
        """What checkpoints save of the layer: weights by the names they were given, other parts."""
        layer: Any = self
        named: dict[str, Any] = layer._tracked()
        # What a class of a program's tells is not told again by the attributes that hold it.
        others = {
            each.name: each.ref
            for each in layer._checkpoint_dependencies
            if named.get(each.name) is not each.ref
        }
        told = {id(each) for each in others.values()}
        found = {**named, **others}
        for name, item in vars(self).items():
            if name in found or name in _BOOKKEEPING or name in untracked(self):
                continue
            if told and told.issuperset(
                map(id, item if isinstance(item, (list, tuple)) else [item])
            ):
                continue
            if (is_trackable(item) and not is_structure(item)) or _holds_some(item):
                found[name] = item
        return found

    @property
    def submodules(self) -> tuple[Any, ...]:
        """The layers in this one, and in those."""
        found: dict[int, Any] = {}
        for each in self._sublayers():
            found.setdefault(id(each), each)
            for inner in getattr(each, "submodules", ()):
                found.setdefault(id(inner), inner)
        return tuple(found.values())


def layers_of(groups: list[Any]) -> list[Any]:
    """The layers of groups, one after the other."""
    return [each for group in groups for each in (group if isinstance(group, list) else [group])]


def _parts(value: Any) -> list[Any]:
    if isinstance(value, Mapping) and _is_walked(value, dict):
        return [part for each in value.values() for part in _parts(each)]
    if isinstance(value, Sequence) and _is_walked(value, (list, tuple)):
        return [part for each in value for part in _parts(each)]
    return [value]


def _holds_some(value: Any) -> bool:
    """Whether it is a structure of what is saved, or of such structures."""
    if isinstance(value, dict):
        items = [item for name, item in value.items() if isinstance(name, str)]
    elif isinstance(value, (list, tuple)):
        items = list(value)
    else:
        return False
    return any(_holds_some(item) if is_structure(item) else is_trackable(item) for item in items)


def _is_walked(value: Any, plain: Any) -> bool:
    """Whether what an attribute holds are parts of the layer: no `range` is walked, for one."""
    return isinstance(value, plain) or hasattr(value, "_checkpoint_dependencies")
