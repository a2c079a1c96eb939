"""Splits the work of one kernel over the threads that are idle, the caller's among them.

Where pieces begin and end depends on what is asked for, never on which threads are free: results
are the same in every run.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any, Final, Protocol

import numpy as np

from dataflow.kernels.threads import stopping

_WORTH: Final = 100e-6
"""Seconds of work for which a thread is woken, which takes some 40 us."""

_PIECES: Final = 8
"""Pieces for each thread, at most."""
_SHORT: Final = 20
"""Pieces of a split, as many as are worth it, up to which it matters when helpers begin."""
_STRETCH: Final = 64
"""Grains of a piece after which its thread looks whether the step was stopped."""
_BLOCK: Final = 1 << 17
"""Elements of a stretch of rows."""
_SHORT_CALL: Final = 40e-6
_LONG_CALL: Final = 150e-6
"""Seconds of a call of a library, at least and at most, if there is so much work: threads whose
calls are short wait for Python's lock most of the time."""

Piece = Callable[[int, int], Any]
"""`f(start, stop)` does a stretch of the work; stretches are done in any order, by any thread."""


class Helpers(Protocol):
    """The threads that may help a kernel."""

    @property
    def limit(self) -> int:
        """How many threads a kernel may use, the calling one included; at least 2."""

    @property
    def idle(self) -> int:
        """How many of them have nothing to do, about."""

    @property
    def are_idle(self) -> bool:
        """True if none of them works, or is about to."""

    def call(self, task: Callable[[], None], count: int) -> None:
        """Has up to `count` threads that are idle now call a function, which must not raise."""


class Team(Protocol):
    """Threads that wait awake for a while after they were used."""

    def share(
        self, helpers: Helpers, pieces: int, own: Callable[[], None], others: Callable[[], None]
    ) -> bool:
        """Has all of them call a function, if they are awake, and waits for them.

        Args:
          helpers: Say how many threads may be used, and whether they have something else to do.
          pieces: How many threads find something to do.
          own: What the calling thread calls meanwhile; must not raise.
          others: What each of the others calls; must not raise.

        Returns:
          False if they are not to be had, and nothing was called.
        """

    def dismiss(self) -> None:
        """Ends those of them that wait for the calling thread."""


_teams: Final[list[Team]] = []


def register_team(team: Team) -> None:
    """Has short splits use a library's threads, which others of its calls keep awake."""
    _teams.append(team)


def dismiss_teams() -> None:
    """Ends what the calling thread has of teams: for threads that others will work in place of."""
    for team in _teams:
        team.dismiss()


class _Thread(threading.local):
    """What a kernel on this thread may use."""

    helpers: Helpers | None = None
    divisible: float = 0.0
    """Seconds that a lone thread would have spent on what idle threads can help with."""
    saved: float = 0.0
    """Seconds of those that this thread was spared because others did help."""


current: Final = _Thread()


class Assisted:
    """The context in which kernels of this thread may split their work."""

    __slots__ = ("_helpers", "_outer")

    def __init__(self, helpers: Helpers | None) -> None:
        self._helpers = helpers
        self._outer: Helpers | None = None

    def __enter__(self) -> None:
        self._outer, current.helpers = current.helpers, self._helpers

    def __exit__(self, *_: object) -> None:
        current.helpers = self._outer


def split(count: int, grain: int, run: Piece) -> None:
    """Calls `run(start, stop)` on pieces of range(count), on this thread and on idle ones.

    A split inside of a piece stays on the piece's thread. What a piece writes must not overlap
    with what another one does.

    Args:
      count: How much there is to do.
      grain: What is worth a piece: about 100 us of work (`grain_of` computes it). Pieces may be
        half as large, so that there are as many for each thread.
      run: Does a stretch.

    Raises:
      BaseException: What the first piece that failed raised, or that the step was stopped; all
        pieces that began have ended.
    """
    helpers = current.helpers
    grain = max(1, grain)
    pieces = count // grain
    if helpers is None or pieces < 2:
        _run_in_stretches(run, 0, count, _STRETCH * grain)
        return
    # Several pieces a thread: those of one that comes late, or is held up, are done by the others.
    # As many for each, or some wait for the others' last one.
    threads = helpers.limit
    even = min(-(-pieces // threads), _PIECES) * threads if pieces > threads else pieces
    work = _Split(count, min(count, even), _STRETCH * grain, run)
    work.start(helpers, _teams if pieces <= _SHORT else ())


def _run_in_stretches(run: Piece, start: int, stop: int, stretch: int) -> None:
    """Does what there is from `start` to `stop`; looks between stretches if that takes long."""
    while stop - start > stretch:
        run(start, start + stretch)
        start += stretch
        stopping.look()
    if stop > start:
        run(start, stop)


def run_alone(run: Callable[[], None]) -> None:
    """Calls a function for which helpers were not to be had, so that plans know they could help."""
    before, start = current.divisible, perf_counter()
    run()
    current.divisible = max(current.divisible, before + perf_counter() - start)


def split_rows(rows: int, size: int, seconds: float, run: Callable[[slice], Any]) -> None:
    """Calls `run` with stretches of rows, cut so that what it computes stays in the cache.

    Args:
      rows: How many there are.
      size: Elements in all of them.
      seconds: What one element takes, about.
      run: Does its work for some rows.
    """
    if size <= _BLOCK:
        run(slice(0, rows))
        return
    step = max(1, rows * _BLOCK // size)

    def blocks(first: int, last: int) -> None:
        for start in range(first * step, min(rows, last * step), step):
            run(slice(start, min(rows, start + step)))

    count = -(-rows // step)
    split(count, grain_of(count, size * seconds), blocks)


def grain_of(items: int, seconds: float) -> int:
    """The grain of `split` for work on so many items that takes one thread about so long."""
    return max(1, round(items * _WORTH / seconds)) if seconds > 0 else max(1, items)


def items_of_call(items: int, seconds: float) -> int:
    """How many of some items a call of a library should do, of all but the last one.

    Args:
      items: How many there are.
      seconds: What all of them take one thread, about.
    """
    calls = 2 if seconds >= 2 * _SHORT_CALL else 1
    while seconds > calls * _LONG_CALL:
        calls *= 2
    return -(-items // calls)


class _Split:
    """The pieces of one call."""

    __slots__ = (
        "_active",
        "_closed",
        "_count",
        "_ended",
        "_error",
        "_helped",
        "_lock",
        "_next",
        "_pieces",
        "_run",
        "_step",
        "_stretch",
    )

    def __init__(self, count: int, pieces: int, stretch: int, run: Piece) -> None:
        self._count = count
        self._pieces = pieces
        self._stretch = stretch
        self._run: Piece | None = run
        self._step = stopping.current.step
        self._next = itertools.count()
        self._lock = threading.Lock()
        self._active = 0
        """Helpers that are at work."""
        self._closed = False
        """The caller has done its part; helpers that come now are too late."""
        self._helped = 0.0
        """Seconds that helpers have worked."""
        self._ended = threading.Lock()
        """Held from when the caller begins to wait until the last helper has ended."""
        self._error: BaseException | None = None

    def start(self, helpers: Helpers, teams: Sequence[Team]) -> None:
        """Does all pieces, with one of the teams or with helpers; raises the first error."""
        start = perf_counter()
        try:
            # A split inside of a piece stays on its thread.
            current.helpers = None
            work, help_out = self._work, self._help
            if not any(team.share(helpers, self._pieces, work, help_out) for team in teams):
                helpers.call(help_out, min(helpers.limit, self._pieces) - 1)
            work()
        finally:
            current.helpers = helpers
            self._close()
            current.divisible += perf_counter() - start + self._helped
            current.saved += self._helped
        error, self._error = self._error, None
        if error is not None:
            try:
                raise error
            finally:
                # The error knows this frame, which shall not know the error.
                del error

    def _work(self) -> None:
        run, count, pieces = self._run, self._count, self._pieces
        if run is None:
            return
        try:
            for piece in self._next:
                if piece >= pieces or self._error is not None:
                    return
                start, stop = piece * count // pieces, (piece + 1) * count // pieces
                _run_in_stretches(run, start, stop, self._stretch)
                stopping.look()
        except BaseException as error:
            self._fail(error)

    def _fail(self, error: BaseException) -> None:
        with self._lock:
            if self._error is None:
                self._error = error

    def _close(self) -> None:
        """Waits for the helpers that have begun, whatever interrupts it."""
        with self._lock:
            self._closed = True
            if self._active:
                self._ended.acquire()
        while self._active:
            try:
                self._ended.acquire()
            except BaseException as interruption:
                self._fail(interruption)
        # The helpers' queue may hold on to this object for long.
        self._run = None

    def _help(self) -> None:
        """What a helper calls."""
        with self._lock:
            if self._closed:
                return
            self._active += 1
        outer, current.helpers = current.helpers, None
        stopping.current.step = self._step
        start = perf_counter()
        try:
            with np.errstate(all="ignore"):
                self._work()
        finally:
            current.helpers, stopping.current.step = outer, None
            self._leave(perf_counter() - start)

    def _leave(self, seconds: float) -> None:
        with self._lock:
            self._active -= 1
            self._helped += seconds
            if self._closed and not self._active:
                self._ended.release()
