"""Sums of products of few rows, computed as products of many.

Where a net uses a matrix at each of its times, the matrix's gradient is a sum of products, one for
each time: of its inputs, transposed, with the gradients of its results. With the rows of many times
below each other it is one product, and the sum is not read and written again for each.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

_FEW: Final = 64
"""Rows that a product has at most: of more it is as fast alone."""
_MANY: Final = 1024
"""Rows that are kept at most, if no product has more than a few: they take memory."""


class RowSum:
    """The sum of the products of matrices, added up along their rows."""

    __slots__ = ("_lefts", "_product", "_rights", "_rows", "_total")

    def __init__(self, product: Callable[[Any, Any], Any], total: Any = None) -> None:
        """Begins a sum.

        Args:
          product: Multiplies a matrix (rows, n), transposed, with one of (rows, m).
          total: What is to be added as well, (n, m); it is not written to. None: nothing.
        """
        self._product = product
        self._total = total
        self._lefts: list[Any] = []
        self._rights: list[Any] = []
        self._rows = 0

    def take(self, left: Any, right: Any) -> bool:
        """Adds a product, unless its matrices do not fit or have many rows.

        Returns:
          False if it was not added.
        """
        if left.ndim != 2 or right.ndim != 2 or not len(left) == len(right) <= _FEW:
            return False
        shape = left.shape[1], right.shape[1]
        if self._lefts and shape != (self._lefts[0].shape[1], self._rights[0].shape[1]):
            return False
        if self._total is not None and shape != self._total.shape:
            return False
        self._lefts.append(left)
        self._rights.append(right)
        self._rows += len(left)
        if self._rows >= _MANY:
            self._add_up()
        return True

    def result(self) -> Any:
        """The sum of what was taken, (n, m)."""
        if self._lefts:
            self._add_up()
        return self._total

    def _add_up(self) -> None:
        found = self._product(np.concatenate(self._lefts), np.concatenate(self._rights))
        if self._total is not None:
            found += self._total
        self._total = found
        self._lefts.clear()
        self._rights.clear()
        self._rows = 0
