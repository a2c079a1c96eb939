"""A queue that gives its elements in random order, and keeps some back to choose from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from secrets import randbits
from typing import Any, Final

from dataflow.kernels.queues.queue import Element, Queue, Shape
from dataflow.kernels.random.philox import Philox
from dataflow.values.dtypes import DType

_BLOCKS: Final = 256
"""Of four numbers each that are made at a time."""


class RandomShuffleQueue(Queue):
    """Takes any of its elements, while there are more than it keeps back or it is closed."""

    kind = "RandomShuffleQueue"

    def __init__(
        self,
        name: str,
        types: Sequence[DType],
        shapes: Sequence[Shape],
        capacity: int,
        kept: int,
        seeds: tuple[int, int],
    ) -> None:
        """Makes an empty queue.

        Args:
          name: See `Queue`.
          types: See `Queue`.
          shapes: See `Queue`.
          capacity: See `Queue`.
          kept: How many elements stay in the queue while it is open.
          seeds: Which are chosen, in TensorFlow's order; (0, 0) for one that differs each time.
        """
        super().__init__(name, types, shapes, capacity)
        self.kept: Final = kept
        self.seeds: Final = seeds
        self._list: list[Element] = []
        self._elements: Any = self._list
        self._choices = _words(*(seeds if any(seeds) else (randbits(63), randbits(63))))

    def _ready(self) -> int:
        return len(self._list) - (0 if self.is_closed else self.kept)

    def _pop(self, count: int) -> list[Element]:
        """The last element takes the place of each that is chosen."""
        elements, taken, size = self._list, [], len(self._list)
        for word in islice(self._choices, count):
            place = word % size
            taken.append(elements[place])
            size -= 1
            elements[place] = elements[size]
            elements.pop()
        return taken

    def _return(self, taken: list[Element]) -> None:
        self._list.extend(reversed(taken))
        taken.clear()


def _words(seed: int, seed2: int) -> Iterator[int]:
    """The 32-bit numbers of TensorFlow's generator with these seeds."""
    stream, start = Philox(seed, seed2), 0
    while True:
        yield from stream.at(start).words(4 * _BLOCKS).tolist()
        start += _BLOCKS
