"""Images seen through projective transformations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from dataflow.kernels.threads.parallel import grain_of, split

_SECONDS: Final = 20e-9
"""What a pixel takes, about."""
_BLOCK: Final = 1 << 15
"""Pixels that are made together."""
MODES: Final = (b"CONSTANT", b"REFLECT", b"WRAP", b"NEAREST")
Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Way:
    """What a pixel is made of."""

    smooth: bool
    """Of the four pixels around its place, else of the nearest one."""
    mode: bytes
    """What lies outside: one of `MODES`."""
    fill: np.float32


def transformed(images: Array, transforms: Array, size: tuple[int, int], way: Way) -> Array:
    """Images of another size whose pixels lie elsewhere in others.

    Args:
      images: Of shape (images, height, width, channels).
      transforms: A row of eight numbers for each image, or one for all.
      size: Height and width of the result.
      way: What pixels are made of.
    """
    count, _, _, channels = images.shape
    result = np.empty((count, *size, channels), images.dtype)
    rows = max(1, _BLOCK // max(1, size[1]))
    strips = -(-size[0] // rows)

    def piece(begin: int, end: int) -> None:
        for index in range(begin, end):
            number, strip = divmod(index, strips)
            some = slice(strip * rows, min(size[0], (strip + 1) * rows))
            transform = transforms[0 if len(transforms) == 1 else number]
            result[number, some] = _seen(images[number], transform, some, size[1], way)

    pieces = count * strips
    split(pieces, grain_of(pieces, count * size[0] * size[1] * _SECONDS), piece)
    return result


def _seen(image: Array, transform: Array, rows: slice, width: int, way: Way) -> Array:
    a, b, c, d, e, f, g, h = transform
    y = np.arange(rows.start, rows.stop, dtype=np.float32)[:, None]
    x = np.arange(width, dtype=np.float32)
    with np.errstate(all="ignore"):
        scale = g * x + h * y + np.float32(1)
        over, down = (a * x + b * y + c) / scale, (d * x + e * y + f) / scale
        over = _mapped(over, image.shape[1], way.mode)
        down = _mapped(down, image.shape[0], way.mode)
        found = _between(image, down, over, way) if way.smooth else _nearest(image, down, over, way)
        found = np.where((scale == 0)[..., None], way.fill, found)
        if not way.smooth or image.dtype.kind == "f" or image.dtype == np.float64:
            return found.astype(image.dtype)
        return np.trunc(found).astype(image.dtype)


def _mapped(place: Array, size: int, mode: bytes) -> Array:
    """Places along an axis, those outside moved inside as the mode says."""
    if mode == b"CONSTANT":
        return place
    last = np.float32(size - 1)
    if mode == b"NEAREST" or size <= 1:
        inside = np.clip(place, 0, last)
    elif mode == b"WRAP":
        low = place + np.float32(size) * (np.trunc(-place / last) + 1)
        high = place - np.float32(size) * np.trunc(place / last)
        inside = np.where(place < 0, low, np.where(place > last, high, place))
    else:
        double = np.float32(2 * size)
        low = np.where(place < double, double * np.trunc(-place / double) + place, place)
        low = np.where(low < -size, low + double, -low - 1)
        high = place - double * np.trunc(place / double)
        high = np.where(high >= size, double - high - 1, high)
        inside = np.where(place < 0, low, np.where(place > last, high, place))
    return np.clip(inside, 0, last)


def _read(image: Array, y: Array, x: Array, way: Way) -> Array:
    """Pixels at whole places; the fill outside of the image."""
    inside = (y >= 0) & (y < image.shape[0]) & (x >= 0) & (x < image.shape[1])
    if not image.size:
        return np.full((*y.shape, image.shape[2]), way.fill)
    rows = np.where(inside, y, 0).astype(np.intp)
    columns = np.where(inside, x, 0).astype(np.intp)
    pixels: Array = image[rows, columns]
    if inside.all():
        return pixels
    return np.where(inside[..., None], pixels, way.fill.astype(pixels.dtype))


def _nearest(image: Array, y: Array, x: Array, way: Way) -> Array:
    # Halves go away from zero, as C's `round` has it.
    whole = (np.trunc(each + np.copysign(np.float32(0.5), each)) for each in (y, x))
    return _read(image, *whole, way)


def _between(image: Array, y: Array, x: Array, way: Way) -> Array:
    top, left = np.floor(y), np.floor(x)
    bottom, right = top + 1, left + 1
    wide = image.astype(np.result_type(image.dtype, np.float32), copy=False)
    to_right, to_left = (x - left)[..., None], (right - x)[..., None]
    upper = to_left * _read(wide, top, left, way) + to_right * _read(wide, top, right, way)
    lower = to_left * _read(wide, bottom, left, way) + to_right * _read(wide, bottom, right, way)
    result: Array = (bottom - y)[..., None] * upper + (y - top)[..., None] * lower
    return result
