"""numpy's elementwise functions for 16-bit floats: float32's, block by block, rounded once.

That is what numpy and ml_dtypes do number by number.
"""

from __future__ import annotations

import functools
from typing import Any, Final

import numpy as np

from dataflow.kernels.memory import aligned
from dataflow.kernels.memory.orders import in_line
from dataflow.kernels.memory.workspace import workspace
from dataflow.kernels.narrow.conversion import (
    BFLOAT16,
    BLOCK,
    HALF,
    LEAST,
    WIDE,
    narrow_block,
    widen_block,
)
from dataflow.kernels.threads.parallel import grain_of, split

_QUICK: Final = frozenset(
    {
        *("negative", "absolute", "sign", "isnan", "isinf", "isfinite", "nextafter"),
        *("sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh"),
        *("arcsinh", "arccosh", "arctanh", "exp", "expm1", "log", "log1p"),
    }
)
"""Functions that numpy has quick code of for float16, or that look at bits only."""
_EXACT: Final = frozenset({"nextafter", "isnan", "isinf", "isfinite"})
"""Functions for which a number's type matters, or that are as quick on bfloat16."""
_SECONDS: Final = 1e-9
"""What an element takes, about."""


class _Functions:
    """numpy, with other elementwise functions."""

    def __getattr__(self, name: str) -> Any:
        found = getattr(np, name)
        if isinstance(found, np.ufunc) and found.nout == 1:
            found = _Function(found)
        setattr(self, name, found)
        return found


functions: Final[Any] = _Functions()
"""Stands in for numpy in kernels of 16-bit floats."""


def is_numpy(xp: Any) -> bool:
    """Whether the arrays of an array library are numpy's."""
    return xp is np or xp is functions


class _Function:
    """A function of numpy's that takes large arrays of 16-bit floats block by block."""

    def __init__(self, function: np.ufunc) -> None:
        self._function = function
        name = function.__name__
        self._untouched = {HALF} if name in _QUICK else set()
        self._untouched |= {BFLOAT16} if name in _EXACT else set()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._function, name)

    def __call__(self, *operands: Any, out: Any = None) -> Any:
        kind = _kind(operands)
        if kind is None or kind in self._untouched:
            return self._function(*operands, out=out)
        if kind == HALF and len(operands) == 1:
            return self._look_up(operands[0], out)
        return self._by_blocks(kind, operands, out)

    def _look_up(self, x: np.ndarray, out: Any) -> Any:
        table = _table(self._function)
        return table.take(x.view(np.uint16), out=out, mode="clip")

    def _by_blocks(self, kind: np.dtype[Any], operands: tuple[Any, ...], out: Any) -> Any:
        # A number of Python's becomes one of the arrays' type first.
        arrays = [np.asarray(x, None if hasattr(x, "dtype") else kind) for x in operands]
        function = self._function
        made = _made_of_wide(function)
        made = kind if made == WIDE else made
        try:
            shape = np.broadcast_shapes(*[array.shape for array in arrays])
        except ValueError:
            shape = (0,)
        if 0 in shape:
            return function(*operands, out=out)
        result, parts = _cut(arrays, shape, made, out)
        target = parts.pop()
        length = len(target)
        step = max(1, BLOCK * length // target.size)

        def run(first: int, last: int) -> None:
            wide = [_buffer(part, step, f"narrow {place}") for place, part in enumerate(parts)]
            found = _buffer(target, step, "narrow result") if made == kind else None
            for part, buffer in zip(parts, wide, strict=True):
                if len(part) < length:
                    widen_block(part, buffer)
            for start in range(first * step, min(length, last * step), step):
                block = slice(start, min(length, start + step))
                size = block.stop - start
                given = [buffer[:size] for buffer in wide]
                for part, buffer in zip(parts, given, strict=True):
                    if len(part) == length:
                        widen_block(part[block], buffer)
                if found is None:
                    function(*given, out=target[block])
                else:
                    narrow_block(function(*given, out=found[:size]), target[block])

        count = -(-length // step)
        split(count, grain_of(count, target.size * _SECONDS), run)
        return result


def _kind(operands: tuple[Any, ...]) -> np.dtype[Any] | None:
    """The type of 16-bit floats that operands have; None if they are small or of several types."""
    kind = None
    size = 0
    for x in operands:
        dtype = getattr(x, "dtype", None)
        if dtype is None or dtype == np.bool_:
            continue
        if kind not in (None, dtype) or dtype not in (HALF, BFLOAT16):
            return None
        kind = dtype
        if type(x) is np.ndarray:
            if not x.flags.aligned:
                return None
            size = max(size, x.size)
    return kind if size >= LEAST else None


def _cut(
    arrays: list[np.ndarray], shape: tuple[int, ...], dtype: Any, out: Any
) -> tuple[Any, list[Any]]:
    """The result's array, and operands and it with a first axis along which to cut them."""
    wholes = [array for array in arrays if array.shape == shape]
    if wholes and all(array.size == 1 for array in arrays if array.shape != shape):
        result = np.empty_like(wholes[0], dtype) if out is None else out
        vectors = in_line(*wholes, result)
        if vectors is not None:
            rest = iter(vectors)
            parts = [next(rest) if a.shape == shape else a.reshape(1) for a in arrays]
            return result, [*parts, next(rest)]
    result = aligned.empty(shape, dtype) if out is None else out
    first = next(axis for axis, length in enumerate(shape) if length > 1)
    parts = [a.reshape((1,) * (len(shape) - a.ndim) + a.shape) for a in arrays]
    return result, [array.reshape(array.shape[first:]) for array in (*parts, result)]


def _buffer(part: Any, step: int, role: str) -> Any:
    """A float32 array for so many rows of an operand, or all that it has."""
    return workspace(np, role, (min(step, len(part)), *part.shape[1:]), WIDE)


@functools.cache
def _made_of_wide(function: np.ufunc) -> Any:
    """The type of what a function makes of float32."""
    return function(*[np.ones(1, WIDE)] * function.nin).dtype


@functools.cache
def _table(function: np.ufunc) -> np.ndarray:
    """What a function makes of each float16, by its bits."""
    with np.errstate(all="ignore"):
        table: np.ndarray = function(np.arange(1 << 16, dtype=np.uint16).view(HALF))
    return table
