"""Who may open a lane: only who knows the secret, and nobody holds up those who do."""

from __future__ import annotations

import logging
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

import pytest

from dataflow import errors
from dataflow.actors.transfers.lanes import door as doors
from dataflow.actors.transfers.lanes.door import NONE, Door, connect
from dataflow.actors.transfers.lanes.line import Line
from dataflow.actors.wire.messages import LaneOffer
from tests.actors.transfers.descriptors import open_descriptors
from tests.ray.actors import eventually


class House:
    """A door, and who came in."""

    def __init__(self) -> None:
        self.came: list[tuple[Line, str]] = []
        self.door = Door("the house", "node", "127.0.0.1", self.enter)

    def enter(self, line: Line, name: str) -> None:
        """Takes a guest in."""
        self.came.append((line, name))

    def offer(self, way: str) -> LaneOffer:
        """An address."""
        return self.door.offer("node" if way == "near" else "other")

    def dial(self, way: str) -> socket.socket:
        """A socket that is connected and has said nothing."""
        offer = self.offer(way)
        if way == "near":
            sock = socket.socket(socket.AF_UNIX)
            sock.connect(f"\0{offer.host}")
            return sock
        return socket.create_connection((offer.host, offer.port))


@pytest.fixture
def house() -> Iterator[House]:
    before, threads = open_descriptors(), set(threading.enumerate())
    made = House()
    yield made
    made.door.close()
    for line, _ in made.came:
        line.sock.close()
    assert eventually(lambda: not set(threading.enumerate()) - threads)
    assert open_descriptors() <= before


WAYS = ["near", "far"]


@pytest.mark.parametrize("way", WAYS)
def test_who_knows_the_secret_comes_in(house: House, way: str) -> None:
    offer = house.offer(way)
    assert offer.way == way and offer == house.offer(way)
    assert offer.host == "127.0.0.1" if way == "far" else "/" not in offer.host
    ours = connect(offer, "guest", "the house")
    with ours.sock:
        assert eventually(lambda: house.came)
        theirs, name = house.came[0]
        assert name == "guest"
        theirs.sock.sendall(b"welcome")
        assert ours.sock.recv(7) == b"welcome"
        ours.sock.sendall(b"thanks")
        assert theirs.sock.recv(6) == b"thanks"
    if way == "near":
        assert (ours.keys, theirs.keys) == (None, None)
    else:
        assert ours.keys and theirs.keys
        assert (ours.keys.sends, ours.keys.receives) == (theirs.keys.receives, theirs.keys.sends)


@pytest.mark.parametrize("way", WAYS)
def test_a_wrong_secret_is_refused_at_both_ends(
    house: House, way: str, caplog: pytest.LogCaptureFixture
) -> None:
    wrong = replace(house.offer(way), secret=b"x" * 32)
    with caplog.at_level(logging.WARNING, "dataflow"):
        with pytest.raises(errors.UnavailableError, match="No connection to the house"):
            connect(wrong, "guest", "the house")
        assert eventually(lambda: "A connection is refused" in caplog.text)
    assert house.came == []
    connect(house.offer(way), "guest", "the house").sock.close()


@pytest.mark.parametrize(
    "noise", [b"\0\0\1\0" + b"x" * 256, b"\x7f\xff\xff\xff", b"GET / HTTP", b""]
)
def test_noise_is_refused(house: House, noise: bytes, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "dataflow"), house.dial("far") as sock:
        sock.sendall(noise)
        # It may have been refused already.
        with suppress(OSError):
            sock.shutdown(socket.SHUT_WR)
        assert eventually(lambda: "A connection is refused" in caplog.text)
    assert house.came == []


@pytest.mark.parametrize("way", WAYS)
def test_another_device_than_is_meant_is_refused(house: House, way: str) -> None:
    """As where an offer of one device is passed off as another one's."""
    with pytest.raises(errors.UnavailableError, match="does not prove that it is the other house"):
        connect(house.offer(way), "guest", "the other house")
    assert house.came == []


def test_an_offer_tells_nobody_its_secret(house: House) -> None:
    for way in WAYS:
        offer = house.offer(way)
        shown = repr(offer)
        assert offer.host in shown
        assert repr(offer.secret)[2:10] not in shown and offer.secret.hex()[:8] not in shown


def test_who_says_nothing_is_shown_out(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doors, "HANDSHAKE_SECONDS", 0.3)
    with house.dial("near") as silent, house.dial("far") as slow:
        started = time.monotonic()
        silent.settimeout(60)
        slow.settimeout(60)
        slow.sendall(b"\0")
        for sock in (silent, slow):
            while sock.recv(1000):
                pass
        assert 0.2 < time.monotonic() - started < 60


def test_a_crowd_keeps_no_friend_out(
    house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(doors, "HANDSHAKE_SECONDS", 60.0)
    monkeypatch.setattr(doors, "MAX_STRANGERS", 4)
    with caplog.at_level(logging.WARNING, "dataflow"):
        crowd = [house.dial("near") for _ in range(200)]
        # Whoever comes while many are on their way out is refused in place of the oldest.
        assert eventually(lambda: sum(map(is_let_wait, crowd)) == 4)
        assert len(house.door._strangers) == 4
        assert eventually(lambda: strangers() == 4)
        started = time.monotonic()
        connect(house.offer("near"), "friend", "the house").sock.close()
        assert time.monotonic() - started < 30
        assert eventually(lambda: [name for _, name in house.came] == ["friend"])
    # Many are refused, few lines say so.
    assert 1 <= caplog.text.count("A connection is refused") < 40
    for sock in crowd:
        sock.close()
    assert eventually(lambda: strangers() == 0)


def is_let_wait(sock: socket.socket) -> bool:
    """Whether the other end keeps a connection open."""
    sock.setblocking(False)
    try:
        while sock.recv(4096):
            pass
    except BlockingIOError:
        return True
    except ConnectionResetError:
        return False
    return False


def is_shown_out(sock: socket.socket) -> bool:
    """Whether the other end closes a connection, after what it has to say."""
    sock.settimeout(30.0)
    try:
        while sock.recv(4096):
            pass
    except TimeoutError:
        return False
    except ConnectionResetError:
        return True
    return True


def strangers() -> int:
    """Number of threads that wait for a proof."""
    return sum(thread.name == "dataflow-stranger" for thread in threading.enumerate())


def test_thousands_of_connections_leave_nothing(house: House) -> None:
    house.offer("near")
    before = open_descriptors()
    for count in range(3000):
        with house.dial("near") as sock:
            if count % 3:
                sock.sendall(b"\0\0\0\4none" * (count % 4))
    assert eventually(lambda: strangers() == 0)
    assert house.door._strangers == {} and house.door._greeting == 0
    assert eventually(lambda: open_descriptors() <= before)
    connect(house.offer("near"), "friend", "the house").sock.close()
    assert eventually(lambda: [name for _, name in house.came] == ["friend"])


def test_a_queue_before_the_door_is_waited_for() -> None:
    """A local connection is refused at once while the queue is full, not put off."""
    name = "dataflow-test-queue"
    with socket.socket(socket.AF_UNIX) as listener, socket.socket(socket.AF_UNIX) as first:
        listener.bind(f"\0{name}")
        listener.listen(0)
        first.connect(f"\0{name}")
        opener = threading.Timer(0.2, lambda: listener.accept()[0].close())
        opener.start()
        with socket.socket(socket.AF_UNIX) as second:
            second.settimeout(0.0)
            with pytest.raises(BlockingIOError):
                second.connect(f"\0{name}")
            doors._knock(second, f"\0{name}")
        opener.join()


def test_no_thread_for_a_stranger_is_no_end(
    house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """As where the system gives no more threads."""
    house.offer("near")
    start = threading.Thread.start

    def refuse(thread: threading.Thread) -> None:
        if thread.name == "dataflow-stranger":
            raise RuntimeError("can't start new thread")
        start(thread)

    with caplog.at_level(logging.WARNING, "dataflow"), monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refuse)
        with house.dial("near") as sock:
            assert sock.recv(1) == b""
    assert eventually(lambda: "can't start new thread" in caplog.text)
    connect(house.offer("near"), "friend", "the house").sock.close()
    assert eventually(lambda: [name for _, name in house.came] == ["friend"])


def test_a_name_writes_no_lines_of_the_log(house: House) -> None:
    connect(house.offer("near"), "a\nWARNING b", "the house").sock.close()
    assert eventually(lambda: [name for _, name in house.came] == ["'a\\nWARNING b'"])


def test_a_closed_door_offers_nothing(house: House) -> None:
    offer = house.offer("near")
    house.door.close()
    assert house.door.offer("elsewhere") == NONE
    assert eventually(lambda: not reachable(offer))


def reachable(offer: LaneOffer) -> bool:
    """Whether someone listens there."""
    with socket.socket(socket.AF_UNIX) as sock:
        return not sock.connect_ex(f"\0{offer.host}")


def test_an_address_that_cannot_be_had_is_not_offered() -> None:
    door = Door("the house", "node", "192.0.2.77", lambda line, name: None)
    assert door.offer("other") == NONE
    door.close()
