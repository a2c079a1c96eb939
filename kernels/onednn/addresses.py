"""Where the elements of an array lie in memory."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from typing import Any, Final

import numpy as np

_read: Final = ctypes.c_void_p.from_address
_OFFSET: Final = object.__basicsize__
"""An array object begins with Python's header, then comes the pointer (numpy's C interface)."""


def _quickly(array: np.ndarray) -> int:
    return _read(id(array) + _OFFSET).value or 0


def _properly(array: np.ndarray) -> int:
    return array.ctypes.data


def _choose() -> Callable[[Any], int]:
    """numpy's own way takes 0.8 us, reading the pointer 0.1 us; where that works, we do."""
    if sys.implementation.name != "cpython":
        return _properly
    owner = np.arange(12, dtype=np.float32).reshape(3, 4)
    views = (owner, owner[1:, 2:], np.empty(0), np.zeros(()), np.frombuffer(b"12345678", np.int8))
    return _quickly if all(_quickly(v) == _properly(v) for v in views) else _properly


address_of: Final = _choose()
"""`f(array)`: address of the first element; valid while the array lives."""
