"""The processor's cores, and how a thread that is woken is kept off that of the waking thread.

Linux looks for an idle core only as long as it thinks there may be one. Where it does not, a helper
runs on the core of the thread that it is to help, which then waits for it: nothing is gained.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable
from typing import Final

NOWHERE: Final = -1
"""A core that is not known."""


def _find_reader() -> Callable[[], int] | None:
    if not hasattr(os, "sched_setaffinity"):
        return None
    try:
        read = ctypes.PyDLL(None).sched_getcpu
    except (AttributeError, OSError):
        return None
    read.argtypes, read.restype = (), ctypes.c_int
    return read


_read: Final = _find_reader()


def current_core() -> int:
    """Number of the core that the calling thread runs on; -1 where that cannot be known."""
    return NOWHERE if _read is None else _read()


def available_cores() -> int:
    """Number of processor cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Sleeper:
    """A thread that waits for work again and again. Only where it starts is chosen."""

    __slots__ = ("_before", "_core", "_thread", "is_asleep")

    def __init__(self) -> None:
        """Is for the calling thread."""
        self._thread = threading.get_native_id()
        self._core = NOWHERE
        """Where it lay down."""
        self.is_asleep = False
        self._before: set[int] | None = None
        """The cores that it may use, while it is kept off one."""

    def lie_down(self) -> None:
        """The thread itself says that it is about to wait."""
        self._core = current_core()
        self.is_asleep = True

    def keep_off(self, core: int) -> None:
        """Whoever is to wake it says where he runs himself."""
        if self._core != core or core == NOWHERE:
            return
        try:
            allowed = os.sched_getaffinity(self._thread)
            # Once is enough, and the next one would take this for all that the thread may use.
            self._core = NOWHERE
            if len(allowed) > 1:
                self._before = allowed
                os.sched_setaffinity(self._thread, allowed - {core})
        except OSError:
            # The thread has ended, or the system forbids it: then it starts where it likes.
            return

    def get_up(self) -> None:
        """The thread itself says that it was woken; it may use all its cores again."""
        self.is_asleep = False
        self._core = NOWHERE
        before, self._before = self._before, None
        if before is not None:
            try:
                os.sched_setaffinity(0, before)
            except OSError:
                # What the process may use has changed meanwhile.
                return
