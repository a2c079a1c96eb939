"""The error function of float32 arrays, as a rational function that numpy evaluates in the cache.

Between -4.1 and 4.1 it is x * P(x * x) / Q(x * x), with polynomials of degree 5: the minimax fit of
the relative error (2.5e-8, by weighted least squares). Beyond, float32 has no number between it and
1. Rounding makes the error at most 8 units in the last place.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.parallel import grain_of, split
from dataflow.kernels.workspace import workspace

_NUMERATOR: Final = tuple(
    np.float32(c)
    for c in (
        1.9867950413754443e-06,
        0.00028456575819291174,
        0.0038833122234791517,
        0.05310164391994476,
        0.19354423880577087,
        1.1283791065216064,
    )
)
_DENOMINATOR: Final = tuple(
    np.float32(c)
    for c in (
        3.742030094144866e-05,
        0.0011855646735057235,
        0.015207185409963131,
        0.1153496652841568,
        0.5048566460609436,
        1.0,
    )
)
"""The coefficient of the highest power comes first."""
_END: Final = np.float32(4.1)
"""From here on rounding gives 1."""
_ONE: Final = np.float32(1)
_BLOCK: Final = 1 << 15
"""Elements that are taken through all steps at a time."""
_LEAST: Final = 1 << 12
"""Elements from which the steps take less time than a function call an element."""
_SECONDS: Final = 2e-9
"""What an element takes, about."""


def error_function(otherwise: Callable[[Any], Any]) -> Callable[..., Any]:
    """The error function of arrays, `f(x, out=None)`.

    Args:
      otherwise: The same for arrays that are small or of other types.
    """

    def run(x: Any, out: Any = None) -> Any:
        if type(x) is not np.ndarray or x.dtype != np.float32 or x.size < _LEAST:
            found = otherwise(x)
            if out is None:
                return found
            out[...] = found
            return out
        result = out if out is not None and out.flags.c_contiguous else np.empty(x.shape, x.dtype)
        _fill(x.reshape(-1), result.reshape(-1))
        if out is None or out is result:
            return result
        out[...] = result
        return out

    return run


def _fill(x: np.ndarray, out: np.ndarray) -> None:
    def blocks(first: int, last: int) -> None:
        for start in range(first * _BLOCK, min(x.size, last * _BLOCK), _BLOCK):
            block = slice(start, start + _BLOCK)
            _evaluate(x[block], out[block])

    count = -(-x.size // _BLOCK)
    split(count, grain_of(count, x.size * _SECONDS), blocks)


def _evaluate(x: np.ndarray, out: np.ndarray) -> None:
    inside, square, below = (
        workspace(np, f"erf {name}", x.shape, x.dtype) for name in ("inside", "square", "below")
    )
    np.clip(x, -_END, _END, out=inside)
    np.square(inside, out=square)
    _horner(_NUMERATOR, square, out)
    _horner(_DENOMINATOR, square, below)
    np.multiply(out, inside, out=out)
    np.divide(out, below, out=out)
    np.clip(out, -_ONE, _ONE, out=out)


def _horner(coefficients: tuple[np.float32, ...], x: np.ndarray, out: np.ndarray) -> None:
    np.multiply(x, coefficients[0], out=out)
    for coefficient in coefficients[1:-1]:
        np.add(out, coefficient, out=out)
        np.multiply(out, x, out=out)
    np.add(out, coefficients[-1], out=out)
