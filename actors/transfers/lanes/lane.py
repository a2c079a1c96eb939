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
from dataflow.actors.transfers.lanes.frames import (
    HEAD_BYTES,
    Head,
    Kind,
    body_bytes,
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
_NOW: Final = socket.MSG_DONTWAIT
_SPACE: Final = socket.CMSG_SPACE(_MOST_DESCRIPTORS * 4) if hasattr(socket, "CMSG_SPACE") else 0
_NUMBER: Final = struct.Struct("<Q")
_LARGE: Final = 1 << 18
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
        pieces = [begin]
        place = len(begin) - HEAD_BYTES
        for part, size in zip(self.parts, self.sizes, strict=True):
            if part is None:
                continue
            gap = padded(place) - place
            if gap:
                pieces.append(bytes(gap))
            pieces.append(part)
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
        self._queue: deque[_Frame] = deque()
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
        self._head: Head | None = None
        self._head_data = bytearray(HEAD_BYTES)
        self._body: Any = None
        self._missing = memoryview(self._head_data)
        """What is to be filled next."""
        self._woken_for = 1
        self._arrived: list[int] = []
        """Descriptors that came with the frame."""

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
        parts: list[Any] = [*encode_frames(message)]
        if len(parts) == 1:
            self._enqueue(_Frame(Kind.MESSAGE, parts, (len(parts[0]),), (0,)))
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

    def _enqueue(self, frame: _Frame) -> None:
        if not self.is_open:
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
                self._rest, self._descriptors = frame.pieces(self._sent), frame.descriptors
            rest = self._rest if len(self._rest) <= _MOST_PIECES else self._rest[:_MOST_PIECES]
            try:
                if self._descriptors:
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

    def _next_frame(self) -> _Frame | None:
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
                descriptors += self._queue.popleft().descriptors
            self._descriptors, self._arrived = (), []
            _close_all(descriptors)
        self._lent = segments.Sender()
        self._borrowed.close()

    def read(self) -> Message | None:
        """The next message, None if it has not arrived in full.

        Raises:
          EOFError: The lane is closed.
          DataLossError: What arrives is no frame of this lane; it is to be closed.
        """
        while True:
            try:
                if not self._fill():
                    return None
            except BlockingIOError:
                if self._woken_for > 1 and len(self._missing) < _LARGE:
                    self._wake_for(1)
                return None
            except OSError as error:
                raise EOFError from error
            message = self._take_frame()
            if message is not None:
                return message

    def _fill(self) -> bool:
        """Reads on; True if a frame is there in full."""
        while True:
            if self._head is None:
                self._fill_head()
                continue
            if self._missing:
                count = self._socket.recv_into(self._missing, 0, _NOW)
                if not count:
                    raise EOFError
                self._missing = self._missing[count:]
            if not self._missing:
                return True

    def _fill_head(self) -> None:
        if self._shares:
            count, ancillary, flags, _ = self._socket.recvmsg_into([self._missing], _SPACE, _NOW)
            for level, kind, data in ancillary:
                if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                    self._arrived += array.array("i", data[: len(data) // 4 * 4])
            if flags & socket.MSG_CTRUNC or len(self._arrived) > _MOST_DESCRIPTORS:
                raise DataLossError(None, None, "More descriptors came than a frame may have.")
        else:
            count = self._socket.recv_into(self._missing, 0, _NOW)
        if not count:
            raise EOFError
        self._missing = self._missing[count:]
        if self._missing:
            return
        self._head = read_head(self._head_data, self._received + 1)
        self._received += 1
        # Not set to zero: memory is taken up as bytes arrive.
        self._body = np.empty(self._head.body_bytes, np.uint8)
        self._missing = self._body.data
        if self._head.body_bytes > _LARGE and not self._shares:
            self._wake_for(_LARGE)

    def _wake_for(self, count: int) -> None:
        self._woken_for = count
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, count)

    def _take_frame(self) -> Message | None:
        """The message of the frame that is there; None if it was not one."""
        head, body, descriptors = self._head, self._body.data, self._arrived
        assert head is not None
        self._head, self._body, self._arrived = None, None, []
        self._missing = memoryview(self._head_data)
        if self._woken_for > 1:
            self._wake_for(1)
        try:
            parts = [
                self._segment(segment, size, descriptors) if segment else body[place : place + size]
                for segment, place, size in read_table(head, body)
            ]
        finally:
            _close_all(descriptors)
        if head.kind == Kind.MESSAGE:
            return decode_frames(parts, self._owns)
        dropped = []
        for (number,) in _NUMBER.iter_unpack(parts[0][: len(parts[0]) // 8 * 8]):
            if head.kind == Kind.DROP:
                self._borrowed.drop(number)
            else:
                with self._lending:
                    dropped += self._lent.give_back(number)
        if dropped:
            self._queue.append(_numbers_frame(Kind.DROP, dropped))
            self.flush()
        return None

    def _segment(self, number: int, size: int, descriptors: list[int]) -> memoryview:
        if not self._shares:
            raise DataLossError(None, None, "A tensor in shared memory came from another machine.")
        if not self._borrowed.has(number) and descriptors:
            descriptor = descriptors.pop(0)
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
    for index, piece in enumerate(pieces):
        view = memoryview(piece)
        if count < view.nbytes:
            return [view.cast("B")[count:], *pieces[index + 1 :]]
        count -= view.nbytes
    return None


def _close_all(descriptors: Sequence[int]) -> None:
    for descriptor in descriptors:
        os.close(descriptor)
