"""Memory that large arrays from another machine are received in, used again when they are gone."""

from __future__ import annotations

import sys
from typing import Any, Final

import numpy as np

from dataflow.errors import DataLossError

_LEAST: Final = 1 << 20
"""Bytes from which memory is worth keeping: its pages need not be made again."""
_MOST: Final = 4
_KEPT_BYTES: Final = 1 << 29
_HELD_HERE: Final = 3
"""References to an array that nobody uses: the list's, the loop's, and the count's own."""


class Bodies:
    """The memory of one lane; only its reader comes here."""

    def __init__(self) -> None:
        self._kept: list[np.ndarray[Any, Any]] = []

    def take(self, size: int) -> np.ndarray[Any, Any]:
        """Memory of so many bytes that is in use as long as an array or buffer lies over it.

        It is not set to zero, so that it is taken up only as bytes arrive.

        Raises:
          DataLossError: There is none.
        """
        for body in self._kept:
            if size <= body.nbytes <= 2 * size and sys.getrefcount(body) == _HELD_HERE:
                return body[:size]
        try:
            made = np.empty(size, np.uint8)
        except MemoryError:
            raise DataLossError(None, None, f"No memory for a frame of {size} bytes.") from None
        if _LEAST <= size <= _KEPT_BYTES:
            self._keep(made)
        return made[:]

    def _keep(self, body: np.ndarray[Any, Any]) -> None:
        self._kept.append(body)
        while len(self._kept) > _MOST or sum(b.nbytes for b in self._kept) > _KEPT_BYTES:
            del self._kept[0]

    def __len__(self) -> int:
        """Number of arrays that are kept."""
        return len(self._kept)
