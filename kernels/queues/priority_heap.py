"""A binary heap of elements by their first component.

Elements of equal priority leave it in the order of TensorFlow's, which is not that in which they
came: places are swapped as `std::push_heap` and `std::pop_heap` of GNU's library do.
"""

from __future__ import annotations

from typing import Any

Element = tuple[Any, ...]


def push(heap: list[Element], element: Element) -> None:
    """Puts an element in."""
    heap.append(element)
    _raise(heap, len(heap) - 1, element)


def pop(heap: list[Element]) -> Element:
    """Takes an element of the lowest first component out of a heap that has one."""
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
    _raise(heap, place, last)
    return first


def _raise(heap: list[Element], place: int, element: Element) -> None:
    """Puts an element at a place or above it."""
    while place and heap[(place - 1) // 2][0] > element[0]:
        heap[place] = heap[(place - 1) // 2]
        place = (place - 1) // 2
    heap[place] = element
