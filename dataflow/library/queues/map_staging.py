"""Staging areas with keys as objects: values that wait on their device for who asks by key."""

from __future__ import annotations

from typing import Any

from dataflow.graph.apply_op import apply_op
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import colocate_with, name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.queues.staging import BaseStagingArea
from dataflow.ops.basic.single import single


class MapStagingArea(BaseStagingArea):
    """Tuples of tensors by key, on the device on which the area is made.

    They may come and leave in parts; a tuple can be taken out when all of it has come.
    """

    def __init__(
        self,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        ordered: bool = False,
        capacity: int = 0,
        memory_limit: int = 0,
    ) -> None:
        """Makes an area.

        Args:
          dtypes: Element types of the components.
          shapes: Their shapes, as far as known; None if they may be any.
          names: Names of the components: elements are dictionaries then.
          shared_name: Shares the area among nodes and sessions under this name.
          ordered: Whether `get` without a key gives the tuple of the lowest one.
          capacity: Most whole tuples it holds; 0 for any number.
          memory_limit: Most bytes that they have; 0 for any number.

        Raises:
          ValueError: There are more or fewer shapes or names than types.
        """
        super().__init__(dtypes, shapes, names, shared_name, capacity, memory_limit)
        self._kind = "OrderedMap" if ordered else "Map"

    def put(self, key: Any, vals: Any, indices: Any = None, name: str | None = None) -> Operation:
        """An operation that leaves values; it waits while there is no room.

        Args:
          key: Of the tuple, an int64 scalar.
          vals: A list of tensors, or a dictionary if the components have names; some may lack.
          indices: Places of the values in the tuple, rising; of a dictionary they are known.
          name: Name of the operation.

        Raises:
          ValueError: Types, shapes or places do not fit.
        """
        if isinstance(vals, dict):
            listed = list(vals.values())
        else:
            listed = list(vals) if isinstance(vals, (list, tuple)) else [vals]
            vals = listed
        with name_scope(name, f"{self._name}_put", listed) as scope:
            tensors, places = self._components(vals, indices)
            with colocate_with(self._coloc_op):
                made: Operation = apply_op(
                    f"{self._kind}Stage",
                    key,
                    places,
                    tensors,
                    dtypes=self._dtypes,
                    name=scope,
                    **self._limits,
                )
            return made

    def peek(self, key: Any, indices: Any = None, name: str | None = None) -> Any:
        """The values of a key, which stay there; waits for them.

        Args:
          key: Of the tuple, an int64 scalar.
          indices: Places or names of the components that are wanted; None for all.
          name: Name of the operation.

        Raises:
          TypeError, ValueError: There are no such components.
        """
        places, types = self._wanted(indices)
        with colocate_with(self._coloc_op):
            outputs = apply_op(
                f"{self._kind}Peek",
                key,
                places,
                dtypes=types,
                name=name or f"{self._name}_pop",
                **self._limits,
            )
        return self._given(outputs, places)

    def get(self, key: Any = None, indices: Any = None, name: str | None = None) -> Any:
        """A key, and its values, taken out; waits for them.

        Args:
          key: Of the tuple, an int64 scalar; None for any tuple, of the lowest key if keys are
            ordered.
          indices: Places or names of the components that are wanted; None for all. A tuple is gone
            when all its components are.
          name: Name of the operation.

        Raises:
          TypeError, ValueError: There are no such components.
        """
        places, types = self._wanted(indices)
        with colocate_with(self._coloc_op):
            if key is not None:
                outputs = apply_op(
                    f"{self._kind}Unstage",
                    key,
                    places,
                    dtypes=types,
                    name=name or f"{self._name}_get",
                    **self._limits,
                )
            else:
                found, outputs = apply_op(
                    f"{self._kind}UnstageNoKey",
                    places,
                    dtypes=types,
                    name=name or f"{self._name}_get_nokey",
                    **self._limits,
                )
        if key is None:
            key = self._at_hand([found])[0]
        return key, self._given(outputs, places)

    def size(self, name: str | None = None) -> Tensor:
        """How many keys have, or had, all values."""
        return self._count("Size", name or f"{self._name}_size")

    def incomplete_size(self, name: str | None = None) -> Tensor:
        """How many keys lack some values."""
        return self._count("IncompleteSize", name or f"{self._name}_incomplete_size")

    def clear(self, name: str | None = None) -> Operation:
        """An operation that drops all values."""
        name = name or f"{self._name}_clear"
        made: Operation = apply_op(
            f"{self._kind}Clear", dtypes=self._dtypes, name=name, **self._limits
        )
        return made

    def _count(self, what: str, name: str) -> Tensor:
        return single(f"{self._kind}{what}", dtypes=self._dtypes, name=name, **self._limits)

    def _wanted(self, indices: Any) -> tuple[list[int], list[Any]]:
        """Places of components, and their types."""
        if indices is None:
            indices = list(range(len(self._dtypes)))
        if not isinstance(indices, (tuple, list)):
            raise TypeError(f"Invalid indices type '{type(indices)}'")
        if not indices:
            raise ValueError("Empty indices")
        if all(isinstance(index, str) for index in indices):
            if self._names is None:
                raise ValueError(
                    f"String indices provided '{indices}', but this Staging Area was not created "
                    "with names."
                )
            names = list(self._names)
            for index in indices:
                if index not in names:
                    raise ValueError(
                        f"Named index '{index}' not in Staging Area names '{self._names}'"
                    )
            indices = [names.index(index) for index in indices]
        elif not all(isinstance(index, int) for index in indices):
            raise TypeError(f"Mixed types in indices '{indices}'. May only be str or int")
        return list(indices), [self._dtypes[index] for index in indices]
