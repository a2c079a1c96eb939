"""The handshake of a lane: both ends prove that they know its secret, and agree on keys by it.

The client sends its challenge and name, the server its own challenge and its proof, the client its
proof, the server its welcome. Each proof is a SHA-256 HMAC over all that both ends said and meant:
who is asked for, by whom, on which way, encrypted between which certificates, both challenges. Ends
that differ in any of it have different keys, and proofs of the two roles are never the same: what
was said to one device, on one way, in one role, proves nothing to another. The keys of frames
come from the same HMAC, so whoever only passes the handshake on cannot speak afterwards.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import socket
import struct
import time
from dataclasses import dataclass, field
from typing import Final

MAX_NAME: Final = 1024
"""Bytes of a client's name."""
_GREETING: Final = struct.Struct("<8s32sH")
"""Magic, challenge, bytes of the name."""
_MAGIC: Final = b"dflane2\n"
_CHALLENGE: Final = 32
_PROOF: Final = 32
_LENGTH: Final = struct.Struct("<Q")
_TLS_BEGINS: Final = b"\x16\x03"


class HandshakeError(Exception):
    """The other end has not proved who it is."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """What both ends know before they meet; if they differ, neither accepts the other."""

    secret: bytes = field(repr=False)
    device: str
    """Whom the client means, by full name: the server, if it is right."""
    way: str
    certificates: bytes = b""
    """What TLS has shown both ends of each other; empty without TLS."""


@dataclass(frozen=True, slots=True)
class Keys:
    """By which one end seals what it sends, and the other end what this one receives."""

    sends: bytes = field(repr=False)
    receives: bytes = field(repr=False)


def meet_client(sock: socket.socket, meeting: Meeting, seconds: float) -> tuple[str, Keys]:
    """The server's part.

    Args:
      sock: The connection.
      meeting: What is known of it here.
      seconds: What the whole of it may take.

    Returns:
      The client's name, and the keys.

    Raises:
      HandshakeError: The client has not proved that it knows the secret.
      OSError: It took too long, or the connection broke.
    """
    talk = _Talk(sock, seconds)
    greeting = talk.receive(_GREETING.size)
    magic, _, size = _GREETING.unpack(greeting)
    if magic != _MAGIC:
        raise HandshakeError(_no_greeting(greeting))
    if size > MAX_NAME:
        raise HandshakeError(f"its name of {size} bytes is too long")
    name = talk.receive(size)
    challenge = os.urandom(_CHALLENGE)
    schedule = _Schedule(meeting, greeting + name, challenge)
    talk.send(challenge + schedule.key("the server's proof"))
    if not hmac.compare_digest(talk.receive(_PROOF), schedule.key("the client's proof")):
        raise HandshakeError(
            f"its proof is wrong: it does not know the secret of {meeting.device}, or means "
            "another device or another way to it"
        )
    talk.send(schedule.key("the server's welcome"))
    text = name.decode(errors="backslashreplace")
    keys = Keys(schedule.key("frames of the server"), schedule.key("frames of the client"))
    return text if text.isprintable() else ascii(text), keys


def meet_server(sock: socket.socket, meeting: Meeting, own_name: str, seconds: float) -> Keys:
    """The client's part.

    Args:
      sock: The connection.
      meeting: What is known of it here.
      own_name: What the server is to call this end.
      seconds: What the whole of it may take.

    Raises:
      HandshakeError: The server has not proved that it knows the secret.
      OSError: It took too long, or the connection broke.
    """
    talk = _Talk(sock, seconds)
    name = own_name.encode()[:MAX_NAME]
    greeting = _GREETING.pack(_MAGIC, os.urandom(_CHALLENGE), len(name)) + name
    talk.send(greeting)
    answer = talk.receive(_CHALLENGE + _PROOF)
    schedule = _Schedule(meeting, greeting, answer[:_CHALLENGE])
    if not hmac.compare_digest(answer[_CHALLENGE:], schedule.key("the server's proof")):
        raise HandshakeError(f"what answers there does not prove that it is {meeting.device}")
    talk.send(schedule.key("the client's proof"))
    if not hmac.compare_digest(talk.receive(_PROOF), schedule.key("the server's welcome")):
        raise HandshakeError(f"what answers there does not go on as {meeting.device} would")
    return Keys(schedule.key("frames of the client"), schedule.key("frames of the server"))


class _Schedule:
    """All keys and proofs of one meeting."""

    def __init__(self, meeting: Meeting, greeting: bytes, challenge: bytes) -> None:
        said = (
            meeting.device.encode(),
            meeting.way.encode(),
            meeting.certificates,
            greeting,
            challenge,
        )
        # With their lengths: nothing can be taken from the end of one and put before the next.
        whole = b"".join(_LENGTH.pack(len(part)) + part for part in said)
        # HMAC fills short keys up with zeros, so that some secrets would stand for each other.
        key = hashlib.sha256(meeting.secret).digest()
        self._key = hmac.digest(key, whole, "sha256")

    def key(self, what: str) -> bytes:
        return hmac.digest(self._key, what.encode(), "sha256")


class _Talk:
    """Sends and receives exactly so many bytes, all within some seconds."""

    def __init__(self, sock: socket.socket, seconds: float) -> None:
        self._socket = sock
        self._end = time.monotonic() + seconds

    def send(self, data: bytes) -> None:
        self._bound()
        self._socket.sendall(data)

    def receive(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            self._bound()
            piece = self._socket.recv(size - len(data))
            if not piece:
                raise HandshakeError("it has closed the connection in the handshake")
            data += piece
        return data

    def _bound(self) -> None:
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError("the handshake took too long")
        self._socket.settimeout(left)


def _no_greeting(data: bytes) -> str:
    if data.startswith(_TLS_BEGINS):
        return "it encrypts (TLS), which this end was not asked to do"
    return f"it began with {data[:8]!r}, which no end of a lane does"
