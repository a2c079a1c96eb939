"""How far a sender may run ahead of a receiver on an edge inside a loop.

A device whose iterations wait for nothing from a peer could send it values without end. So the
receiver tells when it has taken a value that was marked, and with too many marks out the sender
waits. A receiver takes a value as soon as the iteration begins there (the Recvs of a loop wait for
nothing else), and devices run no more iterations at a time than `parallel_iterations`. So of the
devices that have not ended the earliest unfinished iteration none waits here: it would have to be
more than that ahead of a peer, which only an earlier unfinished iteration could hold back. That
iteration goes on, and all waits end.
"""

from __future__ import annotations

import itertools
import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from dataflow.actors.step.step import Step

VALUES: Final = 16
"""Values of an edge of which one is marked; each is that takes the edge over `BYTES`."""
BYTES: Final = 1 << 22
MARKS: Final = 3
"""Marks of an edge that may be out; with one more the sender waits."""
_EDGES: Final = 1024
"""Edges that are remembered; those that were not used for longest are forgotten."""


class Backlog:
    """What is out on the edges to one device."""

    def __init__(self) -> None:
        self._edges: OrderedDict[tuple[int, str], _Edge] = OrderedDict()
        self._marks: dict[int, _Edge] = {}
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()

    def enter(self, step: Step, edge: str, size: int) -> int:
        """Counts a value that is to be sent, after waiting until it may be.

        Args:
          step: The step; when it is stopped the wait ends.
          edge: The edge in its loop, the same in all iterations.
          size: Bytes of the value.

        Returns:
          The mark to send with it, 0 for none.
        """
        with self._lock:
            found = self._edges.get((step.step_id, edge))
            if found is None:
                found = self._edges[step.step_id, edge] = _Edge()
                self._forget_some()
        if len(found.marks) > MARKS:
            self._wait(step, found)
        with self._lock:
            found.values += 1
            found.size += size
            if found.values < VALUES and found.size < BYTES:
                return 0
            found.values = found.size = 0
            mark = next(self._numbers)
            found.marks.add(mark)
            self._marks[mark] = found
            return mark

    def taken(self, marks: Sequence[int]) -> None:
        """Takes note that marked values were taken; others are not known any more."""
        with self._lock:
            edges = [edge for mark in marks if (edge := self._marks.pop(mark, None)) is not None]
            for edge in edges:
                edge.marks.intersection_update(self._marks.keys())
        for edge in edges:
            edge.changed.set()

    def __len__(self) -> int:
        """Number of marks that are out."""
        return len(self._marks)

    @staticmethod
    def _wait(step: Step, edge: _Edge) -> None:
        withdraw = step.on_cancel(edge.changed.set)
        try:
            while len(edge.marks) > MARKS and step.error is None:
                edge.changed.clear()
                if len(edge.marks) > MARKS and step.error is None:
                    edge.changed.wait()
        finally:
            withdraw()

    def _forget_some(self) -> None:
        while len(self._edges) > _EDGES:
            _, edge = self._edges.popitem(last=False)
            for mark in edge.marks:
                self._marks.pop(mark, None)
            edge.marks.clear()
            edge.changed.set()


class _Edge:
    """An edge in one loop of one step."""

    __slots__ = ("changed", "marks", "size", "values")

    def __init__(self) -> None:
        self.values = 0
        """Since the last mark."""
        self.size = 0
        self.marks: set[int] = set()
        self.changed = threading.Event()
