"""Sums of products of few bits: exact, and in the shortest floats that hold them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

_EXACT: Final = {np.float32: 1 << 24, np.float64: 1 << 53}
"""Below which floats hold every whole number."""


def around_zero(values: Any, zero: int) -> Any:
    """How many steps each step lies above the one of zero, as floats that hold it."""
    real = np.float32 if abs(zero) < _EXACT[np.float32] // 2 else np.float64
    return values.astype(real) - real(zero)


def exact_sums(
    product: Callable[[Any, Any], Any], first: Any, second: Any, parts: bool = True
) -> Any:
    """Sums of products as int32, which wraps.

    Args:
      product: Multiplies them, and adds up in the type that they have.
      first: Whole numbers.
      second: Others: each of the last axis is for a sum of its own.
      parts: Whether a sum runs along all of the last axis of `first` and the last but one of
        `second`, so that it may be done in parts.
    """
    most = max(float(first.max(initial=0)), -float(first.min(initial=0)))
    sizes = np.abs(second if second.dtype.kind == "f" else second.astype(np.float32))
    reach = sizes.sum(tuple(range(second.ndim - 2)), dtype=np.float64) * most
    ends = list(_ends(reach, _EXACT[np.float32]))
    if not ends or ends[-1] < len(reach) or not parts:
        return _in(_shortest(reach.sum(0).max(initial=0)), product, first, second)
    total = None
    for start, end in zip([0, *ends], ends, strict=False):
        part = _in(np.float32, product, first[..., start:end], second[..., start:end, :])
        # Int32 wraps here too.
        total = part if total is None else np.add(total, part, out=total)
    return total


def _shortest(reach: float) -> Any:
    """The first type in which sums up to this are exact."""
    return next((real for real, limit in _EXACT.items() if reach < limit), np.int64)


def _in(kind: Any, product: Callable[[Any, Any], Any], first: Any, second: Any) -> Any:
    # The low 32 bits of a sum depend on the low 32 bits of its terms only.
    with np.errstate(over="ignore"):
        sums = product(first.astype(kind, copy=False), second.astype(kind, copy=False))
    return sums.astype(np.int32) if kind is np.float32 else sums.astype(np.int64).astype(np.int32)


def _ends(reach: Any, limit: int) -> Iterator[int]:
    """Where parts of the first axis end whose sums stay below the limit; stops where none does."""
    totals = np.cumsum(reach, 0)
    start, before = 0, 0.0
    while start < len(totals):
        rows = (totals[start:] - before).max(-1, initial=0)
        end = start + int(np.searchsorted(rows, limit))
        if end == start:
            return
        yield end
        start, before = end, totals[end - 1]
