"""Sums over the channels near each channel."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.memory.workspace import workspace

_ALONE: Final = 1 << 18
"""Multiplications up to which BLAS computes a product on the calling thread."""
_PRODUCT: Final = 0.018
_ADDITION: Final = 0.1
_ROWS: Final = 10.0
_ANYWAY: Final = 0.3
"""Nanoseconds: of a multiplication, of an addition, of a row that is copied to its place between
zeros and back, and what that takes for each element."""

Fill = Callable[[Any], Any]
"""Writes the numbers to be summed up to an array (rows, channels)."""


def neighbour_sums(xp: Any, array: Any, radius: int) -> Any:
    """The sums over the channels, which are along the last axis, up to `radius` away."""
    total = array.copy()
    depth = array.shape[-1]
    for distance in range(1, min(radius, depth - 1) + 1):
        total[..., distance:] += array[..., : depth - distance]
        total[..., : depth - distance] += array[..., distance:]
    return total


@functools.lru_cache(maxsize=64)
def window_sums(channels: int, radius: int, factor: float, role: str) -> WindowSums:
    """What `WindowSums` makes of these, which is kept."""
    return WindowSums(channels, radius, factor, role)


class WindowSums:
    """Sums of rows of so many channels; what is NaN or infinite is in its windows' sums only."""

    __slots__ = ("_band", "_channels", "_factor", "_radius", "_role", "_run")

    def __init__(self, channels: int, radius: int, factor: float, role: str) -> None:
        """Chooses how to add.

        Args:
          channels: How many there are, at least 1.
          radius: How far away a channel is added; less than 0 is as 0.
          factor: What the sums are multiplied with.
          role: Tells the buffers from those of other sums that are needed at the same time.
        """
        self._channels = channels
        self._radius = max(0, min(radius, channels - 1))
        self._factor = np.float32(factor)
        self._role = role
        by_product = self._radius and _product_is_faster(channels, self._radius)
        self._run = self._by_product if by_product else self._by_shifts
        self._band: Any = band(channels, self._radius, factor) if by_product else None

    def __call__(self, rows: int, fill: Fill) -> tuple[Any, Any]:
        """Computes the sums.

        Args:
          rows: How many rows there are.
          fill: Writes their float32 numbers.

        Returns:
          A contiguous buffer, for arithmetic in long loops, and the view (rows, channels) of it
          that is the sums. Both are float32, and valid until this thread computes sums of the role.
        """
        return self._run(rows, fill)

    def _by_product(self, rows: int, fill: Fill) -> tuple[Any, Any]:
        channels = self._channels
        values = self._buffer("values", rows * channels).reshape(rows, channels)
        sums = self._buffer("sums", rows * channels).reshape(rows, channels)
        fill(values)
        height = max(1, _ALONE // channels**2)
        whole = rows // height * height
        stacked = (-1, height, channels)
        if whole:
            np.matmul(
                values[:whole].reshape(stacked), self._band, out=sums[:whole].reshape(stacked)
            )
        if whole < rows:
            np.matmul(values[whole:], self._band, out=sums[whole:])
        # Times the zeros of the band, what is not finite is NaN: it is in all sums of its row.
        edge = sums[:, 0]
        if not math.isfinite(np.add.reduce(edge)):
            spoilt = np.flatnonzero(~np.isfinite(edge))
            sums[spoilt] = self._factor * neighbour_sums(np, values[spoilt], self._radius)
        return sums, sums

    def _by_shifts(self, rows: int, fill: Fill) -> tuple[Any, Any]:
        """Adds the rows, between which there are zeros, to themselves: all in one long loop.

        Sums of twice as many numbers are made of two sums.
        """
        radius, width = self._radius, self._channels + self._radius
        size = rows * width
        values = self._buffer("values", radius + size)
        if radius:
            values.fill(0)
        fill(values[radius:].reshape(rows, width)[:, : self._channels])
        sums = values
        others = [self._buffer(name, radius + size) for name in ("sums", "others")]
        count = 1
        for digit in f"{2 * radius + 1:b}"[1:]:
            target = others[0] if sums is not others[0] else others[1]
            stop = radius + size - 2 * count + 1
            np.add(sums[:stop], sums[count : count + stop], out=target[:stop])
            sums, count = target, 2 * count
            if digit == "1":
                stop -= 1
                np.add(sums[:stop], values[count : count + stop], out=sums[:stop])
                count += 1
        used = sums[:size]
        if self._factor != 1:
            used *= self._factor
        return used, used.reshape(rows, width)[:, : self._channels]

    def _buffer(self, name: str, size: int) -> Any:
        return workspace(np, f"{self._role} {name}", (size,), np.float32)


def _product_is_faster(channels: int, radius: int) -> bool:
    """Whether a product with a matrix takes less time than shifting and adding."""
    digits = f"{2 * radius + 1:b}"
    additions = len(digits) - 1 + digits.count("1") - 1
    shifts = additions * _ADDITION * (1 + radius / channels)
    return channels * _PRODUCT < _ANYWAY + _ROWS / channels + shifts


def band(channels: int, radius: int, factor: float) -> Any:
    """The float32 (channels, channels) matrix times which rows are the sums times the factor."""
    places = np.arange(channels)
    is_near = abs(places[:, None] - places) <= radius
    return np.where(is_near, factor, 0).astype(np.float32)
