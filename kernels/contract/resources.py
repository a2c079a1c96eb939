"""State of a device that outlives a step: named resources in containers, and variables."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from sys import getrefcount
from typing import Any, Final, TypeVar, cast

import numpy as np

from dataflow.kernels.memory import aligned
from dataflow.kernels.memory.shared_arrays import is_to_move
from dataflow.kernels.threads.stopping import begin_writing, end_writing
from dataflow.values.interrupts import sheltered

R = TypeVar("R")

DEFAULT_CONTAINER: Final = "localhost"
"""What messages call the container whose name is empty."""

_WRITING: Final = object()
"""Stands in for the value of a variable while a writer changes the array itself."""

_set_writeable: Final[Any] = np.ndarray.setflags
"""`f(array, bool)`, in a quarter of the time that it takes to set the attribute."""


class Variable:
    """A variable's cell: holds an immutable snapshot, so that a read never copies and never tears.

    Writers take `lock`, compute the new value from `value` and store it, or use `update`, which
    spares them a new array where it can; readers just read `value`. None means uninitialised.
    Arrays stored here are never written to again but by `update`, which makes sure that no one
    else holds them.
    """

    __slots__ = ("_value", "container", "dtype", "lock", "name", "shape")

    def __init__(
        self, name: str, dtype: Any, container: str = "", shape: tuple[int, ...] | None = None
    ) -> None:
        """Makes an uninitialised variable.

        Args:
          name: Its name in the container.
          dtype: Its element type.
          container: The container's name.
          shape: The shape that its first value must have; None for any.
        """
        self.name = name
        self.dtype = dtype
        self.container = container
        self.shape = shape
        self.lock = threading.RLock()
        self._value: Any = None

    @property
    def value(self) -> Any:
        """The current value, or None."""
        value = self._value
        if value is _WRITING:
            with self.lock:
                value = self._value
        return value

    @value.setter
    def value(self, value: Any) -> None:
        step = begin_writing()
        self._value = value
        end_writing(step)

    @property
    def path(self) -> str:
        """Container and name, for messages."""
        return f"{self.container or DEFAULT_CONTAINER}/{self.name}"

    def update(self, change: Callable[[Any, bool], Any]) -> None:
        """Replaces the value by what `change` makes of it; excludes other writers.

        Args:
          change: Called with the value and with whether nobody else holds it: only then may it
            write to the array and return it. It must not read the variable, and must not write
            before it is sure not to raise.
        """
        with self.lock:
            value, step = self._value, None
            try:
                # From here no reader can get hold of the array, so that the count stays true.
                self._value = _WRITING
                if (
                    type(value) is np.ndarray
                    and value.base is None
                    and getrefcount(value) <= _SOLE_REFERENCE
                    and not is_to_move(value)
                ):
                    step = begin_writing()
                    _set_writeable(value, True)
                    value = change(value, True)
                else:
                    self._value = value
                    made = change(value, False)
                    step = begin_writing()
                    value = made
            finally:
                # An interrupt may come when a call has returned: not before the call, so.
                try:
                    if value.__class__ is np.ndarray:
                        _set_writeable(value, False)
                finally:
                    self._value = value
                    end_writing(step)


Change = Callable[[list[Any], list[bool]], Sequence[Any]]
"""`f(values, owned)`: the new values; it may write to the arrays that are owned."""


def update_together(cells: Sequence[Variable], change: Change) -> None:
    """Replaces the values of variables by what `change` makes of them; excludes other writers.

    A variable that is named twice ends up with the last of the new values.

    Args:
      cells: The variables.
      change: Called with the values and with whether nobody else holds each. It must not read the
        variables, and must not write before it is sure not to raise.
    """
    if len(cells) == 1:
        cells[0].update(lambda value, owned: change([value], [owned])[0])
        return
    # One order for all, or two updates could wait for each other.
    _update_in_order(sorted(cells, key=id), cells, change)


def _update_in_order(
    unlocked: Sequence[Variable], cells: Sequence[Variable], change: Change
) -> None:
    """Locks variables one inside of the other, which no interrupt leaves locked."""
    with unlocked[0].lock:
        if len(unlocked) > 1:
            _update_in_order(unlocked[1:], cells, change)
        else:
            _update_locked(cells, change)


def _update_locked(cells: Sequence[Variable], change: Change) -> None:
    """Does what `update` does for several variables, whose locks are held."""
    values = [cell._value for cell in cells]
    results: Sequence[Any] = values
    owned: list[bool] = []
    step = None
    try:
        # One that two of the variables hold counts twice.
        for cell in cells:
            cell._value = _WRITING
        for place, cell in enumerate(cells):
            value = values[place]
            is_owned = (
                type(value) is np.ndarray
                and value.base is None
                and getrefcount(value) <= _SOLE_REFERENCE + 1
                and not is_to_move(value)
            )
            owned.append(is_owned)
            if is_owned:
                _set_writeable(value, True)
            else:
                cell._value = value
        if True in owned:
            step = begin_writing()
            results = change(values, owned)
        else:
            made = change(values, owned)
            step = begin_writing()
            results = made
    finally:
        try:
            _put_back(cells, results)
        except BaseException:
            # Interrupted: once more, where that cannot be.
            sheltered(partial(_put_back, cells, results))
            raise
        finally:
            end_writing(step)


def _put_back(cells: Sequence[Variable], results: Sequence[Any]) -> None:
    for cell, result in zip(cells, results, strict=True):
        cell._value = frozen(result)


def _count_sole_reference() -> int:
    value = np.empty(1)
    return getrefcount(value)


_SOLE_REFERENCE: Final = _count_sole_reference()
"""What `getrefcount` says of an array that only one local name stands for; a list adds one."""


def _count_handed_over() -> int:
    def kernel(value: Any) -> int:
        return getrefcount(value)

    value = np.empty(1)
    return kernel(value)


HANDED_OVER: Final = _count_handed_over()
"""What `getrefcount` says of an argument that only a name of the kernel's and one of its caller's
stand for."""


def frozen(value: Any) -> Any:
    """The value, which nobody else may write to; a host array is made read-only."""
    if type(value) is np.ndarray:
        _set_writeable(value, False)
    return value


def snapshot(value: Any, handed_over: bool = False, is_first: bool = False) -> Any:
    """The value as a variable can hold it: nobody will write to it any more.

    Only an array that owns its memory stays the same, and only if it is read-only, or if nobody
    knows it but who is handing it over: other host arrays may be views of what the caller still
    writes to, or be handed to the user.

    Args:
      value: The value.
      handed_over: Nobody has it but who calls the kernel, and only reads it from now on.
      is_first: The variable has no value yet: steps to come work with the memory of this one.
    """
    if type(value) is not np.ndarray:
        return value
    if not value.ndim and value.dtype != object:
        return value[()]
    if value.base is None:
        flags = value.flags
        if not flags.writeable:
            return value
        is_usable = handed_over and flags.owndata and flags.c_contiguous
        if is_usable and (not is_first or aligned.is_settled(value)):
            return frozen(value)
    return frozen(aligned.copy(value))


class ResourceManager:
    """The resources of a device by container, type and name. Safe to use from many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._containers: dict[str, dict[tuple[type, str], Any]] = {}

    def lookup_or_create(
        self, container: str, name: str, kind: type[R], create: Callable[[], R]
    ) -> R:
        """The resource of that kind and name, made by `create` if there is none yet."""
        found = self.lookup(container, name, kind)
        if found is not None:
            return found
        with self._lock:
            resources = self._containers.setdefault(container, {})
            key = (kind, name)
            if key not in resources:
                resources[key] = create()
            return cast(R, resources[key])

    def lookup(self, container: str, name: str, kind: type[R]) -> R | None:
        """The resource of that kind and name, or None."""
        resources = self._containers.get(container)
        return None if resources is None else cast("R | None", resources.get((kind, name)))

    def delete(self, container: str, name: str, kind: type[R]) -> bool:
        """Forgets a resource; False if there was none."""
        with self._lock:
            return self._containers.get(container, {}).pop((kind, name), None) is not None

    def forget(self, resource: Any) -> bool:
        """Forgets a resource wherever it is kept; False if it is not."""
        with self._lock:
            for resources in self._containers.values():
                for key, found in resources.items():
                    if found is resource:
                        del resources[key]
                        return True
        return False

    def clear(self, containers: Iterable[str] = ()) -> None:
        """Forgets the resources of these containers ("" is the default one), or of all."""
        with self._lock:
            gone = [
                self._containers.pop(container, {})
                for container in tuple(containers) or tuple(self._containers)
            ]
        for resources in gone:
            tell_forgotten(resources.values())


def tell_forgotten(things: Iterable[Any]) -> None:
    """Calls `when_forgotten` of those that have it: what they began ends, whoever holds them."""
    for thing in tuple(things):
        told = getattr(thing, "when_forgotten", None)
        if told is not None:
            told()
