"""Errors of a program show the program's frames: ours are left out where it called us."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar, cast

from dataflow.graph.creation_site import is_ours

_Function = TypeVar("_Function", bound=Callable[..., Any])


class _Filtering:
    on = True


def enable_traceback_filtering() -> None:
    """Has errors show the program's own frames only: the default."""
    _Filtering.on = True


def disable_traceback_filtering() -> None:
    """Has errors show this package's frames, too."""
    _Filtering.on = False


def is_traceback_filtering_enabled() -> bool:
    """Whether errors show the program's own frames only."""
    return _Filtering.on


def shorten(error: Exception) -> None:
    """Takes our frames out of an error's traceback.

    Called where an error is handled; a bare `raise` after it does not add the handling frame anew.
    """
    if not _Filtering.on:
        return
    kept = []
    outermost = trace = error.__traceback__
    while trace is not None:
        if not is_ours(trace.tb_frame.f_code):
            kept.append(trace)
        trace = trace.tb_next
    inner: TracebackType | None = None
    for trace in reversed(kept):
        trace.tb_next = inner
        inner = trace
    error.__traceback__ = inner
    if outermost is not None and outermost is not inner:
        # Python 3.10 raises this one anew, whatever the error has now.
        outermost.tb_next = inner


def shortened(function: _Function) -> _Function:
    """A function that programs call, whose errors do not show what it has called in turn."""

    @functools.wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        try:
            return function(*args, **options)
        except Exception as error:
            shorten(error)
            raise

    return cast(_Function, call)
