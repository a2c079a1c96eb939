"""Floor division and its remainder of many numbers, where numpy takes them one by one.

Those of 64-bit integers are numpy's, by several threads. Quotients of 32-bit integers are those of
doubles: the nearest one of a quotient that is no integer is less than its distance from the next
integer away. The remainder of floats is `fmod`'s, moved to the divisor's sign.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.elementwise.selection import keep
from dataflow.kernels.memory.orders import in_line
from dataflow.kernels.memory.workspace import workspace
from dataflow.kernels.threads.parallel import split_rows

_MANY: Final = 1 << 10
"""Elements from which these ways pay."""
_SECONDS: Final = 1e-9
"""What an element takes, about."""


def floor_divide(x: Any, y: Any) -> Any:
    """`floor_divide` of integers; no divisor is 0."""
    if not _are_vectors(x, y, "il"):
        return np.floor_divide(x, y)
    return _in_stretches(_quotients if x.itemsize == 4 else np.floor_divide, x, y)


def integer_remainder(x: Any, y: Any) -> Any:
    """`remainder` of integers; no divisor is 0."""
    if type(x) is np.ndarray and x.size >= _MANY and not np.ndim(y) and x.dtype == y.dtype:
        # By one number numpy divides with vectors.
        found = np.floor_divide(x, y)
        found *= y
        return np.subtract(x, found, out=found)
    if not _are_vectors(x, y, "il"):
        return np.remainder(x, y)
    return _in_stretches(_left_over if x.itemsize == 4 else np.remainder, x, y)


def float_remainder(x: Any, y: Any) -> Any:
    """`remainder` of floats: it has the divisor's sign."""
    if _are_vectors(x, y, "fd"):
        return _in_stretches(_remainders, x, y)
    if type(x) is np.ndarray and x.size >= _MANY and not np.ndim(y) and x.dtype == y.dtype:
        out = np.empty_like(x)
        _remainders(x, np.broadcast_to(y, x.shape), out)
        return out
    return np.remainder(x, y)


def _are_vectors(x: Any, y: Any, codes: str) -> bool:
    """True for large arrays of one shape and type, one of these."""
    return (
        type(x) is np.ndarray
        and type(y) is np.ndarray
        and x.size >= _MANY
        and x.shape == y.shape
        and x.dtype == y.dtype
        and x.dtype.char in codes
    )


def _in_stretches(run: Callable[..., Any], x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The result of `run(x, y, out)`, stretch by stretch; it lies as that of a ufunc does."""
    out = np.empty_like(x)
    vectors = in_line(x, y, out)
    if vectors is None:
        like_ufunc = np.nditer([x, y, None])
        found: np.ndarray = like_ufunc.operands[2]
        found[...] = _in_stretches(run, np.ascontiguousarray(x), np.ascontiguousarray(y))
        return found
    a, b, made = vectors
    split_rows(x.size, x.size, _SECONDS, lambda part: run(a[part], b[part], made[part]))
    return out


def _quotients(x: np.ndarray, y: np.ndarray, out: np.ndarray) -> None:
    quotients, divisors = (
        workspace(np, f"quotients {name}", x.shape, np.float64) for name in ("x", "y")
    )
    quotients[...] = x
    divisors[...] = y
    np.divide(quotients, divisors, out=quotients)
    np.floor(quotients, out=quotients)
    # The least integer by -1 has no quotient of its type: it wraps around, as numpy's does.
    whole = divisors.view(np.int64)
    np.copyto(whole, quotients, casting="unsafe")
    np.copyto(out, whole, casting="unsafe")


def _left_over(x: np.ndarray, y: np.ndarray, out: np.ndarray) -> None:
    _quotients(x, y, out)
    out *= y
    np.subtract(x, out, out=out)


def _remainders(x: np.ndarray, y: np.ndarray, out: np.ndarray) -> None:
    np.fmod(x, y, out=out)
    differ = np.less(out, 0)
    np.not_equal(differ, np.less(y, 0), out=differ)
    # Nothing remains of what divides evenly.
    np.logical_and(differ, out, out=differ)
    out += keep(np, differ, y)
    np.copysign(out, y, out=out)
