"""Convolutions of float32 images and their gradients by oneDNN, some images on each thread.

Arrays are (batch, *spatial, channels), filters (*taps, input channels, output channels); channels
fall into groups as the sizes say. Results are None where oneDNN is absent or has no fast code. An
only axis that windows slide along may be the last of a result; its elements lie as they would.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any, Final

from dataflow.kernels.convolution.calls import Calls
from dataflow.kernels.convolution.filter_parts import parts_for
from dataflow.kernels.convolution.plans import KEPT, Geometry
from dataflow.kernels.convolution.together import Together
from dataflow.kernels.convolution.whole_axes import lengthwise
from dataflow.kernels.convolution.windows import Window, outputs
from dataflow.kernels.memory import aligned
from dataflow.kernels.onednn.library import (
    CONVOLVE,
    CONVOLVE_FILTER,
    CONVOLVE_INPUT,
    FLOAT32,
    Library,
    find,
)
from dataflow.kernels.onednn.primitive import are_float32, plain
from dataflow.kernels.onednn.team import TOGETHER
from dataflow.kernels.threads.parallel import current

_CALL: Final = 96_000_000
"""Multiplications of a call, if there are so many."""
_CALLS: Final = 8
"""Calls that the work is made into, if that is worth it; also the sums that a filter's gradient is
the sum of."""
_BANDS: Final = 2
"""Bands for each thread: each costs a call, and rows that fill no tile."""
_FEW_IMAGES: Final = 3
"""Images that are cut into bands, at most."""
_PLACES: Final = 400
"""Places in a sum of the gradient of filters, if there are so many, for adding sums costs time."""
_MANY_PLACES: Final = 400
_DEEP: Final = 32
"""Places of an image, unless they lie along one axis, and input channels, from which on oneDNN's
code for AVX2 takes up to twice as long for gradients of filters as products with copies do."""


def convolve(x: Any, filters: Any, windows: Sequence[Window]) -> Any:
    """The convolution of images with filters; None if oneDNN cannot.

    Args:
      x: (batch, *spatial, channels), not empty.
      filters: (*taps, depth, width), not empty.
      windows: How they move.
    """
    if not are_float32(x, filters):
        return None
    geometry = Geometry(lengthwise(windows), x.shape[-1], *filters.shape[-2:])
    return _compute(CONVOLVE, geometry, geometry.result, [plain(x), plain(filters)])


def input_gradient(filters: Any, dy: Any, windows: Sequence[Window], channels: int) -> Any:
    """The gradient of the images, which have so many channels; None if oneDNN cannot."""
    if not are_float32(filters, dy):
        return None
    geometry = Geometry(lengthwise(windows), channels, *filters.shape[-2:])
    return _compute(CONVOLVE_INPUT, geometry, geometry.source, [plain(dy), plain(filters)])


def has_slow_filter_gradient(windows: Sequence[Window], channels: int, depth: int) -> bool:
    """Whether oneDNN's code for gradients of such filters is slow, which some for AVX2 is."""
    library = find()
    if library is None or library.has_avx512 or not _DEEP <= depth == channels:
        return False
    *across, along = outputs(lengthwise(windows))
    return math.prod(across) == 1 or math.prod(across) * along >= _MANY_PLACES


def filter_gradient(x: Any, dy: Any, windows: Sequence[Window], depth: int) -> Any:
    """The gradient of filters of so many input channels; None if oneDNN cannot."""
    if not are_float32(x, dy):
        return None
    geometry = Geometry(lengthwise(windows), x.shape[-1], depth, dy.shape[-1])
    is_worth = x.shape[0] * geometry.work >= 2 * geometry.worth
    dy = dy.reshape(-1, *geometry.result)
    parts = parts_for(geometry, x.shape[0]) if is_worth else None
    if parts is not None:
        return parts.run(plain(x), plain(dy))
    # Each sum is one call, so that there are few sums, and none is small.
    images = x.shape[0]
    places = images * math.prod(geometry.result[:-1])
    most = min(_CALLS, images, images * geometry.work // geometry.worth, places // _PLACES)
    # A power of two, so that as many threads end together.
    count = 1 << max(1, most).bit_length() - 1
    calls = Calls.of(CONVOLVE_FILTER, geometry, images, -(-images // count))
    return None if calls is None else calls.sum_up(plain(x), plain(dy))


def _compute(
    function: str, geometry: Geometry, shape: tuple[int, ...], arrays: Sequence[Any]
) -> Any:
    """Results of a shape for each image, of images and filters; None if oneDNN cannot."""
    images = arrays[0].shape[0]
    calls = calls_of(function, geometry, images, threads_now())
    if calls is None:
        return None
    result = aligned.empty((images, *shape), FLOAT32)
    together = together_of(function, geometry, images)
    if together is None:
        calls.run(arrays, result)
    else:
        together.run(arrays, result)
    return result


def threads_now() -> int:
    """How many threads may do a convolution."""
    helpers = current.helpers
    return 1 if helpers is None else helpers.limit


@functools.lru_cache(maxsize=KEPT)
def calls_of(function: str, geometry: Geometry, images: int, threads: int) -> Calls | None:
    """The calls that do all images, on so many threads; None if oneDNN has no code for them."""
    if function == CONVOLVE and threads == 1:
        return Calls.of(function, geometry, images, images)
    count = _bands(geometry, images, threads) if function == CONVOLVE else 1
    calls = Calls.in_bands(geometry, images, count) if count > 1 else None
    return calls or Calls.of(function, geometry, images, _step(geometry, images))


def together_of(function: str, geometry: Geometry, images: int) -> Together | None:
    """What does all images at once, or in calls, with those who help now; None if nobody does, or
    it is too little for them."""
    library, helpers = find(), current.helpers
    if library is None or helpers is None or images * geometry.work < TOGETHER:
        return None
    return _together(library, function, geometry, images, helpers.limit)


@functools.lru_cache(maxsize=KEPT)
def _together(
    library: Library, function: str, geometry: Geometry, images: int, limit: int
) -> Together:
    """What does all images on so many threads at once, or in calls."""
    calls = calls_of(function, geometry, images, limit)
    assert calls is not None
    threads = min(limit, library.team.most)
    return Together(library, function, geometry, images, threads, calls)


def _step(geometry: Geometry, images: int) -> int:
    """Images of a call: enough to make it cheap, and several calls where the work is large."""
    least = max(1, geometry.worth // geometry.work)
    return min(images, max(least, min(-(-images // _CALLS), _CALL // geometry.work)))


def _bands(geometry: Geometry, images: int, threads: int) -> int:
    """Bands of an image, so that a few large ones are several calls."""
    calls = min(_BANDS * threads, _CALLS, images * geometry.work // geometry.worth)
    return min(calls // images, geometry.windows[0].output) if images <= _FEW_IMAGES else 1
