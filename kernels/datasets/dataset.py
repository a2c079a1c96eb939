"""What a dataset is: the value of a variant that never changes, from which stages are started."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.datasets.run import Run
from dataflow.values import dtypes
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape

Element = tuple[Any, ...]
"""The tensors of an element; inside of a pipeline a string of a file may be bytes."""

INFINITE: Final = -1
"""The cardinality of a dataset without end."""
UNKNOWN: Final = -2
"""The cardinality of a dataset that must be run to know it."""


class Table:
    """Tensors whose rows are elements, which stages can pass on by their numbers."""

    __slots__ = ("_columns",)

    def __init__(self, components: Element, types: Sequence[DType]) -> None:
        """Takes tensors, which have as many rows, and their types."""
        self._columns = tuple(
            (each, each.ndim == 1 and dtype is dtypes.string)
            for each, dtype in zip(components, types, strict=True)
        )

    def row(self, number: int) -> Element:
        """An element, as views of the tensors."""
        return tuple(
            each[number : number + 1].reshape(()) if is_text else each[number]
            for each, is_text in self._columns
        )

    def stacked(self, numbers: Sequence[int]) -> Element:
        """Elements along a new first dimension."""
        if type(numbers) is range:
            return tuple(each[numbers.start : numbers.stop].copy() for each, _ in self._columns)
        places = np.array(numbers)
        # `take` would copy all of what does not lie in order.
        return tuple(
            each.take(places, 0) if each.flags.c_contiguous else each[places]
            for each, _ in self._columns
        )


class Stage:
    """Gives the elements of a dataset, one after the other, to one caller at a time.

    After an error the next element can be asked for.
    """

    __slots__ = ("__weakref__", "gives_many", "is_direct", "run", "table")

    def __init__(self, run: Run, *inputs: Stage) -> None:
        """Begins at the first element.

        Args:
          run: The run that it is a part of.
          *inputs: The stages that it takes elements from.
        """
        self.run = run
        self.is_direct: bool = all(stage.is_direct for stage in inputs)
        """True if nothing is waited for that another thread does."""
        self.gives_many = False
        """True if `take` may give more than one."""
        self.table: Table | None = None
        """What elements are rows of, if all of them are."""

    def next(self) -> Element | None:
        """The next element, or None at the end.

        Raises:
          OpError: There is an error in the place of the element.
        """
        raise NotImplementedError

    def take(self, most: int) -> Sequence[Any]:
        """The next elements, so many at most, at least one; none at the end.

        They are numbers of rows if there is a table. An error in the place of an element behind
        the first one is raised by the next call.

        Raises:
          OpError: There is an error in the place of the first element.
        """
        element = self.next()
        return () if element is None else (element,)

    def is_ready(self) -> bool:
        """True if `next` hardly waits for another thread."""
        source = getattr(self, "_source", None)
        return self.is_direct or (source is not None and source.is_ready())


class Dataset:
    """Describes a stream of elements."""

    kind: ClassVar[str] = "Dataset"
    """What messages call it."""

    __slots__ = ("__weakref__", "inputs", "shapes", "types")

    def __init__(
        self, types: Sequence[DType], shapes: Sequence[TensorShape], *inputs: Dataset
    ) -> None:
        """Describes elements.

        Args:
          types: Element types of the components.
          shapes: What is known of their shapes.
          *inputs: The datasets that it is made of.
        """
        self.types = tuple(types)
        self.shapes = tuple(shapes)
        self.inputs = inputs

    def cardinality(self) -> int:
        """How many elements there are, `INFINITE` or `UNKNOWN`."""
        return UNKNOWN

    def start(self, run: Run) -> Stage:
        """Begins at the first element.

        Raises:
          OpError: Files, functions or the like are not there.
        """
        raise NotImplementedError


def as_dataset(value: Any) -> Dataset:
    """The dataset that a variant holds.

    Raises:
      InvalidArgumentError: It holds something else.
    """
    if getattr(value, "ndim", 0) == 0 and hasattr(value, "item"):
        value = value.item()
    if not isinstance(value, Dataset):
        raise invalid("Tensor must be a Dataset object.")
    return value
