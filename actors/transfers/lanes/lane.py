"""One end of a lane: frames out, frames in, neither ever waiting for the other end."""

from __future__ import annotations

import array
import errno
import os
import socket
import struct
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from dataflow.actors.codec import decode_frames, encode_frames
from dataflow.actors.messages import Message
from dataflow.actors.transfers.lanes import segments
from dataflow.actors.transfers.lanes.bodies import Bodies
from dataflow.actors.transfers.lanes.frames import (
    HEAD_BYTES,
    Head,
    Kind,
    body_bytes,
    message_head,
    pack_head,
    padded,
    read_head,
    read_table,
)
from dataflow.errors import DataLossError, UnavailableError

SHARED_BYTES: Final = 32 * 1024
"""Arrays of so many bytes lie in shared memory where both ends can reach it."""
_MOST_DESCRIPTORS: Final = 128
"""In one frame; the kernel takes 253."""
_MOST_PIECES: Final = 512
"""Buffers that one call sends; the kernel takes 1024."""
_NOW: Final = int(socket.MSG_DONTWAIT)
_TRUNCATED: Final = int(socket.MSG_CTRUNC)
_SPACE: Final = socket.CMSG_SPACE(_MOST_DESCRIPTORS * 4) if hasattr(socket, "CMSG_SPACE") else 0
_NUMBER: Final = struct.Struct("<Q")
_BUFFER_BYTES: Final = 1 << 14
_LARGE: Final = 1 << 20
"""Of a large body a reader is woken for pieces of this size, not for each packet."""


class _Frame:
    """A frame that waits to be sent."""

    __slots__ = ("body", "descriptors", "kind", "parts", "segments", "sizes")

    def __init__(
        self,
        kind: int,
        parts: Sequence[Any],
        sizes: Sequence[int],
        in_segments: Sequence[int],
        descriptors: Sequence[int] = (),
    ) -> None:
        self.kind = kind
        self.parts = parts
        """Those that lie in line; None for the others."""
        self.sizes = sizes
        self.segments = in_segments
        self.descriptors = descriptors
        self.body = body_bytes(sizes, in_segments)

    def pieces(self, sequence: int) -> list[Any]:
        """What to send, in order."""
        begin = pack_head(self.kind, sequence, self.sizes, self.segments, self.body)
        parts = self.parts
        if len(parts) == 1:
            return [begin + parts[0]]
        pieces = [begin, parts[0]]
        place = len(begin) - HEAD_BYTES + self.sizes[0]
        for part, size in zip(parts[1:], self.sizes[1:], strict=True):
            if part is not None:
                gap = padded(place) - place
                pieces += (bytes(gap), part)
                place += gap + size
        return pieces


class Lane:
    """One end of a lane.

    Any thread may send; one at a time may read. Nobody waits here: what the socket does not take
    is sent by whoever the owner has call `flush` when it takes more.
    """

    def __init__(
        self, sock: socket.socket, whom: str, on_full: Callable[[Lane], None], owns: bool
    ) -> None:
        """Takes over a connected socket.

        Args:
          sock: The socket; both ends have proved who they are.
          whom: Who is at the other end, for messages.
          on_full: Called when the socket takes no more; `resume` is to be called when it does.
          owns: The arrays that arrive are their receiver's, to write to.
        """
        self.whom = whom
        self.is_open = True
        self._socket = sock
        self._on_full = on_full
        self._owns = owns
        self._shares = sock.family == getattr(socket, "AF_UNIX", None) and segments.IS_AVAILABLE
        self._queue: deque[_Frame | bytes] = deque()
        """What waits to be sent: frames, or the headers of messages that are nothing else."""
        self._released: deque[int] = deque()
        """Segments of the peer that are free; appended to at any time, also by the collector."""
        self._writing = threading.Lock()
        self._full = False
        self._rest: list[Any] | None = None
        """What is left of the frame that is being sent."""
        self._descriptors: Sequence[int] = ()
        self._sent = 0
        self._lending = threading.Lock()
        self._lent = segments.Sender()
        self._borrowed = segments.Receiver(self._release, owns)
        self._received = 0
        self._buffer = bytearray(_BUFFER_BYTES)
        self._buffered = 0
        """Bytes of the buffer that are filled."""
        self._head: Head | None = None
        """Of a frame whose body goes to memory of its own."""
        self._bodies = Bodies()
        self._body: Any = None
        self._missing = memoryview(b"")
        """What is to be filled of that body."""
        self._woken_for = 1
        self._arrived: deque[int] = deque()
        """Descriptors that have come, but not the frame they belong to."""

    def fileno(self) -> int:
        """The socket's descriptor; -1 after `close`."""
        return self._socket.fileno()

    def send(self, message: Message) -> None:
        """Has a message sent; what it holds may be changed only after its arrival.

        Raises:
          InvalidArgumentError: It holds a value that cannot be sent, or is too large.
          ResourceExhaustedError: There is no shared memory for it.
          UnavailableError: The lane is closed.
        """
        parts: list[Any] = encode_frames(message)
        if len(parts) == 1 and len(parts[0]) < SHARED_BYTES:
            self._enqueue(parts[0])
            return
        sizes = [memoryview(part).nbytes for part in parts]
        lent = [0] * len(parts)
        descriptors: list[int] = []
        try:
            for index, size in enumerate(sizes):
                if index and size >= SHARED_BYTES and self._shares:
                    self._lend(index, parts, size, lent, descriptors)
            frame = _Frame(Kind.MESSAGE, parts, sizes, lent, descriptors)
        except BaseException:
            self._take_back(lent, descriptors)
            raise
        self._enqueue(frame)

    def _lend(
        self, index: int, parts: list[Any], size: int, lent: list[int], descriptors: list[int]
    ) -> None:
        """Copies a part into a segment, if there is one for it."""
        if len(descriptors) == _MOST_DESCRIPTORS:
            return
        with self._lending:
            taken = self._lent.take(size)
        if taken is None:
            return
        lent[index], memory, descriptor = taken
        if descriptor is not None:
            descriptors.append(descriptor)
        np.copyto(memory[:size], np.frombuffer(parts[index], np.uint8))
        parts[index] = None

    def _take_back(self, lent: Sequence[int], descriptors: Sequence[int]) -> None:
        with self._lending:
            for number in filter(None, lent):
                self._lent.forget(number)
        _close_all(descriptors)

    def _enqueue(self, frame: _Frame | bytes) -> None:
        if not self.is_open:
            if isinstance(frame, _Frame):
                _close_all(frame.descriptors)
            raise self.gone()
        self._queue.append(frame)
        self.flush()

    def gone(self) -> UnavailableError:
        """The error of what needs this lane after it was closed."""
        return UnavailableError(None, None, f"{self.whom} is gone: the connection to it is closed.")

    def flush(self) -> None:
        """Sends what waits, unless the socket is full or another thread is at it."""
        while not self._full and (self._rest or self._queue or self._released) and self.is_open:
            if not self._writing.acquire(blocking=False):
                return
            try:
                self._write()
            finally:
                self._writing.release()

    def resume(self) -> None:
        """Goes on after the socket was full."""
        self._full = False
        self.flush()

    def _write(self) -> None:
        while True:
            if self._rest is None:
                frame = self._next_frame()
                if frame is None:
                    return
                self._sent += 1
                if isinstance(frame, _Frame):
                    self._rest, self._descriptors = frame.pieces(self._sent), frame.descriptors
                else:
                    self._rest = [message_head(self._sent, len(frame)) + frame]
            rest = self._rest if len(self._rest) <= _MOST_PIECES else self._rest[:_MOST_PIECES]
            try:
                if len(rest) == 1 and not self._descriptors:
                    count = self._socket.send(rest[0], _NOW)
                elif self._descriptors:
                    rights = array.array("i", self._descriptors)
                    ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)]
                    count = self._socket.sendmsg(rest, ancillary, _NOW)
                    _close_all(self._descriptors)
                    self._descriptors = ()
                else:
                    count = self._socket.sendmsg(rest, (), _NOW)
            except BlockingIOError:
                self._full = True
                self._on_full(self)
                return
            except OSError:
                self.shut()
                return
            self._rest = _after(self._rest, count)

    def _next_frame(self) -> _Frame | bytes | None:
        if self._queue:
            return self._queue.popleft()
        if not self._released:
            return None
        numbers = []
        while self._released:
            numbers.append(self._released.popleft())
        return _numbers_frame(Kind.RELEASE, numbers)

    def _release(self, number: int) -> None:
        """Tells the peer that a segment is free, now or with what is sent next."""
        self._released.append(number)
        self.flush()

    def shut(self) -> None:
        """Ends the lane: the reader of each end finds its end. May be called at any time."""
        self.is_open = False
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError as error:
            # The other end was quicker, or this end has closed it.
            if error.errno not in (errno.ENOTCONN, errno.EBADF):
                raise

    def close(self) -> None:
        """Frees the lane; nobody may read it any more."""
        self.is_open = False
        with self._writing:
            self._socket.close()
            self._rest = None
            descriptors = [*self._descriptors, *self._arrived]
            while self._queue:
                frame = self._queue.popleft()
                descriptors += frame.descriptors if isinstance(frame, _Frame) else ()
            self._descriptors = ()
            self._arrived.clear()
            _close_all(descriptors)
        self._lent = segments.Sender()
        self._borrowed.close()

    def read(self) -> list[Message]:
        """The messages that have arrived in full, as far as one look at the socket shows them.

        Raises:
          EOFError: The lane is closed.
          DataLossError: What arrives is no frame of this lane; it is to be closed.
        """
        try:
            if self._head is None:
                return self._read_some()
            return self._read_body()
        except BlockingIOError:
            if self._woken_for > 1 and len(self._missing) < _LARGE:
                self._wake_for(1)
            return []
        except OSError as error:
            raise EOFError from error

    def _read_some(self) -> list[Message]:
        """Reads into the buffer, and takes the frames out of it."""
        buffer, end = self._buffer, self._buffered
        free = memoryview(buffer)[end:]
        if self._shares:
            count, ancillary, flags, _ = self._socket.recvmsg_into([free], _SPACE, _NOW)
            if ancillary or flags & _TRUNCATED:
                self._take_descriptors(ancillary, flags)
        else:
            count = self._socket.recv_into(free, 0, _NOW)
        if not count:
            raise EOFError
        end += count
        place = 0
        messages: list[Message] = []
        while end - place >= HEAD_BYTES:
            head = read_head(buffer, place, self._received + 1)
            body = place + HEAD_BYTES
            if head.parts > 1 or body + head.body_bytes > len(buffer):
                # The body gets memory of its own: arrays will lie over it.
                self._received += 1
                taken = min(head.body_bytes, end - body)
                self._begin_body(head, memoryview(buffer)[body : body + taken])
                place = body + taken
                if self._missing:
                    break
                messages += self._end_body()
                continue
            if end - body < head.body_bytes:
                break
            self._received += 1
            place = body + head.body_bytes
            messages += self._take_frame(head, memoryview(bytes(buffer[body:place])))
        buffer[: end - place] = buffer[place:end]
        self._buffered = end - place
        return messages

    def _take_descriptors(self, ancillary: Sequence[tuple[int, int, bytes]], flags: int) -> None:
        for level, kind, data in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                self._arrived += array.array("i", data[: len(data) // 4 * 4])
        if flags & _TRUNCATED or len(self._arrived) > _MOST_DESCRIPTORS:
            raise DataLossError(None, None, "Malformed frame: it has too many descriptors.")

    def _begin_body(self, head: Head, begun: memoryview) -> None:
        self._body = self._bodies.take(head.body_bytes)
        self._head = head
        self._body[: len(begun)] = begun
        self._missing = self._body.data[len(begun) :]
        if len(self._missing) > _LARGE and not self._shares:
            self._wake_for(_LARGE)

    def _read_body(self) -> list[Message]:
        while self._missing:
            count = self._socket.recv_into(self._missing, 0, _NOW)
            if not count:
                raise EOFError
            self._missing = self._missing[count:]
        return self._end_body()

    def _end_body(self) -> list[Message]:
        head, body = self._head, self._body
        assert head is not None
        self._head, self._body = None, None
        self._missing = memoryview(b"")
        if self._woken_for > 1:
            self._wake_for(1)
        return self._take_frame(head, body.data)

    def _wake_for(self, count: int) -> None:
        self._woken_for = count
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, count)

    def _take_frame(self, head: Head, body: memoryview) -> list[Message]:
        """The message of a frame; none if it was for the lane itself."""
        if head.kind == Kind.MESSAGE:
            if head.parts == 1:
                return [decode_frames((body,), self._owns)]
            parts = [
                self._segment(segment, size) if segment else body[place : place + size]
                for segment, place, size in read_table(head, body)
            ]
            return [decode_frames(parts, self._owns)]
        dropped = []
        for (number,) in _NUMBER.iter_unpack(body[: len(body) // 8 * 8]):
            if head.kind == Kind.DROP:
                self._borrowed.drop(number)
            else:
                with self._lending:
                    dropped += self._lent.give_back(number)
        if dropped:
            self._queue.append(_numbers_frame(Kind.DROP, dropped))
            self.flush()
        return []

    def _segment(self, number: int, size: int) -> memoryview:
        if not self._shares:
            raise DataLossError(None, None, "A tensor in shared memory came from another machine.")
        if not self._borrowed.has(number) and self._arrived:
            descriptor = self._arrived.popleft()
            try:
                self._borrowed.add(number, descriptor)
            finally:
                os.close(descriptor)
        return self._borrowed.view(number, size)


def _numbers_frame(kind: int, numbers: Sequence[int]) -> _Frame:
    data = b"".join(map(_NUMBER.pack, numbers))
    return _Frame(kind, (data,), (len(data),), (0,))


def _after(pieces: list[Any], count: int) -> list[Any] | None:
    """What is left of these pieces after so many bytes; None if nothing is."""
    if len(pieces) == 1 and count == len(pieces[0]):
        return None
    for index, piece in enumerate(pieces):
        view = memoryview(piece)
        if count < view.nbytes:
            return [view.cast("B")[count:], *pieces[index + 1 :]]
        count -= view.nbytes
    return None


def _close_all(descriptors: Sequence[int]) -> None:
    for descriptor in descriptors:
        os.close(descriptor)
