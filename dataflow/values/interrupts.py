"""Keeps state whole that threads share while a signal's handler may raise in the main thread.

Python runs handlers in the main thread only: before a function's first line, when a call of C code
has returned, when a loop jumps back, and while a lock is waited for. There Ctrl-C raises. So

* what has to be done as a whole and takes its time goes to another thread: `sheltered`;
* between two of those places nothing is cut: assignments, `x[i] = y`, entering and leaving
  `with lock:` of a lock that is written in C. `(result,) = map(call, (argument,))` calls and
  assigns so, too;
* what takes microseconds and comes with each step may have the handlers wait: `held_back`;
* `threading.Condition` is none of those: its methods are Python code, and an interrupt inside
  leaves it locked. `Monitor` stands in for it.
"""

from __future__ import annotations

import threading
from _signal import getsignal  # type: ignore[import-not-found]
from _signal import signal as set_handler
from _thread import RLock, allocate_lock, interrupt_main, start_new_thread
from collections import deque
from collections.abc import Callable
from contextvars import copy_context
from signal import SIGINT, SIGTERM, Signals
from time import monotonic, sleep
from types import FrameType
from typing import Any, Final, Generic, TypeVar

T = TypeVar("T")

_OFTEN_RAISING: Final = tuple(
    int(s) for s in (SIGINT, SIGTERM, *(s for s in Signals if s.name == "SIGALRM"))
)
"""Signals of Ctrl-C, of the end of a program and of time limits."""
_SOON: Final = 0.001

_release: Final[Callable[[Any], None]] = type(allocate_lock()).release
_release_save: Final[Callable[[Any], Any]] = RLock._release_save  # type: ignore[attr-defined]


def sheltered(work: Callable[[], T], undo: Callable[[T], None] | None = None) -> T:
    """Calls a function on a thread where no signal's handler runs, and waits for it.

    An interrupt ends the wait at once. The function goes on: what it locks stays locked until it
    has ended. On any thread but the main one it is simply called.

    Args:
      work: The function.
      undo: Takes back what an interrupted caller will not see: called with the result.
    """
    if threading.get_ident() != threading.main_thread().ident:
        return work()
    call = _Call(work)
    try:
        try:
            start_new_thread(call.run, ())
        except RuntimeError:
            # The interpreter shuts down, or there are too many threads.
            call.run()
        with call.over:
            pass
    except BaseException:
        if undo is not None:
            start_new_thread(call.take_back, (undo,))
        raise
    for function in call.left:
        function()
    return call.result()


def on_caller(function: Callable[[], None]) -> None:
    """Calls what has no effect on another thread: when the caller of `sheltered` goes on, or now.

    If the caller is interrupted before, nobody calls it.
    """
    left = _here.left
    if left is None:
        function()
    else:
        left.append(function)


class _Here(threading.local):
    left: list[Callable[[], None]] | None = None
    """What the caller of the function that is sheltered on this thread has to call."""


_here: Final = _Here()


def held_back(work: Callable[[], T], swallows: bool = False) -> T:
    """Calls a quick function; the handlers of signals that usually raise are called after it.

    It costs two microseconds. On any thread but the main one the function is simply called.

    Args:
      work: The function.
      swallows: The caller is one (the callback of a weak reference) whose exceptions Python drops:
        what came comes once more when it has returned.
    """
    if threading.get_ident() != threading.main_thread().ident:
        return work()
    handlers = {n: h for n in _OFTEN_RAISING if callable(h := getsignal(n))}
    came: list[tuple[int, FrameType | None]] = []

    def note(number: int, frame: FrameType | None) -> None:
        came.append((number, frame))

    try:
        for number in handlers:
            set_handler(number, note)
        return work()
    finally:
        try:
            for number, handler in handlers.items():
                set_handler(number, handler)
        except BaseException:
            # What a handler raises that was among the first.
            for number, handler in handlers.items():
                set_handler(number, handler)
            raise
        finally:
            for number, frame in came:
                if swallows:
                    start_new_thread(_send_again, (number,))
                else:
                    handlers[number](number, frame)


def _send_again(number: int) -> None:
    sleep(_SOON)
    interrupt_main(Signals(number))


def is_interrupt(error: BaseException) -> bool:
    """Whether an exception may have come from a signal's handler: then what it left is half done.

    A handler that raises an `Exception` cannot be told from the code that it interrupts.
    """
    return (
        not isinstance(error, Exception) and threading.get_ident() == threading.main_thread().ident
    )


class _Call(Generic[T]):
    """A function that another thread calls."""

    __slots__ = ("_context", "_error", "_value", "_work", "left", "over")

    def __init__(self, work: Callable[[], T]) -> None:
        self._work: Callable[[], T] | None = work
        self._context = copy_context()
        self._value: T
        self._error: BaseException | None = None
        self.left: list[Callable[[], None]] = []
        """What the caller has to call."""
        self.over = allocate_lock()
        """Held until the function has ended."""
        self.over.acquire()

    def run(self) -> None:
        work, self._work = self._work, None
        assert work is not None
        outer, _here.left = _here.left, self.left
        try:
            self._value = self._context.run(work)
        except BaseException as error:
            self._error = error
        finally:
            _here.left = outer
            # What it holds is freed before, not by the thread's end.
            del work
            _forget_this_thread()
            self.over.release()

    def result(self) -> T:
        if self._error is None:
            return self._value
        try:
            raise self._error
        finally:
            # The error knows this frame, which shall not know the error.
            self._error = None

    def take_back(self, undo: Callable[[T], None]) -> None:
        with self.over:
            if self._error is None:
                undo(self._value)


def _forget_this_thread() -> None:
    """Before 3.13 `threading` remembers for ever a thread that it has not started but heard of."""
    known: dict[int, threading.Thread] = vars(threading)["_active"]
    if isinstance(known.get(threading.get_ident()), threading._DummyThread):
        known.pop(threading.get_ident(), None)


class Monitor(RLock):  # type: ignore[misc]
    """A lock whose owner can wait until another one tells of a change; see `threading.Condition`.

    Use it by `with`. A thread that waits may wake though nobody told of anything.
    """

    def __init__(self) -> None:
        self._sleepers: deque[Any] = deque()
        """For each thread that waits a lock that it is about to take once more."""

    def wait(self, timeout: float | None = None) -> bool:
        """Waits for `notify_all`, meanwhile without the lock; False if the time is over first."""
        sleeper = allocate_lock()
        sleeper.acquire()
        self._sleepers.append(sleeper)
        (state,) = map(_release_save, (self,))
        try:
            if timeout is None:
                told = sleeper.acquire()
            else:
                told = sleeper.acquire(timeout > 0, timeout if timeout > 0 else -1)
        finally:
            self._acquire_restore(state)  # type: ignore[attr-defined]
        if not told and sleeper in self._sleepers:
            self._sleepers.remove(sleeper)
        return told

    def wait_for(self, predicate: Callable[[], Any], timeout: float | None = None) -> Any:
        """Waits until a predicate holds; gives its last value."""
        end = None if timeout is None else monotonic() + timeout
        while not (result := predicate()):
            left = None if end is None else end - monotonic()
            if left is not None and left <= 0:
                break
            self.wait(left)
        return result

    def notify_all(self) -> None:
        """Wakes all threads that wait: all of them or, if an interrupt comes first, none."""
        woken, left = map(_release, self._sleepers), deque[Any]()
        (*_,) = woken
        self._sleepers = left


class Flag(threading.Event):
    """An event whose methods may be interrupted."""

    def __init__(self) -> None:
        super().__init__()
        self._cond = Monitor()
