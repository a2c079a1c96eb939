"""Where lanes begin: listening sockets, the handshake that both ends prove themselves by, offers.

The secret travels over Ray, so whoever may call a device may open a lane to it, and nobody else.
Until a peer has proved itself it can make this process read a few bytes only, for a few seconds,
with few others at the same time.
"""

from __future__ import annotations

import logging
import os
import select
import socket
import struct
import threading
import time
from collections.abc import Callable
from multiprocessing import AuthenticationError
from multiprocessing.connection import Connection, answer_challenge, deliver_challenge
from typing import Final
from uuid import uuid4

from dataflow.actors.wire.messages import LaneOffer
from dataflow.errors import OpError, UnavailableError

_LOGGER = logging.getLogger("dataflow")

HANDSHAKE_SECONDS: Final = 5.0
MAX_STRANGERS: Final = 32
"""Peers that may be proving themselves at a time."""
_BACKLOG: Final = 1024
"""Connections that wait to be taken; what the kernel drops of more, it tries again in a second."""
_QUIET_SECONDS: Final = 1.0
"""After a line of the log about a refusal; who knocks all the time fills no disk."""
_MAX_NAME: Final = 1024
_SECRET_BYTES: Final = 32
_BUFFER_BYTES: Final = 1 << 22
_SILENT_SECONDS: Final = 8
"""After which a machine from which nothing comes, not even an acknowledgement, is given up."""
_TIMEVAL: Final = struct.Struct("@ll")
_NEAR: Final = "near"
_FAR: Final = "far"
NONE: Final = LaneOffer("", "", 0, b"")
"""No lane can be opened."""


class Door:
    """Takes in lanes on threads of its own."""

    def __init__(self, node: str, host: str, enter: Callable[[socket.socket, str], object]) -> None:
        """Makes a door; it listens once someone asks for an address.

        Args:
          node: Ray's id of this machine.
          host: Its address, where other machines reach it.
          enter: Takes a connected socket and the name of its peer.
        """
        self._node = node
        self._host = host
        self._enter = enter
        self._secret = os.urandom(_SECRET_BYTES)
        self._offers: dict[str, LaneOffer] = {}
        self._strangers: dict[int, tuple[socket.socket, float]] = {}
        """Who may still prove itself and until when, the oldest first."""
        self._greeting = 0
        """Threads that talk to strangers, also to those that were shown out."""
        self._quiet_until = 0.0
        self._untold = 0
        self._listeners: list[socket.socket] = []
        self._lock = threading.Lock()
        self._closed = threading.Event()

    def offer(self, node: str) -> LaneOffer:
        """An address for a peer on some machine; `NONE` if it cannot be had."""
        way = _NEAR if node == self._node and hasattr(socket, "AF_UNIX") else _FAR
        with self._lock:
            found = self._offers.get(way)
            if found is None and not self._closed.is_set():
                found = self._offers[way] = self._listen(way)
            return found or NONE

    def close(self) -> None:
        """Lets nobody in any more."""
        with self._lock:
            self._closed.set()
            sockets = [*self._listeners, *(s for s, _ in self._strangers.values())]
        for sock in sockets:
            _shut(sock)

    def _listen(self, way: str) -> LaneOffer:
        family = socket.AF_UNIX if way == _NEAR else _family(self._host)
        sock = socket.socket(family)
        try:
            if way == _NEAR:
                # In the abstract namespace: no file is left, however this process ends.
                offer = LaneOffer(_NEAR, f"dataflow-{uuid4().hex}", 0, self._secret)
                sock.bind(f"\0{offer.host}")
            else:
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _BUFFER_BYTES)
                sock.bind((self._host, 0))
                offer = LaneOffer(_FAR, self._host, sock.getsockname()[1], self._secret)
            sock.listen(_BACKLOG)
        except OSError as error:
            sock.close()
            _LOGGER.info("No connections are taken at %s: %s", self._host, error)
            return NONE
        self._listeners.append(sock)
        name = "dataflow-door"
        threading.Thread(target=self._accept, args=(sock,), name=name, daemon=True).start()
        return offer

    def _accept(self, listener: socket.socket) -> None:
        poller = select.poll()
        poller.register(listener, select.POLLIN)
        while not self._closed.is_set():
            with self._lock:
                ends = [end for _, end in self._strangers.values()]
            left = min(ends, default=time.monotonic() + 3600) - time.monotonic()
            if poller.poll(max(0.0, left) * 1000):
                try:
                    sock, _ = listener.accept()
                except OSError as error:
                    if self._closed.is_set():
                        break
                    # As long as no descriptor is free, for instance.
                    _LOGGER.warning("A connection could not be taken: %s", error)
                    time.sleep(0.1)
                    continue
                self._meet(sock)
            self._dismiss()
        listener.close()

    def _meet(self, sock: socket.socket) -> None:
        """Has a stranger prove itself, on a thread of its own; in a crowd the oldest one leaves."""
        oldest = None
        with self._lock:
            admitted = self._greeting < 2 * MAX_STRANGERS and not self._closed.is_set()
            if admitted:
                self._greeting += 1
                if len(self._strangers) >= MAX_STRANGERS:
                    oldest, _ = self._strangers.pop(next(iter(self._strangers)))
                self._strangers[id(sock)] = (sock, time.monotonic() + HANDSHAKE_SECONDS)
        if not admitted:
            self._refuse(sock, f"{2 * MAX_STRANGERS} others have proved nothing")
            return
        if oldest is not None:
            # Who knows the secret has proved it long ago.
            _shut(oldest)
        name = "dataflow-stranger"
        try:
            threading.Thread(target=self._greet, args=(sock,), name=name, daemon=True).start()
        except RuntimeError as error:
            self._leave(sock)
            self._refuse(sock, str(error))

    def _leave(self, sock: socket.socket) -> None:
        """Takes note that nothing more is asked of a stranger."""
        with self._lock:
            self._greeting -= 1
            self._strangers.pop(id(sock), None)

    def _refuse(self, sock: socket.socket, why: str) -> None:
        """Closes a connection and tells of it, but not of each of many."""
        sock.close()
        now = time.monotonic()
        with self._lock:
            if now < self._quiet_until:
                self._untold += 1
                return
            untold, self._untold = self._untold, 0
            self._quiet_until = now + _QUIET_SECONDS
        others = f" ({untold} others were refused since the last line)" if untold else ""
        _LOGGER.warning("A connection is refused: %s%s", why, others)

    def _dismiss(self) -> None:
        """Cuts off the strangers whose time is over."""
        now = time.monotonic()
        with self._lock:
            late = [sock for sock, end in self._strangers.values() if end <= now]
        for sock in late:
            _shut(sock)

    def _greet(self, sock: socket.socket) -> None:
        try:
            name = self._proved_name(sock)
        except (AuthenticationError, OSError, EOFError, AssertionError, ValueError) as error:
            self._leave(sock)
            self._refuse(sock, str(error) or f"{type(error).__name__} in handshake")
            return
        self._leave(sock)
        if self._closed.is_set():
            sock.close()
            return
        try:
            self._enter(_tuned(sock), name)
        except (OSError, ValueError, OpError) as error:
            # It has gone, or this end just closes.
            self._refuse(sock, str(error))

    def _proved_name(self, sock: socket.socket) -> str:
        """The name of a peer that knows the secret, after proving the same to it."""
        # A descriptor of its own: that of the socket is closed here.
        with Connection(os.dup(sock.fileno())) as connection:
            deliver_challenge(connection, self._secret)
            answer_challenge(connection, self._secret)
            name = connection.recv_bytes(_MAX_NAME).decode(errors="backslashreplace")
            connection.send_bytes(b"")
        return name if name.isprintable() else ascii(name)


def connect(offer: LaneOffer, own_name: str, whom: str) -> socket.socket:
    """Opens a lane where it was offered.

    Args:
      offer: The address.
      own_name: What the other end calls this one.
      whom: What messages call the other end.

    Raises:
      UnavailableError: It cannot be reached, or is not who made the offer.
    """
    sock = socket.socket(socket.AF_UNIX if offer.way == _NEAR else _family(offer.host))
    try:
        if offer.way == _FAR:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _BUFFER_BYTES)
        _bound(sock, HANDSHAKE_SECONDS)
        sock.connect(f"\0{offer.host}" if offer.way == _NEAR else (offer.host, offer.port))
        with Connection(os.dup(sock.fileno())) as connection:
            answer_challenge(connection, offer.secret)
            deliver_challenge(connection, offer.secret)
            connection.send_bytes(own_name.encode()[:_MAX_NAME])
            connection.recv_bytes(0)
        _bound(sock, 0.0)
        return _tuned(sock)
    except (AuthenticationError, OSError, EOFError, AssertionError, ValueError) as error:
        sock.close()
        raise _unreachable(whom, error) from error


def _family(host: str) -> int:
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def _bound(sock: socket.socket, seconds: float) -> None:
    """Bounds each wait on a socket that blocks; 0 lifts the bound."""
    value = _TIMEVAL.pack(int(seconds), 0)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, value)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, value)


def _tuned(sock: socket.socket) -> socket.socket:
    if sock.family != getattr(socket, "AF_UNIX", None):
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        _notice_silence(sock)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _BUFFER_BYTES)
    return sock


def _notice_silence(sock: socket.socket) -> None:
    """Has the kernel break a connection over which nothing comes back, idle or not."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    options = (
        ("TCP_KEEPIDLE", _SILENT_SECONDS // 2),
        ("TCP_KEEPINTVL", 1),
        ("TCP_KEEPCNT", _SILENT_SECONDS // 2),
        ("TCP_USER_TIMEOUT", _SILENT_SECONDS * 1000),
    )
    for name, value in options:
        # Not every system has all of them.
        if hasattr(socket, name):
            sock.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


def _shut(sock: socket.socket) -> None:
    try:
        sock.shutdown(socket.SHUT_RDWR)
    except OSError as error:
        _LOGGER.debug("A socket is closed already: %s", error)


def _unreachable(whom: str, error: Exception) -> UnavailableError:
    reason = str(error) or type(error).__name__
    return UnavailableError(None, None, f"No connection to {whom} can be opened: {reason}")
