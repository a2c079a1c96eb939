"""Holding: what a layer finds among its attributes: variables, and layers in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import dataflow.library.layers.base as library
from dataflow.keras import backend
from dataflow.library.containers.attributes import DictWrapper, ListWrapper, tracked
from dataflow.library.layers.untracked import apart, assigned, unseen, untracked
from dataflow.values import nest
from dataflow.variables.base import BaseVariable
from dataflow.variables.resource_variable_base import UnreadVariable
from dataflow.variables.tracked import holds_some, is_structure, is_trackable

_BOOKKEEPING = frozenset(
    ("_inbound_nodes", "_outbound_nodes", "_losses", "_callable_losses", "_updates", "_graph",
     "_trainable_weights", "_non_trainable_weights", "inputs", "outputs", "_compile_metrics",
     "_loss_metrics", "_given_metrics", "_given_weighted", "_collected_trainable_weights",
     "history", "optimizer", "_states")
)  # fmt: skip


def _is_bookkeeping(name: str) -> bool:
    return name in _BOOKKEEPING or name.startswith("_self_")


class Overridable:
    """A property that gives way to an attribute of its name: a program's class may set one."""

    def __init__(self, found: Callable[[Any], Any]) -> None:
        self._found = found

    def __get__(self, layer: Any, owner: type) -> Any:
        return self if layer is None else self._found(layer)


class Holding:
    """The part of a layer that knows its attributes.

    What a layer keeps for itself under a name that is none of TensorFlow's begins with `_self_`: a
    class of a program may have attributes and methods of any other name.
    """

    _trainable_weights: list[Any]
    _non_trainable_weights: list[Any]

    def __setattr__(self, name: str, value: Any) -> None:
        if self._keeps_as_it_is(name):
            value = assigned(self, name, value)
        else:
            value = tracked(self, name, value)
        if isinstance(vars(self).get(name), BaseVariable):
            self._self_forget(name)
        try:
            object.__setattr__(self, name, value)
        except AttributeError as error:
            raise AttributeError(
                f'Can\'t set the attribute "{name}", likely because it conflicts with an existing '
                "read-only @property of the object. Please choose a different name."
            ) from error
        if _is_bookkeeping(name) or name.startswith("__") or name in unseen(self):
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

    def _keeps_as_it_is(self, name: str) -> bool:
        """Whether an attribute is none that the layer looks at: its own books, and properties."""
        return (
            _is_bookkeeping(name)
            or (hasattr(type(self), name) and not self._self_gives_way(name))
            or bool(vars(self).get("_is_graph_network"))
        )

    def _self_gives_way(self, name: str) -> bool:
        return isinstance(getattr(type(self), name), Overridable)

    def __delattr__(self, name: str) -> None:
        self._self_forget(name)
        super().__delattr__(name)

    def _self_forget(self, name: str) -> None:
        """A variable that no other attribute holds is none of the layer any more."""
        gone = vars(self).get(name)
        held = [each for other, each in vars(self).items() if other != name]
        if isinstance(gone, BaseVariable) and not any(each is gone for each in held):
            for own in (self._trainable_weights, self._non_trainable_weights):
                own[:] = [each for each in own if each is not gone]

    def _self_sublayers(self) -> list[Any]:
        """Layers among the attributes, metrics too, in the order in which they were set."""
        return layers_of(self._self_groups())

    @Overridable
    def _layers(self) -> list[Any]:
        return self._self_sublayers()

    def _self_groups(self) -> list[Any]:
        """What each attribute is the first to hold: a layer, or a list of those in a structure."""
        return [
            [each for each in group if not isinstance(each, BaseVariable)]
            if isinstance(group, list)
            else group
            for group in self._self_held()
        ]

    def _self_held(self) -> list[Any]:
        """The groups of layers; those in structures end with the variables that are in these."""
        known = {id(self)}
        groups: list[Any] = []
        for name, value in vars(self).items():
            if _is_bookkeeping(name) or name in unseen(self):
                continue
            group, variables = [], []
            # What is set apart from checkpoints is a layer of this one, but no list of layers is.
            for each in [value] if name in apart(self) else _parts(value):
                if isinstance(each, library.BaseLayer) and id(each) not in known:
                    known.add(id(each))
                    group.append(each)
                elif isinstance(each, BaseVariable) and each is not value:
                    variables.append(each)
            alone = isinstance(value, library.BaseLayer)
            groups += group if alone else [[*group, *variables]]
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
            if name in found or _is_bookkeeping(name) or name in untracked(self):
                continue
            if told and told.issuperset(
                map(id, item if isinstance(item, (list, tuple)) else [item])
            ):
                continue
            # Lists of a layer's own that hold nothing need no place in checkpoints.
            is_known = not name.startswith("_") and isinstance(item, (ListWrapper, DictWrapper))
            if is_known or (holds_some(item) if is_structure(item) else is_trackable(item)):
                found[name] = item
        return found

    @property
    def submodules(self) -> tuple[Any, ...]:
        """The layers in this one, and in those."""
        found: dict[int, Any] = {}
        for each in self._self_sublayers():
            found.setdefault(id(each), each)
            for inner in getattr(each, "submodules", ()):
                found.setdefault(id(inner), inner)
        return tuple(found.values())


def layers_of(groups: list[Any]) -> list[Any]:
    """The layers of groups, one after the other."""
    return [each for group in groups for each in (group if isinstance(group, list) else [group])]


def trained(part: Any) -> list[Any]:
    """The variables that are trained of a layer, or of a variable."""
    if isinstance(part, BaseVariable):
        return [part] if part.trainable else []
    return list(part.trainable_weights)


def kept(part: Any) -> list[Any]:
    """The other variables."""
    if isinstance(part, BaseVariable):
        return [] if part.trainable else [part]
    return list(part.non_trainable_weights)


def _parts(value: Any) -> list[Any]:
    if isinstance(value, Mapping) and _is_walked(value, dict):
        return [part for each in value.values() for part in _parts(each)]
    if isinstance(value, Sequence) and _is_walked(value, (list, tuple)):
        return [part for each in value for part in _parts(each)]
    return [value]


def _is_walked(value: Any, plain: Any) -> bool:
    """Whether what an attribute holds are parts of the layer: no `range` is walked, for one."""
    return isinstance(value, plain) or hasattr(value, "_checkpoint_dependencies")
