"""What a dataset is: the value of a variant that never changes, from which stages are started."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.datasets.run import Run
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape

Element = tuple[Any, ...]
"""The tensors of an element."""

INFINITE: Final = -1
"""The cardinality of a dataset without end."""
UNKNOWN: Final = -2
"""The cardinality of a dataset that must be run to know it."""


class Stage:
    """Gives the elements of a dataset, one after the other, to one caller at a time.

    After an error the next element can be asked for.
    """

    __slots__ = ("__weakref__", "is_direct", "run")

    def __init__(self, run: Run, *inputs: Stage) -> None:
        """Begins at the first element.

        Args:
          run: The run that it is a part of.
          *inputs: The stages that it takes elements from.
        """
        self.run = run
        self.is_direct: bool = all(stage.is_direct for stage in inputs)
        """True if nothing is waited for that another thread does."""

    def next(self) -> Element | None:
        """The next element, or None at the end.

        Raises:
          OpError: There is an error in the place of the element.
        """
        raise NotImplementedError

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
