"""Shared memory that has no name: it ends with the last process that has it, however that ends."""

from __future__ import annotations

import fcntl
import mmap
import os
from typing import Final

IS_AVAILABLE: Final = hasattr(os, "memfd_create")
"""Whether this system has such memory."""
_SEALS: Final = 0x0001 | 0x0002 | 0x0004
"""No more seals, no shrinking, no growing (F_SEAL_*)."""
_ADD_SEALS: Final = 1033
_GET_SEALS: Final = 1034
_F_SEAL_SHRINK: Final = 0x0002
_STEPS: Final = 4
"""Sizes between a power of two and the next."""


def create(size: int) -> int:
    """A descriptor of new memory of so many bytes, which nobody can take away or add to.

    Raises:
      OSError: There is none.
      ValueError: The size is none.
    """
    descriptor = os.memfd_create("dataflow", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        os.ftruncate(descriptor, size)
        fcntl.fcntl(descriptor, _ADD_SEALS, _SEALS)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def cannot_shrink(descriptor: int) -> bool:
    """Whether nobody can take memory away.

    Raises:
      OSError: The descriptor is none of such memory.
    """
    return bool(fcntl.fcntl(descriptor, _GET_SEALS) & _F_SEAL_SHRINK)


def rounded(size: int) -> int:
    """A size that fits others of about the same size, too."""
    step = max(mmap.PAGESIZE, 1 << max(0, size.bit_length() - 1 - _STEPS.bit_length() + 1))
    return -(-size // step) * step
