"""Cuts a convolution into parts: some images, some rows of places, the taps that see something.

A part's matrix of patches stays in the caches until it is multiplied. Taps that only see padding
along the first spatial axis are left out.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from dataflow.kernels.convolution.windows import Window, interior, is_padded, outputs, sizes
from dataflow.kernels.memory.workspace import workspace

COLUMN_BYTES: Final = 1 << 21
"""Size of the matrix of patches of a part, which the caches hold besides filter and result."""
_DEVICE_BYTES: Final = 1 << 28
"""The same where each call is handed to a device."""
_MIN_SKIPPED: Final = 0.04
"""Share of the work from which it pays to leave it out."""
_MIN_WIDTH: Final = 128
"""Elements that a window sees, up to which writing the results decides."""
_THIN: Final = 16
"""Elements that lie side by side in the input, up to which rows of pixels are the inner loop."""

Index = tuple[slice, ...]


@dataclass(frozen=True, slots=True)
class Strip:
    """Some rows of places, and how to see from there: the same for all images."""

    rows: slice
    """Places along the first spatial axis."""
    taps: slice
    """Taps along the first spatial axis that see something from there."""
    source: slice
    """What they see of the input, along the first spatial axis."""
    padded: tuple[int, ...] | None
    """Shape of that with its padding, but for batch and channels; None if there is no padding."""
    borders: tuple[Index, ...]
    """Where the padding is."""
    inside: Index
    """Where the input is between it."""
    spatial: tuple[int, ...]
    """Number of places along each axis."""
    taps_each: tuple[int, ...]
    """Taps along each axis."""
    strides: tuple[int, ...]
    dilations: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the places that the windows take."""

    images: slice
    strip: Strip


def parts_of(
    xp: Any, x: Any, windows: Sequence[Window], least_bytes: int = COLUMN_BYTES
) -> tuple[Part, ...]:
    """The parts of a convolution; places that see nothing but padding may be in none.

    Args:
      xp: The array library.
      x: The images.
      windows: The windows.
      least_bytes: Size of a part's matrix.
    """
    limit = least_bytes if xp is np else _DEVICE_BYTES
    return _parts(tuple(windows), x.shape[0], x.shape[-1] * x.dtype.itemsize, limit, xp is np)


@functools.lru_cache(maxsize=256)
def _parts(
    windows: tuple[Window, ...], count: int, pixel_bytes: int, limit: int, on_host: bool
) -> tuple[Part, ...]:
    first = windows[0]
    seen = math.prod(sizes(windows)[1:]) * pixel_bytes
    row_bytes = seen * math.prod(outputs(windows)[1:])
    groups = list(_rows_by_taps(first))
    work = sum((r.stop - r.start) * (t.stop - t.start) for r, t in groups)
    skipped = 1 - work / (first.output * first.size)
    if not on_host or skipped < _MIN_SKIPPED or seen * first.size < 4 * _MIN_WIDTH:
        groups = [(slice(0, first.output), slice(0, first.size))]
    result = []
    for rows, taps in groups:
        height = rows.stop - rows.start
        step = max(1, limit // max(1, row_bytes * (taps.stop - taps.start)))
        bands = max(1, -(-height // step))
        chunks = -(-count // max(1, step // height))
        bounds = [rows.start + height * band // bands for band in range(bands + 1)]
        strips = [_strip(windows, slice(*b), taps) for b in itertools.pairwise(bounds)]
        for chunk in range(chunks):
            images = slice(count * chunk // chunks, count * (chunk + 1) // chunks)
            result += [Part(images, strip) for strip in strips]
    return tuple(result)


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


def _strip(windows: tuple[Window, ...], rows: slice, taps: slice) -> Strip:
    first, *others = windows
    near = dataclasses.replace(first, size=taps.stop - taps.start, output=rows.stop - rows.start)
    low = rows.start * first.stride + taps.start * first.dilation - first.before
    high = low + (near.output - 1) * near.stride + near.extent
    source = slice(max(0, low), min(first.input, high))
    near = dataclasses.replace(
        near,
        input=source.stop - source.start,
        before=source.start - low,
        after=high - source.stop,
    )
    around = (near, *others)
    borders: list[Index] = []
    for axis, window in enumerate(around, 1):
        before = (slice(None),) * axis
        if window.before:
            borders.append((*before, slice(0, window.before)))
        if window.after:
            borders.append((*before, slice(window.before + window.input, None)))
    return Strip(
        rows=rows,
        taps=taps,
        source=source,
        padded=tuple(w.padded for w in around) if is_padded(around) else None,
        borders=tuple(borders),
        inside=interior(around),
        spatial=outputs(around),
        taps_each=sizes(around),
        strides=tuple(w.stride for w in around),
        dilations=tuple(w.dilation for w in around),
    )


def columns_of(xp: Any, x: Any, part: Part) -> Any:
    """The matrix of what the windows see of a part, a row a place; valid until the next call."""
    strip = part.strip
    source = x[part.images, strip.source]
    count, channels = source.shape[0], source.shape[-1]
    if strip.padded is not None:
        padded = workspace(xp, "padded", (count, *strip.padded, channels), x.dtype)
        for border in strip.borders:
            padded[border] = 0
        padded[strip.inside] = source
        source = padded
    batch, *steps, last = source.strides
    shape = (count, *strip.spatial, *strip.taps_each, channels)
    strides = (
        batch,
        *(step * by for step, by in zip(steps, strip.strides, strict=True)),
        *(step * by for step, by in zip(steps, strip.dilations, strict=True)),
        last,
    )
    seen = xp.lib.stride_tricks.as_strided(source, shape, strides)
    places, width = count * math.prod(strip.spatial), math.prod(strip.taps_each) * channels
    if strip.taps_each[-1] * channels < _THIN:
        # Rows of pixels are longer than what one window sees of a row: they are the inner loop.
        rank = 1 + len(steps)
        columns = workspace(xp, "columns", (width, places), x.dtype)
        order = (*range(rank, seen.ndim), *range(rank))
        columns.reshape(*strip.taps_each, channels, count, *strip.spatial)[...] = seen.transpose(
            order
        )
        return columns.T
    columns = workspace(xp, "columns", (places, width), x.dtype)
    columns.reshape(shape)[...] = seen
    return columns
