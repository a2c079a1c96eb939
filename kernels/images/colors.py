"""Colors as arrays: red, green, blue; hue, saturation, value; contrast."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from dataflow.kernels.elementwise.formula import Formula, repeated
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
    return _parts(rgb, _HSV)


def to_rgb(hsv: Array) -> Array:
    """Red, green and blue of colors (pixels, 3)."""
    return _parts(hsv, _RGB)


def with_hue(rgb: Array, delta: np.float32) -> Array:
    """Colors (pixels, 3) turned on the wheel; the largest and the smallest part stay as large."""
    return _parts(rgb, _TURNED, np.float32(6) * delta)


def with_saturation(rgb: Array, scale: np.float32) -> Array:
    """Colors (pixels, 3) with other saturations."""
    return _parts(rgb, _GROWN, scale)


def _parts(pixels: Array, formulas: Sequence[Formula], *amounts: np.float32) -> Array:
    """Colors whose parts are formulas of those of others, and of what is the same for all.

    The formulas share many steps and each goes through its own: a pass of machine code over what
    is in the cache takes less than one of numpy's calls.
    """
    given = [*np.ascontiguousarray(pixels.T), *[np.full(len(pixels), one) for one in amounts]]
    made = np.empty((len(formulas), len(pixels)), pixels.dtype)
    with np.errstate(divide="ignore", invalid="ignore"):
        for formula, part in zip(formulas, made, strict=True):
            repeated(formula, len(given), pixels.dtype.type)(*given, out=part)
    return made.T


def _most(xp: Any, red: Any, green: Any, blue: Any) -> Any:
    return xp.maximum(xp.maximum(red, green), blue)


def _spread(xp: Any, red: Any, green: Any, blue: Any) -> Any:
    """How far the largest part is from the smallest one."""
    return _most(xp, red, green, blue) - _least(xp, red, green, blue)


def _least(xp: Any, red: Any, green: Any, blue: Any) -> Any:
    return xp.minimum(xp.minimum(red, green), blue)


def _by_largest(xp: Any, red: Any, green: Any, blue: Any, *values: Any) -> Any:
    """A value where red is the largest part, one where green is, and one elsewhere."""
    most = _most(xp, red, green, blue)
    rest = xp.where(xp.equal(green, most), *values[1:])
    return xp.where(xp.equal(red, most), values[0], rest)


def _hue(xp: Any, red: Any, green: Any, blue: Any) -> Any:
    spread = _spread(xp, red, green, blue)
    norm = 1 / (6 * spread)
    sides = norm * (green - blue), norm * (blue - red) + 2 / 6, norm * (red - green) + 4 / 6
    hue = xp.where(spread > 0, _by_largest(xp, red, green, blue, *sides), 0)
    return xp.where(hue < 0, hue + 1, hue)


def _saturation(xp: Any, red: Any, green: Any, blue: Any) -> Any:
    most = _most(xp, red, green, blue)
    return xp.where(most > 0, _spread(xp, red, green, blue) / most, 0)


def _clipped(xp: Any, values: Any) -> Any:
    return xp.minimum(xp.maximum(values, 0), 1)


def _on_wheel(xp: Any, turn: Any, middle: int, sign: int, start: int) -> Any:
    """How much of a part a hue has, by sixths of the wheel: it rises, stays, falls."""
    return _clipped(xp, xp.abs(turn - middle) * sign + start)


def _rgb(place: tuple[int, int, int], xp: Any, hue: Any, saturation: Any, value: Any) -> Any:
    part = _on_wheel(xp, hue * 6, *place)
    return ((1 - saturation) + saturation * part) * value


def _turned(place: tuple[int, int, int], xp: Any, red: Any, green: Any, blue: Any, by: Any) -> Any:
    spread = _spread(xp, red, green, blue)
    sides = (green - blue) / spread, (blue - red) / spread + 2, (red - green) / spread + 4
    turn = xp.where(spread > 0, _by_largest(xp, red, green, blue, *sides), 0) + by
    turn = turn - 6 * xp.floor(turn / 6)
    return _on_wheel(xp, turn, *place) * spread + _least(xp, red, green, blue)


def _grown(part: int, xp: Any, red: Any, green: Any, blue: Any, by: Any) -> Any:
    """Where hue and value stay, a part's distance from the largest one grows like saturation."""
    most, saturation = _most(xp, red, green, blue), _saturation(xp, red, green, blue)
    growth = xp.where(saturation > 0, _clipped(xp, saturation * by) / saturation, 0)
    return most - (most - (red, green, blue)[part]) * growth


_WHEEL: Final = ((3, 1, -1), (2, -1, 2), (4, -1, 2))
"""Of red, green and blue: from which sixth it is counted, in which direction, from what."""
_HSV: Final = (_hue, _saturation, _most)
_RGB: Final = [functools.partial(_rgb, place) for place in _WHEEL]
_TURNED: Final = [functools.partial(_turned, place) for place in _WHEEL]
_GROWN: Final = [functools.partial(_grown, part) for part in range(3)]
