"""Helpers for kernels under test, and a library whose team nobody has used."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from dataflow.actors.threads.pool import KernelHelpers, SessionThreads
from dataflow.kernels.onednn import library as onednn
from dataflow.kernels.onednn.library import Library
from dataflow.kernels.threads.parallel import Assisted


@contextmanager
def helpers(limit: int = 2) -> Iterator[KernelHelpers]:
    """Has kernels of this thread use up to so many threads."""
    threads = SessionThreads(1, limit, own=True)
    try:
        assert threads.helpers is not None
        with Assisted(threads.helpers):
            yield threads.helpers
    finally:
        threads.close()


class Busy:
    """Helpers that have something else to do."""

    idle, are_idle = 0, False

    def __init__(self, limit: int = 2) -> None:
        self.limit = limit

    def call(self, task: Callable[[], None], count: int) -> None:
        """Nobody does it."""


def loaded() -> Library:
    """The library with a team that nobody has used yet."""
    return Library(str(next(onednn.candidates())))
