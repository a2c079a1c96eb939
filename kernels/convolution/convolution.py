"""Convolutions over any number of spatial axes, and their gradients, as matrix products.

Arrays are (batch, *spatial, channels), filters (*taps, input channels, output channels). What the
windows see is copied into the rows of a matrix, part by part so that the matrix stays in the cache,
and multiplied with the filter ("im2col"). Parts run on as many threads as there are. Where oneDNN
is installed, it does what it has fast code for instead; but the gradients of what sees one place at
a time are products of the arrays as they are, which take up to half of its time.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from dataflow.kernels.convolution import convolutions
from dataflow.kernels.convolution.parts import COLUMN_BYTES, columns_of, parts_of
from dataflow.kernels.convolution.whole_axes import folded, is_one_place
from dataflow.kernels.convolution.windows import Window, interior, is_padded, outputs, sizes, taps
from dataflow.kernels.memory.packing import packed
from dataflow.kernels.memory.workspace import workspace
from dataflow.kernels.products.products import product
from dataflow.kernels.threads.parallel import grain_of, split

_RATE: Final = 60e9
"""Multiplications that a core does in a second, about."""
_SPREAD_BYTES: Final = 1 << 18
"""Size of what one tap gives to the images that are taken together."""
_THIN: Final = 16
"""Channels of the input, up to which one product gives what all taps spread."""
_SUMS: Final = 8
"""Sums that a filter's gradient is the sum of."""


def convolve(xp: Any, x: Any, filters: Any, windows: Sequence[Window]) -> Any:
    """The convolution of `x` with `filters`, whose channels divide those of `x` into groups."""
    depth, width = filters.shape[-2:]
    groups = x.shape[-1] // depth
    shape = (x.shape[0], *outputs(windows), width)
    if not (x.size and filters.size and math.prod(shape)):
        return xp.zeros(shape, dtype=x.dtype)
    windows, channels, depth = folded(windows, x.shape[-1], depth)
    x = x.reshape(x.shape[0], *(w.input for w in windows), channels)
    filters = filters.reshape(*sizes(windows), depth, width)
    if groups == 1 and is_one_place(windows):
        return _product(xp, _rows(x), _as_matrix(filters)).reshape(shape)
    found = convolutions.convolve(x, filters, windows) if xp is np else None
    if found is not None:
        return found.reshape(shape)
    result = xp.empty(shape, dtype=x.dtype)
    part = width // groups
    for group in range(groups):
        _convolve(
            xp,
            x[..., group * depth : (group + 1) * depth],
            filters[..., group * part : (group + 1) * part],
            windows,
            result[..., group * part : (group + 1) * part],
        )
    return result


def _convolve(xp: Any, x: Any, filters: Any, windows: Sequence[Window], y: Any) -> None:
    if _is_pointwise(windows):
        matrix = _as_matrix(filters)
        y[...] = _product(xp, _rows(_strided(x, windows)), matrix).reshape(y.shape)
        return
    filters = xp.ascontiguousarray(filters)
    parts = parts_of(xp, x, windows)
    covered = sum(p.strip.spatial[0] for p in parts if not p.images.start)
    if covered < windows[0].output:
        y.fill(0)

    def run(start: int, stop: int) -> None:
        for part in parts[start:stop]:
            matrix = _as_matrix(filters[part.strip.taps])
            columns = columns_of(xp, x, part)
            target = y[part.images, part.strip.rows]
            if target.flags.c_contiguous:
                xp.matmul(columns, matrix, out=target.reshape(-1, matrix.shape[1]))
            else:
                shape = (columns.shape[0], matrix.shape[1])
                found = workspace(xp, "product", shape, x.dtype)
                xp.matmul(columns, matrix, out=found)
                target[...] = found.reshape(target.shape)

    split(len(parts), _grain(parts, y.size * _as_matrix(filters).shape[0]), run)


def filter_gradient(xp: Any, x: Any, dy: Any, windows: Sequence[Window], depth: int) -> Any:
    """The gradient of the filter, for filters of `depth` input channels."""
    groups = x.shape[-1] // depth
    shape = (*sizes(windows), depth, dy.shape[-1])
    if not (x.size and dy.size and math.prod(shape)):
        return xp.zeros(shape, dtype=dy.dtype)
    windows, channels, depth = folded(windows, x.shape[-1], depth)
    x = x.reshape(x.shape[0], *(w.input for w in windows), channels)
    if _is_product(windows, groups):
        return _sum_of_products(xp, _rows(x), _rows(dy)).reshape(shape)
    is_tried = xp is np and not convolutions.has_slow_filter_gradient(windows, channels, depth)
    found = convolutions.filter_gradient(x, dy, windows, depth) if is_tried else None
    if found is not None:
        return found.reshape(shape)
    result = xp.zeros((*sizes(windows), depth, dy.shape[-1]), dtype=dy.dtype)
    width = dy.shape[-1] // groups
    for group in range(groups):
        part = x[..., group * depth : (group + 1) * depth]
        slope = dy[..., group * width : (group + 1) * width]
        total = result[..., group * width : (group + 1) * width]
        if _is_pointwise(windows):
            of_group = _product(xp, _rows(_strided(part, windows)).T, _rows(slope))
        else:
            of_group = _filter_gradient(xp, part, slope, windows)
        total[...] = of_group.reshape(total.shape)
    return result.reshape(shape)


def _filter_gradient(xp: Any, x: Any, dy: Any, windows: Sequence[Window]) -> Any:
    """Adds up a few sums of the parts; which parts are in a sum depends on their number only."""
    taps_each = sizes(windows)
    shape = (taps_each[0], math.prod(taps_each[1:]) * x.shape[-1], dy.shape[-1])
    # Adding up a large filter costs as much as a small product.
    parts = parts_of(xp, x, windows, max(COLUMN_BYTES, 8 * math.prod(shape) * x.dtype.itemsize))
    count = min(_SUMS, len(parts)) if xp is np else 1
    sums = xp.zeros((max(1, count), *shape), dtype=dy.dtype)

    def add(start: int, stop: int) -> None:
        for index in range(start, stop):
            total = sums[index]
            for part in parts[index::count]:
                columns = columns_of(xp, x, part)
                rows = _rows(dy[part.images, part.strip.rows])
                found = workspace(xp, "product", (columns.shape[1], rows.shape[1]), dy.dtype)
                xp.matmul(columns.T, rows, out=found)
                target = total[part.strip.taps]
                target += found.reshape(target.shape)

    split(count, _grain(range(count), dy.size * shape[0] * shape[1]), add)
    return sums.sum(axis=0) if count > 1 else sums[0]


def input_gradient(xp: Any, filters: Any, dy: Any, windows: Sequence[Window], channels: int) -> Any:
    """The gradient of the input, which has this many channels."""
    shape = (dy.shape[0], *(w.input for w in windows), channels)
    depth = filters.shape[-2]
    if not (math.prod(shape) and dy.size and filters.size):
        return xp.zeros(shape, dtype=dy.dtype)
    groups = channels // depth
    width = dy.shape[-1] // groups
    windows, channels, depth = folded(windows, channels, depth)
    filters = filters.reshape(*sizes(windows), depth, dy.shape[-1])
    if _is_product(windows, groups):
        return _product(xp, _rows(dy), _as_matrix(filters).T).reshape(shape)
    found = convolutions.input_gradient(filters, dy, windows, channels) if xp is np else None
    if found is not None:
        return found.reshape(shape)
    backwards = None if depth < _THIN or _is_pointwise(windows) else _turned(windows)
    make = xp.zeros if backwards is None else xp.empty
    result = make((dy.shape[0], *(w.input for w in windows), channels), dtype=dy.dtype)
    for group in range(groups):
        part = filters[..., group * width : (group + 1) * width]
        slope = dy[..., group * width : (group + 1) * width]
        target = result[..., group * depth : (group + 1) * depth]
        if backwards is None:
            _add_input_gradient(xp, part, slope, windows, target)
        else:
            axes = tuple(range(len(windows)))
            _convolve(xp, slope, xp.flip(part, axes).swapaxes(-1, -2), backwards, target)
    return result.reshape(shape)


def _turned(windows: Sequence[Window]) -> tuple[Window, ...] | None:
    """The windows of the convolution that is the gradient, if steps of one make it one."""
    result = []
    for window in windows:
        before, after = window.extent - 1 - window.before, window.extent - 1 - window.after
        if window.stride != 1 or before < 0 or after < 0:
            return None
        turned = dataclasses.replace(
            window, input=window.output, output=window.input, before=before, after=after
        )
        result.append(turned)
    return tuple(result)


def _add_input_gradient(xp: Any, filters: Any, dy: Any, windows: Sequence[Window], dx: Any) -> None:
    if _is_pointwise(windows):
        found = _product(xp, _rows(dy), _as_matrix(filters).T)
        target = _strided(dx, windows)
        target[...] = found.reshape(target.shape)
        return
    depth = filters.shape[-2]
    spread = _spread_thin if depth < _THIN else _spread
    bytes_each = math.prod(outputs(windows)) * dx.dtype.itemsize
    bytes_each *= _as_matrix(filters).shape[0] if depth < _THIN else depth
    chunks = list(_chunks(dx.shape[0], bytes_each))

    def run(start: int, stop: int) -> None:
        for images in chunks[start:stop]:
            if not is_padded(windows):
                spread(xp, filters, dy[images], windows, dx[images])
                continue
            count = images.stop - images.start
            padded = workspace(xp, "padded", (count, *(w.padded for w in windows), depth), dx.dtype)
            padded.fill(0)
            spread(xp, filters, dy[images], windows, padded)
            dx[images] = padded[interior(windows)]

    split(len(chunks), _grain(chunks, dy.size * _as_matrix(filters).shape[0]), run)


def _spread(xp: Any, filters: Any, dy: Any, windows: Sequence[Window], padded: Any) -> None:
    """Adds to each place what reaches it through one tap, one product a tap."""
    rows = _rows(dy)
    depth = filters.shape[-2]
    product = workspace(xp, "columns", (rows.shape[0], depth), dy.dtype)
    for index, seen in taps(windows):
        xp.matmul(rows, filters[index].T, out=product)
        target = padded[seen]
        target += product.reshape(target.shape)


def _spread_thin(xp: Any, filters: Any, dy: Any, windows: Sequence[Window], padded: Any) -> None:
    """Like `_spread`, with one product for all taps and channels, of which there are few."""
    matrix, rows = _as_matrix(filters), _rows(dy)
    product = workspace(xp, "columns", (matrix.shape[0], rows.shape[0]), dy.dtype)
    xp.matmul(matrix, rows.T, out=product)
    depth = filters.shape[-2]
    for place, (_, seen) in enumerate(taps(windows)):
        for channel in range(depth):
            target = padded[(*seen, channel)]
            target += product[place * depth + channel].reshape(target.shape)


def _grain(pieces: Sequence[Any], multiplications: int) -> int:
    """How many of the pieces, which do so many multiplications, are worth a thread."""
    return grain_of(len(pieces), multiplications / _RATE)


def _product(xp: Any, a: Any, b: Any) -> Any:
    return product(a, b) if xp is np else a.dot(b)


def _chunks(count: int, bytes_each: int) -> Iterator[slice]:
    step = max(1, _SPREAD_BYTES // max(1, bytes_each))
    for start in range(0, count, step):
        yield slice(start, min(count, start + step))


def _is_pointwise(windows: Sequence[Window]) -> bool:
    return all(w.size == 1 for w in windows) and not is_padded(windows)


def _is_product(windows: Sequence[Window], groups: int) -> bool:
    """Whether each place is seen alone, with all channels."""
    return groups == 1 and _is_pointwise(windows) and all(w.stride == 1 for w in windows)


def _sum_of_products(xp: Any, x: Any, dy: Any) -> Any:
    """The sum over the rows of x[i] dy[j], as a matrix; one of few rows takes less time, where that
    is more than what turning it takes."""
    if xp is not np or x.shape[1] <= max(dy.shape[1], x.shape[0]):
        return _product(xp, x.T, dy)
    return packed(product(dy.T, x).T)


def _strided(array: Any, windows: Sequence[Window]) -> Any:
    """What windows of one tap see."""
    return array[(slice(None), *(w.tap(0) for w in windows))]


def _rows(array: Any) -> Any:
    """One row a place."""
    return array.reshape(-1, array.shape[-1])


def _as_matrix(filters: Any) -> Any:
    return filters.reshape(-1, filters.shape[-1])
