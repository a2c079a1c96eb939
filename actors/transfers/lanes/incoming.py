"""What arrives at one end of a lane: whole frames, and the descriptors that came with them."""

from __future__ import annotations

import array
import os
import socket
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Final

from dataflow.actors.transfers.lanes.bodies import Bodies
from dataflow.actors.transfers.lanes.frames import (
    HEAD_BYTES,
    MAX_DESCRIPTORS,
    Head,
    read_head,
)
from dataflow.actors.transfers.lanes.seals import TAG_BYTES, Opening, Seal
from dataflow.errors import DataLossError

_NOW: Final = int(socket.MSG_DONTWAIT)
_TRUNCATED: Final = int(socket.MSG_CTRUNC)
_SPACE: Final = socket.CMSG_SPACE(MAX_DESCRIPTORS * 4) if hasattr(socket, "CMSG_SPACE") else 0
_BUFFER_BYTES: Final = 1 << 14
_SMALL: Final = 4096
"""Of a body with arrays: copying it, for each of them again where they are to be written to, costs
less than memory of its own. Where the arrays are shared it is but a table."""
_LARGE: Final = 1 << 20
"""Of a large body a reader is woken for pieces of this size, not for each packet."""

Frame = tuple[Head, "bytes | memoryview"]
"""A frame's head and its body."""


class Incoming:
    """Reads a socket without waiting; one thread at a time."""

    def __init__(
        self, sock: socket.socket, takes_descriptors: bool, seal: Seal | None = None
    ) -> None:
        """Makes a reader.

        Args:
          sock: What it reads.
          takes_descriptors: Descriptors may come with frames.
          seal: What frames are sealed by, if they are.
        """
        self._socket = sock
        self._takes_descriptors = takes_descriptors
        self._seal = seal
        self._tag_bytes = TAG_BYTES if seal is not None else 0
        self._head_bytes = HEAD_BYTES + self._tag_bytes
        self._pending: Callable[[], int] | None = getattr(sock, "pending", None)
        """Bytes that TLS has decrypted already: the kernel tells no reader of them."""
        self._frames = 0
        self._buffer = bytearray(_BUFFER_BYTES)
        self._view = memoryview(self._buffer)
        self._buffered = 0
        """Bytes of the buffer that are filled."""
        self._head: Head | None = None
        """Of a frame whose body goes to memory of its own."""
        self._bodies = Bodies()
        self._body: Any = None
        self._missing = memoryview(b"")
        """What is to be filled of that body."""
        self._opening: Opening | None = None
        """Of that body, if it is sealed."""
        self._woken_for = 1
        self._arrived: deque[int] = deque()
        """Descriptors that have come, but not the frame they belong to."""

    def read(self) -> Sequence[Frame]:
        """The frames that have arrived in full, as far as one look at the socket shows them.

        Raises:
          EOFError: The lane is closed.
          DataLossError: What arrives is no frame of this lane; it is to be closed.
        """
        frames = self._read_once()
        while self._pending is not None and self._pending():
            frames = [*frames, *self._read_once()]
        return frames

    def _read_once(self) -> Sequence[Frame]:
        try:
            if self._head is None:
                return self._read_some()
            return self._read_body()
        except BlockingIOError:
            if self._woken_for > 1 and len(self._missing) < _LARGE:
                self._wake_for(1)
            return ()
        except OSError as error:
            raise EOFError from error

    def take_descriptor(self) -> int | None:
        """The next descriptor that has come, which the caller closes; None if there is none."""
        return self._arrived.popleft() if self._arrived else None

    def close(self) -> None:
        """Closes the descriptors that nobody has taken."""
        while self._arrived:
            os.close(self._arrived.popleft())

    def _read_some(self) -> Sequence[Frame]:
        """Reads into the buffer, and takes the frames out of it."""
        buffer, end, seal = self._buffer, self._buffered, self._seal
        if self._takes_descriptors:
            free = self._view[end:] if end else self._view
            count, ancillary, flags, _ = self._socket.recvmsg_into([free], _SPACE, _NOW)
            if ancillary or flags & _TRUNCATED:
                self._take_descriptors(ancillary, flags)
        else:
            count = self._socket.recv_into(self._view[end:], 0, _NOW)
        if not count:
            raise EOFError
        end += count
        place = 0
        frames: list[Frame] = []
        while end - place >= self._head_bytes:
            body = place + self._head_bytes
            opening = None if seal is None else seal.check_head(self._view[place:body])
            head = read_head(buffer, place, self._frames + 1)
            size = head.body_bytes + self._tag_bytes
            if size > (_SMALL if head.parts > 1 else len(buffer) - body):
                # The body gets memory of its own: arrays will lie over it.
                self._frames += 1
                taken = min(size, end - body)
                self._opening = opening
                self._begin_body(head, size, self._view[body : body + taken])
                place = body + taken
                if self._missing:
                    break
                frames += self._end_body()
                continue
            if end - body < size:
                break
            self._frames += 1
            place = body + size
            if opening is None:
                frames.append((head, bytes(buffer[body:place])))
            else:
                sealed = self._view[body:place]
                opening.saw(sealed, size)
                frames.append((head, bytes(opening.opened(sealed))))
        if end > place:
            self._view[: end - place] = buffer[place:end]
        self._buffered = end - place
        return frames

    def _take_descriptors(self, ancillary: Sequence[tuple[int, int, bytes]], flags: int) -> None:
        for level, kind, data in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                self._arrived += array.array("i", data[: len(data) // 4 * 4])
        if flags & _TRUNCATED or len(self._arrived) > MAX_DESCRIPTORS:
            raise DataLossError(None, None, "Malformed frame: it has too many descriptors.")

    def _begin_body(self, head: Head, size: int, begun: memoryview) -> None:
        self._body = self._bodies.take(size)
        self._head = head
        self._body[: len(begun)] = begun
        self._missing = self._body.data[len(begun) :]
        self._look(len(begun))
        if len(self._missing) > _LARGE and not self._takes_descriptors and self._pending is None:
            self._wake_for(_LARGE)

    def _look(self, arrived: int) -> None:
        if self._opening is not None:
            self._opening.saw(self._body.data, arrived)

    def _read_body(self) -> Sequence[Frame]:
        while self._missing:
            count = self._socket.recv_into(self._missing, 0, _NOW)
            if not count:
                raise EOFError
            self._missing = self._missing[count:]
            self._look(len(self._body) - len(self._missing))
        return self._end_body()

    def _end_body(self) -> Sequence[Frame]:
        head, body = self._head, self._body
        assert head is not None
        self._head, self._body = None, None
        self._missing = memoryview(b"")
        if self._woken_for > 1:
            self._wake_for(1)
        data = body.data
        if self._opening is not None:
            data, self._opening = self._opening.opened(data), None
        return ((head, data),)

    def _wake_for(self, count: int) -> None:
        self._woken_for = count
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, count)
