"""Who waits for a socket before each read gets every frame, in whatever pieces it comes."""

from __future__ import annotations

import select
import socket
from collections.abc import Iterator, Sequence

import pytest

from dataflow.actors.transfers.lanes import frames
from dataflow.actors.transfers.lanes.frames import Kind
from dataflow.actors.transfers.lanes.incoming import Frame, Incoming
from tests.actors.transfers.far_pair import far_pair


@pytest.fixture(params=["near", "far"])
def sockets(request: pytest.FixtureRequest) -> Iterator[tuple[socket.socket, socket.socket]]:
    pair = far_pair() if request.param == "far" else socket.socketpair()
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
        for start, end in zip(cuts, cuts[1:], strict=False):
            assert found == []
            found += _passed(sender, receiver, incoming, whole[start:end])
        ((read, data),) = found
        assert (read.kind, read.parts, read.body_bytes) == (Kind.MESSAGE, 2, body)
        assert len(data) == body


def _passed(
    sender: socket.socket, receiver: socket.socket, incoming: Incoming, piece: bytes
) -> Sequence[Frame]:
    """What is read while a piece is sent, by a reader that waits for the socket each time."""
    found: list[Frame] = []
    sender.setblocking(False)
    while True:
        if piece:
            try:
                piece = piece[sender.send(piece) :]
            except BlockingIOError:
                pass
        waits = 0.05 if piece or not found else 0.0
        ready, _, _ = select.select([receiver], [], [], waits)
        if ready:
            found += incoming.read()
        elif not piece:
            return found
