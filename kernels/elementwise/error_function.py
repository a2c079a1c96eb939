"""The error function of float32 arrays, as a rational function evaluated in the cache.

Between -4.1 and 4.1 it is x * P(x * x) / Q(x * x), with polynomials of degree 5: the minimax fit of
the relative error (2.5e-8, by weighted least squares). Beyond, float32 has no number between it and
1. Rounding makes the error at most 8 units in the last place.

oneDNN, where it is installed, takes three passes for it, numpy 25; the results are the same bits.
It does not do NaNs: where there is one, numpy does the block.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from dataflow.kernels.elementwise.chains import BINARIES
from dataflow.kernels.memory.workspace import workspace
from dataflow.kernels.onednn import library as onednn
from dataflow.kernels.onednn.addresses import address_of
from dataflow.kernels.onednn.invalid_flag import flag
from dataflow.kernels.onednn.library import BINARY, Library, OneDnnError
from dataflow.kernels.onednn.primitive import (
    POST_OPERATION,
    RESULT,
    SECOND_SOURCE,
    SOURCE,
    Description,
    Layout,
    PostOperation,
    Primitive,
)
from dataflow.kernels.threads.parallel import grain_of, split

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
_END_SQUARE: Final = _END * _END
_ONE: Final = np.float32(1)
_FIRST: Final = (np.array([_NUMERATOR[0]]), np.array([_DENOMINATOR[0]]))
_ODD: Final = np.array([np.inf, -np.inf, 0.0, -0.0, 1e-45, -1e-30, 3e38])
_BLOCK: Final = 1 << 17
"""Elements that are taken through all steps at a time."""
_PIECES: Final = (_BLOCK, 1 << 16, 1 << 14, 1 << 12)
"""How many elements oneDNN's code is made for; others are filled up to one of these."""
_LEAST: Final = 1 << 12
"""Elements from which the steps take less time than a function call an element."""
_SECONDS: Final = 1.5e-9
"""What an element takes, about."""
_LINEAR: Final = 0x26
_CLIP: Final = 0x2E
"""oneDNN's numbers of a x + b, and of what keeps within a and b. That loses NaNs, and raises the
flag of invalid operations then."""


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
        _fill(np.ascontiguousarray(x).reshape(-1), result.reshape(-1))
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
    library = onednn.find()
    done = 0
    while done < len(x):
        left = len(x) - done
        # A piece that is half empty takes as long as two that are half as large.
        size = next((size for size in _PIECES if 2 * left > size), _PIECES[-1])
        code = _compiled(library, size)
        piece = slice(done, done + size)
        if code is None or not x.flags.aligned or not _run(code, size, x[piece], out[piece]):
            _evaluate_by_numpy(x[piece], out[piece])
        done += size


def _run(code: _Code, size: int, x: np.ndarray, out: np.ndarray) -> bool:
    """False if there is a NaN."""
    count = len(x)
    if count == size:
        return code.run(x, out)
    given, result = workspace(np, "erf filled up", (2, size), x.dtype)
    given[:count], given[count:] = x, 0
    is_done = code.run(given, result)
    out[...] = result[:count]
    return is_done


@np.errstate(over="ignore")
def _evaluate_by_numpy(x: np.ndarray, out: np.ndarray) -> None:
    square, below = (workspace(np, f"erf {name}", x.shape, x.dtype) for name in ("square", "below"))
    np.square(x, out=square)
    np.minimum(square, _END_SQUARE, out=square)
    _horner(_NUMERATOR, square, out)
    _horner(_DENOMINATOR, square, below)
    np.multiply(out, x, out=out)
    np.divide(out, below, out=out)
    np.clip(out, -_ONE, _ONE, out=out)


def _horner(coefficients: tuple[np.float32, ...], x: np.ndarray, out: np.ndarray) -> None:
    np.multiply(x, coefficients[0], out=out)
    for coefficient in coefficients[1:-1]:
        np.add(out, coefficient, out=out)
        np.multiply(out, x, out=out)
    np.add(out, coefficients[-1], out=out)


class _Code:
    """oneDNN's code for so many elements."""

    def __init__(self, library: Library, size: int) -> None:
        """Compiles it.

        Raises:
          OneDnnError: oneDNN cannot.
        """
        self._size = size
        array, number = Layout(library, (size,), (1,)), Layout(library, (1,), (1,))
        known = flag()
        if known is None:
            raise OneDnnError("NaNs would be lost.")
        self._lower, self._is_up = known
        end = PostOperation(_CLIP, None, 0.0, float(_END_SQUARE))
        within = PostOperation(_CLIP, None, -1.0, 1.0)
        times = PostOperation(BINARIES["multiply"], array)
        over = PostOperation(BINARIES["divide"], array)
        self._square = _primitive(library, array, array, (end,))
        below, above = (
            [
                step
                for c in some[1:]
                for step in (PostOperation(_LINEAR, None, 1.0, float(c)), times)
            ]
            for some in (_DENOMINATOR, _NUMERATOR)
        )
        self._below = _primitive(library, array, number, below[:-1])
        self._above = _primitive(library, array, number, [*above, over, within])

    def run(self, x: np.ndarray, out: np.ndarray) -> bool:
        """Writes the error function of a vector to another one.

        Returns:
          False if there is a NaN; then the result is none.
        """
        square, below = workspace(np, "erf", (2, self._size), x.dtype)
        at_x, at_square, at_below = address_of(x), address_of(square), address_of(below)
        self._lower()
        self._square.run(at_x, at_x, at_square)
        inner = (at_square,) * (len(_NUMERATOR) - 2)
        self._below.run(at_square, address_of(_FIRST[1]), *inner, at_below)
        self._above.run(at_square, address_of(_FIRST[0]), *inner, at_x, at_below, address_of(out))
        return not self._is_up()


def _primitive(
    library: Library, first: Layout, second: Layout, after: Sequence[PostOperation]
) -> Primitive:
    """The product of two arrays, and what is done with it."""
    roles = [(SOURCE, first), (SECOND_SOURCE, second)]
    for place, one in enumerate(after, 1):
        if one.operand is not None:
            roles.append((POST_OPERATION * place | SECOND_SOURCE, one.operand))
    roles.append((RESULT, first))
    with onednn.Threads(library, 1):
        kind = BINARIES["multiply"]
        return Primitive(
            Description(library, BINARY, kind, first, second, first, after=after), roles
        )


@functools.cache
def _compiled(library: Library | None, size: int) -> _Code | None:
    """The code; None if there is no oneDNN, or its numbers are not numpy's."""
    if library is None:
        return None
    try:
        code = _Code(library, size)
        x = np.resize(np.concatenate([np.linspace(-5, 5, 997), _ODD]), size).astype(np.float32)
        found, expected = np.empty_like(x), np.empty_like(x)
        with np.errstate(all="ignore"):
            is_exact = code.run(x, found)
            _evaluate_by_numpy(x, expected)
        x[-1] = np.nan
        tells = not code.run(x, found.copy())
    except OneDnnError:
        return None
    return code if is_exact and tells and np.array_equal(found, expected) else None
