"""A queue that gives the elements of lowest priority number first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.queues.queue import Element, Queue, Shape
from dataflow.values.dtypes import DType


class PriorityQueue(Queue):
    """A binary heap by the first component.

    Elements of equal priority leave it in the order of TensorFlow's, which is not that in which
    they came: places are swapped as `std::push_heap` and `std::pop_heap` of GNU's library do.
    """

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
            self._heap.append(element)
            self._raise(len(self._heap) - 1, element)

    def _pop(self, count: int) -> list[Element]:
        return [self._pop_one() for _ in range(count)]

    def _pop_one(self) -> Element:
        heap = self._heap
        last = heap.pop()
        if not heap:
            return last
        first = heap[0]
        size, place, child = len(heap), 0, 0
        while child < (size - 1) // 2:
            child = 2 * (child + 1)
            if heap[child][0] > heap[child - 1][0]:
                child -= 1
            heap[place] = heap[child]
            place = child
        if size % 2 == 0 and child == (size - 2) // 2:
            child = 2 * (child + 1)
            heap[place] = heap[child - 1]
            place = child - 1
        self._raise(place, last)
        return first

    def _raise(self, place: int, element: Element) -> None:
        """Puts an element at a place or above it."""
        heap = self._heap
        while place and heap[(place - 1) // 2][0] > element[0]:
            heap[place] = heap[(place - 1) // 2]
            place = (place - 1) // 2
        heap[place] = element

    def _return(self, taken: list[Element]) -> None:
        self._extend(taken)
        taken.clear()
