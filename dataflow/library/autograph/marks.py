"""Marks functions that are called as they are, whoever calls them."""

from __future__ import annotations

import functools
from typing import Any, Final

_MARK: Final = "autograph_info__"


def do_not_convert(func: Any = None) -> Any:
    """A function that runs another one as it is, or a decorator that makes such functions."""
    if func is None:
        return do_not_convert

    @functools.wraps(func)
    def plain(*args: Any, **kwargs: Any) -> Any:
        return func(*args, **kwargs)

    setattr(plain, _MARK, None)
    return plain


def is_marked(function: Any) -> bool:
    """Whether a function is called as it is."""
    return _MARK in getattr(function, "__dict__", ())
