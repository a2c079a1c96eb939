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
    return _CALLS.open[-1][0] if _CALLS.open else None


def inputs_of_caller() -> list[Any]:
    """The inputs of the layer that is being called, in a list, which is empty if none is."""
    return [inputs for _, inputs in _CALLS.open[-1:]]


@contextmanager
def calling(training: Any, inputs: Any) -> Iterator[None]:
    """A call of a layer."""
    _CALLS.open.append((training, inputs))
    try:
        yield
    finally:
        _CALLS.open.pop()
