"""What a thread has still to run: a loop that turns woken segments into work, not recursion."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, Protocol

import numpy as np

from dataflow.actors.join import Inbox
from dataflow.actors.layout import Segment
from dataflow.actors.pool import ThreadPool


class SegmentRun(Protocol):
    """A plan in a step."""

    @property
    def home(self) -> Inbox | None:
        """Inbox of the thread that waits for the step, if one does."""

    def execute(self, segment: Segment) -> None:
        """Runs a segment and fires those it makes ready; does not raise."""


class _Thread(threading.local):
    """What this thread is at."""

    queue: deque[tuple[SegmentRun, Segment]] | None = None
    """Segments to run; None if the thread is not in a loop."""
    home: Inbox | None = None
    """Inbox of the step that the loop is for."""
    busy: Segment | None = None
    """The segment that is running now."""
    costly: int = 0
    """How many of the segments in the queue are costly."""


_thread = _Thread()


def fire(run: SegmentRun, ready: Sequence[Segment], pool: ThreadPool | None) -> None:
    """Hands out segments that became ready on this thread.

    Cheap ones and one costly one stay on this thread. But in the middle of a segment (a value that
    it sent woke its receiver) nothing stays that is costly or would have to wait for something
    costly. What another step's thread woke goes to the thread that waits for the step.
    """
    if run.home is not _thread.home:
        _fire_from_outside(run, ready, pool)
        return
    if pool is None:
        drive(run, ready)
        return
    busy = _thread.busy
    kept: list[Segment] = []
    costly = _thread.costly + (busy is not None)
    for segment in ready:
        if (segment.is_costly and costly) or (busy is not None and busy.is_costly):
            pool.submit(drive, run, (segment,))
        else:
            costly += segment.is_costly
            kept.append(segment)
    if kept:
        drive(run, kept)


def _fire_from_outside(run: SegmentRun, ready: Sequence[Segment], pool: ThreadPool | None) -> None:
    home = run.home
    kept: list[Segment] = []
    for segment in ready:
        if pool is not None and (home is None or segment.is_costly):
            pool.submit(drive, run, (segment,))
        else:
            kept.append(segment)
    if not kept:
        return
    if home is None:
        drive(run, kept)
    else:
        home.put(partial(drive, run, kept))


def drive(run: SegmentRun, segments: Sequence[Segment]) -> None:
    """Runs segments on this thread: now, or if it is running one of the same step, after that."""
    if _thread.queue is not None and _thread.home is run.home:
        _enqueue(run, segments)
    else:
        with _loop(run.home):
            _enqueue(run, segments)


def start_together(home: Inbox | None, starts: Iterable[Callable[[], Any]]) -> None:
    """Starts the plans of a step, so that the costly segments of all of them can overlap.

    Args:
      home: The inbox of the step.
      starts: Functions that start a plan each.
    """
    with _loop(home):
        for start in starts:
            start()


def segment_is_over() -> None:
    """Takes note that the segment this thread was running has ended."""
    _thread.busy = None


def _enqueue(run: SegmentRun, segments: Sequence[Segment]) -> None:
    queue = _thread.queue
    assert queue is not None
    for segment in segments:
        if segment.node is None:
            queue.append((run, segment))
            _thread.costly += segment.is_costly
        else:
            # Starting to wait takes no time, and may be what a segment before it needs.
            queue.appendleft((run, segment))


@contextmanager
def _loop(home: Inbox | None) -> Iterator[None]:
    """Runs on exit what was put into this thread's queue inside, and all that follows from it.

    Loops nest when a kernel runs a session itself.
    """
    outer = (_thread.queue, _thread.home, _thread.busy, _thread.costly)
    queue: deque[tuple[SegmentRun, Segment]] = deque()
    _thread.queue, _thread.home, _thread.busy, _thread.costly = queue, home, None, 0
    try:
        yield
        with np.errstate(all="ignore"):
            while queue:
                run, segment = queue.popleft()
                _thread.costly = max(0, _thread.costly - segment.is_costly)
                _thread.busy = segment
                run.execute(segment)
    finally:
        _thread.queue, _thread.home, _thread.busy, _thread.costly = outer
