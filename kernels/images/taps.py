"""Weighted sums along the rows and columns of images: what all ways of resizing come down to."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from dataflow.kernels.memory import aligned
from dataflow.kernels.reductions import weighted_rows
from dataflow.kernels.reductions.weighted_rows import Weighted
from dataflow.kernels.threads.parallel import grain_of, split

_BLOCK: Final = 1 << 18
"""Elements of a result that are made together, so that they stay in the cache."""
_SECONDS: Final = 0.5e-9
"""What an element takes for each of its taps, about."""
_WIDE: Final = 32
"""Elements of a place from which a weight of it is multiplied in a loop of its own."""
_SUMMED: Final = 16
"""Elements of a place from which places are summed one by one,"""
_PLACES: Final = 1 << 12
"""and places of which it is known at once how."""

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Taps:
    """For each place along an axis of a result, places of the input and what they weigh."""

    places: Array
    """Of shape (places of the result, taps)."""
    weights: Array
    """Of the same shape, of the type in which sums are taken."""
    counts: Array | None = None
    """How many places of each count; None if all do. What others weigh is 0."""

    @functools.lru_cache(32)  # noqa: B019
    def part(self, start: int, stop: int) -> tuple[Taps, Array]:
        """The taps of a stretch of the result, and the places of the input that it needs."""
        needed, places = np.unique(self.places[start:stop], return_inverse=True)
        counts = None if self.counts is None else self.counts[start:stop]
        places = places.reshape(-1, self.places.shape[1])
        return Taps(places, self.weights[start:stop], counts), needed

    def apply(self, images: Array, out: Array | None = None) -> Array:
        """The sums for images of shape (images, size, elements), in the order of the taps."""
        images = images.astype(self.weights.dtype, copy=False)
        if images.shape[2] >= _SUMMED and images.dtype.char in "fd":
            return self._summed(images, out)
        first, *others = self._spread(images.shape[2])
        result = _taken(images, first, out)
        _scale(result, first)
        spare = None
        for tap in others:
            spare = _taken(images, tap, spare)
            _scale(spare, tap)
            result += spare
        return result

    def _summed(self, images: Array, out: Array | None) -> Array:
        count, size, elements = images.shape
        if out is None:
            out = np.empty((count, len(self.places), elements), images.dtype)
        together = max(1, _PLACES // len(self.places))
        for start in range(0, count, together):
            some = images[start : start + together]
            sums = self._sums(len(some), size)
            target = out[start : start + together].reshape(-1, elements)
            weighted_rows.take(some.reshape(-1, elements), sums, target)
        return out

    @functools.lru_cache(8)  # noqa: B019
    def _sums(self, images: int, size: int) -> Weighted:
        """The sums of several images, of so many places each."""
        count, taps = self.places.shape
        counts = np.full(count, taps) if self.counts is None else self.counts
        used = np.arange(taps) < counts[:, None]
        places, weights = self.places[used], self.weights[used]
        starts = np.zeros(images * count + 1, np.int32)
        np.cumsum(np.tile(counts, images), out=starts[1:])
        places = (np.arange(images)[:, None] * size + places).astype(np.int32)
        return Weighted(starts, places.reshape(-1), np.tile(weights, images))

    @functools.lru_cache(8)  # noqa: B019
    def _spread(self, elements: int) -> list[_Tap]:
        pairs = zip(self.places.T, self.weights.T, strict=True)
        return [_tap(places, weights, elements) for places, weights in pairs]

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
        return Taps(places, turned, counts)


@dataclass(frozen=True, slots=True, eq=False)
class _Tap:
    """Places of images whose places have a number of elements."""

    places: Array
    """Of elements, if these are moved one by one."""
    weights: Array | None
    """As what is taken is multiplied by them; None if all of them are one."""
    is_single: bool
    """Whether elements are moved one by one."""


def _tap(places: Array, weights: Array, elements: int) -> _Tap:
    scales: Array | None = None
    if not (weights == 1).all():
        # As few elements as a pixel has would be a loop each.
        scales = weights[:, None] if elements >= _WIDE else np.repeat(weights, elements)
    # Twelve bytes are no size that numpy moves in one instruction.
    is_single = elements == 3
    if is_single:
        places = (places[:, None] * 3 + np.arange(3)).ravel()
    return _Tap(places, scales, is_single)


def _taken(images: Array, tap: _Tap, out: Array | None) -> Array:
    """What stands at places along the second axis, in `out` if there is one of that shape."""
    count, size, elements = images.shape
    if out is None:
        length = tap.places.size // 3 if tap.is_single else tap.places.size
        out = np.empty((count, length, elements), images.dtype)
    if tap.is_single:
        flat = out.reshape(count, tap.places.size)
        # With "clip" numpy takes half as long again for single elements.
        images.reshape(count, size * 3).take(tap.places, axis=1, out=flat, mode="wrap")
    else:
        images.take(tap.places, axis=1, out=out, mode="wrap")
    return out


def _scale(images: Array, tap: _Tap) -> None:
    """Multiplies what stands at each place of the second axis by its weight."""
    if tap.weights is not None:
        flat = images if tap.weights.ndim == 2 else images.reshape(len(images), tap.weights.size)
        flat *= tap.weights


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
        """What lies between, for images of shape (images, size, elements)."""
        lower, upper = self._spread(images.shape[2])
        result = _taken(images, lower, out)
        if self.way.any():
            ahead = _taken(images, upper, None)
            ahead -= result
            _scale(ahead, upper)
            result += ahead
        return result

    @functools.lru_cache(8)  # noqa: B019
    def _spread(self, elements: int) -> tuple[_Tap, _Tap]:
        none = np.ones_like(self.way)
        return _tap(self.lower, none, elements), _tap(self.upper, self.way, elements)

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
            # All rows of several images, or some of one: what is written to by another shape.
            target = result[some, start:stop]
            if first == "rows":
                work = part.apply(work.reshape(number, needed.size, width * channels))
                columns.apply(
                    work.reshape(number * (stop - start), width, channels),
                    target.reshape(number * (stop - start), size[1], channels),
                )
            else:
                work = columns.apply(work.reshape(number * needed.size, width, channels))
                work = work.reshape(number, needed.size, size[1] * channels)
                part.apply(work, target.reshape(number, stop - start, -1))

    pieces = -(-count // together) * len(strips)
    split(pieces, grain_of(pieces, result.size * _SECONDS * _taps(rows)), piece)
    return result


def _taps(axis: Taps | Between) -> int:
    return 2 if isinstance(axis, Between) else axis.places.shape[1]
