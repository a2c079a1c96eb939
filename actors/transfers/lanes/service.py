"""The lanes of a device: threads that read what arrives, and run what it asks for themselves.

All threads wait on one epoll set. A lane is taken out of it by the event that wakes a thread, and
put back once a message was read: then the next message finds the next thread, so that a step that
takes long or waits holds up nobody. No thread is handed anything, and an idle one costs nothing.
"""

from __future__ import annotations

import logging
import os
import select
import socket
import threading
from collections import deque
from collections.abc import Callable
from typing import Any, Final

from dataflow.actors.messages import Message
from dataflow.actors.transfers.lanes.lane import Lane
from dataflow.errors import OpError

_LOGGER = logging.getLogger("dataflow")

MAX_THREADS: Final = 256
"""Threads of a service; those that run a step or a kernel that waits are held."""

Work = Callable[[], Any]


class LaneService:
    """Reads lanes on threads of its own."""

    def __init__(
        self, on_message: Callable[[Lane, Message], None], on_close: Callable[[Lane], None]
    ) -> None:
        """Makes a service without lanes; its threads start with the first.

        Args:
          on_message: Takes each message, on a thread that may take its time; does not raise.
          on_close: Told once of each lane that was closed from outside or was malformed.
        """
        self._on_message = on_message
        self._on_close = on_close
        self._epoll = select.epoll()
        self._lanes: dict[int, Lane] = {}
        self._full: dict[int, Lane] = {}
        """Lanes whose socket is full, by the descriptor that is watched for that."""
        self._works: deque[Work] = deque()
        self._bell = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC | os.EFD_SEMAPHORE)
        self._epoll.register(self._bell, select.EPOLLIN)
        self._lock = threading.Lock()
        self._threads = 0
        self._idle = 0
        self._closed = False

    def add(self, sock: socket.socket, whom: str) -> Lane:
        """Reads a connected socket from now on; returns its lane."""
        lane = Lane(sock, whom, self._watch_full, owns=False)
        with self._lock:
            self._lanes[lane.fileno()] = lane
        self._make_idle_thread()
        self._epoll.register(lane.fileno(), select.EPOLLIN | select.EPOLLONESHOT)
        return lane

    def submit(self, work: Work) -> None:
        """Has a thread do some work, which must not raise."""
        self._works.append(work)
        os.eventfd_write(self._bell, 1)

    def close(self) -> None:
        """Closes all lanes and ends the threads."""
        self._closed = True
        with self._lock:
            lanes = list(self._lanes.values())
        for lane in lanes:
            lane.shut()
        # One for each thread; the last of them frees what they share.
        os.eventfd_write(self._bell, MAX_THREADS + 1)

    def _make_idle_thread(self) -> None:
        """Sees to it that a thread waits for what comes next."""
        with self._lock:
            if self._idle or self._threads >= MAX_THREADS or self._closed:
                return
            self._threads += 1
            self._idle += 1
            name = f"dataflow-lane-{self._threads}"
        threading.Thread(target=self._serve, name=name, daemon=True).start()

    def _serve(self) -> None:
        while not self._closed:
            try:
                ((descriptor, event),) = self._epoll.poll(-1, 1)
            except InterruptedError:
                continue
            with self._lock:
                self._idle -= 1
                alone = not self._idle
            if alone:
                self._make_idle_thread()
            self._turn(descriptor, event)
            with self._lock:
                self._idle += 1
        with self._lock:
            self._threads -= 1
            self._idle -= 1

    def _turn(self, descriptor: int, event: int) -> None:
        if descriptor == self._bell:
            self._work()
            return
        full = self._full.pop(descriptor, None)
        if full is not None:
            # Closing alone would leave it in the set as long as the lane is open.
            self._epoll.unregister(descriptor)
            os.close(descriptor)
            full.resume()
            return
        lane = self._lanes.get(descriptor)
        if lane is None:
            return
        try:
            message = lane.read()
        except EOFError:
            self._end(lane, descriptor, "")
        except OpError as error:
            self._end(lane, descriptor, error.message)
        else:
            self._epoll.modify(descriptor, select.EPOLLIN | select.EPOLLONESHOT)
            if message is not None:
                self._on_message(lane, message)

    def _work(self) -> None:
        try:
            os.eventfd_read(self._bell)
            work = self._works.popleft()
        except (BlockingIOError, IndexError):
            # Another thread was quicker.
            return
        work()

    def _end(self, lane: Lane, descriptor: int, why: str) -> None:
        if why:
            _LOGGER.warning("The connection from %s is refused: %s", lane.whom, why)
        with self._lock:
            self._lanes.pop(descriptor, None)
        self._epoll.unregister(descriptor)
        lane.close()
        self._on_close(lane)

    def _watch_full(self, lane: Lane) -> None:
        descriptor = os.dup(lane.fileno())
        self._full[descriptor] = lane
        self._epoll.register(descriptor, select.EPOLLOUT | select.EPOLLONESHOT)
