"""Frames between machines, as who stands in between may change, repeat, leave out or make them."""

from __future__ import annotations

import hmac
import os
import socket
import struct
from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from dataflow import errors
from dataflow.actors.transfers.lanes.frames import HEAD_BYTES
from dataflow.actors.transfers.lanes.handshake import Keys
from dataflow.actors.transfers.lanes.lane import Lane
from dataflow.actors.transfers.lanes.line import Line
from dataflow.actors.transfers.lanes.seals import TAG_BYTES
from dataflow.actors.wire.messages import AbortStep, Message, SendTensor
from dataflow.errors import ErrorReport
from tests.actors.transfers.lines import far_sockets

THERE, BACK = os.urandom(32), os.urandom(32)
SMALL = SendTensor(1, "k", np.float32(1))
TABLED = SendTensor(1, "k", np.arange(300, dtype=np.float32))
LARGE = SendTensor(1, "k", np.arange(400_000, dtype=np.float32))
BROKEN = "seal is broken"


def receiver() -> tuple[socket.socket, Lane]:
    """A lane's end, and the network that leads to it."""
    network, end = far_sockets()
    return network, Lane(Line(end, Keys(BACK, THERE)), "peer", lambda _: None, owns=False)


def recorded(*messages: Message, keys: Keys | None = None) -> list[bytes]:
    """The frames of these messages, as they lie on the network."""
    there, end = far_sockets()
    lane = Lane(Line(there, keys or Keys(THERE, BACK)), "peer", lambda _: None, owns=False)
    frames = []
    end.settimeout(10)
    for message in messages:
        lane.send(message)
        head = end.recv(HEAD_BYTES, socket.MSG_WAITALL)
        size = int(struct.unpack_from("<Q", head, 20)[0]) + 2 * TAG_BYTES
        rest = bytearray()
        while len(rest) < size:
            lane.resume()
            rest += end.recv(size - len(rest))
        frames.append(head + rest)
    lane.close()
    end.close()
    return frames


def read(*data: bytes, ends: bool = False) -> list[Message]:
    """What a lane's end takes these bytes for."""
    network, lane = receiver()
    found: list[Message] = []
    network.setblocking(False)
    try:
        for piece in data:
            rest = memoryview(piece)
            while rest:
                try:
                    rest = rest[network.send(rest) :]
                except BlockingIOError:
                    found += lane.read()
        if ends:
            network.shutdown(socket.SHUT_WR)
        # On the loopback network what was sent is there.
        for _ in range(200):
            found += lane.read()
        return found
    finally:
        network.close()
        lane.close()


@pytest.fixture(params=[SMALL, TABLED, LARGE], ids=["small", "with a table", "large"])
def message(request: pytest.FixtureRequest) -> Iterator[SendTensor]:
    yield request.param


def steps(messages: Sequence[Message]) -> list[int]:
    return [m.step for m in messages if isinstance(m, SendTensor | AbortStep)]


def test_a_sealed_frame_arrives(message: SendTensor) -> None:
    (frame,) = recorded(message)
    (found,) = read(frame)
    assert isinstance(found, SendTensor)
    np.testing.assert_array_equal(found.value, message.value)


def test_a_sealed_frame_is_a_plain_one_and_two_tags(message: SendTensor) -> None:
    """What is sealed is the whole frame: nothing of it stands outside of the tags."""
    (frame,) = recorded(message)
    body = int(struct.unpack_from("<Q", frame, 20)[0])
    assert len(frame) == HEAD_BYTES + body + 2 * TAG_BYTES


def test_the_tags_are_those_of_the_standard_library(message: SendTensor) -> None:
    """Of the head, and of this tag and the body: each by the key of the direction."""
    (frame,) = recorded(message)
    head, tag = frame[:HEAD_BYTES], frame[HEAD_BYTES : HEAD_BYTES + TAG_BYTES]
    body = frame[HEAD_BYTES + TAG_BYTES : -TAG_BYTES]
    assert tag == hmac.digest(THERE, b"head" + head, "sha256")[:TAG_BYTES]
    assert frame[-TAG_BYTES:] == hmac.digest(THERE, b"body" + tag + body, "sha256")[:TAG_BYTES]


FIELDS = {
    "magic": range(4),
    "kind": range(4, 6),
    "parts": range(6, 8),
    "bytes of the header": range(8, 12),
    "number": range(12, 20),
    "bytes of the body": range(20, 28),
    "tag of the head": range(28, 44),
    "table or header": range(44, 60),
    "header or array": range(60, 75),
    "end of the body": range(-30, -16),
    "tag of all": range(-16, 0),
}


@pytest.mark.parametrize("field", FIELDS)
def test_a_flipped_bit_is_found_in_every_field(field: str, message: SendTensor) -> None:
    (frame,) = recorded(message)
    for place in list(FIELDS[field])[:: 1 if len(frame) < 1000 else 7]:
        at = place % len(frame)
        changed = bytearray(frame)
        changed[at] ^= 1 << at % 8
        with pytest.raises(errors.DataLossError, match=BROKEN):
            # At once, not when as much has come as a changed head promises.
            read(bytes(changed))


def test_a_flipped_bit_of_each_piece_of_a_large_body_is_found() -> None:
    (frame,) = recorded(LARGE)
    for place in range(1 << 17, len(frame), 1 << 18):
        changed = bytearray(frame)
        changed[place] ^= 128
        with pytest.raises(errors.DataLossError, match=BROKEN):
            read(bytes(changed))


def test_a_frame_that_is_repeated_is_refused(message: SendTensor) -> None:
    (frame,) = recorded(message)
    with pytest.raises(errors.DataLossError, match="Frame 1 came where frame 2 was due"):
        read(frame, frame)


def test_frames_in_another_order_are_refused() -> None:
    first, second = recorded(SMALL, AbortStep(2, ErrorReport(1, "no")))
    assert steps(read(first, second)) == [1, 2]
    with pytest.raises(errors.DataLossError, match="Frame 2 came where frame 1 was due"):
        read(second, first)


def test_a_frame_that_is_left_out_is_missed(message: SendTensor) -> None:
    first, _, third = recorded(message, message, message)
    with pytest.raises(errors.DataLossError, match="Frame 3 came where frame 2 was due"):
        read(first, third)


def test_half_a_frame_is_no_message(message: SendTensor) -> None:
    (frame,) = recorded(message)
    for size in (1, HEAD_BYTES, HEAD_BYTES + TAG_BYTES, len(frame) - TAG_BYTES, len(frame) - 1):
        assert read(frame[:size]) == []
        with pytest.raises(EOFError):
            read(frame[:size], ends=True)


def test_the_body_of_one_frame_is_none_of_another() -> None:
    """Two frames of the same size, whose heads and bodies were exchanged."""
    first, second = recorded(SMALL, SendTensor(1, "k", np.float32(2)))
    assert len(first) == len(second)
    cut = HEAD_BYTES + TAG_BYTES
    with pytest.raises(errors.DataLossError, match=BROKEN):
        read(first[:cut] + second[cut:])


def test_a_frame_is_refused_by_who_has_sent_it(message: SendTensor) -> None:
    """Reflected: both directions have numbers from 1, but not the same key."""
    (frame,) = recorded(message, keys=Keys(BACK, THERE))
    with pytest.raises(errors.DataLossError, match=BROKEN):
        read(frame)


def test_a_frame_of_another_lane_is_refused(message: SendTensor) -> None:
    (frame,) = recorded(message, keys=Keys(os.urandom(32), os.urandom(32)))
    with pytest.raises(errors.DataLossError, match=BROKEN):
        read(frame)


def test_a_frame_without_seals_is_refused() -> None:
    (frame,) = recorded(SMALL)
    plain = frame[:HEAD_BYTES] + frame[HEAD_BYTES + TAG_BYTES : -TAG_BYTES]
    with pytest.raises(errors.DataLossError, match=BROKEN):
        read(plain, plain)
