"""The lanes of a device: threads that read what arrives, and run what it asks for themselves.

All threads wait on one epoll set. A lane is taken out of it by the event that wakes a thread, and
put back once a message was read: then the next message finds the next thread, so that a step that
takes long or waits holds up nobody. No thread is handed anything, and an idle one costs nothing.
"""

from __future__ import annotations

import logging
import os
import select
import threading
from collections import deque
from collections.abc import Callable
from typing import Any, Final

from dataflow.actors.transfers.lanes.lane import Lane
from dataflow.actors.transfers.lanes.line import Line
from dataflow.actors.transfers.lanes.outgoing import releases_later
from dataflow.actors.wire.messages import Message
from dataflow.errors import OpError, UnavailableError

_LOGGER = logging.getLogger("dataflow")

MAX_THREADS: Final = 256
"""Threads of a service; those that run a step or a kernel that waits are held."""

_ONCE: Final = select.EPOLLIN | select.EPOLLONESHOT

Thunk = Callable[[], Any]
"""Work for a thread, whatever it is."""
OnMessage = Callable[[Lane, Message], "deque[Thunk]"]


class LaneService:
    """Reads lanes on threads of its own."""

    def __init__(self, on_message: OnMessage, on_close: Callable[[Lane], None]) -> None:
        """Makes a service without lanes; its threads start with the first.

        Args:
          on_message: Takes each message, on a thread that may take its time; does not raise. What
            it returns is done when nothing here holds the message any more.
          on_close: Told once of each lane that was closed from outside or was malformed.
        """
        self._on_message = on_message
        self._on_close = on_close
        self._epoll = select.epoll()
        self._lanes: dict[int, Lane] = {}
        self._full: dict[int, Lane] = {}
        """Lanes whose socket is full, by the descriptor that is watched for that."""
        self._accepted: set[Lane] = set()
        """Those that peers have opened: here is answered what they ask."""
        self._paused: dict[Lane, int] = {}
        """Lanes that are not read until their peers have read, and their descriptors."""
        self._works: deque[Thunk] = deque()
        self._bell = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        # Each ring wakes one thread.
        self._epoll.register(self._bell, select.EPOLLIN | select.EPOLLET)
        self._lock = threading.Lock()
        self._threads = 0
        self._idle: deque[None] = deque()
        """An element for each thread that waits: counted by what the interpreter does at once."""
        self._closed = False
        self._freed = False

    def add(self, line: Line, whom: str) -> Lane:
        """Reads a connection from now on; returns its lane.

        Raises:
          UnavailableError: There is no thread for it.
        """
        return self._serve_lane(Lane(line, whom, self._watch_full, owns=False, shows=True))

    def accept(self, line: Line, whom: str) -> Lane:
        """As `add`; nothing is read while the peer lets too many answers wait.

        Of two devices one at most pauses: what the other one has sent it reads always.
        """
        lane = Lane(line, whom, self._watch_full, owns=False)
        self._accepted.add(lane)
        try:
            return self._serve_lane(lane)
        except BaseException:
            self._accepted.discard(lane)
            raise

    def submit(self, work: Thunk) -> None:
        """Has a thread do some work, which must not raise."""
        self._works.append(work)
        if not self._threads:
            # No lane was opened yet.
            self._make_idle_thread()
        self._ring()

    def close(self) -> None:
        """Closes all lanes and ends the threads."""
        with self._lock:
            self._closed = True
            lanes = list(self._lanes.values())
        for lane in lanes:
            lane.shut()
        # Each thread that ends wakes the next; the last one frees what they share.
        self._ring()
        with self._lock:
            has_threads = self._threads > 0
        if not has_threads:
            self._free()

    def _serve_lane(self, lane: Lane) -> Lane:
        self._make_idle_thread()
        with self._lock:
            self._lanes[lane.fileno()] = lane
        self._epoll.register(lane.fileno(), _ONCE)
        return lane

    def _make_idle_thread(self) -> None:
        """Sees to it that a thread waits for what comes next."""
        with self._lock:
            if self._idle or self._threads >= MAX_THREADS or self._closed:
                return
            self._threads += 1
            self._idle.append(None)
            name = f"dataflow-lane-{self._threads}"
        try:
            threading.Thread(target=self._serve, name=name, daemon=True).start()
        except RuntimeError as error:
            with self._lock:
                self._threads -= 1
                self._idle.pop()
                if not self._threads:
                    raise UnavailableError(None, None, f"None can be served: {error}") from error
            # Those that there are have to do.
            _LOGGER.warning("Connections get no further thread: %s", error)

    def _serve(self) -> None:
        while not self._closed:
            try:
                ((descriptor, _),) = self._epoll.poll(-1, 1)
            except InterruptedError:
                continue
            self._idle.pop()
            if not self._idle:
                self._make_idle_thread()
            try:
                self._turn(descriptor)
            except Exception:
                # One message shall not take the thread along.
                _LOGGER.exception("A message on a connection could not be served")
            self._idle.append(None)
        with self._lock:
            self._threads -= 1
            is_last = not self._threads
        if is_last:
            self._free()
        else:
            self._ring()

    def _ring(self) -> None:
        """Wakes a thread, unless all have ended."""
        with self._lock:
            if not self._freed:
                os.eventfd_write(self._bell, 1)

    def _free(self) -> None:
        with self._lock:
            if self._freed:
                return
            self._freed = True
        for lane in self._lanes.values():
            lane.close()
            self._on_close(lane)
        for descriptor in self._full:
            os.close(descriptor)
        self._lanes.clear()
        self._full.clear()
        self._epoll.close()
        os.close(self._bell)

    def _turn(self, descriptor: int) -> None:
        if descriptor == self._bell:
            self._work()
            return
        full = self._full.pop(descriptor, None)
        if full is not None:
            # Closing alone would leave it in the set as long as the lane is open.
            self._epoll.unregister(descriptor)
            os.close(descriptor)
            full.resume()
            self._unpause(full)
            return
        lane = self._lanes.get(descriptor)
        if lane is None:
            return
        try:
            messages = lane.read()
        except EOFError:
            self._end(lane, descriptor, "")
        except OpError as error:
            self._end(lane, descriptor, error.message)
        except Exception as error:
            # Nobody knows where the next frame begins.
            self._end(lane, descriptor, f"{type(error).__name__}: {error}")
        else:
            if lane.is_behind and lane in self._accepted:
                self._pause(lane, descriptor)
            else:
                self._epoll.modify(descriptor, _ONCE)
            while len(messages) > 1:
                # They shall not wait for the first.
                self.submit(_Delivery(self._on_message, lane, messages.pop(1)))
            if messages:
                with releases_later:
                    _do_all(self._on_message(lane, messages.pop()))

    def _pause(self, lane: Lane, descriptor: int) -> None:
        """Reads no more of a lane before the peer has read; its socket is full."""
        with self._lock:
            self._paused[lane] = descriptor
        self._unpause(lane)

    def _unpause(self, lane: Lane) -> None:
        if lane.is_behind:
            return
        with self._lock:
            descriptor = self._paused.pop(lane, None)
        if descriptor is not None:
            self._epoll.modify(descriptor, _ONCE)

    def _work(self) -> None:
        try:
            work = self._works.popleft()
        except IndexError:
            # Another thread was quicker.
            return
        if self._works:
            self._ring()
        work()

    def _end(self, lane: Lane, descriptor: int, why: str) -> None:
        if why:
            _LOGGER.warning("The connection from %s is refused: %s", lane.whom, why)
        with self._lock:
            self._lanes.pop(descriptor, None)
            self._accepted.discard(lane)
        self._epoll.unregister(descriptor)
        lane.close()
        self._on_close(lane)

    def _watch_full(self, lane: Lane) -> None:
        descriptor = os.dup(lane.fileno())
        self._full[descriptor] = lane
        self._epoll.register(descriptor, select.EPOLLOUT | select.EPOLLONESHOT)


class _Delivery:
    """A message for another thread."""

    __slots__ = ("_lane", "_messages", "_on_message")

    def __init__(self, on_message: OnMessage, lane: Lane, message: Message) -> None:
        self._on_message = on_message
        self._lane = lane
        self._messages = [message]

    def __call__(self) -> None:
        _do_all(self._on_message(self._lane, self._messages.pop()))


def _do_all(works: deque[Thunk]) -> None:
    while works:
        works.popleft()()
