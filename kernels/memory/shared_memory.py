"""Shared memory that has no name: it ends with the last process that has it, however that ends."""

from __future__ import annotations

import mmap
import os
from contextlib import suppress
from typing import Final

try:
    import fcntl
except ImportError:
    # Not a Unix: there is no such memory.
    fcntl = None  # type: ignore[assignment]

IS_AVAILABLE: Final = hasattr(os, "memfd_create")
"""Whether this system has such memory."""
_ADD_SEALS: Final = 1033
_GET_SEALS: Final = 1034
_NO_MORE_SEALS: Final = 0x0001
_NO_SHRINKING: Final = 0x0002
_NO_GROWING: Final = 0x0004
_NO_NEW_WRITERS: Final = 0x0010
"""F_SEAL_FUTURE_WRITE: who maps the memory from then on cannot write to it. Linux 5.1 and later."""
_STEPS: Final = 4
"""Sizes between a power of two and the next."""


def create(size: int) -> int:
    """A descriptor of new memory of so many bytes, which nobody can take away or add to.

    `seal` it once whoever may write to it has mapped it.

    Raises:
      OSError: There is none.
      ValueError: The size is none.
    """
    descriptor = os.memfd_create("dataflow", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        os.ftruncate(descriptor, size)
        fcntl.fcntl(descriptor, _ADD_SEALS, _NO_SHRINKING | _NO_GROWING)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def seal(descriptor: int, for_writers: bool) -> None:
    """Lets nobody change any more what may be done with memory.

    Args:
      descriptor: Of the memory.
      for_writers: Others may write to it. Otherwise only those who have mapped it already, as far
        as the system can see to that.
    """
    if not for_writers:
        with suppress(OSError):
            fcntl.fcntl(descriptor, _ADD_SEALS, _NO_NEW_WRITERS)
    fcntl.fcntl(descriptor, _ADD_SEALS, _NO_MORE_SEALS)


def cannot_shrink(descriptor: int) -> bool:
    """Whether nobody can take memory away.

    Raises:
      OSError: The descriptor is none of such memory.
    """
    return bool(fcntl.fcntl(descriptor, _GET_SEALS) & _NO_SHRINKING)


def rounded(size: int) -> int:
    """A size that fits others of about the same size, too."""
    step = max(mmap.PAGESIZE, 1 << max(0, size.bit_length() - 1 - _STEPS.bit_length() + 1))
    return -(-size // step) * step
