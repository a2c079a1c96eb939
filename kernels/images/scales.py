"""Where the pixels of a resized image lie in the image, by TensorFlow's three conventions."""

from __future__ import annotations

import functools
from typing import Any, Final

import numpy as np

from dataflow.kernels.images.taps import Between, Taps

_TABLE: Final = 1024
"""Steps between two pixels for which the weights of cubic interpolation are kept."""
_ONE: Final = np.float32(1)
_HALF: Final = np.float32(0.5)
Array = np.ndarray[Any, Any]


def scale_of(size: int, new_size: int, aligned: bool) -> np.float32:
    """How many pixels of the image one of the result stands for, along an axis."""
    if aligned and new_size > 1:
        return np.float32(np.float32(size - 1) / np.float32(new_size - 1))
    return np.float32(np.float32(size) / np.float32(new_size))


def _positions(size: int, new_size: int, aligned: bool, centered: bool) -> Array:
    """Where the pixels of the result lie; `centered` counts pixels from their centers."""
    scale = scale_of(size, new_size, aligned)
    numbers = np.arange(new_size, dtype=np.float32)
    return (numbers + _HALF) * scale - _HALF if centered else numbers * scale


@functools.lru_cache(64)
def bilinear(size: int, new_size: int, aligned: bool, centered: bool) -> Between:
    """The two pixels around each one."""
    places = _positions(size, new_size, aligned, centered)
    floor = np.floor(places)
    lower = np.maximum(floor, 0).astype(np.intp)
    upper = np.minimum(np.ceil(places), size - 1).astype(np.intp)
    return Between(np.minimum(lower, size - 1), np.maximum(upper, 0), places - floor)


@functools.lru_cache(64)
def nearest(size: int, new_size: int, aligned: bool, centered: bool) -> Array:
    """The pixel that each one is a copy of."""
    scale = scale_of(size, new_size, aligned)
    numbers = np.arange(new_size, dtype=np.float32)
    places = (numbers + _HALF if centered else numbers) * scale
    # Halves go away from zero, as C's `roundf` has it.
    whole = np.floor(places + _HALF) if aligned else np.floor(places)
    found: Array = np.clip(whole.astype(np.intp), 0, size - 1)
    return found


@functools.lru_cache(64)
def cubic(size: int, new_size: int, aligned: bool, centered: bool) -> Taps:
    """The four pixels around each one, and their weights by Keys' cubic convolution.

    With `centered` a is -0.5, as Keys has it (1981), and pixels outside of the image weigh
    nothing; else it is -0.75, and those at the edge stand for them.
    """
    positions = _positions(size, new_size, aligned, centered)
    floor = np.floor(positions)
    offsets = np.rint((positions - floor) * np.float32(_TABLE)).astype(np.intp)
    near, far = _cubic_table(-0.5 if centered else -0.75)
    weights = np.stack(
        (far[offsets], near[offsets], near[_TABLE - offsets], far[_TABLE - offsets]), 1
    )
    wanted = floor.astype(np.intp)[:, None] + np.arange(-1, 3)
    places = np.clip(wanted, 0, size - 1)
    if centered:
        weights[places != wanted] = 0
        total = weights[:, 0] + weights[:, 1] + weights[:, 2] + weights[:, 3]
        is_large = np.abs(total) >= np.float32(1000) * np.finfo(np.float32).tiny
        factor = np.divide(_ONE, total, out=np.ones_like(total), where=is_large)
        weights = weights * factor[:, None]
    return Taps(places, weights)


@functools.cache
def _cubic_table(a: float) -> tuple[Array, Array]:
    """Weights of pixels nearer than one pixel, and of those further away."""
    x = np.arange(_TABLE + 1) / _TABLE
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    x = x + 1
    far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
    return near.astype(np.float32), far.astype(np.float32)


@functools.lru_cache(64)
def area(size: int, new_size: int, aligned: bool) -> tuple[Taps, np.float32]:
    """The pixels that each one covers and how much of them, and how large it is."""
    scale = scale_of(size, new_size, aligned)
    numbers = np.arange(new_size + 1, dtype=np.float32) * scale
    begin, end = numbers[:-1, None], numbers[1:, None]
    start = np.floor(begin).astype(np.intp)
    count = max(1, int((np.ceil(end).astype(np.intp) - start).max()))
    wanted = start + np.arange(count)
    pixel = wanted.astype(np.float32)
    late = pixel + _ONE > end
    weights = np.where(
        pixel < begin,
        np.where(late, scale, pixel + _ONE - begin),
        np.where(late, end - pixel, _ONE),
    ).astype(np.float32)
    weights[wanted >= np.ceil(end)] = 0
    return Taps(np.clip(wanted, 0, size - 1), weights), scale
