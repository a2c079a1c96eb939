"""The handshake: ends that know the same agree, and nobody else is taken for one of them."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from dataflow.actors.transfers.lanes.handshake import (
    MAX_NAME,
    HandshakeError,
    Keys,
    Meeting,
    meet_client,
    meet_server,
)
from dataflow.actors.transfers.lanes.line import Line
from dataflow.actors.wire.messages import LaneOffer

SECRET = bytes(range(1, 33))
MEETING = Meeting(SECRET, "/job:worker/task:0/device:CPU:0", "far")
SECONDS = 2.0

Refused = (HandshakeError, OSError)


class End:
    """One end's part, on a thread of its own."""

    def __init__(self, sock: socket.socket, part: Callable[[], Any]) -> None:
        self.found: Any = None
        self.error: Exception | None = None
        self._sock = sock
        self._part = part
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        try:
            self.found = self._part()
        except Refused as error:
            self.error = error
        finally:
            self._sock.close()

    def end(self) -> None:
        """Waits for it."""
        self._thread.join(30)
        assert not self._thread.is_alive()


def client(sock: socket.socket, meeting: Meeting = MEETING, name: str = "guest") -> End:
    return End(sock, lambda: meet_server(sock, meeting, name, SECONDS))


def server(sock: socket.socket, meeting: Meeting = MEETING) -> End:
    return End(sock, lambda: meet_client(sock, meeting, SECONDS))


def meet(ours: Meeting, theirs: Meeting, name: str = "guest") -> tuple[End, End]:
    """A client and a server that are connected, after they have met."""
    first, second = socket.socketpair()
    ends = client(first, ours, name), server(second, theirs)
    for end in ends:
        end.end()
    return ends


def assert_refused(*ends: End) -> None:
    assert [end.found for end in ends] == [None] * len(ends)
    assert all(isinstance(end.error, Refused) for end in ends)


def relay(client_side: socket.socket, server_side: socket.socket, change: Change) -> None:
    """Passes on what a client and a server say, until one of them has closed."""

    def pump(source: socket.socket, sink: socket.socket, from_client: bool) -> None:
        place = 0
        try:
            while data := source.recv(4096):
                sink.sendall(change(from_client, place, data))
                place += len(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            return

    pumps = [
        threading.Thread(target=pump, args=(client_side, server_side, True)),
        threading.Thread(target=pump, args=(server_side, client_side, False)),
    ]
    for thread in pumps:
        thread.start()
    for thread in pumps:
        thread.join(30)
        assert not thread.is_alive()
    client_side.close()
    server_side.close()


Change = Callable[[bool, int, bytes], bytes]
"""Whose bytes, how many were before them, and they; gives what is passed on."""


def meet_through(change: Change, ours: Meeting = MEETING, theirs: Meeting = MEETING) -> list[End]:
    """A client and a server with somebody between them."""
    first, second = socket.socketpair()
    third, fourth = socket.socketpair()
    ends = [client(first, ours), server(fourth, theirs)]
    relay(second, third, change)
    for end in ends:
        end.end()
    return ends


def test_ends_that_know_the_same_agree_on_keys() -> None:
    ours, theirs = meet(MEETING, MEETING)
    name, keys = theirs.found
    assert name == "guest"
    assert (keys.sends, keys.receives) == (ours.found.receives, ours.found.sends)
    assert keys.sends != keys.receives and len(keys.sends) == len(keys.receives) == 32
    again, _ = meet(MEETING, MEETING)
    assert not {again.found.sends, again.found.receives} & {keys.sends, keys.receives}


SECRETS = {
    "a byte less": (SECRET[:-1], SECRET),
    "without the zero at its end": (SECRET[:-1], SECRET[:-1] + b"\0"),
    "with a zero at its end": (SECRET + b"\0", SECRET),
    "zeros for nothing": (b"", bytes(32)),
    "another one": (bytes(32), SECRET),
}


@pytest.mark.parametrize("what", SECRETS)
@pytest.mark.parametrize("turned", [False, True])
def test_a_secret_that_is_not_the_same_is_refused(what: str, turned: bool) -> None:
    one, other = (replace(MEETING, secret=secret) for secret in SECRETS[what])
    assert_refused(*(meet(other, one) if turned else meet(one, other)))


@pytest.mark.parametrize(
    "other",
    [
        replace(MEETING, device="/job:worker/task:0/device:CPU:1"),
        replace(MEETING, way="near"),
        replace(MEETING, certificates=b"c" * 64),
        replace(MEETING, device=MEETING.device + "f", way="ar"),
    ],
    ids=["device", "way", "certificates", "boundaries"],
)
def test_what_one_device_was_told_proves_nothing_to_another(other: Meeting) -> None:
    """A relay that passes on all that is said, where both know the secret."""

    def passed(from_client: bool, place: int, data: bytes) -> bytes:
        return data

    assert_refused(*meet_through(passed, MEETING, other))
    ours, theirs = meet_through(passed)
    assert ours.found and theirs.found


def test_a_flipped_bit_anywhere_is_refused() -> None:
    """Of the greeting and name, of both challenges, of each proof, of the welcome."""
    sizes = {True: 42 + len("guest") + 32, False: 64 + 32}
    for from_client, size in sizes.items():
        for flipped in set(range(0, size, 7)) - LENGTH:

            def flip(
                who: bool, place: int, data: bytes, whose: bool = from_client, at: int = flipped
            ) -> bytes:
                changed = bytearray(data)
                if who is whose and place <= at < place + len(data):
                    changed[at - place] ^= 1 << at % 8
                return bytes(changed)

            ours, theirs = meet_through(flip)
            assert isinstance(ours.error, Refused), (from_client, flipped)
            # The last word is the server's: if it alone was changed, the client goes away.
            assert theirs.found is None or (not from_client and flipped >= 64)


LENGTH = set(range(40, 42))
"""Of the name in the greeting: when it grows, the server waits for what does not come."""


def test_a_servers_own_proof_is_no_proof_to_it() -> None:
    here, there = socket.socketpair()
    house = server(there)
    here.sendall(GREETING)
    answer = here.recv(64, socket.MSG_WAITALL)
    here.sendall(answer[32:])
    assert here.recv(100) == b""
    house.end()
    assert_refused(house)
    assert "its proof is wrong" in str(house.error)
    here.close()


def test_a_clients_own_words_are_no_server() -> None:
    here, there = socket.socketpair()
    guest = client(there)
    greeting = here.recv(1000)
    here.sendall((greeting * 3)[:64])
    assert here.recv(1000) == b""
    guest.end()
    assert_refused(guest)
    assert "does not prove that it is" in str(guest.error)
    here.close()


def test_the_proof_of_one_meeting_is_none_in_the_next() -> None:
    said: list[bytes] = []

    def record(from_client: bool, place: int, data: bytes) -> bytes:
        if from_client:
            said.append(data)
        return data

    ours, theirs = meet_through(record)
    assert ours.found and theirs.found
    here, there = socket.socketpair()
    house = server(there)
    here.sendall(b"".join(said))
    assert len(here.recv(1000)) == 64 and here.recv(1000) == b""
    house.end()
    assert_refused(house)
    here.close()


def test_two_servers_cannot_be_made_to_prove_for_each_other() -> None:
    """What is to be proved to one is asked of the other, which plays the server's part only."""
    pairs = [socket.socketpair() for _ in range(2)]
    houses = [server(there) for _, there in pairs]
    one, other = (here for here, _ in pairs)
    one.sendall(GREETING)
    challenge, _ = parted(one.recv(64, socket.MSG_WAITALL))
    other.sendall(GREETING[:8] + challenge + GREETING[40:])
    _, proof = parted(other.recv(64, socket.MSG_WAITALL))
    one.sendall(proof)
    assert one.recv(100) == b""
    other.close()
    one.close()
    for house in houses:
        house.end()
    assert_refused(*houses)


def parted(answer: bytes) -> tuple[bytes, bytes]:
    return answer[:32], answer[32:]


GREETING = b"dflane2\n" + bytes(32) + b"\5\0guest"

NOISE = {
    "a request of the web": (
        b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" * 3,
        "it began with b'GET",
    ),
    "TLS": (b"\x16\x03\x01\x02\x00\x01" + bytes(100), "it encrypts"),
    "a name too long": (
        b"dflane2\n" + bytes(32) + (MAX_NAME + 1).to_bytes(2, "little"),
        "1025 bytes is too long",
    ),
    "nothing": (b"", "closed the connection"),
    "a part": (GREETING[:30], "closed the connection"),
}


@pytest.mark.parametrize("what", NOISE)
def test_noise_is_refused(what: str) -> None:
    noise, why = NOISE[what]
    here, there = socket.socketpair()
    house = server(there)
    here.sendall(noise)
    here.shutdown(socket.SHUT_WR)
    house.end()
    assert why in str(house.error)
    here.close()


@pytest.mark.parametrize("is_server", [False, True])
def test_who_drips_does_not_hold_an_end_up(is_server: bool) -> None:
    here, there = socket.socketpair()
    started = time.monotonic()
    if is_server:
        end = End(there, lambda: meet_client(there, MEETING, 0.3))
    else:
        end = End(there, lambda: meet_server(there, MEETING, "guest", 0.3))
    while end.error is None and time.monotonic() - started < 60:
        try:
            here.sendall(b"d")
        except OSError:
            break
        time.sleep(0.02)
    end.end()
    assert isinstance(end.error, TimeoutError)
    assert 0.25 < time.monotonic() - started < 60
    here.close()


def test_nothing_shows_a_secret_or_a_key() -> None:
    secret = os.urandom(32)
    here, there = socket.socketpair()
    shown = [
        LaneOffer("far", "127.0.0.1", 1, secret),
        replace(MEETING, secret=secret),
        Keys(secret, secret),
        Line(here, Keys(secret, secret)),
    ]
    for each in shown:
        assert repr(secret)[2:-1] not in repr(each) and secret.hex() not in str(each)
    ours, theirs = meet(replace(MEETING, secret=secret), MEETING)
    for error in (ours.error, theirs.error):
        assert repr(secret)[2:-1] not in repr(error)
    here.close()
    there.close()
