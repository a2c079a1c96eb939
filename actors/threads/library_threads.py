"""Bounds the threads of numpy's libraries (BLAS) for as long as a session asks for it.

The engine splits products over its own threads; the libraries' would fight them for the cores.
"""

from __future__ import annotations

import sys
import threading
from typing import Any

from dataflow.values.interrupts import on_caller

_lock = threading.RLock()
_asked: list[int] = []
_limiters: list[Any] = []
"""What undoes the bounds that are set, newest last."""
_bound = 0
"""The bound that is set; 0 for none."""
_modules = 0
"""How many modules there were when it was set."""
_found: Any = None
"""Controls the libraries that were found last."""
_found_among = 0
"""How many modules there were when they were looked for."""


def limit_library_threads(count: int) -> None:
    """Asks for at most `count` threads until `release_library_threads` is called with that count.

    The libraries know one bound a process, so it also holds for what the user computes with numpy;
    of several that are asked for, the least holds.
    """
    with _lock:
        _asked.append(count)
    on_caller(_apply)


def release_library_threads(count: int) -> None:
    """Takes back one bound of that count."""
    with _lock:
        _asked.remove(count)
    on_caller(_apply)


def limit_new_libraries() -> None:
    """Bounds the libraries that have been loaded since the bound was set."""
    if len(sys.modules) != _modules and _asked:
        on_caller(_apply)


def _apply() -> None:
    """Sets the bound; OpenBLAS heeds only the thread that has loaded it."""
    with _lock:
        _apply_locked()


def _apply_locked() -> None:
    global _bound, _modules
    bound = min(_asked, default=0)
    if bound == _bound and (not bound or len(sys.modules) == _modules):
        return
    if bound > _bound or not bound:
        # Back to what the libraries had before the engine came.
        while _limiters:
            _limiters.pop().restore_original_limits()
    if bound:
        _limiters.append(_libraries().limit(limits=bound, user_api="blas"))
    _bound, _modules = bound, len(sys.modules)


def _libraries() -> Any:
    """What controls the threads of the libraries that are loaded.

    Looking for them takes as long as opening a session does otherwise, and many times that in a
    process with many libraries; so they are looked for only when modules were imported since.
    """
    global _found, _found_among
    if _found is None or len(sys.modules) != _found_among:
        from threadpoolctl import ThreadpoolController

        _found = ThreadpoolController()
        _found_among = len(sys.modules)
    return _found
