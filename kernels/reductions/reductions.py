"""Reductions of large arrays in parts, by as many threads as there are.

Which parts there are depends on the array's shape only, so that sums are the same in every run.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Collection
from typing import Any, Final

import numpy as np

from dataflow.kernels.reductions.contiguous import (
    Shape3,
    adds_by_products,
    as_block,
    joins_rows,
    reduce_block,
)
from dataflow.kernels.reductions.parts import LARGE, Parts, parts_of
from dataflow.kernels.threads.parallel import grain_of, split

_LEAST: Final = 64
"""Size of an axis that is kept, from which it is what the array is cut along."""
_LONG: Final = 64
"""Elements of rows along the last axis, from which these are reduced first."""
_WIDE: Final = 1024
"""Elements of a row of a part, from which a part that holds only pieces of rows is read as fast."""
_SECONDS: Final = 4e-10
"""What an element takes, about,"""
_FAST: Final = 1e-10
"""and what one takes whose neighbours are reduced with it."""

Reduce = Callable[..., Any]
"""`f(array, axis=axes, keepdims=bool, ...)`, which gives the same of parts as of the whole."""


def reduce_contiguous(ufunc: Any, x: np.ndarray, shape: Shape3) -> np.ndarray:
    """`ufunc.reduce` over the middle axis of an array in C order, large ones by several threads.

    Args:
      ufunc: `add`, `maximum`, `minimum`, `multiply` or the like.
      x: The array, not empty.
      shape: [outer, reduced, inner], as `as_block` gives it.

    Returns:
      Array of shape [outer, inner].
    """
    block = x.reshape(shape)
    outer, count, inner = shape
    if x.size <= LARGE:
        return reduce_block(ufunc, block)
    parts = parts_of(ufunc, shape, x.dtype)
    if parts is not None:
        return _in_these(parts, x.reshape(-1))
    if outer > 1:
        return np.concatenate([reduce_contiguous(ufunc, b, (1, count, inner)) for b in block])
    out = np.empty((1, inner), x.dtype)

    def columns(first: int, last: int) -> None:
        part = block[:, :, first:last]
        ufunc.reduce(part, axis=1, dtype=x.dtype, out=out[:, first:last])

    split(inner, max(_WIDE, grain_of(inner, x.size * _SECONDS)), columns)
    return out


def _in_these(parts: Parts, flat: np.ndarray) -> np.ndarray:
    """The total of a large array."""
    reduction, unit = parts.begin(), parts.unit

    def take(first: int, last: int) -> None:
        # As few calls as can be: between them threads wait for Python's lock.
        for start in range(first, last) if parts.is_exact else (first,):
            stop = start + 1 if parts.is_exact else last
            reduction.take(start * unit, flat[start * unit : stop * unit])

    count = -(-flat.size // unit)
    split(count, grain_of(count, flat.size * _FAST), take)
    total: np.ndarray = reduction.total()
    return total


def reduced(ufunc: Any, x: np.ndarray, axes: tuple[int, ...], keep: bool) -> Any:
    """`ufunc.reduce` of an array of some size, whose result has its type; rounded otherwise.

    Args:
      ufunc: `add`, `maximum`, `minimum`, `multiply` or the like.
      x: The array, not empty.
      axes: Not negative, and different from each other.
      keep: Leaves axes of size 1.
    """
    runs = _neighbours(axes)
    if len(runs) > 1 and x.flags.c_contiguous:
        result = reduced_shape(x.shape, axes, keep)
        last = runs[-1]
        if last[-1] == x.ndim - 1 and math.prod(x.shape[axis] for axis in last) >= _LONG:
            runs = runs[::-1]
        for run in runs:
            x = reduced(ufunc, x, run, True)
        return x.reshape(result)[()]
    shape, result, is_simple = _layout(ufunc, x.shape, x.dtype, axes, keep)
    if shape is None or not x.flags.c_contiguous:
        if x.size < LARGE:
            return ufunc.reduce(x, axis=axes, dtype=x.dtype, keepdims=keep)
        reduce = functools.partial(ufunc.reduce, dtype=x.dtype)
        return reduce_in_parts(reduce, reduce, x, axes, keep)
    if is_simple:
        return ufunc.reduce(x, axis=axes[0], dtype=x.dtype, keepdims=keep)
    return reduce_contiguous(ufunc, x, shape).reshape(result)[()]


@functools.lru_cache(1024)
def _neighbours(axes: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """The axes, those together that lie side by side.

    numpy starts a loop for each row along the last one; one run after the other needs few of them.
    """
    runs: list[list[int]] = []
    for axis in sorted(axes):
        if runs and runs[-1][-1] == axis - 1:
            runs[-1].append(axis)
        else:
            runs.append([axis])
    return tuple(map(tuple, runs))


@functools.lru_cache(1024)
def _layout(
    ufunc: Any, shape: tuple[int, ...], dtype: Any, axes: tuple[int, ...], keep: bool
) -> tuple[Shape3 | None, tuple[int, ...], bool]:
    """For arrays of a shape `as_block`, the shape of the result, and if numpy does as well."""
    block = as_block(shape, axes) if axes else None
    is_simple = (
        block is not None
        and len(axes) == 1
        and block[2] > 1
        and math.prod(shape) <= LARGE
        and not joins_rows(block)
        and not adds_by_products(ufunc, block, dtype)
    )
    return block, reduced_shape(shape, axes, keep), is_simple


def reduced_shape(shape: tuple[int, ...], axes: Collection[int], keep: bool) -> tuple[int, ...]:
    """The shape of an array after a reduction over axes."""
    if keep:
        return tuple(1 if axis in axes else n for axis, n in enumerate(shape))
    return tuple(n for axis, n in enumerate(shape) if axis not in axes)


def reduce_in_parts(
    reduce: Reduce, combine: Reduce, x: np.ndarray, axes: tuple[int, ...], keep: bool
) -> Any:
    """What `reduce` makes of a large array, over `axes`.

    Args:
      reduce: Reduces a part.
      combine: Reduces what it made of several parts.
      x: The array, not empty.
      axes: Not negative, and different from each other.
      keep: Leaves axes of size 1.
    """
    if not axes:
        return reduce(x, axis=axes, keepdims=keep)
    others = [axis for axis in range(x.ndim) if axis not in axes]
    if max(axes) < len(axes) and x.flags.c_contiguous and others:
        rows, columns = (math.prod(x.shape[i] for i in side) for side in (axes, others))
        if 2 * columns <= _WIDE and rows * columns >= 2 * _WIDE:
            total = _of_short_rows(reduce, combine, x.reshape(rows, columns))
            return total.reshape([1] * (len(axes) if keep else 0) + [x.shape[i] for i in others])
    axis = max(others, key=x.shape.__getitem__, default=-1)
    step = max(1, x.shape[axis] * LARGE // x.size) if axis >= 0 else 0
    if axis >= 0 and x.shape[axis] >= _LEAST and (axis < x.ndim - 1 or step >= _WIDE):
        return _by_kept_axis(reduce, x, axes, keep, axis)
    shape, along = x.shape, axes
    if not others and x.flags.c_contiguous:
        x, along = x.reshape(-1), (0,)
    axis = max(along, key=x.shape.__getitem__)
    count = x.shape[axis]
    step = max(1, count * LARGE // x.size)
    pieces = -(-count // step)
    before = (slice(None),) * axis
    found: list[Any] = [None] * pieces

    def run(start: int, stop: int) -> None:
        for piece in range(start, stop):
            part = x[(*before, slice(piece * step, (piece + 1) * step))]
            found[piece] = reduce(part, axis=along, keepdims=True)

    split(pieces, grain_of(pieces, x.size * _SECONDS), run)
    total = combine(np.concatenate(found, axis), axis=axis, keepdims=True)
    return total.reshape(reduced_shape(shape, axes, keep))[()]


def _of_short_rows(reduce: Reduce, combine: Reduce, x: np.ndarray) -> np.ndarray:
    """Over the rows of a matrix: first of several rows laid side by side, in long loops."""
    rows, columns = x.shape
    joined = _WIDE // columns
    lines = rows // joined
    many = x[: lines * joined].reshape(lines, joined * columns)
    found = [reduce_in_parts(reduce, combine, many, (0,), False).reshape(joined, columns)]
    if lines * joined < rows:
        found.append(reduce(x[lines * joined :], axis=(0,), keepdims=True))
    total: np.ndarray = combine(np.concatenate(found), axis=(0,), keepdims=False)
    return total


def _by_kept_axis(
    reduce: Reduce, x: np.ndarray, axes: tuple[int, ...], keep: bool, axis: int
) -> Any:
    """Parts along an axis that stays: the result is made of theirs."""
    place = axis if keep else axis - sum(other < axis for other in axes)
    count = x.shape[axis]
    step = max(1, count * LARGE // x.size)
    pieces = -(-count // step)
    before = (slice(None),) * axis
    found: list[Any] = [None] * pieces

    def run(start: int, stop: int) -> None:
        for piece in range(start, stop):
            part = x[(*before, slice(piece * step, (piece + 1) * step))]
            found[piece] = reduce(part, axis=axes, keepdims=keep)

    split(pieces, grain_of(pieces, x.size * _SECONDS), run)
    return np.concatenate(found, place)
