"""Pauses Python's cycle collector while many objects are made that will all stay."""

from __future__ import annotations

import functools
import gc
from collections.abc import Callable
from typing import ParamSpec, TypeVar

_P = ParamSpec("_P")
_R = TypeVar("_R")


def uncollected(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Runs a function with the cycle collector paused.

    Nodes and edges refer to each other, so the collector would walk over all of them again and
    again while a graph grows: half of the time for 100,000 nodes. The function must not wait for
    others: what threads beside it leave is not collected either.
    """

    @functools.wraps(function)
    def run(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        if not gc.isenabled():
            return function(*args, **kwargs)
        try:
            # In here: an interrupt comes when the call has returned.
            gc.disable()
            return function(*args, **kwargs)
        finally:
            gc.enable()

    return run
