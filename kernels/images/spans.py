"""Pixels of scaled and moved images: which ones each is made of, by one of several kernels."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.images.taps import Taps

Array = np.ndarray[Any, Any]
_PI: Final = np.float32(np.pi)


def _lanczos(radius: int) -> Callable[[Array], Array]:
    def weights(x: Array) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            inside = (
                np.float32(radius)
                * np.sin(_PI * x)
                * np.sin(_PI * x / np.float32(radius))
                / (_PI * _PI * x * x)
            )
        return np.where(x > radius, 0, np.where(x <= 1e-3, 1, inside))

    return weights


def _gaussian(x: Array) -> Array:
    return np.where(x >= 1.5, 0, np.exp(-x * x / np.float32(2 * 0.5 * 0.5)))


def _box(x: Array) -> Array:
    return np.where(x < 0.5, 1, np.where(x == 0.5, 0.5, 0))


def _triangle(x: Array) -> Array:
    return np.where(x < 1, np.float32(1) - x, 0)


def _keys(x: Array) -> Array:
    near = (np.float32(1.5) * x - np.float32(2.5)) * x * x + np.float32(1)
    far = ((np.float32(-0.5) * x + np.float32(2.5)) * x - np.float32(4)) * x + np.float32(2)
    return np.where(x >= 2, 0, np.where(x >= 1, far, near))


def _mitchell(x: Array) -> Array:
    near = (np.float32(7 / 6) * x - np.float32(2)) * x * x + np.float32(16 / 18)
    far = ((np.float32(-7 / 18) * x + np.float32(2)) * x - np.float32(10 / 3)) * x + np.float32(
        16 / 9
    )
    return np.where(x >= 2, 0, np.where(x >= 1, far, near))


KERNELS: Final[dict[bytes, tuple[float, Callable[[Array], Array]]]] = {
    b"lanczos1": (1, _lanczos(1)),
    b"lanczos3": (3, _lanczos(3)),
    b"lanczos5": (5, _lanczos(5)),
    b"gaussian": (1.5, _gaussian),
    b"box": (1, _box),
    b"triangle": (1, _triangle),
    b"keyscubic": (2, _keys),
    b"mitchellcubic": (2, _mitchell),
}
"""Name -> radius and weights by distance."""


@functools.lru_cache(64)
def spans(size: int, new_size: int, scale: float, shift: float, kind: bytes, smooths: bool) -> Taps:
    """The pixels that each one of the result is made of, and their weights.

    Args:
      size: Of the image, along an axis.
      new_size: Of the result.
      scale: How much larger the image becomes.
      shift: By how many pixels of the result it is moved.
      kind: One of `KERNELS`.
      smooths: The kernel grows where the image becomes smaller.
    """
    radius, weigh = KERNELS[kind]
    inverse = np.float32(1) / np.float32(scale)
    reach = max(inverse, np.float32(1)) if smooths else np.float32(1)
    width = min(2 * int(np.ceil(np.float32(radius) * reach)) + 1, size)
    middle = (np.arange(new_size, dtype=np.float32) + np.float32(0.5)) * inverse
    middle = middle - inverse * np.float32(shift)
    around = np.float32(radius) * reach
    first = np.ceil(middle - around - np.float32(0.5)).astype(np.int64)
    last = np.floor(middle + around - np.float32(0.5)).astype(np.int64)
    first, last = np.clip(first, 0, size - 1), np.clip(last, 0, size - 1)
    places = first[:, None] + np.arange(width)
    distance = places.astype(np.float32) + np.float32(0.5) - middle[:, None]
    weights = weigh(np.abs(distance * (np.float32(1) / reach))).astype(np.float32)
    weights[places > last[:, None]] = 0
    weights[(middle < 0) | (middle > size)] = 0
    total = np.add.accumulate(weights, axis=1)[:, -1:]
    large = np.abs(total) >= np.float32(1000) * np.finfo(np.float32).tiny
    weights = np.where(large, weights * (np.float32(1) / np.where(large, total, 1)), 0)
    return Taps(np.minimum(places, size - 1), weights.astype(np.float32))
