"""Has the C library keep memory that a step has freed for the next step.

The arrays of a step are freed when it ends. glibc gives large ones back to the system, which clears
every page again before it hands it out: twice as much work as an addition. TensorFlow keeps what
its steps free too.
"""

from __future__ import annotations

import ctypes
import functools
import os
import sys
from typing import Final

_TRIM_THRESHOLD: Final = -1
_MMAP_MAX: Final = -4
_ARENA_MAX: Final = -8
"""Parameters of mallopt, from glibc's malloc.h."""
_KEPT: Final = (1 << 31) - 1
"""Bytes of free memory at the end of the heap that are kept, the most that glibc can be told;"""
_PART_KEPT: Final = 8
"""on a machine of less than 16 GiB this part of its memory."""
_USERS_OWN: Final = (
    "GLIBC_TUNABLES",
    "MALLOC_ARENA_MAX",
    "MALLOC_MMAP_MAX_",
    "MALLOC_MMAP_THRESHOLD_",
    "MALLOC_TRIM_THRESHOLD_",
)
"""Whoever sets one of these has thought about it."""


@functools.cache
def keep_freed_memory() -> bool:
    """Sets what glibc keeps, once for this process.

    Returns:
      False if this C library is no glibc, or its settings are in the environment.
    """
    if not sys.platform.startswith("linux") or any(name in os.environ for name in _USERS_OWN):
        return False
    try:
        library = ctypes.CDLL(None)
        library.gnu_get_libc_version  # noqa: B018  (others have a mallopt that does nothing)
        mallopt = library.mallopt
    except (AttributeError, OSError):
        return False
    mallopt.argtypes, mallopt.restype = (ctypes.c_int, ctypes.c_int), ctypes.c_int
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    kept = min(_KEPT, memory // _PART_KEPT)
    # No array has pages of its own, that would go when it goes: glibc likes to give them to large
    # ones, and has to where a thread has a heap of its own, which can grow to 64 MiB only.
    settings = {_TRIM_THRESHOLD: kept, _MMAP_MAX: 0, _ARENA_MAX: 1}
    return all(mallopt(*setting) for setting in settings.items())
