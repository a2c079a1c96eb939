"""Numpy's own loops, of functions that the processor has no instruction for.

A ufunc holds a table of them (`PyUFuncObject` of numpy's C interface). One is used if it gave what
the ufunc gives.
"""

from __future__ import annotations

import ctypes
import functools
import sys
from typing import Any, Final, NamedTuple

import numpy as np

from dataflow.kernels.native.program import DTYPES

CALLED: Final = frozenset(
    {
        *("exp", "expm1", "log", "log1p", "tanh", "sin", "cos", "tan", "sinh", "cosh"),
        *("arcsin", "arccos", "arctan", "arcsinh", "arccosh", "arctanh", "fmod"),
    }
)
_HEADER: Final = object.__basicsize__
_TRIED: Final = 77
"""Numbers that a loop is tried with: whole vectors and a rest."""


class Loop(NamedTuple):
    """A loop of numpy's: `f(char **arrays, npy_intp *count, npy_intp *strides, void *data)`."""

    address: int
    data: int


@functools.lru_cache(maxsize=256)
def loop_of(function: str, operands: str, dtype: str) -> Loop | None:
    """The loop of a function for types by letter; None if there is none that can be called."""
    if sys.implementation.name != "cpython" or function not in CALLED:
        return None
    ufunc: Any = getattr(np, function)
    wanted = "".join(DTYPES[letter].char for letter in operands + dtype)
    kinds = [kind.replace("->", "") for kind in ufunc.types]
    if wanted not in kinds or ufunc.nin != len(operands):
        return None
    at = id(ufunc) + _HEADER
    if ctypes.c_int.from_address(at).value != ufunc.nin:
        return None
    if ctypes.c_int.from_address(at + 32).value != ufunc.ntypes:
        return None
    place = kinds.index(wanted) * ctypes.sizeof(ctypes.c_void_p)
    tables = (ctypes.c_void_p.from_address(at + offset).value or 0 for offset in (16, 24))
    address, data = (ctypes.c_void_p.from_address(table + place).value or 0 for table in tables)
    found = Loop(address, data)
    return found if _is_right(ufunc, found, dtype) else None


def _is_right(ufunc: np.ufunc, loop: Loop, dtype: str) -> bool:
    given = [np.linspace(-3 + shift, 9, _TRIED).astype(DTYPES[dtype]) for shift in range(ufunc.nin)]
    made = np.zeros_like(given[0])
    arrays = [*given, made]
    count = len(arrays)
    pointers = (ctypes.c_void_p * count)(*[array.ctypes.data for array in arrays])
    strides = (ctypes.c_ssize_t * count)(*[array.itemsize for array in arrays])
    length = (ctypes.c_ssize_t * 1)(_TRIED)
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)(loop.address)
    with np.errstate(all="ignore"):
        call(pointers, length, strides, loop.data)
        wanted: np.ndarray = ufunc(*given)
        return made.tobytes() == wanted.tobytes()
