"""OpenMP's threads: they do one call of oneDNN together, and wait awake for the next one.

Waking a thread that sleeps takes 30 to 60 us, as long as half of a product of 128 x 256 matrices.
OpenMP's threads spin for a while after a call, so that calls that follow each other cost 2 us each.
They divide the work beforehand. So where other processes want the cores too, all of them wait for
the one that does not run: then the team rests for a while, and callers do without it.
"""

from __future__ import annotations

import ctypes
import math
import os
import threading
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any, Final

from dataflow.kernels.threads.cores import NOWHERE, available_cores, current_core
from dataflow.kernels.threads.parallel import Helpers, current

TOGETHER: Final = 3_000_000
"""Multiplications that are worth a team whose threads are awake,"""
WAKING: Final = 8_000_000
"""and those that are worth waking them."""
SPIN_COUNT: Final = "GOMP_SPINCOUNT"
"""Environment variable: how often OpenMP's threads look for work before they sleep. GNU's OpenMP
library reads it when it is loaded."""
_SPINS: Final = 5000
"""About 250 us where one takes 140 cycles, as it does on Intel's processors since Skylake."""
_QUICK_SPINS: Final = 16_000
"""About 400 us on AMD's, where it takes a third to half of that."""
_QUICK: Final = ("AuthenticAMD", "HygonGenuine")
_PROCESSORS: Final = Path("/proc/cpuinfo")
_FIRST: Final = 1024
"""Characters in which the first processor says whose it is: there may be hundreds of them."""
_CHOICES: Final = (SPIN_COUNT, "OMP_WAIT_POLICY")
_PLACES: Final = ("OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY")
"""Variables by which the user says how threads wait, and where they run."""

_Member: Any = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
"""What each thread of a team calls."""

_LATE: Final = 3.0
"""How many times as long as at best a call may take."""
_GRACE: Final = 100e-6
"""Seconds that it may take in addition."""
_REST: Final = 5e-3
_LONGEST_REST: Final = 1.0
"""Seconds without a team after a call that was late: at first, and at most."""
_RECOVERY: Final = 0.99
_DRIFT: Final = 1.001
"""What a call in time makes of the next rest, and of the best time."""
_NEAR: Final = 400e-6
"""Seconds for which the team counts as awake, and as wanted again soon."""
_SOFT_PAUSE: Final = 1
"""What OpenMP is told to end its threads, and to keep what the user has set."""
_LOCKED: Final = 0
"""What Python says that a thread was before it was to be remembered: it had Python's lock."""
_KINDS: Final = 1000
"""Kinds of calls whose best times are remembered."""


@contextmanager
def spinning() -> Iterator[None]:
    """OpenMP, if it is loaded inside, has its threads spin as long as a team needs."""
    if any(name in os.environ for name in _CHOICES):
        yield
        return
    os.environ[SPIN_COUNT] = str(_spins())
    try:
        yield
    finally:
        os.environ.pop(SPIN_COUNT, None)


def _spins() -> int:
    """How often to look, for a few hundred microseconds."""
    try:
        with _PROCESSORS.open() as text:
            about = text.read(_FIRST)
    except OSError:
        return _SPINS
    return _QUICK_SPINS if any(name in about for name in _QUICK) else _SPINS


class Team:
    """The threads of OpenMP, for one thread of this process at a time."""

    def __init__(self, computing: ctypes.CDLL, brief: ctypes.PyDLL) -> None:
        """Starts no thread.

        Args:
          computing: oneDNN; its calls release Python's lock.
          brief: oneDNN; its calls keep it.

        Raises:
          AttributeError: It does not use GNU's OpenMP.
        """
        self._do_together: Final = computing.GOMP_parallel
        self._do_together.argtypes = (_Member, ctypes.c_void_p, ctypes.c_uint, ctypes.c_uint)
        self._do_together.restype = None
        self._threads: Final = brief.omp_get_max_threads
        self._threads.argtypes, self._threads.restype = (), ctypes.c_int
        self._set_threads: Final = brief.omp_set_num_threads
        self._set_threads.argtypes, self._set_threads.restype = (ctypes.c_int,), None
        self._end_threads: Final = getattr(computing, "omp_pause_resource_all", None)
        self.most: Final = available_cores()
        """Threads at most."""
        self._free = threading.Lock()
        self._members = _Members()
        self._process = os.getpid()
        self._rest_until = 0.0
        self._rest = _REST
        self._best: dict[Hashable, float] = {}
        """The least time that calls of a kind took."""
        self._member = _Member(self._take_part)
        self._forgotten = _Member(_forget)
        self._parts: tuple[int, Callable[[], None], Callable[[], None]] | None = None
        """Of a split: the thread that calls, what it does, and what the others do."""
        self._ended = 0.0
        """When the calling thread had done its part."""
        self._wanted = -math.inf
        """When the team was last asked for, or ended a call."""

    def run(
        self,
        helpers: Helpers | None,
        kind: Hashable,
        call: Callable[[], None],
        only_awake: bool = False,
    ) -> bool:
        """Calls a function whose calls of oneDNN are done by several threads.

        Args:
          helpers: Say how many threads may be used, and whether they have something else to do;
            None if only this one may.
          kind: What calls have in common that take equally long.
          call: The function.
          only_awake: Its threads are not worth waking for it: the team must have been wanted a
            moment ago.

        Returns:
          False if it has not been called: another thread has the team, or it rests, or there is
          none to be had.
        """
        size = 0
        if helpers is not None and (self._was_near() or not only_awake):
            size = self._begin(helpers)
        if not size:
            return False
        try:
            before = self._threads()
            self._set_threads(size)
            start = perf_counter()
            try:
                call()
            finally:
                self._set_threads(before)
                self._wanted = perf_counter()
                taken = self._wanted - start
            best = self._best.get(kind, taken)
            is_late = taken > _LATE * best + _GRACE
            self._judge(is_late)
            if not is_late:
                if len(self._best) >= _KINDS:
                    self._best.clear()
                self._best[kind] = min(_DRIFT * best, taken)
        finally:
            self._free.release()
        current.divisible += taken * size
        current.saved += taken * (size - 1)
        return True

    def share(
        self, helpers: Helpers, pieces: int, own: Callable[[], None], others: Callable[[], None]
    ) -> bool:
        """Has the team do what a kernel has split, if it was wanted a moment ago.

        Then its threads are awake, or soon will be wanted again. See `parallel.Team`.
        """
        start, is_near = perf_counter(), self._was_near()
        # All of them are called or none: OpenMP ends threads that a smaller team leaves out.
        is_enough = min(helpers.limit, self.most) <= pieces
        size = self._begin(helpers) if is_near and is_enough else 0
        if not size:
            return False
        try:
            self._parts = threading.get_ident(), own, others
            self._do_together(self._member, None, size, 0)
            self._wanted = end = perf_counter()
            self._judge(end - self._ended > _LATE * (self._ended - start) + _GRACE)
        finally:
            self._parts = None
            self._free.release()
        return True

    def dismiss(self) -> None:
        """Ends the threads that OpenMP keeps for the calling one.

        While there are more of its threads than cores, none of them waits awake: where two threads
        have called oneDNN one after the other, each call of either wakes threads.
        """
        members = self._members
        if members.threads and self._end_threads is not None:
            self._do_together(self._forgotten, None, len(members.threads) + 1, 0)
            self._end_threads(_SOFT_PAUSE)
            members.asked, members.threads = 1, ()

    def _was_near(self) -> bool:
        """Takes note that the team is wanted; whether it was wanted a moment ago."""
        now = perf_counter()
        is_near, self._wanted = now - self._wanted < _NEAR, now
        return is_near

    def _take_part(self, _: object) -> None:
        """What each of its threads calls for `share`."""
        parts = self._parts
        assert parts is not None
        caller, own, others = parts
        if caller == threading.get_ident():
            own()
            self._ended = perf_counter()
            return
        if not _known.stays:
            # Else Python would forget the thread after each call, and all that is local to it.
            ctypes.pythonapi.PyGILState_Ensure()
            _known.stays = True
        others()

    def _begin(self, helpers: Helpers) -> int:
        """Takes the team; gives the number of its threads, or 0 if it is not to be had."""
        if perf_counter() < self._rest_until or not helpers.are_idle:
            return 0
        if os.getpid() != self._process:
            # OpenMP's threads do not survive a fork, and it does not notice.
            return 0
        # An interrupt does not come between taking the lock and knowing of it.
        (is_taken,) = map(self._free.acquire, (False,))
        if not is_taken:
            return 0
        members, size = self._members, 0
        try:
            if members.asked != helpers.limit:
                self._enlist(helpers.limit)
            if members.threads:
                members.keep_off(current_core())
                size = len(members.threads) + 1
        finally:
            if not size:
                self._free.release()
        return size

    def _judge(self, is_late: bool) -> None:
        """Has the team rest if a call took much longer than it could."""
        if is_late:
            self._rest_until = perf_counter() + self._rest
            self._rest = min(_LONGEST_REST, 2 * self._rest)
        else:
            self._rest = max(_REST, _RECOVERY * self._rest)

    def _enlist(self, size: int) -> None:
        """Gets to know the threads that OpenMP keeps for this one, and starts those that lack."""
        members = self._members
        members.asked, members.threads, members.core = size, (), NOWHERE
        size = min(size, self.most)
        if size < 2:
            return
        found: set[int] = set()
        note = _Member(lambda _: found.add(threading.get_native_id()))
        self._do_together(note, None, size, 0)
        found.discard(threading.get_native_id())
        members.threads = tuple(sorted(found))


class _Known(threading.local):
    """What Python knows of a thread."""

    stays = False
    """It is remembered until it ends, though OpenMP has started it."""


_known: Final = _Known()


def _forget(_: object) -> None:
    """Has Python forget the thread, and all that is local to it, when this call ends."""
    if _known.stays:
        ctypes.pythonapi.PyGILState_Release(_LOCKED)


class _Members(threading.local):
    """The threads that OpenMP keeps for the calling thread."""

    asked = 1
    """How many threads were last asked for."""
    threads: tuple[int, ...] = ()
    core = NOWHERE
    """The core that they keep off."""

    def keep_off(self, core: int) -> None:
        """Divides the other cores among them.

        Linux leaves two of them on one core for seconds while another core is idle.
        """
        if core == self.core:
            return
        self.core = core
        if any(name in os.environ for name in _PLACES):
            return
        try:
            others = sorted(os.sched_getaffinity(0) - {core})
            for number, thread in enumerate(self.threads):
                os.sched_setaffinity(thread, others[number :: len(self.threads)])
        except OSError:
            # The system forbids it: then they run where they like.
            return
