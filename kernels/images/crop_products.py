"""Crops of many channels as products: along columns and along rows, with matrices of two numbers a
place.

A box of an image's features covers few pixels, so that the products are small; every pixel between
its corners is in them, those of no weight, too, so that all have to be finite.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from dataflow.kernels.memory.workspace import workspace

_CHANNELS: Final = 16
"""Channels from which on products are fast."""
_MOST: Final = 64
"""Multiplications for a number of a crop up to which they take less time than moving pixels."""
Array = np.ndarray[Any, Any]


class Along(NamedTuple):
    """Where the places of crops lie along an axis, as pixels of the image."""

    start: Array
    """The first pixel of each box, (boxes)."""
    span: Array
    """How many pixels it has, (boxes)."""
    weights: Array
    """What of each pixel is in each place, (boxes, places, longest span)."""


def along(first: Array, second: Array, way: Array, inside: Array) -> Along:
    """The places between two pixels each, (boxes, places); those that are not inside count for
    nothing."""
    start = np.where(inside, first, np.iinfo(first.dtype).max).min(1)
    start[~inside.any(1)] = 0
    low = np.where(inside, first - start[:, None], 0)
    high = np.where(inside, second - start[:, None], 0)
    span = high.max(1) + 1
    weights = np.zeros((*first.shape, int(span.max())), np.float32)
    share = np.where(inside, way, np.float32(0))[..., None]
    np.put_along_axis(weights, high[..., None], share, 2)
    # Where both are one pixel, the way is 0 and the other has no weight.
    np.put_along_axis(weights, low[..., None], np.float32(1) - share, 2)
    return Along(start, span, weights)


def pays(images: Array, rows: Along, columns: Along) -> bool:
    """Whether all boxes are rather made by products."""
    if images.dtype != np.float32 or images.shape[-1] < _CHANNELS:
        return False
    height, width = int(rows.span.max()), int(columns.span.max())
    return height * (width / rows.weights.shape[1] + 1) <= _MOST and bool(np.isfinite(images).all())


def crop(images: Array, owner: int, box: int, rows: Along, columns: Along, out: Array) -> None:
    """Fills `out`, (rows, columns, channels), with one box of an image."""
    height, width = rows.span[box], columns.span[box]
    top, left = rows.start[box], columns.start[box]
    part = images[owner, top : top + height, left : left + width]
    across = workspace(np, "crop", (height, *out.shape[1:]), np.float32)
    np.matmul(columns.weights[box, :, :width], part, out=across)
    down = rows.weights[box, :, :height]
    np.matmul(down, across.reshape(height, -1), out=out.reshape(len(down), -1))
