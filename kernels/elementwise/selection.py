"""Choosing between two arrays element by element, without branches.

numpy's `where` and `copyto(where=)` branch on every element, and random masks mispredict: ten times
the cost of the same choice made with integers, of which a truth value is one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.narrow.functions import is_numpy
from dataflow.kernels.threads.parallel import split_rows

_INTEGERS = {1: np.int8, 2: np.int16, 4: np.int32, 8: np.int64}
_LARGE: Final = 1 << 18
"""Elements from which arrays are taken in stretches that stay in the cache."""
_FEW: Final = 1 << 12
"""Elements up to which numpy takes no longer than it takes to look at their rows."""
_LONGEST: Final = (1 << 31) - 1
"""Bytes of a row that numpy can take for an element."""
_SECONDS: Final = 3e-10
"""What an element takes, about."""


def select(xp: Any, mask: Any, chosen: Any, other: Any, out: Any = None) -> Any:
    """`where(mask, chosen, other)` for arrays of one type, of the mask's shape, or scalars.

    Args:
      xp: The array library.
      mask: Truth values.
      chosen: What is taken where they are true,
      other: and where they are not.
      out: An array of numpy's to fill, none of these; or None for a new one.
    """
    if not is_numpy(xp):
        return xp.where(mask, chosen, other)
    if not mask.ndim:
        return chosen if mask else other
    integer = _INTEGERS.get(chosen.dtype.itemsize)
    if integer is None:
        return put(np.where(mask, chosen, other), out)
    result = np.empty_like(mask, chosen.dtype) if out is None else out
    sides = [side.view(integer) for side in (chosen, other)]

    is_kept_or_zero = not sides[1].ndim and not sides[1]

    def run(mask: Any, made: Any, *parts: Any) -> None:
        rest = iter(parts)
        a, b = (next(rest) if side.ndim else side for side in sides)
        ones = mask.view(np.int8)
        if is_kept_or_zero:
            np.multiply(ones, a, out=made)
            return
        # Integers wrap around, so that b + 1 (a - b) has the bits of a.
        np.subtract(a, b, out=made)
        np.multiply(ones, made, out=made)
        np.add(made, b, out=made)

    _in_stretches(run, mask, result.view(integer), *(side for side in sides if side.ndim))
    return result


def select_rows(mask: Any, chosen: Any, other: Any, out: Any) -> Any:
    """`where(mask, chosen, other)` with one truth value for each row: rows are copied whole.

    Args:
      mask: Truth values of numpy's, one for each row, of as many axes as the others.
      chosen: An array of two axes or more; its rows are taken where they are true,
      other: and those of this one, of its type and shape, where they are not.
      out: An array to fill, neither of these; or None for a new one.
    """
    if other.size <= _FEW:
        return put(np.where(mask, chosen, other), out)
    arrays = (chosen, other) if out is None else (chosen, other, out)
    is_plain = not other.dtype.hasobject and all(x.flags.c_contiguous for x in arrays)
    if not is_plain or other[0].nbytes > _LONGEST:
        return put(np.where(mask, chosen, other), out)
    result = np.empty_like(other) if out is None else out
    row = np.dtype((np.void, other[0].nbytes))
    made, taken = (x.reshape(len(x), -1).view(row)[:, 0] for x in (result, chosen))
    result[...] = other
    np.copyto(made, taken, where=mask.reshape(-1))
    return result


def keep(xp: Any, mask: Any, array: Any) -> Any:
    """`where(mask, array, 0)` for an array, or scalar, of the mask's shape."""
    if not is_numpy(xp):
        return xp.where(mask, array, array.dtype.type(0))
    if not mask.ndim:
        return array if mask else array.dtype.type(0)
    integer = _INTEGERS.get(array.dtype.itemsize)
    if integer is None:
        return np.where(mask, array, array.dtype.type(0))
    result = np.empty_like(array)

    def run(mask: Any, array: Any, made: Any) -> None:
        np.multiply(mask.view(np.int8), array, out=made)

    _in_stretches(run, mask, array.view(integer), result.view(integer))
    return result


def clear(mask: Any, array: Any) -> None:
    """Sets an array of numpy's to 0 where a mask, which broadcasts to it, is true."""
    if not mask.any():
        return
    integer = _INTEGERS.get(array.dtype.itemsize)
    if integer is None or mask.shape != array.shape:
        np.copyto(array, array.dtype.type(0), where=mask)
        return

    def run(mask: Any, array: Any) -> None:
        np.multiply((~mask).view(np.int8), array, out=array)

    _in_stretches(run, mask, array.view(integer))


def put(result: Any, out: Any) -> Any:
    """A result, in `out` if that is an array."""
    if out is None:
        return result
    out[...] = result
    return out


def _in_stretches(run: Callable[..., None], *arrays: np.ndarray) -> None:
    """Calls a function with arrays of one shape, the large ones stretch by stretch."""
    size = arrays[0].size
    if size <= _LARGE or not all(array.flags.c_contiguous for array in arrays):
        run(*arrays)
        return
    flat = [array.reshape(-1) for array in arrays]
    split_rows(size, size, _SECONDS, lambda part: run(*(array[part] for array in flat)))
