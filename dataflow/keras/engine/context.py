"""Which layer is being called, and whether in training."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class _Calls(threading.local):
    """The calls of layers that are open on this thread, outermost first."""

    def __init__(self) -> None:
        self.open: list[Any] = []


_CALLS = _Calls()


def in_call() -> bool:
    """Whether a layer's `call` is running."""
    return bool(_CALLS.open)


def training_of_caller() -> Any:
    """The `training` of the layer that is being called, or None."""
    return _CALLS.open[-1] if _CALLS.open else None


@contextmanager
def calling(training: Any) -> Iterator[None]:
    """A call of a layer."""
    _CALLS.open.append(training)
    try:
        yield
    finally:
        _CALLS.open.pop()
