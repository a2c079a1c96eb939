"""Which attributes of an object are parts of it, and which no part: they are its user's."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Any, Final

_SWITCH: Final = "_setattr_tracking"
_NAMES: Final = "_untracked_names"
_APART: Final = "_names_apart"


class NoDependency:
    """Wraps a value that is set as an attribute and is no part of the object that it is set on."""

    def __init__(self, value: Any) -> None:
        self.value = value


@contextmanager
def no_automatic_dependency_tracking_scope(obj: Any) -> Iterator[None]:
    """What is set as an attribute of an object inside is no part of it."""
    before = getattr(obj, _SWITCH, True)
    object.__setattr__(obj, _SWITCH, False)
    try:
        yield
    finally:
        object.__setattr__(obj, _SWITCH, before)


def no_automatic_dependency_tracking(method: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates a method: attributes that it sets are no parts of the object."""

    @functools.wraps(method)
    def without(self: Any, *args: Any, **kwargs: Any) -> Any:
        with no_automatic_dependency_tracking_scope(self):
            return method(self, *args, **kwargs)

    return without


def assigned(owner: Any, name: str, value: Any) -> Any:
    """What is to be set as an attribute; notes whether it is a part of the object."""
    apart = isinstance(value, NoDependency)
    for known, holds in ((_NAMES, not getattr(owner, _SWITCH, True)), (_APART, apart)):
        names: set[str] = vars(owner).setdefault(known, set())
        if holds:
            names.add(name)
        else:
            names.discard(name)
    return value.value if apart else value


def untracked(owner: Any) -> Collection[str]:
    """The names of attributes that are no parts of an object, for one reason or the other."""
    return {*unseen(owner), *apart(owner)}


def unseen(owner: Any) -> Collection[str]:
    """The names of attributes that were set while the object did not look at them."""
    names: Collection[str] = vars(owner).get(_NAMES, ())
    return names


def apart(owner: Any) -> Collection[str]:
    """The names of attributes whose values came as a `NoDependency`."""
    names: Collection[str] = vars(owner).get(_APART, ())
    return names
