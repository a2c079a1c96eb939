"""Axes of tensors, which have names, and may have a label for each place."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from dataflow.values.shapes import Dimension


class Axis:
    """The name of an axis, with its size or its labels."""

    def __init__(self, name: str, value: Any) -> None:
        """Takes both.

        Args:
          name: The name.
          value: The size, which may be None or a Dimension, or the labels: a list, a tuple, a range
            or an array.

        Raises:
          ValueError: A label stands there twice.
          TypeError: The name is no text.
        """
        if not isinstance(name, str):
            raise TypeError(f"The name of an axis is a string, not {name!r}")
        self._name = name
        self._labels: tuple[Any, ...] | None = None
        if value is None or isinstance(value, int | Dimension):
            self._dimension = value if isinstance(value, Dimension) else Dimension(value)
        else:
            self._dimension = Dimension(len(value))
            self._labels = tuple(value)
        if self._dimension.value == 0:
            self._labels = ()
        if self._labels is not None:
            self._places = {label: place for place, label in enumerate(self._labels)}
            if len(self._places) != len(self._labels):
                raise ValueError(f"Tick labels must be unique, but got {self._labels}")

    @property
    def name(self) -> str:
        """The name."""
        return self._name

    @property
    def dimension(self) -> Dimension:
        """The size, which may be unknown."""
        return self._dimension

    @property
    def size(self) -> int | None:
        """The size, or None."""
        return self._dimension.value

    @property
    def labels(self) -> tuple[Any, ...] | None:
        """The label of each place, or None."""
        return self._labels

    @property
    def value(self) -> Any:
        """The labels, if there are some, or the size as a Dimension."""
        return self._dimension if self._labels is None else self._labels

    def index(self, value: Any) -> int:
        """Where a label stands.

        Raises:
          ValueError: There are no labels.
          KeyError: It is none of them.
        """
        if self._labels is None:
            raise ValueError("Axis does not have tick labels")
        return self._places[value]

    def __len__(self) -> int:
        if self.size is None:
            raise ValueError(f"axis {self._name!r} has unknown length")
        return self.size

    def _key(self) -> tuple[Any, ...]:
        return self._name, self.size, self._labels

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Axis) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return f"{type(self).__name__}('{self._name}', {self.value!r})"


def as_axis(axis_data: Any) -> Axis:
    """An axis as it is, or made of its name and its size or labels."""
    return axis_data if isinstance(axis_data, Axis) else Axis(*axis_data)


class Axes(Mapping[str, Axis]):
    """Axes by their names, in their order."""

    def __init__(self, axes: Iterable[Any]) -> None:
        """Takes axes, or names with sizes or labels.

        Raises:
          ValueError: Two have the same name.
        """
        self._axes: dict[str, Axis] = {}
        for axis in map(as_axis, axes):
            if axis.name in self._axes:
                raise ValueError(f"Duplicate axis name: {axis.name}")
            self._axes[axis.name] = axis

    def __getitem__(self, name: str) -> Axis:
        return self._axes[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._axes)

    def __len__(self) -> int:
        return len(self._axes)

    def __hash__(self) -> int:
        return hash(tuple(self.items()))

    def __repr__(self) -> str:
        kind = type(self).__name__
        return f"{kind}([{told(self.values(), len(kind) + 2)}])"

    def remove(self, axis_name: str) -> Axes:
        """All but one.

        Raises:
          KeyError: There is none of this name.
        """
        if axis_name not in self._axes:
            raise KeyError(axis_name)
        return Axes(axis for axis in self.values() if axis.name != axis_name)


def told(axes: Iterable[Axis], indent: int) -> str:
    """Axes as text, each in a line of its own that is indented as far as the first."""
    return f",\n{' ' * indent}".join(f"('{axis.name}', {axis.value!r})" for axis in axes)


def concat_axes(axes: Collection[Any]) -> Axis:
    """The axis that axes of one name become if they are put one behind the other.

    Raises:
      ValueError: There are none, one is no axis, or they have several names.
    """
    if not axes:
        raise ValueError("axes must not be empty")
    for axis in axes:
        if not isinstance(axis, Axis):
            raise ValueError(f"Expected an Axis, but got {axis!r} of type {type(axis)!r}")
    names = {axis.name for axis in axes}
    if len(names) > 1:
        raise ValueError(f"axes do not all have the same name: {names!r}")
    value: Any = None
    if all(axis.labels is not None for axis in axes):
        value = [label for axis in axes for label in axis.labels]
    elif all(axis.size is not None for axis in axes):
        value = sum(map(len, axes))
    return Axis(names.pop(), value)
