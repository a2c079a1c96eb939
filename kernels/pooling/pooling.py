"""Pooling over any number of spatial axes, and its gradients.

Arrays are (batch, *spatial, channels). There is no padded copy: each tap of a window is passed over
the places where it lies inside. Images are taken a few at a time, to stay in the cache, by as many
threads as there are. Where oneDNN is installed, it does what it has fast code for instead.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import numpy as np

from dataflow.kernels.convolution.windows import Window, outputs
from dataflow.kernels.elementwise.selection import keep, select
from dataflow.kernels.pooling import pools
from dataflow.kernels.threads.parallel import grain_of, split
from dataflow.values.dtypes import as_dtype

Regions = tuple[tuple[tuple[slice, ...], tuple[slice, ...]], ...]
"""Pairs of indices: of places that windows take, and of what a tap sees from there."""
_IMAGE_BYTES: Final = 1 << 19
"""Size of the input images that are taken together."""
_SECONDS: Final = 3e-10
"""What one tap takes for one element, about."""


def in_range(window: Window, tap: int) -> tuple[slice, slice]:
    """The places where a tap lies inside the axis, and what it sees there."""
    offset = tap * window.dilation - window.before
    low = max(0, -(offset // window.stride))
    high = min(window.output, (window.input - 1 - offset) // window.stride + 1)
    if high <= low:
        return slice(0, 0), slice(0, 0)
    start = low * window.stride + offset
    stop = start + (high - low - 1) * window.stride + 1
    return slice(low, high), slice(start, stop, window.stride)


def lowest(dtype: Any) -> Any:
    """The least finite number: pooling nothing, or nothing but NaN and -inf, gives it."""
    element = np.dtype(dtype)
    return element.type(as_dtype(element).min)


def _is_integer(dtype: Any) -> bool:
    return dtype.kind in "iu"


def _below_all(dtype: Any) -> Any:
    """What no other value is less than."""
    return lowest(dtype) if _is_integer(dtype) else dtype.type(float("-inf"))


def chunks(array: Any) -> Iterator[slice]:
    """Some images at a time."""
    count = array.shape[0]
    each = max(1, array.nbytes // max(1, count))
    step = max(1, _IMAGE_BYTES // each)
    for start in range(0, count, step):
        yield slice(start, min(count, start + step))


def _by_images(
    array: Any, windows: Sequence[Window], run: Callable[[slice], None], passes: int = 1
) -> None:
    """Calls `run` with some images at a time, for all of them.

    Args:
      array: The larger one of what `run` works on.
      windows: The windows.
      run: Does its work for some images.
      passes: How often it passes over each tap.
    """
    # A GPU has no cache that some images at a time would stay in.
    parts = list(chunks(array)) if isinstance(array, np.ndarray) else [slice(None)]

    def piece(start: int, stop: int) -> None:
        for images in parts[start:stop]:
            run(images)

    taps = math.prod(-(-w.size // w.stride) for w in windows)
    split(len(parts), grain_of(len(parts), array.size * taps * passes * _SECONDS), piece)


def max_pool(xp: Any, x: Any, windows: Sequence[Window]) -> Any:
    """The greatest element of each window, which NaN does not count for; the least finite number
    where nothing is as great."""
    result = xp.empty((x.shape[0], *outputs(windows), x.shape[-1]), dtype=x.dtype)

    def run(images: slice) -> None:
        xp.fmax(_greatest(xp, x[images], windows), lowest(x.dtype), out=result[images])

    if result.size:
        found = pools.max_pool(x, windows) if xp is np else None
        if found is not None:
            return found
        _by_images(x, windows, run)
    return result


def max_pool_and_places(x: Any, windows: Sequence[Window]) -> tuple[Any, Any]:
    """`max_pool` on the host, and what `max_pool_gradient` can be told of where the maxima are."""
    found = pools.max_pool_and_places(x, windows) if x.size else None
    return (max_pool(np, x, windows), np.empty(0, np.uint8)) if found is None else found


def _greatest(xp: Any, x: Any, windows: Sequence[Window]) -> Any:
    """The greatest element of each window, or -inf; NaN where there is nothing else."""
    return _pool(xp, x, windows, xp.fmax, _below_all(x.dtype))


def avg_pool(xp: Any, x: Any, windows: Sequence[Window]) -> Any:
    """The mean of each window, which padding does not count for."""
    result = xp.empty((x.shape[0], *outputs(windows), x.shape[-1]), dtype=x.dtype)
    if result.size:
        found = pools.avg_pool(x, windows) if xp is np else None
        if found is not None:
            return found
        factor = _reciprocal_counts(xp, windows, x.shape[-1], x.dtype)

        def run(images: slice) -> None:
            total = _pool(xp, x[images], windows, xp.add, 0)
            xp.multiply(total, factor, out=result[images])

        _by_images(x, windows, run)
    return result


def _pool(
    xp: Any, x: Any, windows: Sequence[Window], combine: Callable[..., Any], nothing: Any
) -> Any:
    """Combines each window, one axis after the other."""
    for axis, window in enumerate(windows, 1):
        x = _reduce_axis(xp, x, axis, window, combine, nothing)
    return x


def _reduce_axis(
    xp: Any, x: Any, axis: int, window: Window, combine: Callable[..., Any], nothing: Any
) -> Any:
    """Combines the taps of a window along one axis."""
    before = (slice(None),) * axis
    ranges = [in_range(window, tap) for tap in range(window.size)]
    everywhere = slice(0, window.output)
    full = [(*before, seen) for places, seen in ranges if places == everywhere]
    if len(full) >= 2:
        result = combine(x[full[0]], x[full[1]])
    elif full:
        result = x[full[0]] if len(ranges) == 1 else x[full[0]].copy()
    else:
        shape = (*x.shape[:axis], window.output, *x.shape[axis + 1 :])
        result = xp.full(shape, nothing, dtype=x.dtype)
    for index in full[2:]:
        combine(result, x[index], out=result)
    for places, seen in ranges:
        if places != everywhere and places.stop > places.start:
            target = result[(*before, places)]
            combine(target, x[(*before, seen)], out=target)
    return result


def avg_pool_gradient(xp: Any, grad: Any, windows: Sequence[Window]) -> Any:
    """The gradient of the mean: each window's share goes to all of its elements."""
    shape = (grad.shape[0], *(w.input for w in windows), grad.shape[-1])
    result = xp.zeros(shape, dtype=grad.dtype)
    if grad.size and result.size:
        found = pools.avg_pool_gradient(grad, windows) if xp is np else None
        if found is not None:
            return found
        factor = _reciprocal_counts(xp, windows, grad.shape[-1], grad.dtype)

        def run(images: slice) -> None:
            part = grad[images] * factor
            for axis, window in enumerate(windows, 1):
                part = _spread_axis(xp, part, axis, window)
            result[images] = part

        _by_images(result, windows, run)
    return result


def _spread_axis(xp: Any, grad: Any, axis: int, window: Window) -> Any:
    before = (slice(None),) * axis
    shape = (*grad.shape[:axis], window.input, *grad.shape[axis + 1 :])
    result = xp.zeros(shape, dtype=grad.dtype)
    for tap in range(window.size):
        places, seen = in_range(window, tap)
        target = result[(*before, seen)]
        target += grad[(*before, places)]
    return result


def _reciprocal_counts(xp: Any, windows: Sequence[Window], channels: int, dtype: Any) -> Any:
    """One over the number of elements in each window: one number, or one for each output."""
    counts = np.ones((1,), np.float64)
    for window in windows:
        along = np.zeros(window.output, np.float64)
        for tap in range(window.size):
            along[in_range(window, tap)[0]] += 1
        counts = counts[..., None] * along
    reciprocals = (1 / counts[0]).astype(dtype)
    if (reciprocals == reciprocals.flat[0]).all():
        return reciprocals.flat[0]
    # A number for each channel too, so that the inner loop does not end with every pixel.
    return xp.asarray(np.repeat(reciprocals[..., None], channels, axis=-1))


def arg_max(xp: Any, x: Any, windows: Sequence[Window]) -> tuple[Any, Any]:
    """The first element of each window, unless a later one is greater, and the tap, counted in
    row-major order, it is the first at; -1 where a window sees nothing."""
    if _has_nan(xp, x):
        return _first_unless_greater(xp, x, windows)
    best = _greatest(xp, x, windows)
    index = xp.full(best.shape, -1, dtype=np.int32)
    order = list(enumerate(regions(windows)))
    for tap, (places, seen) in reversed(order):
        chosen = index[places]
        equal = x[seen] == best[places]
        chosen[...] = select(xp, equal, xp.full(chosen.shape, tap, dtype=np.int32), chosen)
    return best, index


def _has_nan(xp: Any, x: Any) -> bool:
    return not _is_integer(x.dtype) and bool(xp.isnan(x).any())


def _first_unless_greater(xp: Any, x: Any, windows: Sequence[Window]) -> tuple[Any, Any]:
    """`arg_max` whatever there is: nothing is greater than a NaN that comes first."""
    shape = (x.shape[0], *outputs(windows), x.shape[-1])
    best = xp.full(shape, _below_all(x.dtype), dtype=x.dtype)
    index = xp.full(shape, -1, dtype=np.int32)
    for tap, (places, seen) in enumerate(regions(windows)):
        candidate, so_far, known = x[seen], best[places], index[places]
        better = (candidate > so_far) | (known < 0)
        xp.copyto(so_far, candidate, where=better)
        xp.copyto(known, np.int32(tap), where=better)
    return best, index


def regions(windows: Sequence[Window]) -> Regions:
    """For each tap in row-major order: the places where it lies inside, and what it sees there."""
    return _regions(tuple(windows))


@functools.lru_cache(maxsize=256)
def _regions(windows: tuple[Window, ...]) -> Regions:
    result = []
    for taps in np.ndindex(*(w.size for w in windows)):
        pairs = [in_range(w, tap) for w, tap in zip(windows, taps, strict=True)]
        places, seen = zip(*pairs, strict=True)
        result.append(((slice(None), *places), (slice(None), *seen)))
    return tuple(result)


def max_pool_gradient(
    xp: Any, x: Any, grad: Any, windows: Sequence[Window], places: Any = None
) -> Any:
    """The gradient of the maximum: goes to the element of each window that `arg_max` says.

    Args:
      xp: The array library.
      x: The images.
      grad: The gradient of the maxima.
      windows: The windows.
      places: What `max_pool_and_places` told of x, or None.
    """

    def otherwise(images: Any, share: Any) -> Any:
        return _max_pool_gradient(xp, images, share, windows)

    return _by_places(xp, x, grad, windows, places, otherwise)


def max_volume_gradient(
    xp: Any, x: Any, grad: Any, windows: Sequence[Window], places: Any = None
) -> Any:
    """Like `max_pool_gradient`, where NaN and -inf count as the least finite number.

    That it goes to the first of equal elements is what oneDNN does in TensorFlow; its own kernel,
    on processors where it leaves oneDNN out, gives it to every one.
    """

    def otherwise(images: Any, share: Any) -> Any:
        return _max_pool_gradient(xp, xp.fmax(images, lowest(x.dtype)), share, windows)

    return _by_places(xp, x, grad, windows, places, otherwise)


def _by_places(
    xp: Any,
    x: Any,
    grad: Any,
    windows: Sequence[Window],
    places: Any,
    otherwise: Callable[[Any, Any], Any],
) -> Any:
    """The gradient by oneDNN, or by a function of images and gradients where it has none."""
    if xp is np and x.size and grad.size:
        found = pools.max_pool_gradient(x, grad, windows, otherwise, places)
        if found is not None:
            return found
    return otherwise(x, grad)


def _max_pool_gradient(xp: Any, x: Any, grad: Any, windows: Sequence[Window]) -> Any:
    result = xp.zeros(x.shape, dtype=grad.dtype)
    apart = all(w.stride >= w.extent for w in windows)

    def run(images: slice) -> None:
        source, share, part = x[images], grad[images], result[images]
        if _has_nan(xp, source):
            _, index = _first_unless_greater(xp, source, windows)
            for tap, (places, seen) in enumerate(regions(windows)):
                target = part[seen]
                target += keep(xp, index[places] == tap, share[places])
            return
        best = _greatest(xp, source, windows)
        given = xp.zeros(best.shape, dtype=bool)
        for places, seen in regions(windows):
            equal, done = source[seen] == best[places], given[places]
            found = keep(xp, equal > done, share[places])
            if apart:
                part[seen] = found
            else:
                target = part[seen]
                target += found
            done |= equal

    if x.size and grad.size:
        _by_images(x, windows, run, passes=6)
    return result


def gather_at_max(xp: Any, x: Any, y: Any, values: Any, windows: Sequence[Window]) -> Any:
    """Of `values`, shaped like `x`, those at the first element that equals the maximum `y`."""
    result = xp.zeros(y.shape, dtype=values.dtype)

    def run(images: slice) -> None:
        part, source, best, found = x[images], values[images], y[images], result[images]
        for places, seen in reversed(regions(windows)):
            target = found[places]
            target[...] = select(xp, part[seen] == best[places], source[seen], target)

    if result.size and x.size:
        _by_images(x, windows, run, passes=4)
    return result


def flat_positions(xp: Any, index: Any, windows: Sequence[Window], channels: int) -> Any:
    """Positions in an image (*spatial, channels) flattened, of the taps that `arg_max` gives."""
    flat = xp.zeros(index.shape, dtype=np.int64)
    taps = index.astype(np.int64)
    sizes = [w.size for w in windows]
    for axis, window in enumerate(windows):
        tap = taps // math.prod(sizes[axis + 1 :]) % window.size
        places = xp.arange(window.output) * window.stride - window.before
        along = places.reshape((-1,) + (1,) * (len(windows) - axis)) + tap * window.dilation
        flat = flat * window.input + along
    return flat * channels + xp.arange(channels)


def depth_pool(xp: Any, x: Any, size: int) -> Any:
    """The first of each `size` neighbouring channels, unless a later one is greater."""
    grouped = x.reshape(*x.shape[:-1], x.shape[-1] // size, size)

    def greater(best: Any, other: Any) -> Any:
        return select(xp, other > best, other, best)

    return functools.reduce(greater, (grouped[..., i] for i in range(size)))
