"""Many numbers of numpy's generators, a stretch at a time, so that a step can be stopped."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.threads.stopping import look

_STRETCH: Final = 1 << 21
"""Numbers between looks: some 10 ms."""


def in_stretches(fill: Callable[..., Any], count: int, dtype: Any) -> np.ndarray:
    """That many numbers.

    Args:
      fill: `fill(count, dtype)` makes numbers; with `out=` it makes them there.
      count: How many.
      dtype: Their type.
    """
    made: np.ndarray
    if count <= _STRETCH:
        made = fill(count, dtype)
        return made
    made = np.empty(count, dtype)
    for start in range(0, count, _STRETCH):
        look()
        fill(dtype=dtype, out=made[start : start + _STRETCH])
    return made


def made_in_stretches(make: Callable[[int], np.ndarray], count: int) -> np.ndarray:
    """That many numbers of a function that makes as many as it is asked for, independent ones."""
    if count <= _STRETCH:
        return make(count)
    part = make(_STRETCH)
    made = np.empty(count, part.dtype)
    for start in range(0, count, _STRETCH):
        size = min(_STRETCH, count - start)
        made[start : start + size] = part[:size]
        look()
        if start + size < count:
            part = make(min(_STRETCH, count - start - size))
    return made
