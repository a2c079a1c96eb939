"""Local response normalization of float32 rows by one product with oneDNN.

The squares times a band of a matrix are the sums over the channels nearby; what is computed with
these is done while they are in registers.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.memory.workspace import workspace
from dataflow.kernels.onednn.addresses import address_of
from dataflow.kernels.onednn.library import FLOAT32, MATMUL, Library, compiled
from dataflow.kernels.onednn.primitive import (
    BIAS,
    POST_OPERATION,
    RESULT,
    SECOND_SOURCE,
    SOURCE,
    WEIGHTS,
    Description,
    Layout,
    PostOperation,
    Primitive,
    are_float32,
    plain,
)
from dataflow.kernels.reductions.channel_windows import band

_NARROWEST: Final = 16
_WIDEST: Final = 64
"""Channels between which it is faster than one operation after the other."""
_SQRT: Final = (0x25, 0.0, 0.0)
_RECIPROCAL: Final = (0x30, 1.0, -1.0)
_STEPS: Final = {0.5: (_SQRT, _RECIPROCAL), 1.0: (_RECIPROCAL,)}
"""By the exponent, what raises to its negative: numbers of functions of oneDNN, and parameters."""
_MULTIPLY: Final = 0x1FFF1
"""oneDNN's number of the product."""
_KEPT: Final = 256
"""Codes, and matrices, that are kept."""


def normalize(
    x: Any,
    out: Any,
    attributes: tuple[int, float, float, float],
    otherwise: Callable[[Any], Any],
) -> bool:
    """Divides each number by a power of the sum of the squares nearby, on this thread.

    Args:
      x: float32 (rows, channels), with 1 of each at least.
      out: Where the result is written, which is contiguous.
      attributes: Radius, bias, factor and exponent.
      otherwise: Computes the result for rows that have NaN or infinity in them.

    Returns:
      False if oneDNN is absent or not faster.
    """
    radius, bias, alpha, beta = attributes
    count, channels = x.shape
    if beta not in _STEPS or radius < 1 or not _NARROWEST <= channels <= _WIDEST:
        return False
    if not are_float32(x):
        return False
    code = _code(count, channels, beta)
    if code is None:
        return False
    squares = workspace(np, "LRN squares", x.shape, FLOAT32)
    np.multiply(x, x, out=squares)
    weights, offsets = _parameters(channels, radius, alpha, bias)
    arrays = (squares, weights, offsets, out, plain(x))
    code.run(*map(address_of, arrays))
    # Times the zeros of the band, what is not finite is NaN.
    if not math.isfinite(np.maximum.reduce(squares, axis=None)):
        spoilt = np.flatnonzero(~np.isfinite(squares).all(axis=1))
        out[spoilt] = otherwise(x[spoilt])
    return True


@functools.lru_cache(maxsize=_KEPT)
def _code(rows: int, channels: int, beta: float) -> Primitive | None:
    """What takes squares, matrix, offsets, the result and what was squared."""

    def make(library: Library) -> Primitive:
        matrix = Layout(library, (rows, channels), (channels, 1))
        weights = Layout(library, (channels, channels), (channels, 1))
        offsets = Layout(library, (1, channels), (channels, 1))
        after = [PostOperation(kind, None, *numbers) for kind, *numbers in _STEPS[beta]]
        after.append(PostOperation(_MULTIPLY, matrix))
        described = Description(library, MATMUL, matrix, weights, offsets, matrix, after=after)
        factors = POST_OPERATION * len(after) | SECOND_SOURCE
        roles = ((SOURCE, matrix), (WEIGHTS, weights), (BIAS, offsets), (RESULT, matrix))
        return Primitive(described, (*roles, (factors, matrix)))

    return compiled(make)


@functools.lru_cache(maxsize=_KEPT)
def _parameters(channels: int, radius: int, alpha: float, bias: float) -> tuple[Any, Any]:
    return band(channels, radius, alpha), np.full(channels, bias, FLOAT32)
