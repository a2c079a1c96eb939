"""Lists, dictionaries and names of what checkpoints hold, to which things are only added."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Mapping as AnyMapping
from typing import Any

from dataflow.library.layers.tracked import once
from dataflow.variables.tracked import Trackable, is_trackable, is_variable


class _Container(Trackable):
    """Has the variables, losses and updates of the layers and variables in it."""

    trainable = True
    """Whether optimizers train what is in it."""

    def _parts(self) -> Sequence[Any]:
        """What is in it, in order."""
        return list(self._tracked().values())

    @property
    def layers(self) -> list[Any]:
        """The layers and containers in it that have variables, or none yet but may."""
        return [each for each in self._holders() if not isinstance(each, _Container) or each.layers]

    @property
    def trainable_weights(self) -> list[Any]:
        """The variables that optimizers train."""
        if not self.trainable:
            return []
        own = [each for each in self._own() if each.trainable]
        return once(own + self._of_holders("trainable_weights"))

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The other variables."""
        theirs = self._of_holders("non_trainable_weights")
        if not self.trainable:
            return once(self._own() + self._of_holders("trainable_weights") + theirs)
        return once([each for each in self._own() if not each.trainable] + theirs)

    @property
    def weights(self) -> list[Any]:
        """All variables, those that are trained first."""
        return self.trainable_weights + self.non_trainable_weights

    @property
    def trainable_variables(self) -> list[Any]:
        """See `trainable_weights`."""
        return self.trainable_weights

    @property
    def non_trainable_variables(self) -> list[Any]:
        """See `non_trainable_weights`."""
        return self.non_trainable_weights

    @property
    def variables(self) -> list[Any]:
        """See `weights`."""
        return self.weights

    @property
    def updates(self) -> list[Any]:
        """The updates of its layers."""
        return self._of_holders("updates")

    @property
    def losses(self) -> list[Any]:
        """The losses of its layers."""
        return self._of_holders("losses")

    def _own(self) -> list[Any]:
        return [each for each in self._parts() if is_variable(each)]

    def _holders(self) -> list[Any]:
        return [each for each in self._parts() if hasattr(each, "trainable_weights")]

    def _of_holders(self, name: str) -> list[Any]:
        return [item for each in self._holders() for item in getattr(each, name, ())]

    def _track(self, value: Any, name: str) -> Any:
        """Adds something.

        Raises:
          ValueError: Checkpoints cannot hold it.
        """
        if not is_trackable(value):
            raise ValueError(
                "Only trackable objects (such as Layers or Optimizers) may be stored in a List "
                f"object. Got {value}, which does not inherit from Trackable."
            )
        return self._track_trackable(value, name, overwrite=True)


class List(_Container, Sequence[Any]):
    """A sequence of objects, whose names in checkpoints are their places."""

    def __init__(self, *args: Any) -> None:
        """Takes what `list` takes."""
        self.extend(list(*args))

    def append(self, value: Any) -> None:
        """Adds an object.

        Raises:
          ValueError: Checkpoints cannot hold it.
        """
        self._track(value, str(len(self)))

    def extend(self, values: Iterable[Any]) -> None:
        """Adds objects; see `append`."""
        for value in values:
            self.append(value)

    def copy(self) -> List:
        """Another one of the same objects."""
        return type(self)(self)

    __copy__ = copy

    def __getitem__(self, key: Any) -> Any:
        return self._parts()[key]

    def __len__(self) -> int:
        return len(self._tracked())

    def __iadd__(self, values: Iterable[Any]) -> List:
        self.extend(list(values))
        return self

    def __add__(self, other: Iterable[Any]) -> List:
        return type(self)([*self, *other])

    def __radd__(self, other: Iterable[Any]) -> List:
        return type(self)([*other, *self])

    def __mul__(self, count: int) -> List:
        return type(self)([*self] * count)

    __rmul__ = __mul__

    def __imul__(self, count: int) -> List:
        if count <= 0:
            raise ValueError(
                f"List only supports append, multiplying in place by {count} removes elements."
            )
        self.extend([*self] * (count - 1))
        return self

    def __repr__(self) -> str:
        return f"List({self._parts()!r})"


class Mapping(_Container, AnyMapping[str, Any]):
    """Objects by names, which are their names in checkpoints."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Takes what `dict` takes."""
        self.update(*args, **kwargs)

    def update(self, *args: Any, **kwargs: Any) -> None:
        """Adds what `dict` takes; see `__setitem__`."""
        for name, value in dict(*args, **kwargs).items():
            self[name] = value

    def __setitem__(self, key: str, value: Any) -> None:
        """Adds an object.

        Raises:
          TypeError: The name is no string.
          ValueError: There is another object of that name, or checkpoints cannot hold this one.
        """
        if not isinstance(key, str):
            raise TypeError(f"Mapping accepts only string keys, but got a key {key!r}.")
        current = self._tracked().get(key, value)
        if current is not value:
            raise ValueError(
                "Mappings are an append-only data structure. Tried to overwrite the key "
                f"'{key}' with value {value}, but it already contains {current}"
            )
        self._track(value, key)

    def __getitem__(self, key: str) -> Any:
        return self._tracked()[key]

    def __len__(self) -> int:
        return len(self._tracked())

    def __iter__(self) -> Iterator[str]:
        return iter(self._tracked())

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __repr__(self) -> str:
        return f"Mapping({self._tracked()!r})"

    def _parts(self) -> Sequence[Any]:
        return [value for _, value in sorted(self._tracked().items())]


class UniqueNameTracker(_Container):
    """Objects by names of which each gets a number of its own where it is taken."""

    def track(self, trackable: Any, base_name: str) -> Any:
        """Adds an object and returns it.

        Args:
          trackable: The object.
          base_name: Its name in checkpoints, or what that begins with.

        Raises:
          ValueError: Checkpoints cannot hold it.
        """
        if not is_trackable(trackable):
            raise ValueError(
                f"Expected a trackable value, got {trackable} which does not inherit from "
                "tf.track.Trackable."
            )
        numbered = (f"{base_name}_{number}" for number in itertools.count(1))
        names = itertools.chain([base_name], numbered)
        return self._track(trackable, next(n for n in names if n not in self._tracked()))
