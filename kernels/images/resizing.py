"""Images resized in TensorFlow's four ways, and the gradients of three of them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from dataflow.kernels.images import scales
from dataflow.kernels.images.taps import Taps, resampled
from dataflow.kernels.memory import aligned as memory
from dataflow.kernels.threads.parallel import grain_of, split

_SECONDS: Final = 0.5e-9
"""What it takes to copy an element, about."""
Array = np.ndarray[Any, Any]
Size = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Convention:
    """Where pixels lie: corners may be aligned, or pixels be counted from their centers."""

    aligned: bool
    centered: bool


def bilinear(images: Array, size: Size, way: Convention) -> Array:
    """What lies between the four pixels around each one."""
    if images.shape[1:3] == size:
        return images.astype(np.float32)
    rows, columns = _axes(scales.bilinear, images, size, way)
    return resampled(images, rows, columns, size, "columns")


def cubic(images: Array, size: Size, way: Convention) -> Array:
    """The sum of the 16 pixels around each one."""
    if images.shape[1:3] == size:
        return images.astype(np.float32)
    rows, columns = _axes(scales.cubic, images, size, way)
    return resampled(images, rows, columns, size, "rows")


def area(images: Array, size: Size, aligned: bool) -> Array:
    """The mean of the pixels that each one covers."""
    (rows, high), (columns, wide) = (
        scales.area(old, new, aligned) for old, new in zip(images.shape[1:3], size, strict=True)
    )
    result = resampled(images, rows, columns, size, "columns")
    result *= np.float32(1) / (high * wide)
    return result


def nearest(images: Array, size: Size, way: Convention) -> Array:
    """A copy of the nearest pixel."""
    rows, columns = _axes(scales.nearest, images, size, way)
    count, _, _, channels = images.shape
    result: Array = memory.empty((count, *size, channels), images.dtype)

    def piece(begin: int, end: int) -> None:
        for index in range(begin, end):
            _copy(images[index], rows, columns, result[index])

    split(count, grain_of(count, result.size * _SECONDS), piece)
    return result


def _copy(image: Array, rows: Array, columns: Array, result: Array) -> None:
    """Fills one image; rows that are the same are made once."""
    needed, numbers = np.unique(rows, return_inverse=True)
    strip = image if needed.size == len(image) else image[needed]
    if needed.size == rows.size:
        strip.take(columns, axis=1, out=result, mode="clip")
    else:
        made = strip.take(columns, axis=1, mode="clip")
        made.take(numbers, axis=0, out=result, mode="clip")


def bilinear_gradient(grads: Array, size: Size, dtype: Any, way: Convention) -> Array:
    """The gradient of `bilinear` for images of that size and type."""
    if dtype == np.float64:
        rows, columns = (
            scales.bilinear(old, new, way.aligned, way.centered).taps()
            for old, new in zip(size, grads.shape[1:3], strict=True)
        )
        return _bilinear_gradient_wide(grads, rows, columns, size)
    found = _gradient(_bilinear_back, grads, size, way, np.dtype(np.float32))
    return found.astype(dtype, copy=False)


def cubic_gradient(grads: Array, size: Size, dtype: Any, way: Convention) -> Array:
    """The gradient of `cubic` for images of that size and type."""
    return _gradient(_cubic_back, grads, size, way, np.dtype(dtype))


def nearest_gradient(grads: Array, size: Size, way: Convention) -> Array:
    """The gradient of `nearest` for images of that size; sums of integers wrap around."""
    rows, columns = (
        scales.nearest(old, new, way.aligned, way.centered)
        for old, new in zip(size, grads.shape[1:3], strict=True)
    )
    count, height, width, channels = grads.shape
    dtype = grads.dtype if grads.dtype.kind in "iu" or grads.dtype.itemsize > 2 else np.float32
    across = _single(columns, dtype).turned(size[1])
    down = _single(rows, dtype).turned(size[0])
    work = across.apply(grads.reshape(count * height, width, channels))
    work = down.apply(work.reshape(count, height, size[1] * channels))
    return work.reshape(count, *size, channels).astype(grads.dtype, copy=False)


def _single(places: Array, dtype: Any) -> Taps:
    return Taps(places[:, None], np.ones((places.size, 1), dtype))


def _axes(find: Any, images: Array, size: Size, way: Convention) -> Any:
    return [
        find(old, new, way.aligned, way.centered)
        for old, new in zip(images.shape[1:3], size, strict=True)
    ]


@functools.lru_cache(64)
def _bilinear_back(old: int, new: int, way: Convention, dtype: Any) -> Taps:
    """The taps by which gradients of so many new pixels go back to so many old ones."""
    return _back(scales.bilinear(old, new, way.aligned, way.centered).taps(), old, dtype)


@functools.lru_cache(64)
def _cubic_back(old: int, new: int, way: Convention, dtype: Any) -> Taps:
    return _back(scales.cubic(old, new, way.aligned, way.centered), old, dtype)


def _back(axis: Taps, old: int, dtype: Any) -> Taps:
    return Taps(axis.places, axis.weights.astype(dtype, copy=False)).turned(old)


def _gradient(
    back: Callable[..., Taps], grads: Array, size: Size, way: Convention, dtype: Any
) -> Array:
    """The sums by which gradients go back, in a type."""
    pairs = zip(size, grads.shape[1:3], strict=True)
    down, across = (back(old, new, way, dtype) for old, new in pairs)
    return resampled(grads, down, across, size, "rows", dtype)


def _bilinear_gradient_wide(grads: Array, rows: Taps, columns: Taps, size: Size) -> Array:
    """The gradient in doubles, of products that are rounded to single precision as TensorFlow's."""
    count, height, width, channels = grads.shape
    result = np.zeros((count, *size, channels))
    for row in range(rows.places.shape[1]):
        weighted = grads * rows.weights[:, row, None, None]
        across: Any = 0
        for column in range(columns.places.shape[1]):
            products = weighted * columns.weights[:, column, None]
            back = _single(columns.places[:, column], np.float64).turned(size[1])
            across = across + back.apply(products.reshape(count * height, width, channels))
        down = _single(rows.places[:, row], np.float64).turned(size[0])
        across = across.reshape(count, height, size[1] * channels)
        result += down.apply(across).reshape(result.shape)
    return result
