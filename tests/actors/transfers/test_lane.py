"""One lane, both ends in this process: messages, shared memory, full sockets, malformed frames."""

from __future__ import annotations

import array
import fcntl
import os
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dataflow import errors
from dataflow.actors.transfers.lanes.frames import Kind
from dataflow.actors.transfers.lanes.lane import SHARED_BYTES, Lane
from dataflow.actors.transfers.lanes.line import Line
from dataflow.actors.transfers.lanes.outgoing import OutFrame
from dataflow.actors.transfers.lanes.seals import Seal
from dataflow.actors.transfers.lanes.tls import Encryption
from dataflow.actors.wire.messages import Done, Message, SendTensor
from dataflow.kernels.contract.resources import Variable
from tests.actors.transfers.certificates import Authority
from tests.actors.transfers.descriptors import open_descriptors
from tests.actors.transfers.lines import far_lines, near_lines, tls_lines


class Ends:
    """Two ends of a lane."""

    def __init__(self, lines: tuple[Line, Line], owns: bool = False) -> None:
        first, second = lines
        self.seal = Seal(first.keys.sends) if first.keys else None
        self.full: list[Lane] = []
        self.got: list[Message] = []
        self.a = Lane(first, "a", self.full.append, owns)
        self.b = Lane(second, "b", self.full.append, owns)

    def take(self) -> Message:
        """What arrives at the second end next."""
        while True:
            self.got += self.b.read() if not self.got else ()
            if self.got:
                return self.got.pop(0)
            for end in list(self.full):
                self.full.remove(end)
                end.resume()

    def inject(self, frame: bytes) -> None:
        """Sends the second end a frame as a peer that knows the keys can."""
        self.a._socket.sendall(frame if self.seal is None else self.seal.sealed(frame))

    def send(self, value: Any) -> Any:
        """Sends a value; returns it as it arrives."""
        self.a.send(SendTensor(1, "k", value))
        message = self.take()
        assert isinstance(message, SendTensor)
        return message.value


@pytest.fixture(scope="module")
def encryption(tmp_path_factory: pytest.TempPathFactory) -> Encryption:
    return Encryption(Authority(tmp_path_factory.mktemp("tls")).files())


@pytest.fixture(params=["near", "far", "encrypted"])
def ends(request: pytest.FixtureRequest, encryption: Encryption) -> Iterator[Ends]:
    makers = {"near": near_lines, "far": far_lines, "encrypted": lambda: tls_lines(encryption)}
    yield from closing(Ends(makers[request.param]()))


@pytest.fixture
def near() -> Iterator[Ends]:
    yield from closing(Ends(near_lines()))


@pytest.fixture
def owned() -> Iterator[Ends]:
    yield from closing(Ends(near_lines(), owns=True))


def closing(made: Ends) -> Iterator[Ends]:
    """The ends; then closes them, and looks whether something is left open."""
    before = open_descriptors() - {str(made.a.fileno()), str(made.b.fileno())}
    yield made
    made.a.close()
    made.b.close()
    made.full.clear()
    assert open_descriptors() <= before


VALUES: dict[str, Any] = {
    "scalar": np.float32(1.5),
    "small": np.arange(10),
    "in line": np.arange(2000, dtype=np.float64),
    "shared": np.arange(SHARED_BYTES, dtype=np.uint8),
    "large": np.arange(3_000_000, dtype=np.float32),
    "transposed": np.arange(60_000, dtype=np.float32).reshape(200, 300).T,
    "strings": np.array([b"a", b"bc" * 50_000], object),
    "many bytes of strings": np.array([b"x" * 1_000_000] * 3, object),
    "empty": np.zeros((0, 4), np.int8),
}


@pytest.mark.parametrize("name", VALUES)
def test_a_value_arrives(ends: Ends, name: str) -> None:
    for _ in range(3):
        found = ends.send(VALUES[name])
        assert found.dtype == VALUES[name].dtype
        np.testing.assert_array_equal(found, VALUES[name])
        if isinstance(found, np.ndarray) and found.dtype != object:
            assert not found.flags.writeable
        del found


def test_order_is_kept_when_the_socket_is_full(ends: Ends) -> None:
    for count in range(2000):
        ends.a.send(SendTensor(count, "k", np.full(1000, count, np.float32)))
    assert ends.full == [ends.a]
    for count in range(2000):
        found: Any = ends.take()
        assert found.step == count and (found.value == count).all()
    assert ends.b.read() == []


def test_shared_memory_is_used_again(near: Ends) -> None:
    ends = near
    value = np.arange(100_000, dtype=np.float32)
    for count in range(20):
        found = ends.send(value + count)
        assert found[5] == 5 + count
        del found
        assert ends.a.read() == []
    assert len(ends.a._lent) == 1
    held = [ends.send(value + count) for count in range(3)]
    assert [h[0] for h in held] == [0, 1, 2]
    assert len(ends.a._lent) == 3


def test_what_finds_no_segment_goes_in_line(near: Ends, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dataflow.actors.transfers.lanes.segments.MAX_SEGMENTS", 2)
    ends = near
    value = np.arange(20_000, dtype=np.float32)
    held = [ends.send(value + count) for count in range(5)]
    assert len(ends.a._lent) == 2
    assert [h[0] for h in held] == [0, 1, 2, 3, 4]


def test_what_the_owner_gets_is_to_write_to(owned: Ends) -> None:
    for size in (3, 3000, 30_000):
        value = np.zeros(size, np.float32)
        found = owned.send(value)
        found[:] = 1.0
        assert not value.any()


def test_what_cannot_be_sent_is_told_and_costs_nothing(ends: Ends) -> None:
    with pytest.raises(errors.InvalidArgumentError, match="Variable cannot be sent"):
        ends.send((np.zeros(100_000), Variable("v", None)))
    assert len(ends.a._lent) == 0
    assert ends.send(np.float32(2)) == 2


def test_the_end_of_a_lane_is_seen_at_both_ends(ends: Ends) -> None:
    ends.a.send(Done())
    ends.a.shut()
    assert ends.take() == Done()
    with pytest.raises(EOFError):
        ends.b.read()
    ends.b.shut()
    for end in (ends.a, ends.b):
        with pytest.raises(errors.UnavailableError, match="cannot be reached"):
            end.send(Done())


def test_what_is_put_on_a_closed_lane_is_dropped(near: Ends) -> None:
    """Another thread may close it after it was found open."""
    before = open_descriptors()
    for end in (near.a.close, near.b.shut):
        reading, writing = os.pipe()
        os.close(writing)
        lane = near.a if end == near.a.close else near.b
        end()
        lane._outgoing.put(OutFrame(Kind.MESSAGE, (b"x",), (1,), (0,), (reading,)))
        lane._outgoing.put(b"x")
        assert len(lane._outgoing) == 0
    near.b.close()
    assert open_descriptors() < before


def test_arrays_outlive_their_lane(near: Ends) -> None:
    value = np.arange(100_000, dtype=np.float32)
    found = near.send(value)
    near.a.close()
    near.b.close()
    np.testing.assert_array_equal(found, value)


HEAD = struct.Struct("<4sHHIQQ")


def frame(body: bytes, kind: int = Kind.MESSAGE, sequence: int = 1) -> bytes:
    """A frame of one part."""
    return HEAD.pack(b"dfl1", kind, 1, len(body), sequence, len(body)) + body


MALFORMED = {
    "noise": bytes(range(256)),
    "a request of the web": b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "no message": frame(b"\xc1\xc1"),
    "not of this lane": frame(b"\xc0", sequence=9),
    "given back, not lent": frame(struct.pack("<Q", 5), Kind.RELEASE),
    "dropped, never made": frame(struct.pack("<Q", 5), Kind.DROP),
    "a tensor that is nowhere": HEAD.pack(b"dfl1", 1, 2, 4, 1, 20)
    + struct.pack("<QQ", 7, 1000)
    + bytes(4),
    "larger than allowed": HEAD.pack(b"dfl1", 1, 1, 4, 1, 1 << 40),
}


@pytest.mark.parametrize("what", MALFORMED)
def test_malformed_frames_are_refused(ends: Ends, what: str) -> None:
    ends.inject(MALFORMED[what])
    with pytest.raises(errors.DataLossError, match=r"Malformed|Frame|Segment|segment|shared"):
        while True:
            assert ends.b.read() == []


def test_a_replayed_frame_is_refused(ends: Ends) -> None:
    first, second = socket.socketpair()
    recorder = Lane(Line(first), "recorder", lambda _: None, owns=False)
    recorder.send(SendTensor(1, "k", np.float32(1)))
    recorded = second.recv(1000)
    ends.inject(recorded)
    assert isinstance(ends.take(), SendTensor)
    ends.inject(recorded)
    with pytest.raises(errors.DataLossError, match="repeated or lost"):
        ends.b.read()
    recorder.close()
    second.close()


def test_a_truncated_frame_takes_up_no_memory(ends: Ends) -> None:
    """What is promised is not believed until it comes."""
    size = 1 << 32
    before = _resident()
    ends.inject(HEAD.pack(b"dfl1", 1, 1, size // 100, 1, size) + bytes(100))
    assert ends.b.read() == []
    assert _resident() - before < size // 64
    ends.a.shut()
    with pytest.raises(EOFError):
        ends.b.read()


def _resident() -> int:
    """Bytes of this process in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_descriptors_that_nobody_wants_are_closed(near: Ends) -> None:
    with open("/dev/null") as null:
        rights = array.array("i", [null.fileno()] * 20)
        sent = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)]
        near.a._socket.sendmsg([frame(b"\xc1")], sent)
    with pytest.raises(errors.DataLossError):
        near.b.read()


@pytest.mark.parametrize("count", [200, 100])
def test_descriptors_without_end_are_refused(near: Ends, count: int) -> None:
    """More than one frame may have, at once or one after the other."""
    with open("/dev/null") as null:
        rights = array.array("i", [null.fileno()] * count)
        sent = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)]
        with pytest.raises(errors.DataLossError, match="too many descriptors"):
            for piece in frame(b"x" * 100):
                near.a._socket.sendmsg([bytes([piece])], sent)
                assert near.b.read() == []


@pytest.mark.parametrize("what", ["hollow", "unsealed", "no memory", "none"])
def test_a_segment_that_is_none_is_refused(near: Ends, what: str) -> None:
    """A terabyte that exists nowhere, for instance, in a frame of a few bytes."""
    size = 1 << 40 if what == "hollow" else 4096
    if what == "no memory":
        descriptor = os.open("/dev/null", os.O_RDWR)
    else:
        descriptor = os.memfd_create("test", os.MFD_ALLOW_SEALING)
        os.ftruncate(descriptor, size)
        if what != "unsealed":
            fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK)
    rights = array.array("i", [] if what == "none" else [descriptor])
    sent = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)] if rights else []
    body = struct.pack("<QQ", 7, size) + bytes(4)
    near.a._socket.sendmsg([HEAD.pack(b"dfl1", 1, 2, 4, 1, 20) + body], sent)
    os.close(descriptor)
    with pytest.raises(errors.DataLossError, match="egment 7"):
        while True:
            assert near.b.read() == []


def test_a_body_that_finds_no_memory_ends_the_lane_and_not_the_process() -> None:
    """In a process of its own, which may have 4 GiB."""
    program = """
import resource, socket, struct
from dataflow.actors.transfers.lanes.lane import Lane
from dataflow.actors.transfers.lanes.line import Line
from dataflow.errors import DataLossError
resource.setrlimit(resource.RLIMIT_AS, (1 << 32, 1 << 32))
here, there = socket.socketpair()
lane = Lane(Line(there), "peer", print, owns=False)
here.sendall(struct.pack("<4sHHIQQ", b"dfl1", 1, 1, 100, 1, 1 << 36) + bytes(100))
try:
    lane.read()
except DataLossError as error:
    print(error.message)
"""
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert found.stdout == f"No memory for a frame of {1 << 36} bytes.\n", found.stderr
