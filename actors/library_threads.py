"""Bounds the threads of numpy's libraries (BLAS) for as long as a session asks for it."""

from __future__ import annotations

import threading
from typing import Any

_lock = threading.RLock()
_asked: list[int] = []
_limiter: Any = None


def limit_library_threads(count: int) -> None:
    """Asks for at most `count` threads until `release_library_threads` is called with that count.

    The libraries know one bound a process: of several that are asked for, the least holds.
    """
    with _lock:
        _asked.append(count)
        _apply()


def release_library_threads(count: int) -> None:
    """Takes back one bound of that count."""
    with _lock:
        _asked.remove(count)
        _apply()


def _apply() -> None:
    global _limiter
    # Looks through all loaded libraries, so only who asks pays for it.
    from threadpoolctl import threadpool_limits

    if _limiter is not None:
        _limiter.restore_original_limits()
        _limiter = None
    if _asked:
        _limiter = threadpool_limits(limits=min(_asked), user_api="blas")
