"""Many stretches of bytes at once: where each begins, and how long it is."""

from __future__ import annotations

import functools
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
_NARROW: Final = 32
"""Bytes of a string up to which all of them are read as ones of one size."""


class Text:
    """Bytes that stretches are read from."""

    def __init__(self, data: bytes) -> None:
        """Takes the bytes."""
        # Windows at the end are as wide as others.
        self.data = data + bytes(_MOST_BEHIND)
        self._seen: dict[int, Array] = {}

    def windows(self, places: Array, width: int) -> Array:
        """So many bytes from each place on, of shape (places, width); others if there are less."""
        if not width:
            return np.empty((places.size, 0), np.uint8)
        return self.pieces(places, width).view(np.uint8).reshape(places.size, width)

    def pieces(self, places: Array, width: int) -> Array:
        """The same as elements of that width, which is not 0."""
        seen = self._seen.get(width)
        if seen is None:
            if width > len(self.data):
                return np.zeros(places.size, _kind(width))
            # As elements of that width, which numpy copies whole.
            size = len(self.data) - width + 1
            seen = np.ndarray((size,), _kind(width), self.data, strides=(1,))
            self._seen[width] = seen
        # `take` would copy all that is seen.
        try:
            return seen[places]
        except IndexError:
            return seen[np.minimum(places, len(seen) - 1)]

    def strings(self, spans: Spans) -> Array:
        """The bytes of each stretch, as an object."""
        begins, sizes = spans
        width = int(sizes.max(initial=0))
        if 0 < width <= _NARROW:
            cells = self.windows(begins, width)
            cells *= np.arange(width, dtype=np.uint8) < sizes.astype(np.uint8)[:, None]
            # numpy takes zeros at the end for filling.
            if np.count_nonzero(cells) == sizes.sum():
                return cells.view(f"S{width}")[:, 0].astype(object)
        ends = (begins + sizes).tolist()
        found = np.empty(begins.size, object)
        found[:] = [self.data[b:e] for b, e in zip(begins.tolist(), ends, strict=True)]
        return found

    def joined(self, spans: Spans) -> Array:
        """The bytes of stretches behind each other."""
        begins, sizes = spans
        if not begins.size or (sizes == sizes[0]).all():
            return self.windows(begins, int(sizes[0]) if sizes.size else 0).ravel()
        return np.frombuffer(self.data, np.uint8)[_places(begins, sizes)]


@functools.lru_cache(1024)
def _kind(width: int) -> np.dtype[Any]:
    return np.dtype((np.void, width))


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
