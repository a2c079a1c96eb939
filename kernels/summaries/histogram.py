"""How values are distributed over TensorFlow's buckets."""

from __future__ import annotations

import sys
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.threads.stopping import look
from dataflow.proto.histogram_pb2 import HistogramProto

_PIECE: Final = 1 << 16
"""Values that are sorted into buckets at once."""


def _limits() -> np.ndarray:
    """The upper limits of the buckets: each a tenth larger than the one before, on both sides."""
    positive, limit = [], 1e-12
    while limit < 1e20:
        positive.append(limit)
        limit *= 1.1
    positive.append(sys.float_info.max)
    return np.array([-each for each in reversed(positive)] + [0.0] + positive)


_LIMITS: Final = _limits()


class Histogram:
    """Counts of values, to which more may be added."""

    def __init__(self) -> None:
        """Holds no value."""
        self._counts = np.zeros(len(_LIMITS))
        self._least, self._most = sys.float_info.max, -sys.float_info.max
        self._total = self._squares = 0.0

    def add(self, values: np.ndarray) -> None:
        """Adds a vector of float64, which are finite."""
        places = np.searchsorted(_LIMITS, values, side="right")
        # The largest number of all has no limit above it.
        np.minimum(places, len(_LIMITS) - 1, out=places)
        self._counts += np.bincount(places, minlength=len(_LIMITS))
        self._least, self._most = min(self._least, values.min()), max(self._most, values.max())
        with np.errstate(over="ignore"):
            self._squares = _added(self._squares, values * values)
            self._total = _added(self._total, values)

    def message(self) -> HistogramProto:
        """All values so far."""
        made = HistogramProto(
            min=self._least,
            max=self._most,
            num=self._counts.sum(),
            sum=self._total,
            sum_squares=self._squares,
        )
        _add_buckets(made, self._counts)
        return made


def histogram(values: Any, owner: str) -> HistogramProto:
    """The histogram of an array's elements.

    Args:
      values: Numbers.
      owner: Whose they are, for messages.

    Raises:
      InvalidArgumentError: One of them is infinite or no number.
    """
    flat = np.asarray(values).reshape(-1)
    made = Histogram()
    for start in range(0, flat.size, _PIECE):
        look()
        piece = flat[start : start + _PIECE].astype(np.float64)
        _check_finite(piece, owner)
        made.add(piece)
    return made.message()


def _check_finite(piece: np.ndarray, owner: str) -> None:
    wrong = piece[~np.isfinite(piece)]
    if wrong.size:
        what = "Nan in summary histogram" if np.isnan(wrong[0]) else "Infinity in Histogram"
        raise invalid(f"{what} for: {owner}")


def _added(start: float, numbers: np.ndarray) -> float:
    """A sum in order, one after the other, so that its bits are TensorFlow's."""
    numbers[0] += start
    return float(np.add.accumulate(numbers, out=numbers)[-1])


def _add_buckets(result: HistogramProto, counts: np.ndarray) -> None:
    """Adds the buckets; empty ones that lie side by side are one."""
    before = -1
    for place in np.flatnonzero(counts).tolist():
        if place > before + 1:
            result.bucket_limit.append(_LIMITS[place - 1])
            result.bucket.append(0.0)
        result.bucket_limit.append(_LIMITS[place])
        result.bucket.append(counts[place])
        before = place
    if before < len(_LIMITS) - 1:
        result.bucket_limit.append(_LIMITS[-1])
        result.bucket.append(0.0)
