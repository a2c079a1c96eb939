"""Running sums and products, one row after the other.

numpy runs along one line of numbers at a time: each addition waits for the one before it. Many
lines side by side are added at once, which gives the same numbers; long lines are divided among
threads.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from dataflow.kernels.memory.packing import pack_into, packed
from dataflow.kernels.threads.parallel import split_rows

_MANY: Final = 128
"""Lines from which it pays to take them side by side."""
_SHORT: Final = 512
"""Numbers of a line along the last axis up to which it pays to turn lines round,"""
_BLOCK: Final = 1 << 18
"""and elements of the lines that are turned round at a time."""
_SECONDS: Final = 3e-9
"""What a number of a line takes, about."""


def running(
    ufunc: Any, x: np.ndarray, axis: int, exclusive: bool, reverse: bool, neutral: Any
) -> np.ndarray:
    """The running sum, or what else a ufunc makes of neighbours, along an axis.

    Args:
      ufunc: Of two operands.
      x: The array, not empty.
      axis: From 0 on.
      exclusive: Leaves out each element's own value.
      reverse: Begins at the end.
      neutral: Where an exclusive one begins.
    """
    outer, inner = math.prod(x.shape[:axis]), math.prod(x.shape[axis + 1 :])
    count = x.shape[axis]
    lines = np.ascontiguousarray(x).reshape(outer, count, inner)
    if outer * inner < _MANY or (inner == 1 and count > _SHORT):
        out = np.empty_like(lines)

        def run(part: slice) -> None:
            along(ufunc, lines[part], out[part], 1, exclusive, reverse, neutral)

        split_rows(outer, x.size, _SECONDS, run)
        return out.reshape(x.shape)
    if inner > 1:
        out = np.empty_like(lines)
        _side_by_side(ufunc, lines, out, exclusive, reverse, neutral)
        return out.reshape(x.shape)
    rows = lines.reshape(outer, count)
    out = np.empty_like(rows)
    step = max(_MANY, _BLOCK // count)
    for start in range(0, outer, step):
        part = packed(rows[start : start + step].T)
        turned = np.empty_like(part)
        _side_by_side(ufunc, part[None], turned[None], exclusive, reverse, neutral)
        pack_into(out[start : start + step], turned.T)
    return out.reshape(x.shape)


def along(
    ufunc: Any,
    x: np.ndarray,
    out: np.ndarray,
    axis: int,
    exclusive: bool,
    reverse: bool,
    neutral: Any,
) -> None:
    """Fills an array with what accumulates, line by line; see `running`.

    An exclusive one is written behind the neutral element, a reverse one from the end on.
    """
    lead: tuple[Any, ...] = (slice(None),) * axis
    made = out
    if reverse:
        backwards = (*lead, slice(None, None, -1))
        x, made = x[backwards], out[backwards]
    if exclusive and x.shape[axis]:
        made[(*lead, 0)] = neutral
        x, made = x[(*lead, slice(None, -1))], made[(*lead, slice(1, None))]
    ufunc.accumulate(x, axis, x.dtype, made)


def _side_by_side(
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
