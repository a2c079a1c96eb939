"""The 32-bit words that invocations of a sampling op take, as many as rejection makes it need."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final

import numpy as np

from dataflow.kernels.random.draws import Draws
from dataflow.kernels.random.philox import Philox
from dataflow.kernels.random.stretches import made_in_stretches
from dataflow.kernels.threads.stopping import look

_WORDS_OF_BLOCK: Final = (4, 1)

Words = Callable[[int], np.ndarray]
"""The first so many words of one invocation; the same ones each time it is asked."""


class WordStream:
    """The words of an op's invocations, in order: with seeds TensorFlow's, else any."""

    def __init__(self, seeds: tuple[int, int] | None, reserved: int) -> None:
        """Starts where the stream starts.

        Args:
          seeds: The op's seed attrs; None for numbers that differ from run to run.
          reserved: Blocks of the stream that are an invocation's.
        """
        self._seeds = seeds
        self._reserved = reserved
        self._free = np.random.Generator(np.random.SFC64())
        self._draws = None if seeds is None else Draws(seeds, Philox.words, _WORDS_OF_BLOCK)
        self._invocations = 0
        self._lock = threading.Lock()

    def take(self, likely: int) -> Words:
        """The words of the next invocation.

        Args:
          likely: How many it will need, in all likelihood.
        """
        if self._seeds is None or self._draws is None:
            words = self._free_words(likely)
            return lambda count: self._more_free(words, count)
        with self._lock:
            words = self._draws.take(likely, self._reserved)
            start = self._invocations * self._reserved
            self._invocations += 1
        stream = Philox(*self._seeds).at(start)
        return lambda count: words[:count] if count <= likely else stream.words(count)

    def _more_free(self, words: np.ndarray, count: int) -> np.ndarray:
        more = self._free_words(max(count - words.size, 0))
        return np.concatenate([words, more])[:count]

    def _free_words(self, count: int) -> np.ndarray:
        return made_in_stretches(lambda n: self._free.integers(0, 2**32, n, np.uint32), count)


def first_distinct(
    values: Callable[[np.ndarray], np.ndarray], words: Words, likely: int, count: int
) -> tuple[np.ndarray, int]:
    """The first distinct values that words make, and how many values were made for them.

    Args:
      values: What words make, one value after the other.
      words: Where they come from.
      likely: With how many to begin.
      count: How many distinct values are wanted; there are as many.
    """
    size = likely
    while True:
        made = values(words(size))
        _, firsts = np.unique(made, return_index=True)
        if firsts.size >= count:
            firsts.sort()
            return made[firsts[:count]], int(firsts[count - 1]) + 1
        size *= 2
        look()


def first_values(
    values: Callable[[np.ndarray], np.ndarray], words: Words, likely: int, count: int
) -> np.ndarray:
    """The first so many values that words make."""
    size = likely
    while True:
        made = values(words(size))
        if made.size >= count:
            return made[:count]
        size *= 2
