"""Colors as arrays: red, green, blue; hue, saturation, value; contrast."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.memory import aligned
from dataflow.kernels.threads.parallel import split_rows

_SECONDS: Final = 15e-9
"""What a number of a color takes, about."""
Array = np.ndarray[Any, Any]


def by_pixels(images: Array, convert: Callable[[Array], Array]) -> Array:
    """Colors made of colors, in stretches that stay in the cache.

    Args:
      images: Of shape (..., 3).
      convert: Makes colors (pixels, 3) of others.
    """
    pixels = images.reshape(-1, 3)
    result = np.empty(pixels.shape, images.dtype)

    def rows(some: slice) -> None:
        result[some] = convert(pixels[some])

    split_rows(len(pixels), pixels.size, _SECONDS, rows)
    return result.reshape(images.shape)


def with_contrast(images: Array, factor: np.float32) -> Array:
    """Images (images, height, width, channels) whose pixels are further from the mean, or nearer.

    All goes on by rows: the few numbers of a pixel would be a loop each.
    """
    count, height, width, channels = images.shape
    rows = images.reshape(count, height, width * channels)
    share = np.float32(1 / (height * width))
    mean = (rows.sum(1) * share).reshape(count, width, channels).sum(1)
    means = np.tile(mean, width)[:, None]
    result: Array = aligned.empty(rows.shape, rows.dtype)

    def some(part: tuple[slice, ...], of: Array) -> None:
        made = np.subtract(rows[part], of, out=result[part])
        made *= factor
        made += of

    if count == 1:
        split_rows(height, rows.size, _SECONDS / 8, lambda s: some((slice(None), s), means))
    else:
        split_rows(count, rows.size, _SECONDS / 8, lambda s: some((s,), means[s]))
    return result.reshape(images.shape)


def to_hsv(rgb: Array) -> Array:
    """Hue, saturation and value of colors (pixels, 3)."""
    red, green, blue = np.ascontiguousarray(rgb.T)
    value = np.maximum(np.maximum(red, green), blue)
    spread = value - np.minimum(np.minimum(red, green), blue)
    one, zero = rgb.dtype.type(1), rgb.dtype.type(0)
    with np.errstate(divide="ignore", invalid="ignore"):
        saturation = np.where(value > 0, spread / value, zero)
        norm = one / (rgb.dtype.type(6) * spread)
        hue = np.where(
            red == value,
            norm * (green - blue),
            np.where(
                green == value,
                norm * (blue - red) + rgb.dtype.type(2 / 6),
                norm * (red - green) + rgb.dtype.type(4 / 6),
            ),
        )
    hue = np.where(spread > 0, hue, zero)
    hue = np.where(hue < 0, hue + one, hue)
    return np.stack((hue, saturation, value), -1)


def to_rgb(hsv: Array) -> Array:
    """Red, green and blue of colors (pixels, 3)."""
    hue, saturation, value = np.ascontiguousarray(hsv.T)
    dtype = hsv.dtype.type
    one = dtype(1)
    turn = hue * dtype(6)
    red = np.clip(np.abs(turn - dtype(3)) - one, 0, one)
    green = np.clip(dtype(2) - np.abs(turn - dtype(2)), 0, one)
    blue = np.clip(dtype(2) - np.abs(turn - dtype(4)), 0, one)
    rest = one - saturation
    return np.stack([(rest + saturation * each) * value for each in (red, green, blue)], -1).astype(
        hsv.dtype, copy=False
    )


def with_hue(rgb: Array, delta: np.float32) -> Array:
    """Colors (pixels, 3) turned on the wheel; the largest and the smallest part stay as large."""
    red, green, blue = np.ascontiguousarray(rgb.T)
    most = np.maximum(np.maximum(red, green), blue)
    least = np.minimum(np.minimum(red, green), blue)
    spread = most - least
    with np.errstate(divide="ignore", invalid="ignore"):
        turn = np.where(
            red == most,
            (green - blue) / spread,
            np.where(
                green == most,
                (blue - red) / spread + np.float32(2),
                (red - green) / spread + np.float32(4),
            ),
        )
    turn[~(spread > 0)] = 0
    turn += np.float32(6) * delta
    # numpy's `mod` takes as long as all the rest.
    turn -= np.float32(6) * np.floor(turn / np.float32(6))
    made = np.empty((3, *turn.shape), np.float32)
    for part, middle, sign, start in zip(made, (3, 2, 4), (1, -1, -1), (-1, 2, 2), strict=True):
        np.subtract(turn, np.float32(middle), out=part)
        np.abs(part, out=part)
        part *= np.float32(sign)
        part += np.float32(start)
    np.clip(made, 0, 1, out=made)
    made *= spread
    made += least
    return made.T


def with_saturation(rgb: Array, scale: np.float32) -> Array:
    """Colors (pixels, 3) with other saturations.

    Where hue and value stay, each part's distance from the largest one, the value, grows like the
    saturation.
    """
    parts = np.ascontiguousarray(rgb.T)
    red, green, blue = parts
    value = np.maximum(np.maximum(red, green), blue)
    spread = value - np.minimum(np.minimum(red, green), blue)
    with np.errstate(divide="ignore", invalid="ignore"):
        saturation = np.where(value > 0, spread / value, np.float32(0))
        growth = np.clip(saturation * scale, 0, 1) / saturation
    growth[~(saturation > 0)] = 0
    made: Array = value - parts
    made *= growth
    np.subtract(value, made, out=made)
    return made.T
