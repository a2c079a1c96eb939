"""Many stretches of bytes at once: where each begins, and how long it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

Array = np.ndarray[Any, Any]
Spans = tuple[Array, Array]
"""Where stretches begin, and their sizes."""
Part = tuple[Array, Any, Array]
"""Numbers of rows, how many elements each or every one has, and these behind each other."""

_MOST_BEHIND: Final = 8
"""Bytes behind a text that windows may have."""


class Text:
    """Bytes that stretches are read from."""

    def __init__(self, data: bytes) -> None:
        """Takes the bytes."""
        # Windows at the end are as wide as others.
        self.data = data + bytes(_MOST_BEHIND)
        self._seen: dict[int, Array] = {}

    def windows(self, places: Array, width: int) -> Array:
        """So many bytes from each place on, of shape (places, width); others if there are less."""
        seen = self._seen.get(width)
        if seen is None:
            if not width or width > len(self.data):
                return np.zeros((places.size, width), np.uint8)
            # As elements of that width, which numpy copies whole.
            seen = np.ndarray((len(self.data) - width + 1,), f"V{width}", self.data, strides=(1,))
            self._seen[width] = seen
        # `take` would copy all that is seen.
        return seen[np.minimum(places, len(seen) - 1)].view(np.uint8).reshape(places.size, width)

    def joined(self, spans: Spans) -> Array:
        """The bytes of stretches behind each other."""
        begins, sizes = spans
        if not begins.size or (sizes == sizes[0]).all():
            return self.windows(begins, int(sizes[0]) if sizes.size else 0).ravel()
        return np.frombuffer(self.data, np.uint8)[_places(begins, sizes)]


def woven(rows: int, parts: Sequence[Part]) -> tuple[Any, Array]:
    """How many elements each of all rows has, and these in the order of rows, of parts of them."""
    if len(parts) == 1:
        return parts[0][1:]
    counts = np.zeros(rows, np.intp)
    for own, sizes, _ in parts:
        counts[own] = sizes
    begins = np.cumsum(counts) - counts
    together = np.empty(int(counts.sum()), parts[0][2].dtype)
    for own, sizes, elements in parts:
        together[_places(begins[own], np.broadcast_to(sizes, own.shape))] = elements
    return counts, together


def _places(begins: Array, sizes: Array) -> Array:
    ends = np.cumsum(sizes)
    shifts: Array = np.repeat(begins - (ends - sizes), sizes)
    return shifts + np.arange(shifts.size)
