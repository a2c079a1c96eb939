"""Products of many float32 matrices at once, by code that oneDNN makes for their sizes."""

from __future__ import annotations

import functools
import math
from typing import Any, Final, NamedTuple

import numpy as np

from dataflow.kernels.memory import aligned
from dataflow.kernels.onednn.addresses import address_of
from dataflow.kernels.onednn.library import FLOAT32, MATMUL, Library, OneDnnError, Threads
from dataflow.kernels.onednn.primitive import (
    MOST_AXES,
    RESULT,
    SOURCE,
    WEIGHTS,
    Description,
    Layout,
    Primitive,
    dense,
)
from dataflow.kernels.products.gemm import multiply
from dataflow.kernels.threads.parallel import split

_CALL: Final = 4_000_000
"""Multiplications of a call, about."""
_LARGE: Final = 8_000_000
"""Multiplications from which on a product of two matrices is a call of its own, or several."""
_WORTH: Final = 8_000_000
"""Multiplications that are worth a thread."""
_KEPT: Final = 256
"""Primitives that are kept."""


def multiply_each(library: Library, a: Any, b: Any) -> Any:
    """The products of stacks of matrices; None if oneDNN has no fast code for them.

    Args:
      library: The library.
      a: float32 (*batch, rows, inner), not empty.
      b: float32 (*batch, inner, columns), not empty; batches are broadcast.
    """
    (rows, inner), columns = a.shape[-2:], b.shape[-1]
    one = rows * inner * columns
    if one >= _LARGE:
        return _one_by_one(library, a, b)
    stacks = _stacks(a, b) if a.shape[:-2] == b.shape[:-2] else None
    if stacks is None:
        return None
    left, right = stacks
    count, each = left.shape[0], one * math.prod(left.shape[1:-2])
    # How many are done by a call depends on the matrices only: few different codes are made.
    step = min(count, max(1, _CALL // each))
    main = _primitive(library, left.of(step), right.of(step))
    left_over = count % step
    rest = _primitive(library, left.of(left_over), right.of(left_over)) if left_over else main
    if main is None or rest is None:
        return None
    out = aligned.empty((*a.shape[:-1], columns), FLOAT32)
    at_a, at_b, at_out = address_of(a), address_of(b), address_of(out)
    per_a, per_b = 4 * step * left.strides[0], 4 * step * right.strides[0]
    per_out = 4 * step * (out.size // count)
    calls = -(-count // step)

    def run(first: int, last: int) -> None:
        for call in range(first, last):
            chosen = main if (call + 1) * step <= count else rest
            chosen.run(at_a + call * per_a, at_b + call * per_b, at_out + call * per_out)

    split(calls, max(1, calls * _WORTH // (count * each)), run)
    return out


def _one_by_one(library: Library, a: Any, b: Any) -> Any:
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a, b = (np.broadcast_to(x, (*batch, *x.shape[-2:])) for x in (a, b))
    out = aligned.empty((*batch, a.shape[-2], b.shape[-1]), FLOAT32)
    for index in np.ndindex(*batch):
        multiply(library, a[index], b[index], out[index])
    return out


class _Stack(NamedTuple):
    """How matrices lie in memory."""

    shape: tuple[int, ...]
    """One axis at least, then those of a matrix."""
    strides: tuple[int, ...]
    """In elements."""

    def of(self, count: int) -> _Stack:
        """So many along the first axis."""
        return _Stack((count, *self.shape[1:]), self.strides)


def _stacks(a: Any, b: Any) -> tuple[_Stack, _Stack] | None:
    """Two stacks with as few axes as there can be; None if oneDNN does not read them so."""
    matrices = [_matrix(x) for x in (a, b)]
    if None in matrices:
        return None
    axes: list[tuple[int, int, int]] = []
    for size, *steps in zip(a.shape[:-2], a.strides[:-2], b.strides[:-2], strict=True):
        # Along an axis of one element a stride says nothing.
        if size > 1 and min(steps) <= 0:
            return None
        if axes and [size * step for step in steps] == list(axes[-1][1:]):
            axes[-1] = (axes[-1][0] * size, steps[0], steps[1])
        elif size > 1:
            axes.append((size, steps[0], steps[1]))
    axes = axes or [(1, a.nbytes, b.nbytes)]
    sizes = tuple(axis[0] for axis in axes)
    left, right = (
        _Stack((*sizes, *x.shape[-2:]), (*(axis[which] // 4 for axis in axes), *(matrix or ())))
        for which, (x, matrix) in enumerate(zip((a, b), matrices, strict=True), 1)
    )
    return left, right


def _matrix(x: Any) -> tuple[int, int] | None:
    """The strides of the matrices, in elements; None unless rows or columns lie in one piece."""
    rows, columns = x.shape[-2:]
    down, along = (step // 4 for step in x.strides[-2:])
    if not x.flags.aligned or x.strides[-1] % 4 or x.strides[-2] % 4:
        return None
    if columns == 1:
        along = 1 if down != 1 or rows == 1 else rows
    if rows == 1:
        down = columns if along == 1 else 1
    if (along == 1 and down >= columns) or (down == 1 and along >= rows):
        return down, along
    return None


@functools.lru_cache(maxsize=_KEPT)
def _primitive(library: Library, a: _Stack, b: _Stack) -> Primitive | None:
    """What computes the products of two stacks; None if that is slow, or matrices overlap."""
    made = (*a.shape[:-1], b.shape[-1])
    if len(made) > MOST_AXES:
        return None
    try:
        source, weights = Layout(library, a.shape, a.strides), Layout(library, b.shape, b.strides)
        result = Layout(library, made, dense(made))
        with Threads(library, 1):
            described = Description(library, MATMUL, source, weights, None, result)
            return Primitive(described, ((SOURCE, source), (WEIGHTS, weights), (RESULT, result)))
    except OneDnnError:
        return None
