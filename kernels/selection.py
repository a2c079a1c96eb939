"""Choosing between two arrays element by element, without branches.

numpy's `where` and `copyto(where=)` branch on every element, and random masks mispredict: ten times
the cost of the same choice made with bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

_INTEGERS = {1: np.int8, 2: np.int16, 4: np.int32, 8: np.int64}


def select(xp: Any, mask: Any, chosen: Any, other: Any) -> Any:
    """`where(mask, chosen, other)` for arrays, or scalars, of one shape and type."""
    if xp is not np:
        return xp.where(mask, chosen, other)
    if not mask.ndim:
        return chosen if mask else other
    integer = _INTEGERS.get(chosen.dtype.itemsize)
    if integer is None:
        return np.where(mask, chosen, other)
    bits, unchosen = _bits(mask, integer), other.view(integer)
    # a ^ ((a ^ b) & all ones) is b, and with all zeros a.
    result = np.bitwise_xor(chosen.view(integer), unchosen)
    np.bitwise_and(result, bits, out=result)
    np.bitwise_xor(result, unchosen, out=result)
    return result.view(chosen.dtype)


def keep(xp: Any, mask: Any, array: Any) -> Any:
    """`where(mask, array, 0)` for an array, or scalar, of the mask's shape."""
    if xp is not np:
        return xp.where(mask, array, array.dtype.type(0))
    if not mask.ndim:
        return array if mask else array.dtype.type(0)
    integer = _INTEGERS.get(array.dtype.itemsize)
    if integer is None:
        return np.where(mask, array, array.dtype.type(0))
    bits = _bits(mask, integer)
    np.bitwise_and(bits, array.view(integer), out=bits)
    return bits.view(array.dtype)


def _bits(mask: np.ndarray, integer: type[Any]) -> Any:
    """All ones where the mask is true, all zeros elsewhere."""
    return np.negative(mask.view(np.int8)).astype(integer)
