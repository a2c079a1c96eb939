"""tf.Module: an object that finds the variables and modules among its attributes."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any, Final

from dataflow.graph.scopes import name_scope
from dataflow.library.containers.attributes import tracked
from dataflow.library.layers.untracked import NoDependency, untracked
from dataflow.library.shallow_nest import flatten_with_tuple_paths
from dataflow.variables.base import BaseVariable
from dataflow.variables.tracked import TrackableReference, is_trackable

_IDENTIFIER: Final = re.compile(r"^[a-zA-Z_]([a-zA-Z0-9_])*$")


class Module:
    """The base of objects that hold variables.

    Variables and modules are found in attributes and in what is nested in them: lists, tuples
    and dictionaries. Attributes go by their names in alphabetical order, those of a module before
    those of the modules in it.

    Args:
      name: A Python identifier; by default the class's name in snake_case.

    Raises:
      ValueError: `name` is no identifier.
    """

    _TF_MODULE_IGNORED_PROPERTIES: frozenset[str] = frozenset()

    def __init__(self, name: str | None = None) -> None:
        """See the class."""
        if name is None:
            name = _snake(type(self).__name__)
        elif not _IDENTIFIER.match(name):
            raise ValueError(
                f"{name!r} is not a valid module name. Module names must be valid Python "
                "identifiers (e.g. a valid class name)."
            )
        self._name = name
        with name_scope(name) as scope:
            self._scope_name = scope

    def __setattr__(self, name: str, value: Any) -> None:
        value = tracked(self, name, value)
        try:
            super().__setattr__(name, value)
        except AttributeError:
            # A property without a setter may be set to what it is, as TensorFlow has it.
            if getattr(self, name, None) is not value:
                raise

    @property
    def name(self) -> str:
        """What it was named."""
        return self._name

    @property
    def name_scope(self) -> AbstractContextManager[str]:
        """The name scope of the module, to be entered again."""
        return name_scope(self._scope_name)

    @property
    def variables(self) -> tuple[Any, ...]:
        """The variables of the module and of those in it."""
        return tuple(self._flatten(predicate=_is_variable))

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """Those of `variables` that are trainable."""
        return tuple(self._flatten(predicate=_is_trainable))

    @property
    def non_trainable_variables(self) -> tuple[Any, ...]:
        """Those of `variables` that are not trainable."""
        return tuple(each for each in self.variables if not each.trainable)

    @property
    def submodules(self) -> tuple[Module, ...]:
        """The modules in this one, and in those."""
        return tuple(self._flatten(predicate=_is_module))

    def _flatten(
        self,
        recursive: bool = True,
        predicate: Callable[[Any], bool] | None = None,
        attribute_traversal_key: Callable[[str], Any] | None = None,
        with_path: bool = False,
    ) -> Iterator[Any]:
        found = _walk(self, (), set(), recursive, predicate, attribute_traversal_key)
        return ((path, leaf) if with_path else leaf for path, leaf in found)

    @property
    def _checkpoint_dependencies(self) -> list[TrackableReference]:
        apart = untracked(self)
        return [
            TrackableReference(name, item)
            for name, item in vars(self).items()
            if name not in apart and is_trackable(item)
        ]

    def _no_dependency(self, value: Any) -> Any:
        """A value that, set as an attribute, stays as it is, and is in no checkpoint."""
        return NoDependency(value)

    @classmethod
    def with_name_scope(cls, method: Callable[..., Any]) -> Callable[..., Any]:
        """Decorates a method, which then runs in the module's name scope."""

        @functools.wraps(method)
        def scoped(self: Module, *args: Any, **kwargs: Any) -> Any:
            with self.name_scope:
                return method(self, *args, **kwargs)

        return scoped


def _walk(
    module: Module,
    path: tuple[Any, ...],
    seen: set[int],
    recursive: bool,
    predicate: Callable[[Any], bool] | None,
    key: Callable[[str], Any] | None,
) -> Iterator[tuple[tuple[Any, ...], Any]]:
    seen.add(id(module))
    inner: list[tuple[tuple[Any, ...], Module]] = []
    attributes = vars(module)
    for name in sorted(attributes, key=key):
        if name in module._TF_MODULE_IGNORED_PROPERTIES:
            continue
        for place, leaf in flatten_with_tuple_paths(attributes[name]):
            if id(leaf) in seen:
                continue
            if predicate is None or predicate(leaf):
                seen.add(id(leaf))
                yield (*path, name, *place), leaf
            if recursive and isinstance(leaf, Module):
                inner.append(((*path, name, *place), leaf))
    walked: set[int] = set()
    for place, each in inner:
        if id(each) not in walked:
            walked.add(id(each))
            yield from _walk(each, place, seen, recursive, predicate, key)


def _is_variable(value: Any) -> bool:
    return isinstance(value, BaseVariable)


def _is_trainable(value: Any) -> bool:
    return _is_variable(value) and bool(value.trainable)


def _is_module(value: Any) -> bool:
    return isinstance(value, Module)


def _snake(name: str) -> str:
    return re.sub(r"((?<=[a-z0-9])[A-Z]|(?!^)[A-Z](?=[a-z]))", r"_\1", name).lower()
