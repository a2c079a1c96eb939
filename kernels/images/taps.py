"""Weighted sums along the rows and columns of images: what all ways of resizing come down to."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from dataflow.kernels.memory import aligned
from dataflow.kernels.threads.parallel import grain_of, split

_BLOCK: Final = 1 << 18
"""Elements of a result that are made together, so that they stay in the cache."""
_SECONDS: Final = 1e-9
"""What an element takes for each of its taps, about."""

_LONG: Final = 1 << 11
"""Elements of a row from which each one is made by itself, so that none is copied first."""

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Taps:
    """For each place along an axis of a result, places of the input and what they weigh."""

    places: Array
    """Of shape (places of the result, taps)."""
    weights: Array
    """Of the same shape, of the type in which sums are taken."""

    @functools.lru_cache(32)  # noqa: B019
    def part(self, start: int, stop: int) -> tuple[Taps, Array]:
        """The taps of a stretch of the result, and the places of the input that it needs."""
        needed, places = np.unique(self.places[start:stop], return_inverse=True)
        return Taps(places.reshape(-1, self.places.shape[1]), self.weights[start:stop]), needed

    def apply(self, images: Array, out: Array | None = None) -> Array:
        """The sums for images of shape (images, size, elements), in the order of the taps.

        Long rows are written to `out`, if there is one, and that is what is returned.
        """
        if images.shape[2] >= _LONG:
            return _one_by_one(images, self._made(images, out), self._fill)
        result = _weighted(images, self.places[:, 0], self.weights[:, 0])
        for tap in range(1, self.places.shape[1]):
            result += _weighted(images, self.places[:, tap], self.weights[:, tap])
        return result

    def _made(self, images: Array, out: Array | None) -> Array:
        shape = len(images), len(self.places), images.shape[2]
        return np.empty(shape, self.weights.dtype) if out is None else out

    def _fill(self, images: Array, place: int, result: Array, spare: Array) -> None:
        first, *others = range(self.places.shape[1])
        places, weights = self.places[place], self.weights[place]
        np.multiply(images[:, places[first]], weights[first], out=result)
        for tap in others:
            if weights[tap]:
                np.multiply(images[:, places[tap]], weights[tap], out=spare)
                result += spare

    def turned(self, size: int) -> Taps:
        """The taps by which gradients go back to an input of so many places."""
        count, taps = self.places.shape
        flat, results = self.places.reshape(-1), np.repeat(np.arange(count), taps)
        weights = self.weights.reshape(-1)
        used = weights != 0
        flat, results, weights = flat[used], results[used], weights[used]
        order = np.argsort(flat, kind="stable")
        flat, results, weights = flat[order], results[order], weights[order]
        counts = np.bincount(flat, minlength=size)
        width = max(1, int(counts.max(initial=0)))
        number = np.arange(flat.size) - np.repeat(np.cumsum(counts) - counts, counts)
        places = np.zeros((size, width), np.intp)
        turned = np.zeros((size, width), weights.dtype)
        places[flat, number], turned[flat, number] = results, weights
        return Taps(places, turned)


def _one_by_one(images: Array, result: Array, fill: Callable[..., None]) -> Array:
    """Fills the result for each place along its second axis in turn."""
    spare = np.empty((len(images), images.shape[2]), result.dtype)
    for place in range(result.shape[1]):
        fill(images, place, result[:, place], spare)
    return result


def _weighted(images: Array, places: Array, weights: Array) -> Array:
    taken = images.take(places, axis=1, mode="clip")
    if taken.dtype != weights.dtype:
        taken = taken.astype(weights.dtype)
    if not (weights == 1).all():
        _scale(taken, weights)
    return taken


def _scale(images: Array, weights: Array) -> None:
    """Multiplies what stands at each place of the second axis by a weight of its own."""
    count, size, elements = images.shape
    # As few elements as a pixel has would be a loop each.
    images.reshape(count, size * elements)[...] *= np.repeat(weights, elements)


@dataclass(frozen=True, slots=True, eq=False)
class Between:
    """For each place along an axis of a result, two places of the input and how far it is from the
    first to the second."""

    lower: Array
    upper: Array
    way: Array

    @functools.lru_cache(32)  # noqa: B019
    def part(self, start: int, stop: int) -> tuple[Between, Array]:
        """The places of a stretch of the result, and the places of the input that it needs."""
        lower, upper = self.lower[start:stop], self.upper[start:stop]
        needed, places = np.unique(np.concatenate((lower, upper)), return_inverse=True)
        count = lower.size
        return Between(places[:count], places[count:], self.way[start:stop]), needed

    def apply(self, images: Array, out: Array | None = None) -> Array:
        """What lies between, for images of shape (images, size, elements); `out` as for `Taps`."""
        if images.shape[2] >= _LONG:
            shape = len(images), self.lower.size, images.shape[2]
            made = np.empty(shape, self.way.dtype) if out is None else out
            return _one_by_one(images, made, self._fill)
        first = images.take(self.lower, axis=1, mode="clip")
        if not self.way.any():
            return first
        result = images.take(self.upper, axis=1, mode="clip")
        result -= first
        _scale(result, self.way)
        result += first
        return result

    def _fill(self, images: Array, place: int, result: Array, _: Array) -> None:
        lower, way = images[:, self.lower[place]], self.way[place]
        if way:
            np.subtract(images[:, self.upper[place]], lower, out=result)
            result *= way
            result += lower
        else:
            result[...] = lower

    def taps(self) -> Taps:
        """The same as weights, as gradients need them."""
        places = np.stack((self.lower, self.upper), 1)
        return Taps(places, np.stack((np.float32(1) - self.way, self.way), 1))


def resampled(
    images: Array,
    rows: Taps | Between,
    columns: Taps | Between,
    size: tuple[int, int],
    first: str,
    dtype: Any = np.float32,
) -> Array:
    """Images with other numbers of rows and columns.

    Args:
      images: Of shape (images, height, width, channels), of any real type.
      rows: How each row of the result is made of rows.
      columns: How each column is made of columns.
      size: Height and width of the result.
      first: "rows" or "columns": which sums are taken first.
      dtype: The type of the result, and of the weights.
    """
    count, _, width, channels = images.shape
    result: Array = aligned.empty((count, *size, channels), np.dtype(dtype))
    cost = size[1] * channels
    height = max(1, min(size[0], _BLOCK // max(1, cost)))
    together = max(1, _BLOCK // max(1, cost * size[0])) if height == size[0] else 1
    strips = [(start, min(size[0], start + height)) for start in range(0, size[0], height)]
    parts = [rows.part(start, stop) for start, stop in strips]

    def piece(begin: int, end: int) -> None:
        for index in range(begin, end):
            group, strip = divmod(index, len(strips))
            some = slice(group * together, min(count, (group + 1) * together))
            (start, stop), (part, needed) = strips[strip], parts[strip]
            work = images[some]
            if needed.size != images.shape[1]:
                work = work.take(needed, axis=1, mode="clip")
            work = work.astype(dtype, copy=False)
            number = len(work)
            if first == "rows":
                work = part.apply(work.reshape(number, needed.size, width * channels))
                work = columns.apply(work.reshape(number * (stop - start), width, channels))
            else:
                work = columns.apply(work.reshape(number * needed.size, width, channels))
                work = work.reshape(number, needed.size, size[1] * channels)
                target = result[some, start:stop].reshape(number, stop - start, -1)
                work = part.apply(work, target)
                if work is target:
                    continue
            result[some, start:stop] = work.reshape(number, stop - start, size[1], channels)

    pieces = -(-count // together) * len(strips)
    split(pieces, grain_of(pieces, result.size * _SECONDS * _taps(rows)), piece)
    return result


def _taps(axis: Taps | Between) -> int:
    return 2 if isinstance(axis, Between) else axis.places.shape[1]
