"""tensorflow.python.util.tf_should_use: results of which somebody must take notice."""

from __future__ import annotations

import functools
import traceback
from collections.abc import Callable
from typing import Any, TypeVar

from dataflow.porting.spellings.util.wrappers import make_decorator
from dataflow.values import logging as tf_logging

_F = TypeVar("_F", bound=Callable[..., Any])


class _Notice:
    """Says what became of one result: whether it was used, or when it goes that it was not."""

    def __init__(self, kind: str, text: str, place: list[str], fatal: bool) -> None:
        self._told = kind, text, place
        self._fatal = fatal
        self.used = False

    def __del__(self) -> None:
        if self.used:
            return
        kind, text, place = self._told
        rule = "=" * 34
        told = [
            rule,
            f"Object was never used (type {kind}):",
            text,
            'If you want to mark it as used call its "mark_used()" method.',
            "It was originally created here:",
            *place,
            rule,
        ]
        (tf_logging.fatal if self._fatal else tf_logging.error)("\n".join(told))


@functools.cache
def _noticing(kind: Any) -> Any:
    """A class of the same objects that notices each look at one."""

    plain: Any = kind.__getattribute__

    def look(self: Any, name: str) -> Any:
        if name.startswith("__"):
            return plain(self, name)
        notice = self.__dict__["_use_notice"]
        if name == "mark_used":
            return lambda: setattr(notice, "used", True)
        notice.used = True
        return plain(self, name)

    # Operators look at the class, not at the object, but ask the object for what they need.
    return type(kind)(kind.__name__, (kind,), {"__slots__": (), "__getattribute__": look})


def _add_should_use_warning(x: Any, fatal_error: bool = False) -> Any:
    """A result that tells the log if it goes and nothing of it was asked for.

    Args:
      x: The result; None and bool are returned as they are.
      fatal_error: Whether the log takes it for fatal.
    """
    if x is None or isinstance(x, bool) or not hasattr(x, "__dict__"):
        return x
    place = [line.rstrip() for line in traceback.format_stack()[:-1]]
    kind: Any = type(x)
    watched: Any = object.__new__(_noticing(kind))
    watched.__dict__.update(x.__dict__)
    for slot in _slots(type(x)):
        if hasattr(x, slot):
            setattr(watched, slot, getattr(x, slot))
    watched.__dict__["_use_notice"] = _Notice(str(type(x)), str(x), place, fatal_error)
    return watched


def _slots(kind: type) -> list[str]:
    found = [each for base in kind.__mro__ for each in vars(base).get("__slots__", ())]
    return [each for each in found if each not in ("__dict__", "__weakref__")]


def should_use_result(fn: _F) -> _F:
    """A decorator: the log is told of results that go without having been used."""
    return _watching(fn, "should_use_result", False)


def must_use_result_or_fatal(fn: _F) -> _F:
    """As `should_use_result`, where the log takes it for fatal."""
    return _watching(fn, "must_use_result_or_fatal", True)


def _watching(fn: _F, name: str, fatal: bool) -> _F:
    def call(*args: Any, **kwargs: Any) -> Any:
        return _add_should_use_warning(fn(*args, **kwargs), fatal_error=fatal)

    doc = (
        (fn.__doc__ or "")
        + "\n\n  **NOTE** The output of this function should be used.  If it is not, "
        + ("a fatal error" if fatal else "a warning")
        + " will be logged.  To mark the output as used, call its .mark_used() method."
    )
    made: _F = make_decorator(fn, call, name, doc)
    return made
