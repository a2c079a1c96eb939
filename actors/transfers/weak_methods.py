"""Callbacks that hold nothing: what is closed goes at once, and what it has open with it."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, TypeVar, cast

_Method = TypeVar("_Method", bound=Callable[..., Any])


def weakly(method: _Method) -> _Method:
    """The bound method without a hold on its object; once that is gone, it does nothing.

    Two objects that call each other would otherwise keep each other, and their sockets, until
    Python looks for cycles: that may be an hour.
    """
    found = weakref.WeakMethod(method)

    def call(*arguments: Any) -> Any:
        bound = found()
        return None if bound is None else bound(*arguments)

    return cast(_Method, call)
