"""Who waits for a socket before each read gets every frame, in whatever pieces it comes."""

from __future__ import annotations

import select
import socket
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import pairwise

import pytest

from dataflow.actors.transfers.lanes import frames
from dataflow.actors.transfers.lanes.frames import Kind
from dataflow.actors.transfers.lanes.incoming import Frame, Incoming
from tests.actors.transfers.lines import far_sockets


@pytest.fixture(params=["near", "far"])
def sockets(request: pytest.FixtureRequest) -> Iterator[tuple[socket.socket, socket.socket]]:
    pair = far_sockets() if request.param == "far" else socket.socketpair()
    yield pair
    for end in pair:
        end.close()


@pytest.mark.parametrize("size", [10, 3000, 20_000, 900_000, 3_000_000])
def test_frames_in_pieces(sockets: tuple[socket.socket, socket.socket], size: int) -> None:
    sender, receiver = sockets
    incoming = Incoming(receiver, receiver.family == socket.AF_UNIX)
    sizes, segments = [5, size], [0, 0]
    body = frames.body_bytes(sizes, segments)
    for number in (1, 2):
        head = frames.pack_head(Kind.MESSAGE, number, sizes, segments, body)
        whole = (head + bytes(body))[: frames.HEAD_BYTES + body]
        cuts = [0, 1, frames.HEAD_BYTES, frames.HEAD_BYTES + 5, len(whole) - 40, len(whole)]
        found: list[Frame] = []
        for start, end in pairwise(cuts):
            assert found == []
            found += _passed(sender, receiver, incoming, whole[start:end], end == len(whole))
        ((read, data),) = found
        assert (read.kind, read.parts, read.body_bytes) == (Kind.MESSAGE, 2, body)
        assert len(data) == body


def _passed(
    sender: socket.socket,
    receiver: socket.socket,
    incoming: Incoming,
    piece: bytes,
    is_last: bool,
) -> Sequence[Frame]:
    """What is read while a piece is sent, by a reader that waits for the socket each time."""
    found: list[Frame] = []
    sender.setblocking(False)
    while piece or (is_last and not found):
        if piece:
            with suppress(BlockingIOError):
                piece = piece[sender.send(piece) :]
        ready, _, _ = select.select([receiver], [], [], 0.0 if piece or not is_last else 10.0)
        if ready:
            found += incoming.read()
        elif is_last and not piece:
            break
    return found
