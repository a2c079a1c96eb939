"""Where lanes begin: listening sockets, the handshake that both ends prove themselves by, offers.

The secret travels over Ray, so whoever may call a device may open a lane to it, and nobody else; on
one machine it must be of the same user besides. Until a peer has proved itself it can make this
process read a few bytes only, for a few seconds, with few others at the same time.
"""

from __future__ import annotations

import logging
import os
import select
import socket
import threading
import time
from collections.abc import Callable
from typing import Final
from uuid import uuid4

from dataflow.actors.transfers.lanes.handshake import (
    HandshakeError,
    Keys,
    Meeting,
    meet_client,
    meet_server,
)
from dataflow.actors.transfers.lanes.line import Line
from dataflow.actors.transfers.lanes.tls import Encryption, TlsSocket
from dataflow.actors.transfers.lanes.users import check_user
from dataflow.actors.wire.messages import LaneOffer
from dataflow.errors import FailedPreconditionError, OpError, UnavailableError

_LOGGER = logging.getLogger("dataflow")

HANDSHAKE_SECONDS: Final = 5.0
MAX_STRANGERS: Final = 32
"""Peers that may be proving themselves at a time."""
_BACKLOG: Final = 1024
"""Connections that wait to be taken; what the kernel drops of more, it tries again in a second."""
_QUIET_SECONDS: Final = 1.0
"""After a line of the log about a refusal; who knocks all the time fills no disk."""
_SECRET_BYTES: Final = 32
_BUFFER_BYTES: Final = 1 << 22
_SILENT_SECONDS: Final = 8
"""After which a machine from which nothing comes, not even an acknowledgement, is given up."""
_NEAR: Final = "near"
_FAR: Final = "far"
NONE: Final = LaneOffer("", "", 0, b"")
"""No lane can be opened."""


class Door:
    """Takes in lanes on threads of its own."""

    def __init__(
        self,
        device: str,
        node: str,
        host: str,
        enter: Callable[[Line, str], object],
        encryption: Encryption | None = None,
    ) -> None:
        """Makes a door; it listens once someone asks for an address.

        Args:
          device: Whose it is, by full name.
          node: Ray's id of this machine.
          host: Its address, where other machines reach it.
          enter: Takes a connection and the name of its peer.
          encryption: Of lanes to other machines, if they are to be encrypted.
        """
        self._device = device
        self._node = node
        self._host = host
        self._enter = enter
        self._encryption = encryption
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
                port: int = sock.getsockname()[1]
                encrypts = self._encryption is not None
                offer = LaneOffer(_FAR, self._host, port, self._secret, encrypts)
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
            self._leave(id(sock))
            self._refuse(sock, str(error))

    def _leave(self, key: int) -> None:
        """Takes note that nothing more is asked of a stranger."""
        with self._lock:
            self._greeting -= 1
            self._strangers.pop(key, None)

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
        own = sock
        try:
            own = self._wrapped(sock)
            line, name = self._admitted(own)
        except (HandshakeError, OSError, ValueError) as error:
            self._refuse(own, str(error) or f"{type(error).__name__} in the handshake")
            return
        finally:
            self._leave(id(sock))
        if self._closed.is_set():
            own.close()
            return
        try:
            self._enter(line, name)
        except (OSError, ValueError, OpError) as error:
            # It has gone, or this end just closes.
            self._refuse(own, str(error))

    def _wrapped(self, sock: socket.socket) -> socket.socket:
        """The socket, or what TLS has put in its place among the strangers."""
        if self._encryption is None or sock.family == getattr(socket, "AF_UNIX", None):
            return sock
        made = self._encryption.wrap(sock, is_server=True)
        with self._lock:
            known = self._strangers.get(id(sock))
            if known is not None:
                self._strangers[id(sock)] = made, known[1]
                return made
        made.close()
        raise HandshakeError("it was shown out for others")

    def _admitted(self, sock: socket.socket) -> tuple[Line, str]:
        """A peer that has proved that it knows the secret, and its name."""
        certificates = b""
        if isinstance(sock, TlsSocket):
            assert self._encryption is not None
            certificates = self._encryption.meet(sock, HANDSHAKE_SECONDS)
        way = _way(sock)
        if way == _NEAR:
            check_user(sock, os.geteuid())
        meeting = Meeting(self._secret, self._device, way, certificates)
        name, keys = meet_client(sock, meeting, HANDSHAKE_SECONDS)
        return _line(sock, keys), name


def connect(
    offer: LaneOffer, own_name: str, device: str, encryption: Encryption | None = None
) -> Line:
    """Opens a lane where it was offered.

    Args:
      offer: The address.
      own_name: What the other end calls this one.
      device: Whose offer it is, by full name.
      encryption: Of lanes to other machines, if they are to be encrypted.

    Raises:
      UnavailableError: It cannot be reached, or is not who made the offer.
      FailedPreconditionError: One end is to encrypt, and the other is not.
    """
    if offer.way == _FAR and offer.encrypted != (encryption is not None):
        raise _mismatch(offer, device)
    sock = socket.socket(socket.AF_UNIX if offer.way == _NEAR else _family(offer.host))
    try:
        if offer.way == _FAR:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _BUFFER_BYTES)
        sock.settimeout(HANDSHAKE_SECONDS)
        if offer.way == _NEAR:
            _knock(sock, f"\0{offer.host}")
        else:
            sock.connect((offer.host, offer.port))
        certificates = b""
        if offer.way == _NEAR:
            check_user(sock, os.geteuid())
        elif encryption is not None:
            sock = wrapped = encryption.wrap(sock, is_server=False)
            certificates = encryption.meet(wrapped, HANDSHAKE_SECONDS)
        meeting = Meeting(offer.secret, device, offer.way, certificates)
        return _line(sock, meet_server(sock, meeting, own_name, HANDSHAKE_SECONDS))
    except (HandshakeError, OSError) as error:
        sock.close()
        reason = str(error) or type(error).__name__
        message = f"No connection to {device} can be opened: {reason}"
        raise UnavailableError(None, None, message) from error


def _knock(sock: socket.socket, address: str) -> None:
    """Connects a local socket, as soon as the queue before the door has room.

    Where a network's connection waits for its turn, a local one that has a time-out fails at once.
    """
    end = time.monotonic() + HANDSHAKE_SECONDS
    while True:
        try:
            sock.connect(address)
            return
        except BlockingIOError:
            if time.monotonic() > end:
                raise
            time.sleep(0.001)


def _line(sock: socket.socket, keys: Keys) -> Line:
    """A line of a socket whose ends have proved themselves; nothing waits for it any more."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _BUFFER_BYTES)
    if _way(sock) == _NEAR:
        sock.settimeout(None)
        return Line(sock)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    _notice_silence(sock)
    if isinstance(sock, TlsSocket):
        return Line(sock.begin())
    sock.settimeout(None)
    return Line(sock, keys)


def _way(sock: socket.socket) -> str:
    return _NEAR if sock.family == getattr(socket, "AF_UNIX", None) else _FAR


def _family(host: str) -> int:
    return socket.AF_INET6 if ":" in host else socket.AF_INET


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


def _mismatch(offer: LaneOffer, device: str) -> FailedPreconditionError:
    takes = "encrypted" if offer.encrypted else "unencrypted"
    return FailedPreconditionError(
        None,
        None,
        f"No connection to {device} is opened: it takes {takes} ones only. TLS is to be turned on "
        "at both ends or at none, by ConfigProto.rpc_options.tls of the session and of the server, "
        "or by RAY_USE_TLS on all machines.",
    )
