"""Extremes of a large array and a number.

numpy takes more than twice the time of those of two arrays, and `clip` has another zero: of a
number and an equal one the second is the result everywhere else.
"""

from __future__ import annotations

import functools
from typing import Any, Final

import numpy as np

from dataflow.kernels.memory.orders import in_line

_LARGE: Final = 1 << 13
"""Elements from which on the work matters more than the call."""
_BLOCK: Final = 1 << 16
"""Elements that are taken at a time: they and the number as often stay in the cache."""


def maximum(x: Any, y: Any, out: Any = None) -> Any:
    """`np.maximum(x, y)` of an array and a number or another array."""
    return _extreme(np.maximum, x, y, out)


def minimum(x: Any, y: Any, out: Any = None) -> Any:
    """`np.minimum(x, y)` of an array and a number or another array."""
    return _extreme(np.minimum, x, y, out)


def _extreme(function: np.ufunc, x: Any, y: Any, out: Any) -> Any:
    if x.size < _LARGE or y.ndim or x.dtype.char not in "fd" or x.dtype != y.dtype:
        return function(x, y, out=out)
    result = np.empty_like(x) if out is None else out
    vectors = in_line(x, result)
    if vectors is None:
        return function(x, y, out=result)
    given, made = vectors
    numbers = _numbers(y.dtype, y.tobytes())
    for start in range(0, given.size, _BLOCK):
        part = given[start : start + _BLOCK]
        function(part, numbers[: part.size], out=made[start : start + _BLOCK])
    return result


@functools.lru_cache(maxsize=16)
def _numbers(dtype: np.dtype[Any], bits: bytes) -> np.ndarray:
    found = np.full(_BLOCK, np.frombuffer(bits, dtype)[0])
    found.flags.writeable = False
    return found
