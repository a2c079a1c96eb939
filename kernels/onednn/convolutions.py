"""Convolutions of float32 images and their gradients by oneDNN, some images on each thread.

Arrays are (batch, *spatial, channels), filters (*taps, input channels, output channels); channels
fall into groups as the sizes say. Results are None where oneDNN is absent or has no fast code.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

import numpy as np

from dataflow.kernels import aligned
from dataflow.kernels.epilogue import Rectifier
from dataflow.kernels.onednn import trial
from dataflow.kernels.onednn.addresses import address_of
from dataflow.kernels.onednn.bands import bands
from dataflow.kernels.onednn.convolution_plans import Geometry, Plan, plan
from dataflow.kernels.onednn.invalid_flag import flag
from dataflow.kernels.onednn.library import (
    CONVOLVE,
    CONVOLVE_FILTER,
    CONVOLVE_INPUT,
    FLOAT32,
    OneDnnError,
)
from dataflow.kernels.onednn.primitive import are_float32, plain
from dataflow.kernels.parallel import split
from dataflow.kernels.windows import Window
from dataflow.kernels.workspace import workspace

_CALL: Final = 96_000_000
"""Multiplications of a call, if there are so many."""
_WORTH: Final = 8_000_000
"""Multiplications that are worth a thread."""
_CALLS: Final = 8
"""Calls that the work is made into, if that is worth it; also the sums that a filter's gradient is
the sum of."""
_FEW_IMAGES: Final = 3
"""Images that are cut into bands, at most."""
_PLACES: Final = 400
"""Places in a sum of the gradient of filters, if there are so many, for adding sums costs time."""
_PART: Final = 1 << 18
"""Numbers of the result of a call, if something more is done with them while they are in the
cache."""
_THIN: Final = 8
"""Channels of the images below which their gradient is slow."""


def convolve(
    x: Any,
    filters: Any,
    windows: Sequence[Window],
    bias: Any = None,
    finish: Callable[[Any], None] | None = None,
) -> Any:
    """The convolution of images with filters; None if oneDNN cannot.

    Args:
      x: (batch, *spatial, channels), not empty.
      filters: (*taps, depth, width), not empty.
      windows: How they move.
      bias: Numbers to be added, one an output channel, or None.
      finish: What then changes the results in place, part by part, or None.
    """
    if not are_float32(x, filters):
        return None
    depth, width = filters.shape[-2:]
    rectifies = isinstance(finish, Rectifier) and _can_rectify()
    geometry = Geometry(tuple(windows), x.shape[-1], depth, width, bias is not None, rectifies)
    step = _step(geometry, x.shape[0])
    if finish is not None and not rectifies:
        step = max(1, min(step, _PART // math.prod(geometry.result)))
    count = _bands(geometry, x.shape[0])
    calls = _Calls.in_bands(geometry, x.shape[0], count) if count > 1 else None
    calls = calls or _Calls.of(CONVOLVE, geometry, x.shape[0], step)
    if calls is None:
        return None
    result = aligned.empty((x.shape[0], *geometry.result), FLOAT32)
    calls.run(plain(x), filters, result, () if bias is None else (plain(bias),), finish)
    return result


def input_gradient(filters: Any, dy: Any, windows: Sequence[Window], channels: int) -> Any:
    """The gradient of the images, which have so many channels; None if oneDNN cannot."""
    if not are_float32(filters, dy) or channels < _THIN:
        return None
    geometry = Geometry(tuple(windows), channels, *filters.shape[-2:])
    calls = _Calls.of(CONVOLVE_INPUT, geometry, dy.shape[0], _step(geometry, dy.shape[0]))
    if calls is None:
        return None
    result = aligned.empty((dy.shape[0], *geometry.source), FLOAT32)
    calls.run(plain(dy), filters, result, (), None)
    return result


def filter_gradient(x: Any, dy: Any, windows: Sequence[Window], depth: int) -> Any:
    """The gradient of filters of so many input channels; None if oneDNN cannot."""
    if not are_float32(x, dy):
        return None
    geometry = Geometry(tuple(windows), x.shape[-1], depth, dy.shape[-1])
    # Each sum is one call, so that there are few sums, and none is small.
    images = x.shape[0]
    places = images * math.prod(geometry.result[:-1])
    most = min(_CALLS, images, images * geometry.work // _WORTH, places // _PLACES)
    # A power of two, so that as many threads end together.
    count = 1 << max(1, most).bit_length() - 1
    calls = _Calls.of(CONVOLVE_FILTER, geometry, images, -(-images // count))
    return None if calls is None else calls.sum_up(plain(x), plain(dy))


@functools.cache
def _can_rectify() -> bool:
    """Whether it shows if a rectified result was a NaN."""
    known = flag()
    geometry = Geometry((Window(8, 3, 1, 1, 1, 1, 8),) * 2, 16, 16, 16, rectifies=True)
    found = plan(CONVOLVE, geometry, 1)
    if known is None or found is None:
        return False
    lower, is_up = known

    def run(odd: float) -> bool:
        x, y = np.ones((1, 8, 8, 16), FLOAT32), np.empty((1, 8, 8, 16), FLOAT32)
        x[0, 3, 3, 3] = odd
        own = found.converted(np.ones((3, 3, 16, 16), FLOAT32), "oneDNN filters")
        lower()
        found.primitive.run(*map(address_of, (x, y, own)))
        return bool(is_up())

    return trial.tells_of_nans(run)


class _Cut(NamedTuple):
    """What one call does."""

    images: slice
    read: slice
    """Rows of the images."""
    written: slice
    """Rows of the results."""
    geometry: Geometry
    plan: Plan


_ALL: Final = slice(None)


class _Calls:
    """The calls that do all images."""

    def __init__(self, cuts: Sequence[_Cut], work: int) -> None:
        self._cuts = cuts
        self._main = cuts[0].plan
        self._work = work
        """Multiplications of all of them."""

    @classmethod
    def of(cls, function: str, geometry: Geometry, images: int, step: int) -> _Calls | None:
        """Calls for equal numbers of images each, the last one for the rest.

        Returns:
          None where oneDNN has no code for them.
        """
        cuts = []
        for start in range(0, images, step):
            part = slice(start, min(images, start + step))
            found = plan(function, geometry, part.stop - part.start)
            if found is None:
                return None
            cuts.append(_Cut(part, _ALL, _ALL, geometry, found))
        return cls(cuts, images * geometry.work)

    @classmethod
    def in_bands(cls, geometry: Geometry, images: int, count: int) -> _Calls | None:
        """Calls for so many bands of each image; None where oneDNN has no code for them."""
        cuts = []
        for band in bands(geometry, count):
            found = plan(CONVOLVE, band.geometry, 1)
            if found is None:
                return None
            for index in range(images):
                part = slice(index, index + 1)
                cuts.append(_Cut(part, band.read, band.written, band.geometry, found))
        return cls(cuts, images * geometry.work) if cuts else None

    def run(
        self,
        images: Any,
        filters: Any,
        result: Any,
        more: Sequence[Any],
        finish: Callable[[Any], None] | None,
    ) -> None:
        """Computes results that have a place for each image."""
        filters = plain(filters)
        converted: dict[Plan, Any] = {}
        for cut in self._cuts:
            if cut.plan not in converted:
                converted[cut.plan] = self._converted(cut.plan, filters, converted)
        known = flag() if self._cuts[0].geometry.rectifies else None

        def call(cut: _Cut, _: int) -> None:
            chosen, own = cut.plan, converted[cut.plan]
            read, written = images[cut.images, cut.read], result[cut.images, cut.written]
            addresses = [address_of(array) for array in (read, written, own, *more)]
            if known is not None:
                lower, is_up = known
                lower()
                chosen.primitive.run(*addresses)
                if not is_up():
                    return
                chosen, addresses[2] = _without_rectifying(cut, filters)
            chosen.primitive.run(*addresses)
            if finish is not None:
                finish(written)

        self._split(call)

    def _converted(self, chosen: Plan, filters: Any, converted: dict[Plan, Any]) -> Any:
        """The filters as a plan reads them, which other plans may read as well."""
        for other, own in converted.items():
            if chosen.agrees_with(other):
                return own
        return chosen.converted(filters, f"oneDNN filters {len(converted)}")

    def sum_up(self, x: Any, dy: Any) -> Any:
        """The gradient of the filters."""
        last = self._cuts[-1].plan
        count = len(self._cuts)
        shape = (count, max(self._main.filter_bytes, last.filter_bytes))
        sums = workspace(np, "oneDNN sums", shape, np.uint8)

        def call(cut: _Cut, index: int) -> None:
            addresses = map(address_of, (x[cut.images], dy[cut.images], sums[index]))
            cut.plan.primitive.run(*addresses)

        self._split(call)
        totals = sums.view(FLOAT32)
        alike = count - (not last.agrees_with(self._main))
        for other in totals[1:alike]:
            totals[0] += other
        result = self._main.plain(totals[0])
        return result if alike == count else result + last.plain(totals[-1])

    def _split(self, call: Callable[[_Cut, int], None]) -> None:
        cuts = self._cuts

        def piece(first: int, last: int) -> None:
            for index in range(first, last):
                call(cuts[index], index)

        split(len(cuts), max(1, len(cuts) * _WORTH // max(1, self._work)), piece)


def _without_rectifying(cut: _Cut, filters: Any) -> tuple[Plan, int]:
    """The plan of a call that keeps NaNs, and where the filters are that it reads."""
    geometry = replace(cut.geometry, rectifies=False)
    found = plan(CONVOLVE, geometry, cut.images.stop - cut.images.start)
    if found is None:
        raise OneDnnError("There is no code for a convolution without what follows it.")
    return found, address_of(found.converted(filters, "oneDNN filters with NaNs"))


def _step(geometry: Geometry, images: int) -> int:
    """Images of a call: enough to make it cheap, and several calls where the work is large."""
    least = max(1, _WORTH // geometry.work)
    return min(images, max(least, min(-(-images // _CALLS), _CALL // geometry.work)))


def _bands(geometry: Geometry, images: int) -> int:
    """Bands of an image, so that a few large ones are several calls."""
    calls = min(_CALLS, images * geometry.work // _WORTH)
    return min(calls // images, geometry.windows[0].output) if images <= _FEW_IMAGES else 1
