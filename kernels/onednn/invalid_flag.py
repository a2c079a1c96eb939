"""The processor's flag of invalid operations, as C's fenv.h has it; each thread has its own.

It goes up where a NaN is made of numbers, and where x86 compares with a NaN or takes an extreme.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from typing import Final

_INVALID: Final = 1
"""FE_INVALID of x86-64 and of AArch64."""


@functools.cache
def flag() -> tuple[Callable[[], object], Callable[[], int]] | None:
    """What lowers the flag, and what tells whether it is up; None if the C library has no such."""
    try:
        # Their calls keep Python's lock: they take less time than giving it up.
        library = ctypes.PyDLL(None)
        lower, test = library.feclearexcept, library.fetestexcept
    except (AttributeError, OSError):
        return None
    lower.argtypes = test.argtypes = (ctypes.c_int,)
    lower.restype = test.restype = ctypes.c_int
    return functools.partial(lower, _INVALID), functools.partial(test, _INVALID)
