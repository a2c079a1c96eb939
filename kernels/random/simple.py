"""Numbers of one stream, drawn one after the other: TensorFlow's SimplePhilox."""

from __future__ import annotations

import numpy as np

from dataflow.kernels.random.philox import Philox, uniform_float32, uniform_float64

_MASK = 2**64 - 1
_SHORT_MASK = 2**32 - 1
_AHEAD = 1 << 10
"""Words that are made at once."""


class Draws:
    """Draws of a seed."""

    def __init__(self, seed: int) -> None:
        """Starts at the first word."""
        self._stream = Philox(seed, 0)
        self._words: list[int] = []
        self._taken = 0

    def _word(self) -> int:
        if not self._words:
            words = self._stream.at(self._taken).words(_AHEAD)
            self._taken += _AHEAD // 4
            self._words = words[::-1].tolist()
        return self._words.pop()

    def fraction(self) -> np.float32:
        """A float in [0, 1)."""
        found: np.float32 = uniform_float32(np.array([self._word()], np.uint32))[0]
        return found

    def double(self) -> float:
        """A float64 number in [0, 1)."""
        low, high = (np.array([self._word()], np.uint32) for _ in range(2))
        return float(uniform_float64(low, high)[0])

    def below(self, bound: int) -> int:
        """A number from 0 up to a bound, all as likely."""
        if not bound & (bound - 1):
            return self._pair() & (bound - 1)
        excess = _MASK % bound + 1
        # As many words are left out as would favour the first numbers.
        while (word := self._pair()) < excess:
            pass
        return word % bound

    def short_below(self, bound: int) -> int:
        """As `below`, of single words."""
        if not bound & (bound - 1):
            return self._word() & (bound - 1)
        excess = _SHORT_MASK % bound + 1
        while (word := self._word()) < excess:
            pass
        return word % bound

    def _pair(self) -> int:
        low = self._word()
        return low | self._word() << 32
