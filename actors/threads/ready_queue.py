"""What a thread has still to run: a loop that turns what is woken into work, not recursion."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextvars import Context
from functools import partial
from typing import Any, Final, Protocol

import numpy as np

from dataflow.actors.threads.home import Home
from dataflow.actors.threads.pool import ThreadPool

QUIET: Final = Context()
"""Context variables with numpy's floating-point warnings off. Entering a copy takes a tenth of the
time of `numpy.errstate`, and no interrupt keeps it from being left. Kernels see none of the
caller's context variables, and what they set ends with the step."""
QUIET.run(np.seterr, all="ignore")


class Work(Protocol):
    """A piece of a plan that runs on one thread: a segment, or what is ready among loops."""

    @property
    def is_costly(self) -> bool:
        """True if handing it to another thread pays."""

    @property
    def starts_waiting(self) -> bool:
        """True if it takes no time: a kernel begins to wait for someone else."""


class Identified(Protocol):
    """A step, for whoever only has to tell one from another."""

    @property
    def step_id(self) -> int:
        """Its id."""


class PlanRun(Protocol):
    """A plan in a step."""

    @property
    def step(self) -> Identified:
        """The step."""

    @property
    def home(self) -> Home | None:
        """Where work goes that was woken from outside the step; None if anywhere."""

    @property
    def step_id(self) -> int:
        """The step."""

    def execute(self, work: Any) -> None:
        """Runs a piece of this plan and fires what it makes ready; raises interrupts only."""


class _Thread(threading.local):
    """What this thread is at."""

    queue: deque[tuple[PlanRun, Work]] | None = None
    """What to run; None if the thread is not in a loop."""
    home: Home | None = None
    """Home of the step that the loop is for."""
    busy: Work | None = None
    """What is running now."""
    costly: int = 0
    """How much of the work in the queue is costly."""


_thread = _Thread()


def fire(run: PlanRun, ready: Sequence[Work], pool: ThreadPool | None) -> None:
    """Hands out work that became ready on this thread.

    What is cheap and one costly piece stay on this thread. But in the middle of work (a value that
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
    kept: list[Work] = []
    costly = _thread.costly + (busy is not None)
    for work in ready:
        if (work.is_costly and costly) or (busy is not None and busy.is_costly):
            _offer(run, work, pool)
        else:
            costly += work.is_costly
            kept.append(work)
    if kept:
        drive(run, kept)


def _fire_from_outside(run: PlanRun, ready: Sequence[Work], pool: ThreadPool | None) -> None:
    home = run.home
    kept: list[Work] = []
    for work in ready:
        if pool is not None and (home is None or work.is_costly):
            _offer(run, work, pool)
        else:
            kept.append(work)
    if not kept:
        return
    if home is None:
        drive(run, kept)
    else:
        home.put(partial(drive, run, kept))


def _offer(run: PlanRun, work: Work, pool: ThreadPool) -> None:
    """Gives work to whoever is idle first: a thread of the pool, or the one that waits."""
    offered = [work]
    pool.submit(_take, run, offered)
    if run.home is not None:
        run.home.put(partial(_take, run, offered))


def _take(run: PlanRun, offered: list[Work]) -> None:
    """Runs work that was offered, unless another thread has taken it."""
    try:
        work = offered.pop()
    except IndexError:
        return
    drive(run, (work,))


def drive(run: PlanRun, pieces: Sequence[Work]) -> None:
    """Runs work on this thread: now, or if it is at work for the same step, after that."""
    if _thread.queue is not None and _thread.home is run.home:
        _enqueue(run, pieces)
    else:
        _loop(run.home, partial(_enqueue, run, pieces))


def start_together(home: Home | None, starts: Iterable[Callable[[], Any]]) -> None:
    """Starts the plans of a step, so that the costly segments of all of them can overlap.

    Args:
      home: The home of the step.
      starts: Functions that start a plan each.
    """

    def begin() -> None:
        for start in starts:
            start()

    _loop(home, begin)


def work_is_over() -> None:
    """Takes note that what this thread was running has ended."""
    _thread.busy = None


def goes_on_with(work: Work) -> None:
    """Takes note that this thread runs something else now, before it looks into its queue."""
    _thread.busy = work


def drive_later(run: PlanRun, work: Work, pool: ThreadPool | None) -> None:
    """Runs work after what this thread has still to run; another thread does if that is costly."""
    if pool is not None and _thread.costly:
        _offer(run, work, pool)
    else:
        drive(run, (work,))


def others_wait() -> bool:
    """True if there is more for this thread to run."""
    return bool(_thread.queue)


def _enqueue(run: PlanRun, pieces: Sequence[Work]) -> None:
    queue = _thread.queue
    assert queue is not None
    for work in pieces:
        if not work.starts_waiting:
            queue.append((run, work))
            _thread.costly += work.is_costly
        else:
            # Starting to wait takes no time, and may be what something before it needs.
            queue.appendleft((run, work))


def _loop(home: Home | None, begin: Callable[[], None]) -> None:
    """Calls a function, then runs what it put into this thread's queue, and all that follows.

    Loops nest when a kernel runs a session itself. An interrupt leaves the thread as it was before.
    """
    outer = (_thread.queue, _thread.home, _thread.busy, _thread.costly)
    queue: deque[tuple[PlanRun, Work]] = deque()
    try:
        _thread.queue, _thread.home, _thread.busy, _thread.costly = queue, home, None, 0
        begin()
        QUIET.copy().run(_run_all, queue)
    finally:
        _thread.queue, _thread.home, _thread.busy, _thread.costly = outer


def _run_all(queue: deque[tuple[PlanRun, Work]]) -> None:
    while queue:
        run, work = queue.popleft()
        _thread.costly = max(0, _thread.costly - work.is_costly)
        _thread.busy = work
        run.execute(work)
