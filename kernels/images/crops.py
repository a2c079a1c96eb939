"""Boxes of images in one size, and the gradients of that; glimpses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from dataflow.kernels.images.crop_products import Products, along, are_features, pays
from dataflow.kernels.memory import aligned
from dataflow.kernels.reductions.row_sums import add_rows
from dataflow.kernels.threads.parallel import grain_of, split

_BLOCK: Final = 1 << 16
"""Elements of crops that are made together, so that they stay in the cache."""
_SECONDS: Final = 4e-9
"""What an element takes, about."""
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


def _products(images: Array, owners: Array, rows: _Places, columns: _Places) -> Products | None:
    """What makes boxes by products; None if that does not pay."""
    if not are_features(images):
        return None
    lines, lots = (along(x.first, x.second, x.way, x.inside) for x in (rows, columns))
    return Products(images, owners, lines, lots) if pays(images, lines, lots) else None


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
    by_products = _products(images, owners, rows, columns) if smooth else None

    def fill(some: slice, made: Array) -> None:
        if not all_inside:
            inside = rows.inside[some, :, None] & columns.inside[some, None, :]
            made[~inside] = outside

    def products(begin: int, end: int) -> None:
        assert by_products is not None
        some = slice(begin * together, end * together)
        for box in range(len(boxes))[some]:
            by_products.fill(box, result[box])
        fill(some, result[some])

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
            fill(some, made)

    pieces = -(-len(boxes) // together)
    split(
        pieces, grain_of(pieces, result.size * _SECONDS), piece if by_products is None else products
    )
    return result


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
    inside = (rows.inside[:, :, None] & columns.inside[:, None, :]).reshape(-1)
    target = sums.reshape(shape[0] * height * width, channels)

    def add(y: Array, x: Array, part: Array) -> None:
        places = (base + y[:, :, None] * width + x[:, None, :]).reshape(-1)
        values = part.astype(sums.dtype, copy=False).reshape(places.size, channels)
        if not inside.all():
            places, values = places[inside], values[inside]
        if not add_rows(target, places, values):
            np.add.at(target, places, values)

    if not smooth:
        add(rows.nearest, columns.nearest, grads)
    elif grads.size:
        one = np.float32(1)
        down, across = rows.way[:, :, None, None], columns.way[:, None, :, None]
        for y, weight in ((rows.first, one - down), (rows.second, down)):
            weighted = weight * grads
            add(y, columns.first, (one - across) * weighted)
            add(y, columns.second, across * weighted)
    return sums.astype(dtype, copy=False)


def boxes_gradient(grads: Array, images: Array, boxes: Array, owners: Array) -> Array:
    """The gradient of the smooth `crop_and_resize` with respect to the boxes."""
    count, height, width, channels = images.shape
    rows, columns = _axes(boxes, (height, width), grads.shape[1:3], by_ratio=True)
    flat = images.reshape(count * height * width, channels)
    base = (owners.astype(np.intp) * (height * width))[:, None, None]

    def pixels(y: Array, x: Array) -> Array:
        taken: Array = flat[base + y[:, :, None] * width + x[:, None, :]].astype(np.float32)
        return taken

    upper_left = pixels(rows.first, columns.first)
    upper_right = pixels(rows.first, columns.second)
    lower_left = pixels(rows.second, columns.first)
    lower_right = pixels(rows.second, columns.second)
    down, across = rows.way[:, :, None, None], columns.way[:, None, :, None]
    one = np.float32(1)
    of_y = (one - across) * (lower_left - upper_left) + across * (lower_right - upper_right)
    of_x = (one - down) * (upper_right - upper_left) + down * (lower_right - lower_left)
    inside = (rows.inside[:, :, None] & columns.inside[:, None, :])[..., None]
    y_slope = (np.where(inside, of_y * grads, 0)).sum(-1)
    x_slope = (np.where(inside, of_x * grads, 0)).sum(-1)
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
