"""Convolutions of float32 images and their gradients by oneDNN, some images on each thread.

Arrays are (batch, *spatial, channels), filters (*taps, input channels, output channels); channels
fall into groups as the sizes say. Results are None where oneDNN is absent or has no fast code.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from dataflow.kernels.convolution.calls import Calls
from dataflow.kernels.convolution.filter_parts import parts_for
from dataflow.kernels.convolution.plans import KEPT, Geometry, plan
from dataflow.kernels.convolution.together import Together
from dataflow.kernels.convolution.windows import Window
from dataflow.kernels.memory import aligned
from dataflow.kernels.onednn import trial
from dataflow.kernels.onednn.addresses import address_of
from dataflow.kernels.onednn.invalid_flag import flag
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
from dataflow.kernels.products.epilogue import Rectifier
from dataflow.kernels.threads.parallel import current

_CALL: Final = 96_000_000
"""Multiplications of a call, if there are so many."""
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
    arrays = [plain(array) for array in (x, filters, bias) if array is not None]
    return _compute(CONVOLVE, geometry, geometry.result, arrays, finish)


def input_gradient(filters: Any, dy: Any, windows: Sequence[Window], channels: int) -> Any:
    """The gradient of the images, which have so many channels; None if oneDNN cannot."""
    if not are_float32(filters, dy):
        return None
    geometry = Geometry(tuple(windows), channels, *filters.shape[-2:])
    return _compute(CONVOLVE_INPUT, geometry, geometry.source, [plain(dy), plain(filters)], None)


def filter_gradient(x: Any, dy: Any, windows: Sequence[Window], depth: int) -> Any:
    """The gradient of filters of so many input channels; None if oneDNN cannot."""
    if not are_float32(x, dy):
        return None
    geometry = Geometry(tuple(windows), x.shape[-1], depth, dy.shape[-1])
    is_worth = x.shape[0] * geometry.work >= 2 * geometry.worth
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


def _compute(
    function: str,
    geometry: Geometry,
    shape: tuple[int, ...],
    arrays: Sequence[Any],
    finish: Callable[[Any], None] | None,
) -> Any:
    """Results of a shape for each image, of images, filters and more; None if oneDNN cannot."""
    images, library, helpers = arrays[0].shape[0], find(), current.helpers
    part = math.prod(shape) if finish is not None and not geometry.rectifies else 0
    calls = _calls(function, geometry, images, part)
    if library is None or calls is None:
        return None
    result = aligned.empty((images, *shape), FLOAT32)
    if helpers is None or part or images * geometry.work < TOGETHER:
        calls.run(arrays, result, finish)
    else:
        threads = min(helpers.limit, library.team.most)
        _together(library, function, geometry, images, threads).run(helpers, arrays, result, finish)
    return result


@functools.lru_cache(maxsize=KEPT)
def _calls(function: str, geometry: Geometry, images: int, part: int) -> Calls | None:
    """The calls that do all images, which make results of so many numbers each that are finished
    call by call, or 0."""
    step = _step(geometry, images)
    if part:
        step = max(1, min(step, _PART // part))
    count = _bands(geometry, images) if function == CONVOLVE else 1
    calls = Calls.in_bands(geometry, images, count) if count > 1 else None
    return calls or Calls.of(function, geometry, images, step)


@functools.lru_cache(maxsize=KEPT)
def _together(
    library: Library, function: str, geometry: Geometry, images: int, threads: int
) -> Together:
    """What does all images on so many threads at once, or in calls."""
    calls = _calls(function, geometry, images, 0)
    assert calls is not None
    return Together(library, function, geometry, images, threads, calls)


def _step(geometry: Geometry, images: int) -> int:
    """Images of a call: enough to make it cheap, and several calls where the work is large."""
    least = max(1, geometry.worth // geometry.work)
    return min(images, max(least, min(-(-images // _CALLS), _CALL // geometry.work)))


def _bands(geometry: Geometry, images: int) -> int:
    """Bands of an image, so that a few large ones are several calls."""
    calls = min(_CALLS, images * geometry.work // geometry.worth)
    return min(calls // images, geometry.windows[0].output) if images <= _FEW_IMAGES else 1
