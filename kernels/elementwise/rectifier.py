"""What is above zero of large arrays.

numpy's `maximum` with a number takes more than twice the time of the one with an array, and `clip`
has another zero: of a number and an equal one the second is the result everywhere else.
"""

from __future__ import annotations

import functools
from typing import Any, Final

import numpy as np

from dataflow.kernels.memory.orders import in_line

_BLOCK: Final = 1 << 16
"""Elements that are taken at a time: they and as many zeros stay in the cache."""


def rectified(x: np.ndarray, out: Any = None) -> Any:
    """`maximum(x, 0)` of an array of float32 or float64, which may be `out`."""
    result = np.empty_like(x) if out is None else out
    vectors = in_line(x, result)
    if vectors is None:
        return np.maximum(x, x.dtype.type(0), out=result)
    given, made = vectors
    zeros = _zeros(x.dtype.char)
    for start in range(0, given.size, _BLOCK):
        part = given[start : start + _BLOCK]
        np.maximum(part, zeros[: part.size], out=made[start : start + _BLOCK])
    return result


@functools.cache
def _zeros(code: str) -> np.ndarray:
    zeros = np.zeros(_BLOCK, code)
    zeros.flags.writeable = False
    return zeros
