"""Hashes by numpy: of all texts of one length at a time, one in each row of an array of bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dataflow.kernels.hashes.formulas import Hash, State, Word

Words = NDArray[np.uint64]


class Rows:
    """Texts of one length."""

    def __init__(self, rows: NDArray[np.uint8], keys: tuple[int, ...] = ()) -> None:
        """Takes them.

        Args:
          rows: Shape [texts, bytes].
          keys: The words of the key.
        """
        self._rows = rows
        self.size = np.uint64(rows.shape[1])
        self.keys: State = tuple(np.uint64(word) for word in keys)

    def word(self, place: Any, size: int = 8) -> Words:
        """So many bytes of each, the first one the lowest of a number."""
        part = np.zeros((self._rows.shape[0], 8), np.uint8)
        part[:, :size] = self._rows[:, int(place) : int(place) + size]
        words: Words = part.view("<u8")[:, 0].astype(np.uint64)
        return words

    def tail(self) -> Words:
        """What is left of eight bytes each."""
        left = int(self.size) % 8
        return self.word(int(self.size) - left, left)

    def choose(self, test: Word, word: Words, other: Words) -> Words:
        """One of two words."""
        return word if test else other

    def rest(self, place: int) -> Rows:
        """The texts from a place on."""
        return Rows(self._rows[:, place:])


def hash_rows(what: Hash, text: Rows) -> Words:
    """The hash of each text; or one number, where all have the same for their length."""
    with np.errstate(over="ignore"):
        if text.size < what.least:
            return next(f for least, f in what.short if text.size >= least)(text)  # type: ignore[no-any-return]
        state = what.begin(text)
        for place in range(0, int(what.looped(text.size)), what.stride):
            state = what.step(text, np.uint64(place), state)
        return what.end(text, state)  # type: ignore[no-any-return]
