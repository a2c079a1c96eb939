"""Integers of a stream: all bits of them, or those between two bounds."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.random.philox import Philox


def bits(stream: Philox, count: int, dtype: np.dtype) -> np.ndarray:
    """All bits of so many unsigned numbers, of 32 bits or of 64."""
    if dtype.itemsize == 4:
        return stream.words(count)
    words = stream.words(2 * count).astype(np.uint64)
    return words[0::2] | (words[1::2] << np.uint64(32))


def check_bounds(low: Any, high: Any) -> None:
    """Refuses bounds that are no scalars."""
    for name, value in (("minval", low), ("maxval", high)):
        if np.ndim(value):
            raise invalid(f"{name} must be 0-D, got shape {shape_text(np.shape(value))}")


def between(
    stream: Callable[[], Philox], sizes: tuple[int, ...], low: Any, high: Any, dtype: np.dtype
) -> np.ndarray:
    """Integers of [low, high), of a stream that is asked for if there are any.

    Raises:
      InvalidArgumentError: There are none between the bounds.
    """
    count = math.prod(sizes)
    if not count:
        return np.empty(sizes, dtype)
    if low >= high:
        raise invalid(f"Need minval < maxval, got {low} >= {high}")
    unsigned = np.dtype(f"uint{8 * dtype.itemsize}")
    span = unsigned.type((int(high) - int(low)) % 2 ** (8 * dtype.itemsize))
    drawn: np.ndarray = (bits(stream(), count, dtype) % span).view(dtype) + dtype.type(low)
    return drawn.reshape(sizes)
