"""A queue that gives the elements of lowest priority number first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.queues.priority_heap import pop, push
from dataflow.kernels.queues.queue import Element, Queue, Shape
from dataflow.values.dtypes import DType


class PriorityQueue(Queue):
    """A binary heap by the first component."""

    kind = "PriorityQueue"

    def __init__(
        self, name: str, types: Sequence[DType], shapes: Sequence[Shape], capacity: int
    ) -> None:
        """Makes an empty queue; see `Queue`."""
        super().__init__(name, types, shapes, capacity)
        self._heap: list[Element] = []
        self._elements: Any = self._heap

    def _check_elements(self, components: Element, many: int = 0) -> None:
        shape = np.shape(components[0])[many:]
        if shape:
            raise invalid(
                "Expected the priority element to be a scalar, but received shape: "
                f"{shape_text(shape)}"
            )

    def _extend(self, elements: list[Element]) -> None:
        for element in elements:
            push(self._heap, element)

    def _pop(self, count: int) -> list[Element]:
        return [pop(self._heap) for _ in range(count)]

    def _return(self, taken: list[Element]) -> None:
        self._extend(taken)
        taken.clear()
