"""Elements in a random order, which TensorFlow's generator decides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.datasets.choosing import RepeatDataset
from dataflow.kernels.datasets.dataset import INFINITE, UNKNOWN, Dataset, Element, Stage
from dataflow.kernels.datasets.run import Run
from dataflow.kernels.datasets.seeds import SeedSource, Words
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape

_LOOK: Final = 255
_ROWS: Final = 256
"""Numbers of rows that are asked for at a time."""
_MOST_ROUNDS: Final = 3
"""Rounds of which elements are in the buffer, where one is being read."""


class ShuffleDataset(Dataset):
    """Elements in the order in which a buffer that is kept full gives them at random."""

    kind = "Shuffle"
    __slots__ = ("buffer_size", "count", "seeds")

    def __init__(
        self,
        types: Sequence[DType],
        shapes: Sequence[TensorShape],
        source: Dataset,
        buffer_size: int,
        seeds: SeedSource,
        count: int = 1,
    ) -> None:
        """Takes the buffer's size and what seeds each run.

        Args:
          types: Element types.
          shapes: Shapes.
          source: Where elements come from.
          buffer_size: How many elements the buffer has; UNKNOWN for all.
          seeds: Gives each run its seeds.
          count: How many times the elements come; -1 for without end.

        Raises:
          InvalidArgumentError: A number is out of range.
        """
        if buffer_size <= 0 and buffer_size != UNKNOWN:
            raise invalid("buffer_size must be greater than zero or UNKNOWN_CARDINALITY")
        if count <= 0 and count != -1:
            raise invalid("count must be greater than zero or equal to -1.")
        super().__init__(types, shapes, source)
        self.buffer_size, self.seeds, self.count = buffer_size, seeds, count

    def cardinality(self) -> int:
        if self.count == 1:
            return self.inputs[0].cardinality()
        return RepeatDataset(self.types, self.shapes, self.inputs[0], self.count).cardinality()

    def start(self, run: Run) -> Stage:
        return _ShuffleStage(run, self)


class _ShuffleStage(Stage):
    """The buffer is a ring, of which each round of the elements has a stretch of its own."""

    __slots__ = (
        "_ahead",
        "_buffer",
        "_capacity",
        "_dataset",
        "_end",
        "_ends",
        "_held",
        "_left",
        "_source",
        "_start",
        "_words",
    )

    def __init__(self, run: Run, dataset: ShuffleDataset) -> None:
        self._words = Words(*dataset.seeds.next())
        source = dataset.inputs[0].start(run)
        super().__init__(run, source)
        self.table = source.table
        self.gives_many = self.table is not None
        self._ahead: list[int] = []
        """Numbers of rows that come next; the first one at the end."""
        self._source: Stage | None = source
        self._dataset = dataset
        self._left = dataset.count
        self._capacity = dataset.buffer_size
        self._buffer: list[Any] = []
        self._start = self._end = self._held = 0
        self._ends: list[int] = []
        """Where rounds end that are over, but for the last one."""

    def next(self) -> Element | None:
        item = self._drawn()
        return item if self.table is None or item is None else self.table.row(item)

    def take(self, most: int) -> Sequence[Any]:
        if self.table is None:
            return super().take(most)
        taken: list[int] = []
        while len(taken) < most and (item := self._drawn()) is not None:
            taken.append(item)
            if self._held == self._capacity - 1 == len(self._buffer) - 1 and not self._ends:
                taken += self._drawn_in_turn(most - len(taken))
        return taken

    def _drawn_in_turn(self, most: int) -> list[int]:
        """Draws after each number that comes and fills the buffer, as long as some are at hand."""
        buffer, size, start, end = self._buffer, self._capacity, self._start, self._end
        taken: list[int] = []
        for _ in range(min(most, len(self._ahead))):
            buffer[end % size] = self._ahead.pop()
            place = (start + self._words.next() % size) % size
            taken.append(buffer[place])
            buffer[place] = buffer[start % size]
            start += 1
            end += 1
        self._start, self._end = start, end
        return taken

    def _drawn(self) -> Any:
        """An element or the number of its row; None at the end."""
        self._fill()
        if not self._held:
            return None
        while self._ends and self._ends[0] == self._start:
            # Each round has seeds of its own.
            del self._ends[0]
            self._words = Words(*self._dataset.seeds.next())
        end = self._ends[0] if self._ends else self._end
        first = self._start
        buffer, size = self._buffer, max(len(self._buffer), 1)
        place = (first + self._words.next() % (end - first)) % size
        element = buffer[place]
        buffer[place] = buffer[first % size]
        buffer[first % size] = None
        self._start += 1
        self._held -= 1
        return element

    def _fill(self) -> None:
        capacity = self._capacity
        while self._source is not None and (capacity < 0 or self._held < capacity):
            if self._held and len(self._ends) >= _MOST_ROUNDS:
                return
            element = self._pulled(self._source)
            if element is not None:
                if capacity < 0 or len(self._buffer) < capacity:
                    self._buffer.append(element)
                else:
                    self._buffer[self._end % capacity] = element
                self._end += 1
                self._held += 1
                if not self._held & _LOOK:
                    self.run.check()
                continue
            self._next_round()

    def _pulled(self, source: Stage) -> Any:
        if self.table is None:
            return source.next()
        if not self._ahead:
            self._ahead = list(source.take(_ROWS))
            self._ahead.reverse()
        return self._ahead.pop() if self._ahead else None

    def _next_round(self) -> None:
        is_empty = self._end == (self._ends[-1] if self._ends else 0)
        self._source = None
        if self._left > 0:
            self._left -= 1
        if self._left == 0 or (is_empty and self._dataset.count == INFINITE):
            return
        self._ends.append(self._end)
        self._source = self._dataset.inputs[0].start(self.run)
        self.run.check()
