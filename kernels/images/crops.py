"""Boxes of images in one size, and the gradients of that; glimpses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from dataflow.kernels.memory import aligned
from dataflow.kernels.reductions import weighted_rows
from dataflow.kernels.reductions.weighted_rows import Weighted, weighted
from dataflow.kernels.threads.parallel import grain_of, split

_BLOCK: Final = 1 << 16
"""Elements of crops that are made together, so that they stay in the cache."""
_FILLED: Final = 1 << 18
"""Those that are filled together where nothing else is needed for it."""
_SECONDS: Final = 4e-9
"""What an element takes, about."""
_FEATURES: Final = 16
"""Channels from which on pixels are rather summed one by one than all of them at once."""
_PAIRS: Final = ((0, 2), (1, 3), (0, 1), (2, 3))
"""Of the four pixels around: those on the left and the right side, the upper and the lower ones."""
Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class _Places:
    """Where the rows or columns of crops lie in images."""

    first: Array
    """The pixel before, of shape (boxes, size)."""
    second: Array
    """The pixel behind."""
    way: Array
    """How far it is from the one to the other."""
    inside: Array
    """Whether the place lies in the image."""
    nearest: Array
    slope_of_start: Array
    """How the place moves with the start of the box,"""
    slope_of_end: Array
    """and with its end."""


def _places(start: Array, end: Array, size: int, crop: int, by_ratio: bool = False) -> _Places:
    """The places of a crop's rows or columns.

    Args:
      start: Where each box begins; 1 is the last pixel.
      end: Where it ends.
      size: Of the image.
      crop: Of the crop.
      by_ratio: The sizes are divided first, as TensorFlow does for the slopes by boxes. A place
        that lies on a pixel may then be taken to lie before it, and slopes jump there.
    """
    reach = np.float32(size - 1)
    numbers = np.arange(crop, dtype=np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        if crop > 1:
            whole = np.float32(crop - 1)
            extent = end - start
            step = extent * np.float32(reach / whole) if by_ratio else extent * reach / whole
            where = (start * reach)[:, None] + numbers * step[:, None]
            share = numbers * np.float32(reach / whole)
            slopes = reach - share, share
        else:
            where = (np.float32(0.5) * (start + end) * reach)[:, None]
            half = np.full(1, np.float32(0.5) * reach)
            slopes = half, half
        inside = (where >= 0) & (where <= reach)
        safe = np.where(inside, where, np.float32(0))
    floor = np.floor(safe)
    return _Places(
        floor.astype(np.intp),
        np.ceil(safe).astype(np.intp),
        safe - floor,
        inside,
        # Halves go away from zero, as C's `roundf` has it.
        np.floor(safe + np.float32(0.5)).astype(np.intp),
        *slopes,
    )


def _axes(boxes: Array, image: Any, crop: Any, by_ratio: bool = False) -> tuple[_Places, _Places]:
    rows = _places(boxes[:, 0], boxes[:, 2], image[0], crop[0], by_ratio)
    return rows, _places(boxes[:, 1], boxes[:, 3], image[1], crop[1], by_ratio)


def _inside(rows: _Places, columns: _Places) -> Array:
    """Whether pixels of crops lie in the image, (boxes, rows, columns)."""
    found: Array = rows.inside[:, :, None] & columns.inside[:, None, :]
    return found


def _corners(bases: Array, width: int, rows: _Places, columns: _Places) -> list[Array]:
    """The four pixels around each pixel of crops: the upper left and right ones, the lower ones."""
    upper, lower = (bases + each[:, :, None] * width for each in (rows.first, rows.second))
    left, right = (each[:, None, :] for each in (columns.first, columns.second))
    return [upper + left, upper + right, lower + left, lower + right]


def _sums(
    bases: Array, width: int, rows: _Places, columns: _Places, inside: Array | None
) -> Weighted:
    """The pixels around each pixel of crops with their weights, where it is inside."""
    down, across = ((np.float32(1) - axis.way, axis.way) for axis in (rows, columns))
    weights = np.stack([y[:, :, None] * x[:, None, :] for y in down for x in across], 3)
    used = None if inside is None else inside.reshape(-1)
    places = np.stack(_corners(bases, width, rows, columns), 3)
    return weighted(places.reshape(-1, 4), weights.reshape(-1, 4), used)


def crop_and_resize(
    images: Array, boxes: Array, owners: Array, crop: tuple[int, int], smooth: bool, outside: float
) -> Array:
    """Boxes of images, resized.

    Args:
      images: Of shape (images, height, width, channels).
      boxes: Of shape (boxes, 4).
      owners: The image of each box.
      crop: Height and width of the crops.
      smooth: Pixels lie between the four around them, else they are copied.
      outside: What lies outside of the image.
    """
    _, height, width, channels = images.shape
    result: Array = aligned.empty((len(boxes), *crop, channels), np.dtype(np.float32))
    if not result.size:
        return result
    flat = images.reshape(-1, channels)
    together = max(1, _BLOCK // (crop[0] * crop[1] * channels))

    rows, columns = _axes(boxes, (height, width), crop)
    bases = (owners.astype(np.intp) * (height * width))[:, None, None]
    all_inside = bool(rows.inside.all() and columns.inside.all())
    are_features = smooth and flat.dtype == np.float32 and channels >= _FEATURES
    # Sums have infinities where the way from one pixel to another has a NaN.
    if are_features and np.isfinite(flat).all():
        inside = None if all_inside else _inside(rows, columns)
        sums = _sums(bases, width, rows, columns, inside)
        _fill(result.reshape(-1, channels), flat, sums)
        if inside is not None:
            result[~inside] = outside
        return result

    def piece(begin: int, end: int) -> None:
        # Fresh memory would take longer than what is done in it.
        spare = [np.empty((together, *crop, channels), np.float32) for _ in range(2 * smooth)]
        for number in range(begin, end):
            some = slice(number * together, (number + 1) * together)
            made = result[some]

            # As few numbers as a pixel has would be a loop each.
            flat_rows = len(made), crop[0], crop[1] * channels

            def pixels(y: Array, x: Array, out: Array, some: slice = some) -> Array:
                places = bases[some] + y[some, :, None] * width + x[some, None, :]
                if flat.dtype == out.dtype:
                    # Places are in range; numpy buffers `out` unless it need not raise for others.
                    flat.take(places, axis=0, out=out, mode="clip")
                else:
                    out[...] = flat.take(places, axis=0)
                return out

            if smooth:
                left, top = (each[: len(made)] for each in spare)
                across = np.repeat(columns.way[some], channels, axis=1)[:, None]
                for y, target in ((rows.first, top), (rows.second, made)):
                    pixels(y, columns.first, left)
                    pixels(y, columns.second, target)
                    _between(left.reshape(flat_rows), target.reshape(flat_rows), across)
                _between(top.reshape(flat_rows), made.reshape(flat_rows), rows.way[some, :, None])
            else:
                pixels(rows.nearest, columns.nearest, made)
            if not all_inside:
                inside = rows.inside[some, :, None] & columns.inside[some, None, :]
                made[~inside] = outside

    pieces = -(-len(boxes) // together)
    split(pieces, grain_of(pieces, result.size * _SECONDS), piece)
    return result


def _fill(pixels: Array, flat: Array, sums: Weighted) -> None:
    """Fills pixels of crops with sums of an image's, as many together as stay in the cache."""
    together = max(1, _FILLED // max(1, pixels.shape[1]))

    def piece(begin: int, end: int) -> None:
        for start in range(begin * together, min(end * together, len(pixels)), together):
            some = slice(start, start + together)
            weighted_rows.take(flat, sums.part(some), pixels[some])

    pieces = -(-len(pixels) // together)
    split(pieces, grain_of(pieces, pixels.size * _SECONDS), piece)


def _between(first: Array, second: Array, way: Array) -> None:
    """Moves `first` towards `second`, into the memory of `second`."""
    second -= first
    second *= way
    second += first


def image_gradient(
    grads: Array, boxes: Array, owners: Array, shape: tuple[int, ...], dtype: Any, smooth: bool
) -> Array:
    """The gradient of `crop_and_resize` for images of that shape and type."""
    _, height, width, channels = shape
    sums = np.zeros(shape, np.float64 if dtype == np.float64 else np.float32)
    rows, columns = _axes(boxes, (height, width), grads.shape[1:3])
    base = (owners.astype(np.intp) * (height * width))[:, None, None]
    inside = _inside(rows, columns)
    target = sums.reshape(-1, channels)
    if not smooth:
        nearest = base + rows.nearest[:, :, None] * width + columns.nearest[:, None, :]
        _add(target, nearest, inside, grads)
    elif sums.dtype == np.float64:
        # Products are of single precision, as TensorFlow's.
        across, down = ((np.float32(1) - axis.way, axis.way) for axis in (columns, rows))
        corners = iter(_corners(base, width, rows, columns))
        for y in down:
            weighted_grads = y[:, :, None, None] * grads
            for x in across:
                _add(target, next(corners), inside, x[:, None, :, None] * weighted_grads)
    elif grads.size:
        found = _sums(base, width, rows, columns, inside)
        weighted_rows.add(target, found, np.ascontiguousarray(grads).reshape(-1, channels))
    return sums.astype(dtype, copy=False)


def _add(target: Array, places: Array, inside: Array, grads: Array) -> None:
    """Adds gradients to the pixels at places, where these are inside."""
    ones = np.ones((places.size, 1), target.dtype)
    flat = np.ascontiguousarray(grads, target.dtype).reshape(places.size, target.shape[1])
    weighted_rows.add(target, weighted(places.reshape(-1, 1), ones, inside.reshape(-1)), flat)


def boxes_gradient(grads: Array, images: Array, boxes: Array, owners: Array) -> Array:
    """The gradient of the smooth `crop_and_resize` with respect to the boxes."""
    _, height, width, channels = images.shape
    rows, columns = _axes(boxes, (height, width), grads.shape[1:3], by_ratio=True)
    flat = np.ascontiguousarray(images, np.float32).reshape(-1, channels)
    bases = (owners.astype(np.intp) * (height * width))[:, None, None]
    places = _corners(bases, width, rows, columns)
    # How crops, times their gradients, change by the row on the left and on the right side, and
    # by the column on the upper and on the lower side.
    slopes = np.zeros((4, *grads.shape[:3]), np.float32)
    pixels_of_box = grads.shape[1] * grads.shape[2]
    together = max(1, _BLOCK // max(1, pixels_of_box * channels))

    def piece(begin: int, end: int) -> None:
        spare = np.empty((5, together * pixels_of_box, channels), np.float32)
        for number in range(begin, end):
            some = slice(number * together, (number + 1) * together)
            given = grads[some].reshape(-1, channels)
            *pixels, moved = spare[:, : len(given)]
            for each, out in zip(places, pixels, strict=True):
                flat.take(each[some].reshape(-1), axis=0, out=out, mode="clip")
            for slope, (one, other) in zip(slopes, _PAIRS, strict=True):
                np.subtract(pixels[other], pixels[one], out=moved)
                slope[some] = np.einsum("pc,pc->p", moved, given).reshape(slope[some].shape)

    pieces = -(-len(grads) // together)
    split(pieces, grain_of(pieces, grads.size * _SECONDS), piece)
    slopes[:, ~_inside(rows, columns)] = 0
    left, right, above, below = slopes
    down, across = rows.way[:, :, None], columns.way[:, None, :]
    y_slope = (np.float32(1) - across) * left + across * right
    x_slope = (np.float32(1) - down) * above + down * below
    result = np.stack(
        (
            (y_slope * rows.slope_of_start[None, :, None]).sum((1, 2)),
            (x_slope * columns.slope_of_start[None, None, :]).sum((1, 2)),
            (y_slope * rows.slope_of_end[None, :, None]).sum((1, 2)),
            (x_slope * columns.slope_of_end[None, None, :]).sum((1, 2)),
        ),
        1,
    )
    return result.astype(np.float32, copy=False)
