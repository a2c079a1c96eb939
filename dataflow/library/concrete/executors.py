"""Which executor the calls of functions ask for; all are one here, so only the name is kept."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Final

_ASKED: Final[ContextVar[str]] = ContextVar("executor_type", default="")


def executor_type() -> str:
    """What calls made now ask for; empty for none in particular."""
    return _ASKED.get()


@contextlib.contextmanager
def function_executor_type(executor_type: str | None) -> Iterator[None]:
    """Calls of functions made inside ask for this executor.

    Args:
      executor_type: "DEFAULT" or "SINGLE_THREADED_EXECUTOR", which run them alike; None for none
        in particular. A step with a call that asks for another fails.
    """
    token = _ASKED.set(executor_type or "")
    try:
        yield
    finally:
        _ASKED.reset(token)
