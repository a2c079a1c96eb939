"""Rows of PNG files whose bytes were filtered, undone for all rows at once.

A byte depends on those on the left, above, and above on the left: what lies on one diagonal
can be computed together.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dataflow.kernels.images.png_writing import paeth
from dataflow.kernels.threads.stopping import look

_PASSES: Final = (
    (0, 0, 8, 8),
    (0, 4, 8, 8),
    (4, 0, 8, 4),
    (0, 2, 4, 4),
    (2, 0, 4, 2),
    (0, 1, 2, 2),
    (1, 0, 2, 1),
)
"""Of an interlaced file: first row and column, and steps of both."""
_LAST_FILTER: Final = 4
Array = np.ndarray[Any, Any]


def unfiltered(raw: bytes, sizes: tuple[int, int], step: int, is_interlaced: bool) -> Array | None:
    """The bytes of an image (height, width * step), or None if there are too few or wrong ones.

    Args:
      raw: The rows of the file, each with the number of its filter in front.
      sizes: Height and width in pixels.
      step: Bytes of a pixel.
      is_interlaced: Whether the rows are those of seven smaller images.
    """
    height, width = sizes
    image = np.empty((height, width, step), np.uint8)
    place = 0
    for top, left, down, across in _PASSES if is_interlaced else ((0, 0, 1, 1),):
        target = image[top::down, left::across]
        if not target.size:
            continue
        count = target.shape[0] * (1 + target.shape[1] * step)
        rows = np.frombuffer(raw[place : place + count], np.uint8)
        if rows.size < count:
            return None
        rows = rows.reshape(target.shape[0], -1)
        if rows[:, 0].max() > _LAST_FILTER:
            return None
        target[...] = _undone(rows[:, 0], rows[:, 1:].reshape(target.shape))
        place += count
    return image.reshape(height, width * step)


def _undone(filters: Array, rows: Array) -> Array:
    """The pixels of filtered rows (height, width, step)."""
    height, width, step = rows.shape
    # A border of zeros stands above and on the left.
    pixels = np.zeros((height + 1, width + 1, step), np.uint8)
    for diagonal in range(height + width - 1):
        if not diagonal % 256:
            look()
        y = np.arange(max(0, diagonal - width + 1), min(height, diagonal + 1))
        x = diagonal - y
        left, above = pixels[y + 1, x], pixels[y, x + 1]
        kinds = filters[y][:, None]
        mean = ((left.astype(np.uint16) + above) >> 1).astype(np.uint8)
        guess = np.select(
            [kinds == 0, kinds == 1, kinds == 2, kinds == 3],
            [np.uint8(0), left, above, mean],
            paeth(left, above, pixels[y, x]),
        )
        pixels[y + 1, x + 1] = rows[y, x] + guess
    return pixels[1:, 1:]
