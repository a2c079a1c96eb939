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
    """Where the places of crops lie along an axis, between two pixels of the image each; what is
    not inside counts for nothing."""

    start: Array
    """The first pixel of each box, (boxes)."""
    span: Array
    """How many pixels it has, (boxes)."""
    low: Array
    """The pixel before, from the first one on, (boxes, places)."""
    high: Array
    """The pixel behind."""
    way: Array
    """How far it is from the one to the other."""

    def weights(self) -> Array:
        """What of each pixel is in each place, (boxes, places, longest span)."""
        found = np.zeros((*self.low.shape, int(self.span.max())), np.float32)
        way = self.way[..., None]
        np.put_along_axis(found, self.high[..., None], way, 2)
        # Where both are one pixel, the way is 0 and the other has no weight.
        np.put_along_axis(found, self.low[..., None], np.float32(1) - way, 2)
        return found


def along(first: Array, second: Array, way: Array, inside: Array) -> Along:
    """The places between two pixels each, (boxes, places), of which some are inside."""
    start = np.where(inside, first, np.iinfo(first.dtype).max).min(1)
    start[~inside.any(1)] = 0
    low = np.where(inside, first - start[:, None], 0)
    high = np.where(inside, second - start[:, None], 0)
    return Along(start, high.max(1) + 1, low, high, np.where(inside, way, np.float32(0)))


def pays(images: Array, rows: Along, columns: Along) -> bool:
    """Whether all boxes are rather made by products."""
    height, width = int(rows.span.max()), int(columns.span.max())
    few = height * (width / rows.low.shape[1] + 1) <= _MOST
    return few and bool(np.isfinite(images).all())


def are_features(images: Array) -> bool:
    """Whether images have the type and the channels for it."""
    return bool(images.dtype == np.float32) and images.shape[-1] >= _CHANNELS


class Products:
    """Makes boxes of images by products."""

    def __init__(self, images: Array, owners: Array, rows: Along, columns: Along) -> None:
        """Takes the images, which of them each box is of, and where it lies."""
        self._images, self._owners = images, owners
        self._rows, self._columns = rows, columns
        self._down, self._across = rows.weights(), columns.weights()

    def fill(self, box: int, out: Array) -> None:
        """Fills `out`, (rows, columns, channels), with one box."""
        height, width = self._rows.span[box], self._columns.span[box]
        top, left = self._rows.start[box], self._columns.start[box]
        part = self._images[self._owners[box], top : top + height, left : left + width]
        across = workspace(np, "crop", (height, *out.shape[1:]), np.float32)
        np.matmul(self._across[box, :, :width], part, out=across)
        down = self._down[box, :, :height]
        np.matmul(down, across.reshape(height, -1), out=out.reshape(len(down), -1))
