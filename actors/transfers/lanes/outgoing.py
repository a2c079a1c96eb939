"""What one end of a lane has to send: frames in order, as far as the socket takes them."""

from __future__ import annotations

import array
import os
import socket
import struct
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from dataflow.actors.transfers.lanes.frames import (
    HEAD_BYTES,
    Kind,
    body_bytes,
    message_head,
    pack_head,
    padded,
)
from dataflow.actors.transfers.lanes.seals import Seal

_MOST_BUFFERS: Final = 512
"""Buffers that one call sends; the kernel takes 1024."""
_MOST_WAITING: Final = 1024
"""Frames that wait, from which on the other end is behind."""
_NOW: Final = int(socket.MSG_DONTWAIT)
_NUMBER: Final = struct.Struct("<Q")


class OutFrame:
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

    def buffers(self, sequence: int) -> list[Any]:
        """What to send, in order."""
        begin = pack_head(self.kind, sequence, self.sizes, self.segments, self.body)
        parts = self.parts
        if len(parts) == 1:
            return [begin + parts[0]]
        buffers = [begin, parts[0]]
        place = len(begin) - HEAD_BYTES + self.sizes[0]
        for part, size in zip(parts[1:], self.sizes[1:], strict=True):
            if part is not None:
                gap = padded(place) - place
                buffers += (bytes(gap), part)
                place += gap + size
        return buffers


def numbers_frame(kind: int, numbers: Sequence[int]) -> OutFrame:
    """A frame of numbers of segments."""
    data = b"".join(map(_NUMBER.pack, numbers))
    return OutFrame(kind, (data,), (len(data),), (0,))


class Outgoing:
    """Any thread may send, and none waits: what the socket does not take stays in a queue."""

    def __init__(
        self,
        sock: socket.socket,
        seal: Seal | None,
        on_full: Callable[[], None],
        on_broken: Callable[[], None],
    ) -> None:
        """Makes an empty queue.

        Args:
          sock: Where frames go.
          seal: What seals them; None if nobody can change them on their way.
          on_full: Called when it takes no more; `resume` is to be called when it does.
          on_broken: Called when it will not take any more.
        """
        self.is_open = True
        self.frames = 0
        """Number of frames that were begun to be sent."""
        self._socket = sock
        self._seal = seal
        self._on_full = on_full
        self._on_broken = on_broken
        self._queue: deque[OutFrame | bytes] = deque()
        """What waits: frames, or the headers of messages that are nothing else."""
        self._released: deque[int] = deque()
        """Segments of the peer that are free; appended to at any time, also by the collector."""
        self._dropped: deque[int] = deque()
        """Segments that are no more; the same."""
        self._writing = threading.Lock()
        self._full = False
        self._rest: list[Any] | None = None
        """What is left of the frame that is being sent, or of a piece of it."""
        self._pieces: Iterator[list[Any]] = iter(())
        """Those that follow."""
        self._descriptors: Sequence[int] = ()

    def __len__(self) -> int:
        """Number of frames that wait."""
        return len(self._queue)

    @property
    def is_behind(self) -> bool:
        """Whether the other end should be asked for nothing more before it has read."""
        return self.is_open and len(self._queue) > _MOST_WAITING

    def put(self, frame: OutFrame | bytes) -> None:
        """Sends a frame now or later."""
        if type(frame) is bytes and self._writing.acquire(blocking=False):
            # Most messages are small and find nothing that waits.
            try:
                if self._has_more() or not self.is_open:
                    self._queue.append(frame)
                else:
                    self.frames += 1
                    self._send_small(message_head(self.frames, len(frame)) + frame)
            finally:
                self._writing.release()
            if not self._has_more():
                return
        else:
            self._queue.append(frame)
        self.flush()

    def _has_more(self) -> bool:
        return bool(self._rest or self._queue or self._released or self._dropped)

    def _send_small(self, data: bytes) -> None:
        if self._seal is not None:
            data = self._seal.sealed(data)
        try:
            count = self._socket.send(data, _NOW)
        except BlockingIOError:
            self._full, self._rest = True, [data]
            self._on_full()
        except OSError:
            self._on_broken()
        else:
            if count < len(data):
                self._rest = [memoryview(data)[count:]]

    def drop(self, number: int) -> None:
        """Tells the peer that a segment will not be used again, now or with what is sent next."""
        self._dropped.append(number)
        self.flush()

    def release(self, number: int) -> None:
        """Tells the peer that a segment is free, now or with what is sent next.

        Inside of `releases_later` no later than at its end: the answer to a step goes out first.
        """
        self._released.append(number)
        waiting = releases_later.waiting
        if waiting is None:
            self.flush()
        else:
            waiting.append(self)

    def flush(self) -> None:
        """Sends what waits, unless the socket is full or another thread is at it."""
        while not self._full and self._has_more() and self.is_open:
            if not self._writing.acquire(blocking=False):
                return
            try:
                if self.is_open:
                    self._write()
            finally:
                self._writing.release()
        if not self.is_open:
            self._drop_queue()

    def resume(self) -> None:
        """Goes on after the socket was full."""
        self._full = False
        self.flush()

    def close(self) -> None:
        """Closes the socket, and the descriptors that wait to be sent."""
        self.is_open = False
        with self._writing:
            self._socket.close()
            self._rest, self._pieces = None, iter(())
            close_all(self._descriptors)
            self._descriptors = ()
        self._drop_queue()

    def _drop_queue(self) -> None:
        """Closes the descriptors of what will not be sent."""
        while (frame := self._pop()) is not None:
            if isinstance(frame, OutFrame):
                close_all(frame.descriptors)

    def _pop(self) -> OutFrame | bytes | None:
        try:
            return self._queue.popleft()
        except IndexError:
            return None

    def _write(self) -> None:
        while True:
            if self._rest is None:
                self._rest = next(self._pieces, None) or self._next_buffers()
                if self._rest is None:
                    return
            rest = self._rest if len(self._rest) <= _MOST_BUFFERS else self._rest[:_MOST_BUFFERS]
            try:
                if len(rest) == 1 and not self._descriptors:
                    count = self._socket.send(rest[0], _NOW)
                elif self._descriptors:
                    rights = array.array("i", self._descriptors)
                    ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)]
                    count = self._socket.sendmsg(rest, ancillary, _NOW)
                    close_all(self._descriptors)
                    self._descriptors = ()
                else:
                    count = self._socket.sendmsg(rest, (), _NOW)
            except BlockingIOError:
                self._full = True
                self._on_full()
                return
            except OSError:
                self._on_broken()
                return
            self._rest = _after(self._rest, count)

    def _next_buffers(self) -> list[Any] | None:
        """What the next frame is sent as, or its first piece; None if nothing waits."""
        frame = self._next_frame()
        if frame is None:
            return None
        self.frames += 1
        if isinstance(frame, OutFrame):
            buffers, self._descriptors = frame.buffers(self.frames), frame.descriptors
        else:
            buffers = [message_head(self.frames, len(frame)) + frame]
        if self._seal is None:
            return buffers
        self._pieces = self._seal.pieces(buffers)
        return next(self._pieces)

    def _next_frame(self) -> OutFrame | bytes | None:
        if (frame := self._pop()) is not None:
            return frame
        for kind, waiting in ((Kind.RELEASE, self._released), (Kind.DROP, self._dropped)):
            if waiting:
                numbers = [waiting.popleft() for _ in range(len(waiting))]
                return numbers_frame(kind, numbers)
        return None


class _ReleasesLater(threading.local):
    """While a thread is in here, it tells nobody of free segments. Does not nest."""

    waiting: list[Outgoing] | None = None

    def __enter__(self) -> None:
        self.waiting = []

    def __exit__(self, *_: object) -> None:
        self.tell()
        self.waiting = None

    def tell(self) -> None:
        """Tells of those so far."""
        while self.waiting:
            self.waiting.pop().flush()


releases_later: Final = _ReleasesLater()


def _after(buffers: list[Any], count: int) -> list[Any] | None:
    """What is left of these buffers after so many bytes; None if nothing is."""
    if len(buffers) == 1 and count == len(buffers[0]):
        return None
    for index, buffer in enumerate(buffers):
        view = memoryview(buffer)
        if count < view.nbytes:
            return [view.cast("B")[count:], *buffers[index + 1 :]]
        count -= view.nbytes
    return None


def close_all(descriptors: Sequence[int]) -> None:
    """Closes descriptors of files."""
    for descriptor in descriptors:
        os.close(descriptor)
