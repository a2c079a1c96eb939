"""Convolutions over any number of spatial axes, and their gradients, as matrix products.

Arrays are (batch, *spatial, channels), filters (*taps, input channels, output channels). What the
windows see is copied into the rows of a matrix, for a few images at a time so that the matrix stays
in the cache, and multiplied with the filter ("im2col").
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from dataflow.kernels.windows import (
    Window,
    interior,
    is_padded,
    outputs,
    patches,
    sizes,
    taps,
)
from dataflow.kernels.workspace import workspace

_COLUMN_BYTES: Final = 1 << 22
"""Size of the matrix of patches from which images are taken one by one: the cache's."""
_THIN: Final = 16
"""Elements that lie side by side in the input, up to which copies go tap by tap instead."""


def convolve(xp: Any, x: Any, filters: Any, windows: Sequence[Window]) -> Any:
    """The convolution of `x` with `filters`, whose channels divide those of `x` into groups."""
    return _by_group(xp, x, filters, windows, _convolve)


def _convolve(xp: Any, x: Any, filters: Any, windows: Sequence[Window], y: Any) -> None:
    matrix = _as_matrix(filters)
    if _is_pointwise(windows):
        y[...] = _rows(_strided(x, windows)).dot(matrix).reshape(y.shape)
        return
    for images, columns in _columns(xp, x, windows):
        part = y[images]
        rows = part.reshape(-1, matrix.shape[1]) if part.flags.c_contiguous else None
        if rows is None:
            part[...] = columns.dot(matrix).reshape(part.shape)
        else:
            xp.matmul(columns, matrix, out=rows)


def filter_gradient(xp: Any, x: Any, dy: Any, windows: Sequence[Window], depth: int) -> Any:
    """The gradient of the filter, for filters of `depth` input channels."""
    groups = x.shape[-1] // depth
    result = xp.zeros((*sizes(windows), depth, dy.shape[-1]), dtype=dy.dtype)
    if not (x.size and dy.size and result.size):
        return result
    width = dy.shape[-1] // groups
    for group in range(groups):
        part = x[..., group * depth : (group + 1) * depth]
        slope = dy[..., group * width : (group + 1) * width]
        total = result[..., group * width : (group + 1) * width]
        if _is_pointwise(windows):
            product = _rows(_strided(part, windows)).T.dot(_rows(slope))
            total[...] = product.reshape(total.shape)
            continue
        for images, columns in _columns(xp, part, windows):
            total += columns.T.dot(_rows(slope[images])).reshape(total.shape)
    return result


def input_gradient(xp: Any, filters: Any, dy: Any, windows: Sequence[Window], channels: int) -> Any:
    """The gradient of the input, which has this many channels."""
    shape = (dy.shape[0], *(w.input for w in windows), channels)
    result = xp.zeros(shape, dtype=dy.dtype)
    if not (result.size and dy.size and filters.size):
        return result
    depth = filters.shape[-2]
    groups = channels // depth
    width = dy.shape[-1] // groups
    for group in range(groups):
        _add_input_gradient(
            xp,
            filters[..., group * width : (group + 1) * width],
            dy[..., group * width : (group + 1) * width],
            windows,
            result[..., group * depth : (group + 1) * depth],
        )
    return result


def _add_input_gradient(xp: Any, filters: Any, dy: Any, windows: Sequence[Window], dx: Any) -> None:
    if _is_pointwise(windows):
        product = _rows(dy).dot(_as_matrix(filters).T)
        target = _strided(dx, windows)
        target[...] = product.reshape(target.shape)
        return
    depth = filters.shape[-2]
    spread = _spread_thin if depth < _THIN else _spread
    bytes_each = math.prod(outputs(windows)) * dx.dtype.itemsize
    bytes_each *= _as_matrix(filters).shape[0] if depth < _THIN else depth
    for images in _chunks(dx.shape[0], bytes_each):
        if not is_padded(windows):
            spread(xp, filters, dy[images], windows, dx[images])
            continue
        count = images.stop - images.start
        padded = workspace(xp, "padded", (count, *(w.padded for w in windows), depth), dx.dtype)
        padded.fill(0)
        spread(xp, filters, dy[images], windows, padded)
        dx[images] = padded[interior(windows)]


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


def _by_group(
    xp: Any,
    x: Any,
    filters: Any,
    windows: Sequence[Window],
    function: Callable[[Any, Any, Any, Sequence[Window], Any], None],
) -> Any:
    depth, width = filters.shape[-2:]
    groups = x.shape[-1] // depth
    shape = (x.shape[0], *outputs(windows), width)
    if not (x.size and filters.size and math.prod(shape)):
        return xp.zeros(shape, dtype=x.dtype)
    result = xp.empty(shape, dtype=x.dtype)
    if groups == 1:
        function(xp, x, filters, windows, result)
        return result
    part = width // groups
    for group in range(groups):
        function(
            xp,
            x[..., group * depth : (group + 1) * depth],
            filters[..., group * part : (group + 1) * part],
            windows,
            result[..., group * part : (group + 1) * part],
        )
    return result


def _columns(xp: Any, x: Any, windows: Sequence[Window]) -> Iterator[tuple[slice, Any]]:
    """Some images at a time, and the matrix of what the windows see of them, one row a place."""
    spatial, taps_each, channels = outputs(windows), sizes(windows), x.shape[-1]
    rows, width = math.prod(spatial), math.prod(taps_each) * channels
    is_thin = taps_each[-1] * channels < _THIN
    padded = None
    for images in _chunks(x.shape[0], rows * width * x.dtype.itemsize):
        count = images.stop - images.start
        source = x[images]
        if is_padded(windows):
            shape = (count, *(w.padded for w in windows), channels)
            if padded is None or padded.shape != shape:
                padded = workspace(xp, "padded", shape, x.dtype)
                padded.fill(0)
            padded[interior(windows)] = source
            source = padded
        seen = patches(xp, source, windows)
        if is_thin:
            # Rows of pixels are longer than what one window sees of a row: they are the inner loop.
            order = (*range(1 + len(windows), seen.ndim), *range(1 + len(windows)))
            columns = workspace(xp, "columns", (width, count * rows), x.dtype)
            columns.reshape(*taps_each, channels, count, *spatial)[...] = seen.transpose(order)
            yield images, columns.T
        else:
            columns = workspace(xp, "columns", (count * rows, width), x.dtype)
            columns.reshape(seen.shape)[...] = seen
            yield images, columns


def _chunks(count: int, bytes_each: int) -> Iterator[slice]:
    step = max(1, _COLUMN_BYTES // max(1, bytes_each))
    for start in range(0, count, step):
        yield slice(start, min(count, start + step))


def _is_pointwise(windows: Sequence[Window]) -> bool:
    return all(w.size == 1 for w in windows) and not is_padded(windows)


def _strided(array: Any, windows: Sequence[Window]) -> Any:
    """What windows of one tap see."""
    return array[(slice(None), *(w.tap(0) for w in windows))]


def _rows(array: Any) -> Any:
    """One row a place."""
    return array.reshape(-1, array.shape[-1])


def _as_matrix(filters: Any) -> Any:
    return filters.reshape(-1, filters.shape[-1])
