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


def histogram(values: Any, owner: str) -> HistogramProto:
    """The histogram of an array's elements.

    Args:
      values: Numbers.
      owner: Whose they are, for messages.

    Raises:
      InvalidArgumentError: One of them is infinite or no number.
    """
    flat = np.asarray(values).reshape(-1)
    counts = np.zeros(len(_LIMITS))
    least, most = sys.float_info.max, -sys.float_info.max
    total = squares = 0.0
    for start in range(0, flat.size, _PIECE):
        look()
        piece = flat[start : start + _PIECE].astype(np.float64)
        _check_finite(piece, owner)
        places = np.searchsorted(_LIMITS, piece, side="right")
        # The largest number of all has no limit above it.
        np.minimum(places, len(_LIMITS) - 1, out=places)
        counts += np.bincount(places, minlength=len(_LIMITS))
        least, most = min(least, piece.min()), max(most, piece.max())
        with np.errstate(over="ignore"):
            squares = _added(squares, piece * piece)
            total = _added(total, piece)
    result = HistogramProto(min=least, max=most, num=flat.size, sum=total, sum_squares=squares)
    _add_buckets(result, counts)
    return result


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
