"""Staging areas as objects: values that wait on their device for the step that takes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import colocate_with, get_default_graph, name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.identity import identity, no_op
from dataflow.ops.basic.single import single
from dataflow.values.shapes import TensorShape


class BaseStagingArea:
    """What staging areas of both kinds have."""

    def __init__(
        self,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        capacity: int = 0,
        memory_limit: int = 0,
    ) -> None:
        """Makes an area.

        Args:
          dtypes: Element types of the components.
          shapes: Their shapes, as far as known; None if they may be any.
          names: Names of the components: elements are dictionaries then.
          shared_name: Shares the area among nodes and sessions under this name.
          capacity: Most elements it holds; 0 for any number.
          memory_limit: Most bytes that they have; 0 for any number.

        Raises:
          ValueError: There are more or fewer shapes or names than types.
        """
        if shared_name is None:
            self._name = get_default_graph().unique_name(type(self).__name__)
        elif isinstance(shared_name, str):
            self._name = shared_name
        else:
            raise ValueError(f"shared_name must be a string, got {shared_name}")
        if shapes is not None and len(shapes) != len(dtypes):
            raise ValueError("StagingArea shapes must be the same length as dtypes")
        if names is not None and len(names) != len(dtypes):
            raise ValueError("StagingArea names must be the same length as dtypes")
        self._dtypes = dtypes
        self._shapes = [TensorShape(shape) for shape in shapes or [None] * len(dtypes)]
        self._names = names
        self._capacity = capacity
        self._memory_limit = memory_limit
        with name_scope(f"{self._name}_root"):
            self._coloc_op = no_op()

    @property
    def name(self) -> str:
        """The area's name."""
        return self._name

    @property
    def dtypes(self) -> Any:
        """Element types of the components."""
        return self._dtypes

    @property
    def shapes(self) -> list[TensorShape]:
        """Static shapes of the components."""
        return self._shapes

    @property
    def names(self) -> Any:
        """Names of the components, or None."""
        return self._names

    @property
    def capacity(self) -> int:
        """Most elements; 0 for any number."""
        return self._capacity

    @property
    def memory_limit(self) -> int:
        """Most bytes of the elements; 0 for any number."""
        return self._memory_limit

    @property
    def _limits(self) -> dict[str, Any]:
        return {
            "shared_name": self._name,
            "capacity": self._capacity,
            "memory_limit": self._memory_limit,
        }

    def _components(self, values: Any, indices: Any = None) -> tuple[list[Tensor], list[int]]:
        """Values as tensors, each with its place among the components."""
        if isinstance(values, dict):
            if not self._names:
                raise ValueError("Staging areas must have names to enqueue a dictionary")
            if not values.keys() <= set(self._names):
                raise ValueError(
                    "Keys in dictionary to put do not match names of staging area. Dictionary: "
                    f"({sorted(values)}), Queue: ({sorted(self._names)})"
                )
            indices = [place for place, name in enumerate(self._names) if name in values]
            values = [values[self._names[place]] for place in indices]
        else:
            if self._names:
                raise ValueError("You must enqueue a dictionary in a staging area with names")
            if indices is None:
                raise ValueError("Indices must be supplied when inserting a list of tensors")
            if len(indices) != len(values):
                raise ValueError(
                    f"Number of indices '{len(indices)}' doesn't match number of values "
                    f"'{len(values)}'"
                )
        if len(values) > len(self._dtypes):
            raise ValueError(
                f"Unexpected number of inputs '{len(values)}' vs '{len(self._dtypes)}'"
            )
        tensors = []
        for value, place in zip(values, indices, strict=True):
            if value.dtype != self._dtypes[place]:
                raise ValueError(
                    f"Datatypes do not match. '{value.dtype}' != '{self._dtypes[place]}'"
                )
            value.shape.assert_is_compatible_with(self._shapes[place])
            tensors.append(
                convert_to_tensor(value, dtype=self._dtypes[place], name=f"component_{place}")
            )
        return tensors, list(indices)

    def _at_hand(self, tensors: Sequence[Tensor]) -> Sequence[Tensor]:
        """Tensors of the area on the device that is asked for now."""
        if no_op().device != self._coloc_op.device:
            return [identity(tensor) for tensor in tensors]
        return tensors

    def _given(self, outputs: Sequence[Tensor], places: Sequence[int]) -> Any:
        """Outputs in the structure of an element, with the shapes that are known."""
        outputs = self._at_hand(outputs)
        for output, place in zip(outputs, places, strict=True):
            output.set_shape(self._shapes[place])
        if self._names:
            pairs = zip(outputs, places, strict=True)
            return {self._names[place]: output for output, place in pairs}
        return outputs


class StagingArea(BaseStagingArea):
    """Tuples of tensors, first in, first out, on the device on which the area is made."""

    def put(self, values: Any, name: str | None = None) -> Operation:
        """An operation that leaves an element; it waits while there is no room.

        Args:
          values: A tensor, a list of them, or a dictionary if the components have names.
          name: Name of the operation.

        Raises:
          ValueError: Types or shapes do not fit.
        """
        listed = values if isinstance(values, (list, tuple, dict)) else [values]
        tensors = listed.values() if isinstance(listed, dict) else listed
        with name_scope(name, f"{self._name}_put", list(tensors)) as scope:
            components, _ = self._components(listed, range(len(listed)))
            with colocate_with(self._coloc_op):
                made: Operation = apply_op("Stage", components, name=scope, **self._limits)
            return made

    def get(self, name: str | None = None) -> Any:
        """The element that was left first, taken out; waits while there is none."""
        return self._taken(
            lambda: apply_op(
                "Unstage", dtypes=self._dtypes, name=name or f"{self._name}_get", **self._limits
            )
        )

    def peek(self, index: Any, name: str | None = None) -> Any:
        """The element at a place, which stays there; waits while there is none."""
        return self._taken(
            lambda: apply_op(
                "StagePeek",
                index,
                dtypes=self._dtypes,
                name=name or f"{self._name}_peek",
                **self._limits,
            )
        )

    def size(self, name: str | None = None) -> Tensor:
        """How many elements there are."""
        name = name or f"{self._name}_size"
        return single("StageSize", dtypes=self._dtypes, name=name, **self._limits)

    def clear(self, name: str | None = None) -> Operation:
        """An operation that drops all elements."""
        name = name or f"{self._name}_clear"
        made: Operation = apply_op("StageClear", dtypes=self._dtypes, name=name, **self._limits)
        return made

    def _taken(self, take: Callable[[], Any]) -> Any:
        with colocate_with(self._coloc_op):
            outputs = take()
        return self._given(outputs, range(len(self._dtypes)))
