"""The random numbers of datasets: 32 bits at a time of a stream that two seeds begin."""

from __future__ import annotations

import secrets
import threading
from typing import Final

from dataflow.kernels.datasets.dataset import Dataset
from dataflow.kernels.random.philox import Philox

_AHEAD: Final = 1024
"""Numbers that are made at a time."""


class Words:
    """The 32-bit numbers of a Philox stream, one after the other."""

    __slots__ = ("_block", "_left", "_size", "_stream")

    def __init__(self, seed: int, seed2: int) -> None:
        """Begins the stream of two seeds."""
        self._stream = Philox(seed, seed2)
        self._block = 0
        self._size = 4
        self._left: list[int] = []

    def next(self) -> int:
        """The next number."""
        if not self._left:
            self._left = self._stream.at(self._block).words(self._size).tolist()
            self._left.reverse()
            self._block += self._size // 4
            self._size = min(2 * self._size, _AHEAD)
        return self._left.pop()


def chosen(seed: int, seed2: int) -> tuple[int, int]:
    """The seeds, or random ones where both are 0."""
    if seed or seed2:
        return seed, seed2
    return secrets.randbits(64), secrets.randbits(64)


class SeedSource:
    """Gives each run of a dataset its seeds. Safe to use from many threads."""

    def __init__(self, seed: int, seed2: int, changes: bool) -> None:
        """Begins with two seeds.

        Args:
          seed: The first seed.
          seed2: The second one; two zeros stand for any.
          changes: Whether each run has seeds of its own.
        """
        self._changes: Final = changes
        self._lock: Final = threading.Lock()
        self._begin(chosen(seed, seed2))

    def _begin(self, seeds: tuple[int, int], drawn: int = 0) -> None:
        self._seeds = seeds
        self._words = Words(*seeds) if self._changes else None
        self._drawn = drawn
        if self._words is not None:
            for _ in range(2 * drawn):
                self._words.next()

    @property
    def place(self) -> tuple[int, int, int]:
        """The two seeds that it began with, and how many runs have had theirs."""
        with self._lock:
            return (*self._seeds, self._drawn)

    def go_to(self, place: tuple[int, int, int]) -> None:
        """Goes on as another one did at that place."""
        with self._lock:
            self._begin(place[:2], place[2])

    def next(self) -> tuple[int, int]:
        """Seeds for a run."""
        with self._lock:
            self._drawn += 1
            if self._words is None:
                return self._seeds
            return self._words.next(), self._words.next()


def seed_sources(dataset: Dataset) -> list[SeedSource]:
    """What gives seeds to a dataset and to those that it is made of, in their order."""
    found: list[SeedSource] = []
    pending = [dataset]
    while pending:
        each = pending.pop()
        source = getattr(each, "seeds", None)
        if isinstance(source, SeedSource):
            found.append(source)
        pending += each.inputs
    return found
