"""Cuts a convolution into parts: some images, some rows of places, the taps that see something.

A part's matrix of patches stays in the cache of the core that makes it. Taps that only see padding
along the first spatial axis are left out.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from dataflow.kernels.windows import Window, interior, is_padded, outputs, patches, sizes
from dataflow.kernels.workspace import workspace

_COLUMN_BYTES: Final = 1 << 20
"""Size of the matrix of patches of a part: half of a core's own cache and more."""
_DEVICE_BYTES: Final = 1 << 28
"""The same where each call is handed to a device."""
_MIN_SKIPPED: Final = 0.04
"""Share of the work from which it pays to leave it out."""
_MIN_WIDTH: Final = 128
"""Elements that a window sees, up to which writing the results decides."""
_THIN: Final = 16
"""Elements that lie side by side in the input, up to which rows of pixels are the inner loop."""


class Part(NamedTuple):
    """A part of the places that the windows take."""

    images: slice
    rows: slice
    """Places along the first spatial axis."""
    taps: slice
    """Taps along the first spatial axis that see something from there."""


def parts_of(
    xp: Any, x: Any, windows: Sequence[Window], least_bytes: int = _COLUMN_BYTES
) -> list[Part]:
    """The parts of a convolution; places that see nothing but padding may be in none.

    Args:
      xp: The array library.
      x: The images.
      windows: The windows.
      least_bytes: Size of a part's matrix.
    """
    limit = least_bytes if xp is np else _DEVICE_BYTES
    count, channels = x.shape[0], x.shape[-1]
    seen = math.prod(sizes(windows)[1:]) * channels
    row_bytes = seen * math.prod(outputs(windows)[1:]) * x.dtype.itemsize
    result: list[Part] = []
    groups = list(_rows_by_taps(windows[0]))
    full = windows[0].output * windows[0].size
    work = sum((r.stop - r.start) * (t.stop - t.start) for r, t in groups)
    if xp is not np or seen * windows[0].size < _MIN_WIDTH or work > (1 - _MIN_SKIPPED) * full:
        groups = [(slice(0, windows[0].output), slice(0, windows[0].size))]
    for rows, taps in groups:
        each = max(1, row_bytes * (taps.stop - taps.start))
        height = rows.stop - rows.start
        step = max(1, limit // each)
        if step < height:
            bands = -(-height // step)
            starts = [rows.start + height * band // bands for band in range(bands + 1)]
            for image, (start, stop) in itertools.product(range(count), itertools.pairwise(starts)):
                result.append(Part(slice(image, image + 1), slice(start, stop), taps))
            continue
        chunks = -(-count // (step // height))
        for chunk in range(chunks):
            images = slice(count * chunk // chunks, count * (chunk + 1) // chunks)
            result.append(Part(images, rows, taps))
    return result


def _rows_by_taps(window: Window) -> Iterator[tuple[slice, slice]]:
    """Neighbouring places that the same taps see something from, and these taps."""

    def seeing(place: int) -> tuple[int, int]:
        offset = place * window.stride - window.before
        first = max(0, -(offset // window.dilation))
        last = (window.input - 1 - offset) // window.dilation
        return first, min(window.size, last + 1)

    for (first, last), places in itertools.groupby(range(window.output), seeing):
        if last > first:
            found = list(places)
            yield slice(found[0], found[-1] + 1), slice(first, last)


def columns_of(xp: Any, x: Any, windows: Sequence[Window], part: Part) -> Any:
    """The matrix of what the windows see of a part, a row a place; valid until the next call."""
    first, *others = windows
    channels = x.shape[-1]
    height = part.rows.stop - part.rows.start
    low = part.rows.start * first.stride + part.taps.start * first.dilation - first.before
    near = dataclasses.replace(first, size=part.taps.stop - part.taps.start, output=height)
    high = low + (height - 1) * near.stride + near.extent
    start, stop = max(0, low), min(first.input, high)
    around = (
        dataclasses.replace(near, input=stop - start, before=start - low, after=high - stop),
        *others,
    )
    source = x[part.images, start:stop]
    count = source.shape[0]
    if is_padded(around):
        padded = workspace(xp, "padded", (count, *(w.padded for w in around), channels), x.dtype)
        for axis, window in enumerate(around, 1):
            before = (slice(None),) * axis
            padded[(*before, slice(0, window.before))] = 0
            padded[(*before, slice(window.before + window.input, None))] = 0
        padded[interior(around)] = source
        source = padded
    seen = patches(xp, source, around)
    spatial, taps = outputs(around), sizes(around)
    places, width = count * math.prod(spatial), math.prod(taps) * channels
    if taps[-1] * channels < _THIN:
        # Rows of pixels are longer than what one window sees of a row: they are the inner loop.
        order = (*range(1 + len(windows), seen.ndim), *range(1 + len(windows)))
        columns = workspace(xp, "columns", (width, places), x.dtype)
        columns.reshape(*taps, channels, count, *spatial)[...] = seen.transpose(order)
        return columns.T
    columns = workspace(xp, "columns", (places, width), x.dtype)
    columns.reshape(seen.shape)[...] = seen
    return columns
