"""Calls to several workers or devices: one after the other, or all at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

FanOut = Callable[[Sequence[Callable[[], None]]], None]
"""Makes calls; raises the first error among them after all have ended."""

_MAX_THREADS: Final = 64


def one_by_one(calls: Sequence[Callable[[], None]]) -> None:
    """Makes the calls on this thread; an error ends it."""
    for call in calls:
        call()


def at_once(calls: Sequence[Callable[[], None]]) -> None:
    """Makes the calls, which wait for other processes, on threads of their own."""
    if len(calls) < 2:
        one_by_one(calls)
        return
    with ThreadPoolExecutor(min(len(calls), _MAX_THREADS)) as pool:
        futures = [pool.submit(call) for call in calls]
    for future in futures:
        future.result()
