"""Products of many float32 matrices at once, by code that oneDNN makes for their sizes."""

from __future__ import annotations

import functools
import math
from typing import Any, Final

import numpy as np

from dataflow.kernels.onednn.addresses import address_of
from dataflow.kernels.onednn.gemm import FLOAT32, multiply
from dataflow.kernels.onednn.library import MATMUL, Library, OneDnnError, Single
from dataflow.kernels.onednn.primitive import (
    RESULT,
    SOURCE,
    WEIGHTS,
    Description,
    Layout,
    Primitive,
)
from dataflow.kernels.parallel import split

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
    batch = a.shape[:-2]
    if batch != b.shape[:-2]:
        return None
    count = math.prod(batch)
    a, b = _as_stack(a), _as_stack(b)
    if a is None or b is None:
        return None
    # How many are done by a call depends on the matrices only: few different codes are made.
    step = min(count, max(1, _CALL // one))
    sizes = (rows, inner, columns, a.strides[1] == 4 and rows > 1, b.strides[1] == 4 and inner > 1)
    main = _primitive(library, step, *sizes)
    rest = main if count % step == 0 else _primitive(library, count % step, *sizes)
    if main is None or rest is None:
        return None
    out = np.empty((count, rows, columns), FLOAT32)
    at_a, at_b, at_out = address_of(a), address_of(b), address_of(out)
    per_a, per_b, per_out = a.strides[0] * step, b.strides[0] * step, 4 * rows * columns * step
    calls = -(-count // step)

    def run(first: int, last: int) -> None:
        for call in range(first, last):
            chosen = main if (call + 1) * step <= count else rest
            chosen.run(at_a + call * per_a, at_b + call * per_b, at_out + call * per_out)

    split(calls, max(1, calls * _WORTH // (count * one)), run)
    return out.reshape(*batch, rows, columns)


def _one_by_one(library: Library, a: Any, b: Any) -> Any:
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a, b = (np.broadcast_to(x, (*batch, *x.shape[-2:])) for x in (a, b))
    out = np.empty((*batch, a.shape[-2], b.shape[-1]), FLOAT32)
    for index in np.ndindex(*batch):
        multiply(library, a[index], b[index], out[index])
    return out


def _as_stack(x: Any) -> Any:
    """The matrices along one axis, one behind the other in memory, or None if they are not so."""
    rows, columns = x.shape[-2:]
    down, along = x.strides[-2:]
    straight = x
    if down == 4 and along == 4 * rows and columns > 1:
        straight = x.swapaxes(-1, -2)
    if not (straight.flags.c_contiguous and straight.flags.aligned):
        return None
    stack = straight.reshape(-1, *straight.shape[-2:])
    return stack if straight is x else stack.swapaxes(-1, -2)


@functools.lru_cache(maxsize=_KEPT)
def _primitive(
    library: Library,
    count: int,
    rows: int,
    inner: int,
    columns: int,
    is_a_turned: bool,
    is_b_turned: bool,
) -> Primitive | None:
    """What computes so many products of matrices of these sizes; None if it is slow."""

    def layout(height: int, width: int, is_turned: bool = False) -> Layout:
        within = (1, height) if is_turned else (width, 1)
        return Layout(library, (count, height, width), (height * width, *within))

    source, weights = layout(rows, inner, is_a_turned), layout(inner, columns, is_b_turned)
    result = layout(rows, columns)
    try:
        with Single(library):
            described = Description(library, MATMUL, source, weights, None, result)
            return Primitive(described, ((SOURCE, source), (WEIGHTS, weights), (RESULT, result)))
    except OneDnnError:
        return None
