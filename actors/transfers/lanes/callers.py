"""The lanes of a session: the threads that wait for answers read them, one for all.

Of the threads that wait one leads: it reads all lanes, takes its own answers and wakes the others
for theirs. When it has what it waited for, another one leads. So a lone caller's answer arrives on
its own thread, and nobody reads while nobody waits; who ends a lane waits until it has ended.
"""

from __future__ import annotations

import logging
import os
import select
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from dataflow.actors.transfers.lanes.lane import Lane
from dataflow.actors.transfers.lanes.line import Line
from dataflow.actors.transfers.weak_methods import weakly
from dataflow.actors.wire.messages import Message
from dataflow.errors import OpError
from dataflow.values.interrupts import held_back, sheltered

_LOGGER = logging.getLogger("dataflow")
_FOREVER: Final = 3600.0
_QUIET_SECONDS: Final = 1.0
_MOST_EVENTS: Final = 8
_CLOSE_SECONDS: Final = 1.0


class Waiter:
    """A thread's wait, which others end."""

    __slots__ = ("_callers", "_token", "is_over", "leads", "must_look")

    def __init__(self, callers: LaneCallers) -> None:
        self._callers = callers
        self._token: threading.Lock | None = None
        """Held while the thread sleeps."""
        self.is_over = False
        """What was waited for has come."""
        self.must_look = False
        """Something else has changed; the waiting thread sets this back before it looks."""
        self.leads = False

    def wait(self, seconds: float | None = None) -> None:
        """Waits; see `LaneCallers.wait`."""
        self._callers.wait(self, seconds)

    def end(self) -> None:
        """Ends the wait for good."""
        self.is_over = True
        self.rouse()

    def look(self) -> None:
        """Has `LaneCallers.wait` return, so that its caller looks what has changed."""
        self.must_look = True
        self.rouse()

    def rouse(self) -> None:
        """Wakes the thread, wherever it waits."""
        if self.leads:
            self._callers.ring()
        elif self._token is not None:
            try:
                self._token.release()
            except RuntimeError:
                # It was woken already.
                return

    def prepare_to_sleep(self) -> None:
        """From now on `rouse` wakes a thread that sleeps; what came before is to be looked at."""
        if self._token is None:
            self._token = threading.Lock()
            self._token.acquire()

    def sleep(self, seconds: float) -> None:
        """Waits for `rouse`, which may have been called since `prepare_to_sleep`."""
        assert self._token is not None
        if not self.is_over and not self.must_look:
            self._token.acquire(timeout=seconds)


class LaneCallers:
    """Reads lanes on the threads that wait for answers."""

    def __init__(
        self,
        on_message: Callable[[Lane, Message], None],
        on_close: Callable[[Lane], None],
        on_quiet: Callable[[], None],
    ) -> None:
        """Makes a set without lanes.

        Args:
          on_message: Takes each message, on the thread that leads; is quick and does not raise.
          on_close: Told once of each lane that was closed or was malformed.
          on_quiet: Called when threads wait and nothing has come for a second.
        """
        self._on_message = on_message
        self._on_close = on_close
        self._on_quiet = on_quiet
        self._epoll = select.epoll()
        self._lanes: dict[int, Lane] = {}
        self._full: dict[int, Lane] = {}
        """Lanes whose socket is full, by the descriptor that is watched for that."""
        self._works: deque[Callable[[], None]] = deque()
        self._bell = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._epoll.register(self._bell, select.EPOLLIN)
        self._lock = threading.Lock()
        self._leading = False
        self._leader = 0
        """The thread that leads."""
        self._followers: deque[Waiter] = deque()
        self._ending: list[tuple[Waiter, set[Lane]]] = []
        """Who waits for the end of lanes, and of which."""

    def add(self, line: Line, whom: str) -> Lane:
        """Reads a connection from now on; returns its lane."""
        lane = Lane(line, whom, weakly(self._watch_full), owns=True)
        self._lanes[lane.fileno()] = lane
        self._epoll.register(lane.fileno(), select.EPOLLIN)
        return lane

    def wait(self, waiter: Waiter, seconds: float | None = None) -> None:
        """Waits until the wait is over, its thread must look, or the time is over."""
        deadline = None if seconds is None else time.monotonic() + seconds
        try:
            while not waiter.is_over and not waiter.must_look:
                left = _until(deadline)
                if left <= 0:
                    break
                with self._lock:
                    if self._leading:
                        waiter.prepare_to_sleep()
                        self._followers.append(waiter)
                    else:
                        self._leading = waiter.leads = True
                if waiter.leads:
                    self._lead(waiter, deadline)
                else:
                    self._follow(waiter, left)
            if self._followers:
                self._promote()
        except BaseException:
            sheltered(partial(self._leave, waiter))
            raise

    def ring(self) -> None:
        """Has the leading thread look up, unless it is this one: then it does anyway."""
        if self._leader != threading.get_ident():
            os.eventfd_write(self._bell, 1)

    def submit(self, work: Callable[[], None]) -> None:
        """Has the thread that leads, or will lead next, do something quick that does not raise."""
        self._works.append(work)
        os.eventfd_write(self._bell, 1)

    def close(self) -> None:
        """Closes all lanes; threads that wait find theirs closed."""
        self.end(list(self._lanes.values()))

    def end(self, lanes: Sequence[Lane]) -> None:
        """Closes lanes; what they hold is free then, whether or not anybody waits for answers."""
        waiter, left = ending = Waiter(self), set(lanes)
        self._ending.append(ending)
        try:
            left.intersection_update(tuple(self._lanes.values()))
            for lane in lanes:
                lane.shut()
            if left and not (self._leading and self._leader == threading.get_ident()):
                # Whoever leads, this thread or another one, finds the end of each.
                self.wait(waiter, _CLOSE_SECONDS)
        finally:
            self._ending.remove(ending)

    def _lead(self, waiter: Waiter, deadline: float | None) -> None:
        self._leader = threading.get_ident()
        while not waiter.is_over and not waiter.must_look:
            left = _until(deadline)
            if left <= 0:
                break
            self._turn(min(left, _QUIET_SECONDS))
        with self._lock:
            self._leading = waiter.leads = False

    def _follow(self, waiter: Waiter, seconds: float) -> None:
        waiter.sleep(seconds)
        with self._lock:
            if waiter in self._followers:
                self._followers.remove(waiter)

    def _leave(self, waiter: Waiter) -> None:
        """Ends a wait that was interrupted, wherever it was."""
        with self._lock:
            if waiter.leads:
                self._leading = waiter.leads = False
            if waiter in self._followers:
                self._followers.remove(waiter)
        self._promote()

    def _promote(self) -> None:
        """Wakes a thread to lead, if none does."""
        with self._lock:
            if self._leading or not self._followers:
                return
            follower = self._followers.popleft()
        follower.rouse()

    def _turn(self, seconds: float) -> None:
        """Waits for something to arrive, and takes it."""
        events = self._epoll.poll(seconds, _MOST_EVENTS)
        if not events:
            self._on_quiet()
            return
        # What has arrived may be for other threads, too.
        held_back(partial(self._take, events))

    def _take(self, events: Sequence[tuple[int, int]]) -> None:
        for descriptor, _ in events:
            lane = self._lanes.get(descriptor)
            if lane is not None:
                self._read(lane, descriptor)
            elif descriptor == self._bell:
                os.eventfd_read(self._bell)
                while self._works:
                    self._works.popleft()()
            elif descriptor in self._full:
                lane = self._full.pop(descriptor)
                self._epoll.unregister(descriptor)
                os.close(descriptor)
                lane.resume()

    def _read(self, lane: Lane, descriptor: int) -> None:
        try:
            messages = lane.read()
        except EOFError:
            self._end(lane, descriptor)
        except OpError as error:
            _LOGGER.warning("The connection to %s is given up: %s", lane.whom, error.message)
            self._end(lane, descriptor)
        except Exception as error:
            why = f"{type(error).__name__}: {error}"
            _LOGGER.warning("The connection to %s is given up: %s", lane.whom, why)
            self._end(lane, descriptor)
        except BaseException:
            # The user's interrupt in the midst of a frame: the next one cannot be found.
            self._end(lane, descriptor)
            raise
        else:
            for message in messages:
                self._on_message(lane, message)

    def _end(self, lane: Lane, descriptor: int) -> None:
        del self._lanes[descriptor]
        self._epoll.unregister(descriptor)
        lane.close()
        self._on_close(lane)
        for waiter, left in tuple(self._ending):
            left.discard(lane)
            if not left:
                waiter.end()

    def _watch_full(self, lane: Lane) -> None:
        descriptor = os.dup(lane.fileno())
        self._full[descriptor] = lane
        self._epoll.register(descriptor, select.EPOLLOUT | select.EPOLLONESHOT)

    def __del__(self) -> None:
        os.close(self._bell)


def _until(deadline: float | None) -> float:
    """Seconds that are left."""
    return _FOREVER if deadline is None else deadline - time.monotonic()
