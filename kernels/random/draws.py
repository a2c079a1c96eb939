"""What the invocations of a random op draw: small draws are made for many invocations at once.

Each invocation has its own stretch of the generator's stream, so that what later ones will draw is
known now. Thirty numbers take as long as a thousand do.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.random.philox import GuardedPhilox, Philox

_AHEAD: Final = 1 << 13
"""Numbers made at a time, at most."""
_GROWTH: Final = 8
"""How many more invocations are drawn for than the last time."""

Draw = Callable[[Philox, int], np.ndarray]
"""Makes that many numbers from the start of a stream."""


class Draws:
    """The numbers of an op's invocations, in order."""

    __slots__ = ("_draw", "_generator", "_group", "_kind", "_lock", "_next", "_rows", "_streams")

    def __init__(self, seeds: tuple[int, int], draw: Draw, group: tuple[int, int]) -> None:
        """Starts where the stream starts.

        Args:
          seeds: The op's seed attrs.
          draw: What is made of a stream.
          group: How many numbers come of a stretch of the stream of so many blocks.
        """
        self._generator = GuardedPhilox(*seeds)
        self._draw = draw
        self._group = group
        self._lock = threading.Lock()
        self._kind = (0, 0)
        self._rows: Any = ()
        """What has been made, a row for each invocation."""
        self._next = 0
        self._streams = 0
        """For how many invocations of this kind there were rows the last time."""

    def take(self, count: int, reserved: int) -> np.ndarray:
        """The numbers of one invocation.

        Args:
          count: How many.
          reserved: Blocks of the stream that are the invocation's.
        """
        if not 0 < 2 * count <= _AHEAD:
            return self._draw(self._generator.reserve(reserved), count)
        with self._lock:
            if self._kind != (count, reserved):
                self._kind, self._streams = (count, reserved), 0
                self._rows, self._next = (), 0
            if self._next == len(self._rows):
                self._make()
            row: np.ndarray = self._rows[self._next].copy()
            self._next += 1
            self._generator.reserve(reserved)
        return row

    def _make(self) -> None:
        count, reserved = self._kind
        numbers, blocks = self._group
        groups = -(-count // numbers)
        self._streams = min(max(1, self._streams * _GROWTH), _AHEAD // (groups * numbers))
        stream = self._generator.reserve(0).repeated(groups * blocks, reserved)
        made = self._draw(stream, self._streams * groups * numbers)
        self._rows = made.reshape(self._streams, groups * numbers)[:, :count]
        self._next = 0
