"""Running sums and products, one row after the other.

numpy runs along one line of numbers at a time: each addition waits for the one before it. Here many
lines side by side are added at once, which gives the same numbers.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from dataflow.kernels.packing import pack_into, packed

_MANY: Final = 128
"""Lines from which it pays to take them side by side."""
_BLOCK: Final = 1 << 16
"""Elements of the lines along the last axis that are turned round at a time."""


def running(
    ufunc: Any, x: np.ndarray, axis: int, exclusive: bool, reverse: bool, neutral: Any
) -> np.ndarray | None:
    """The running sum, or what else a ufunc makes of neighbours, along an axis.

    Args:
      ufunc: Of two operands.
      x: The array.
      axis: From 0 on.
      exclusive: Leaves out each element's own value.
      reverse: Begins at the end.
      neutral: Where an exclusive one begins.

    Returns:
      The array; None if there are too few lines for this way.
    """
    outer, inner = math.prod(x.shape[:axis]), math.prod(x.shape[axis + 1 :])
    count = x.shape[axis]
    if outer * inner < _MANY or count < 2:
        return None
    lines = np.ascontiguousarray(x).reshape(outer, count, inner)
    if inner > 1:
        out = np.empty_like(lines)
        _along(ufunc, lines, out, exclusive, reverse, neutral)
        return out.reshape(x.shape)
    rows = lines.reshape(outer, count)
    out = np.empty_like(rows)
    step = max(_MANY, _BLOCK // count)
    for start in range(0, outer, step):
        part = packed(rows[start : start + step].T)
        turned = np.empty_like(part)
        _along(ufunc, part[None], turned[None], exclusive, reverse, neutral)
        pack_into(out[start : start + step], turned.T)
    return out.reshape(x.shape)


def _along(
    ufunc: Any, x: np.ndarray, out: np.ndarray, exclusive: bool, reverse: bool, neutral: Any
) -> None:
    """Runs along the middle axis."""
    given, made = x.swapaxes(0, 1), out.swapaxes(0, 1)
    if len(x) == 1:
        given, made = given[:, 0], made[:, 0]
    if reverse:
        given, made = given[::-1], made[::-1]
    before = made[0]
    before[...] = neutral if exclusive else given[0]
    for row, place in zip(given[:-1] if exclusive else given[1:], made[1:], strict=True):
        ufunc(before, row, place)
        before = place
