"""Depthwise convolutions, where channels stay apart, and their gradients.

Arrays are (batch, *spatial, channels), filters (*taps, channels, multiplier); the output has
channels * multiplier channels, those of one input channel side by side. Images are taken one at a
time, so that what the taps pass over stays in the cache. Filters are repeated along the last
spatial axis, and pixels a stride apart are made neighbours, so that what a tap sees of a row of
pixels is one run in memory. Where oneDNN is installed, it does what it has fast code for instead.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from dataflow.kernels.convolution import convolutions
from dataflow.kernels.convolution.windows import Window, interior, outputs, pad, sizes
from dataflow.kernels.memory.workspace import workspace
from dataflow.kernels.threads.parallel import grain_of, split

_SECONDS: Final = 5e-10
"""What one tap takes for one element, about."""
_SUMS: Final = 8
"""Sums of images that the gradient of the filters is the sum of."""


def convolve(xp: Any, x: Any, filters: Any, windows: Sequence[Window]) -> Any:
    """Each channel convolved with `multiplier` filters of its own."""
    channels, multiplier = filters.shape[-2:]
    width = channels * multiplier
    shape = (x.shape[0], *outputs(windows), width)
    if not (math.prod(shape) and x.size):
        return xp.zeros(shape, dtype=x.dtype)
    found = convolutions.convolve(x, _grouped(filters), windows) if xp is np else None
    if found is not None:
        return found
    result = xp.zeros(shape, dtype=x.dtype)
    rows = _along_rows(xp, filters, windows)

    def run(start: int, stop: int) -> None:
        product = workspace(xp, "product", result.shape[1:], x.dtype)
        for image in range(start, stop):
            phases = _phases(xp, _padded(xp, x[image : image + 1], windows, multiplier), windows)
            for index, phase, seen in _taps(windows):
                xp.multiply(phases[phase][seen], rows[index], out=product)
                result[image] += product

    split(x.shape[0], _grain(x.shape[0], result, windows), run)
    return result


def input_gradient(xp: Any, filters: Any, dy: Any, windows: Sequence[Window], channels: int) -> Any:
    """The gradient of the input."""
    multiplier = filters.shape[-1]
    width = channels * multiplier
    shape = (dy.shape[0], *(w.input for w in windows), channels)
    if not (math.prod(shape) and dy.size):
        return xp.zeros(shape, dtype=dy.dtype)
    if xp is np:
        found = convolutions.input_gradient(_grouped(filters), dy, windows, channels)
        if found is not None:
            return found
    result = xp.zeros(shape, dtype=dy.dtype)
    rows = _along_rows(xp, filters, windows)

    def run(start: int, stop: int) -> None:
        product = workspace(xp, "product", dy.shape[1:], dy.dtype)
        padded = xp.empty((1, *(w.padded for w in windows), width), dtype=dy.dtype)
        for image in range(start, stop):
            padded.fill(0)
            phases = _phases(xp, padded, windows)
            for index, phase, seen in _taps(windows):
                xp.multiply(dy[image], rows[index], out=product)
                target = phases[phase][seen]
                target += product
            if len(phases) > 1:
                for phase, part in enumerate(phases):
                    padded[0][..., phase :: windows[-1].stride, :] = part
            inside = padded[interior(windows)][0]
            if multiplier > 1:
                inside = inside.reshape(*inside.shape[:-1], channels, multiplier).sum(axis=-1)
            result[image] = inside

    split(dy.shape[0], _grain(dy.shape[0], dy, windows), run)
    return result


def filter_gradient(xp: Any, x: Any, dy: Any, windows: Sequence[Window], multiplier: int) -> Any:
    """The gradient of the filters."""
    channels = x.shape[-1]
    width = channels * multiplier
    images = x.shape[0]
    found = None
    if xp is np and x.size and dy.size:
        found = convolutions.filter_gradient(x, dy, windows, 1)
    if found is not None:
        return found.reshape(*sizes(windows), channels, multiplier)
    # Which images are in a sum depends on their number only.
    count = min(_SUMS, max(1, images)) if xp is np else 1
    sums = xp.zeros((count, *sizes(windows), width), dtype=dy.dtype)

    def run(start: int, stop: int) -> None:
        product = workspace(xp, "product", dy.shape[1:], dy.dtype)
        by_row = product.reshape(-1, windows[-1].output * width)
        for at in range(start, stop):
            total = sums[at]
            for image in range(at, images, count):
                padded = _padded(xp, x[image : image + 1], windows, multiplier)
                phases = _phases(xp, padded, windows)
                for index, phase, seen in _taps(windows):
                    xp.multiply(phases[phase][seen], dy[image], out=product)
                    total[index] += by_row.sum(axis=0).reshape(-1, width).sum(axis=0)

    if x.size and dy.size:
        split(count, _grain(count, dy, windows), run)
    return sums.sum(axis=0).reshape(*sizes(windows), channels, multiplier)


def _grouped(filters: Any) -> Any:
    """The filters of a convolution in as many groups as there are channels."""
    return filters.reshape(*filters.shape[:-2], 1, -1)


def _grain(count: int, array: Any, windows: Sequence[Window]) -> int:
    """How many of so many pieces of the work on an array are worth a thread."""
    return grain_of(count, array.size * math.prod(sizes(windows)) * _SECONDS)


def _along_rows(xp: Any, filters: Any, windows: Sequence[Window]) -> Any:
    """Filters (*taps, last output size, channels * multiplier), the same at each place of a row."""
    flat = filters.reshape(*sizes(windows), 1, -1)
    shape = (*sizes(windows), windows[-1].output, flat.shape[-1])
    return xp.ascontiguousarray(xp.broadcast_to(flat, shape))


def _padded(xp: Any, image: Any, windows: Sequence[Window], multiplier: int) -> Any:
    """One image with its padding, each channel as often as it has filters."""
    padded = pad(xp, image, windows, 0)
    return xp.repeat(padded, multiplier, axis=-1) if multiplier > 1 else padded


def _phases(xp: Any, padded: Any, windows: Sequence[Window]) -> list[Any]:
    """The image, for each remainder of a column's number by the stride only those columns."""
    stride = windows[-1].stride
    if stride == 1:
        return [padded[0]]
    return [xp.ascontiguousarray(padded[0][..., phase::stride, :]) for phase in range(stride)]


def _taps(
    windows: Sequence[Window],
) -> Iterator[tuple[tuple[int, ...], int, tuple[slice, ...]]]:
    """Each tap, the phase it sees, and what it sees of it."""
    *outer, last = windows
    for index in itertools.product(*(range(w.size) for w in windows)):
        start, phase = divmod(index[-1] * last.dilation, last.stride)
        seen = [w.tap(i) for w, i in zip(outer, index, strict=False)]
        yield index, phase, (*seen, slice(start, start + last.output))
