"""Errors of a program show the program's frames: ours are left out where it called us."""

from __future__ import annotations

import functools
import inspect
import sys
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
    """Takes our frames out of an error's traceback, and of those of the exceptions behind it.

    Called where an error is handled; a bare `raise` after it does not add the handling frame anew.
    """
    if not _Filtering.on:
        return
    shortened_ones: set[int] = set()
    at: BaseException | None = error
    while at is not None and id(at) not in shortened_ones:
        shortened_ones.add(id(at))
        behind = at.__cause__ or (None if at.__suppress_context__ else at.__context__)
        if behind is not None and behind.__traceback__ is not None and not _frames(behind):
            # What the error says was made of it. It stays its context, but is not shown.
            behind = at.__cause__ = None
        if behind is None:
            _forget_frames(at.__context__)
        _show_frames(at, _frames(at))
        at = behind


def _forget_frames(error: BaseException | None) -> None:
    """Drops our frames of an error that is not shown, and of those behind it: what they refer to
    may be the step that holds the error, and its session."""
    while error is not None and error.__traceback__ is not None and not _frames(error):
        error.__traceback__ = None
        error = error.__cause__ or error.__context__


def _frames(error: BaseException) -> list[TracebackType]:
    """Those of the program, from the outermost in."""
    found = []
    trace = error.__traceback__
    while trace is not None:
        if not is_ours(trace.tb_frame.f_code):
            found.append(trace)
        trace = trace.tb_next
    return found


def _show_frames(error: BaseException, frames: list[TracebackType]) -> None:
    outermost = error.__traceback__
    inner: TracebackType | None = None
    for trace in reversed(frames):
        trace.tb_next = inner
        inner = trace
    error.__traceback__ = inner
    if outermost is not None and outermost is not inner:
        # Python 3.10 raises this one anew, whatever the error has now.
        outermost.tb_next = inner


def shorten_at_the_end() -> None:
    """Has an error that ends the program shown without our frames, by whatever function it called.

    Most functions that only make an operation are not `shortened`.
    """
    show = sys.excepthook

    def shorten_and_show(
        kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        if isinstance(error, Exception) and _frames(error):
            shorten(error)
            trace = error.__traceback__
        show(kind, error, trace)

    sys.excepthook = shorten_and_show


def shortened(function: _Function) -> _Function:
    """A function that programs call, whose errors do not show what it has called in turn."""

    @functools.wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        try:
            return function(*args, **options)
        except Exception as error:
            shorten(error)
            raise

    # What `inspect.getfullargspec` reads, by which programs look for arguments.
    call.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    return cast(_Function, call)
