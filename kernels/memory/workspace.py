"""Buffers for intermediate results that are reused from call to call, one set a thread.

A fresh large array costs a page fault for every 4 KiB of it, often more than what it is used for.
"""

from __future__ import annotations

import math
import threading
from typing import Any, Final

import numpy as np

from dataflow.kernels.memory import aligned

_BYTES: Final = np.dtype(np.uint8)
_KEPT: Final = 1 << 24
"""Bytes; larger buffers are not kept."""


class _Buffers(threading.local):
    def __init__(self) -> None:
        self.by_role: dict[str, np.ndarray] = {}


_buffers = _Buffers()


def workspace(xp: Any, role: str, shape: tuple[int, ...], dtype: Any) -> Any:
    """An array of undefined content, valid until this thread asks for one of the same role.

    Args:
      xp: The array library; only numpy's arrays are kept, cupy has a pool of its own.
      role: What the array is for, so that one caller can have several at a time.
      shape: Its shape.
      dtype: Its element type.
    """
    size = math.prod(shape) * np.dtype(dtype).itemsize
    if xp is not np or size > _KEPT:
        return xp.empty(shape, dtype)
    return buffer(role, size)[:size].view(dtype).reshape(shape)


def buffer(role: str, size: int) -> Any:
    """Bytes on the host, so many or more, as `workspace` gives them."""
    if size > _KEPT:
        return np.empty(size, _BYTES)
    found = _buffers.by_role.get(role)
    if found is None or found.size < size:
        found = _buffers.by_role[role] = aligned.scratch((size,), _BYTES)
    return found
