"""One end of a lane: messages out, messages in, neither ever waiting for the other end."""

from __future__ import annotations

import errno
import os
import socket
import struct
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

import numpy as np

from dataflow.actors.transfers.lanes import segments
from dataflow.actors.transfers.lanes.frames import MAX_DESCRIPTORS, Head, Kind, read_table
from dataflow.actors.transfers.lanes.incoming import Incoming
from dataflow.actors.transfers.lanes.line import Line
from dataflow.actors.transfers.lanes.outgoing import (
    OutFrame,
    Outgoing,
    close_all,
    releases_later,
)
from dataflow.actors.transfers.lanes.seals import Seal
from dataflow.actors.wire.codec import decode_frames, encode_frames
from dataflow.actors.wire.messages import Message
from dataflow.errors import DataLossError, UnavailableError
from dataflow.kernels.memory import shared_arrays, shared_memory

SHARED_BYTES: Final = 32 * 1024
"""Arrays of so many bytes lie in shared memory where both ends can reach it."""
_NUMBER: Final = struct.Struct("<Q")


class Lane:
    """One end of a lane.

    Any thread may send; one at a time may read. Nobody waits here: what the socket does not take
    is sent when whoever the owner has call `resume` does so.
    """

    def __init__(
        self,
        line: Line,
        whom: str,
        on_full: Callable[[Lane], None],
        owns: bool,
        shows: bool = False,
    ) -> None:
        """Takes over a connection.

        Args:
          line: The connection; both ends have proved who they are.
          whom: Who is at the other end, for messages.
          on_full: Called when the socket takes no more; `resume` is to be called when it does.
          owns: The arrays that arrive are their receiver's, to write to.
          shows: The peer, who only reads, may be shown arrays where they lie.
        """
        self.whom = whom
        self.is_open = True
        sock, keys = line.sock, line.keys
        self._socket = sock
        self._owns = owns
        self._shares = (
            sock.family == getattr(socket, "AF_UNIX", None) and shared_memory.IS_AVAILABLE
        )
        sealing, opening = (Seal(keys.sends), Seal(keys.receives)) if keys else (None, None)
        self._outgoing = Outgoing(sock, sealing, partial(on_full, self), self.shut)
        self._incoming = Incoming(sock, self._shares, opening)
        self._lending = threading.Lock()
        self._shows = shows
        self._lent = segments.Sender(self._outgoing.drop)
        self._borrowed = segments.Receiver(self._outgoing.release, owns)

    def fileno(self) -> int:
        """The socket's descriptor; -1 after `close`."""
        return self._socket.fileno()

    @property
    def is_behind(self) -> bool:
        """Whether the other end should be asked for nothing more before it has read."""
        return self._outgoing.is_behind

    @property
    def sent(self) -> int:
        """Number of frames that were sent or wait to be."""
        return self._outgoing.frames + len(self._outgoing)

    def send(self, message: Message) -> None:
        """Has a message sent; what it holds may be changed only after its arrival.

        Raises:
          InvalidArgumentError: It holds a value that cannot be sent, or is too large.
          ResourceExhaustedError: There is no shared memory for it.
          UnavailableError: The lane is closed.
        """
        parts: list[Any] = encode_frames(message)
        if len(parts) == 1 and len(parts[0]) < SHARED_BYTES:
            if not self.is_open:
                raise self.gone()
            self._outgoing.put(parts[0])
            return
        sizes = [memoryview(part).nbytes for part in parts]
        lent = [0] * len(parts)
        descriptors: dict[int, int] = {}
        try:
            for index, size in enumerate(sizes):
                is_large = index and size >= SHARED_BYTES and self._shares
                found = self._lend(parts[index], size) if is_large else None
                if found is not None:
                    lent[index], descriptor = found
                    parts[index] = None
                    if descriptor is not None:
                        descriptors[lent[index]] = descriptor
                if len(descriptors) == MAX_DESCRIPTORS:
                    break
            frame = OutFrame(Kind.MESSAGE, parts, sizes, lent, tuple(descriptors.values()))
        except BaseException:
            self._take_back(lent, descriptors)
            raise
        if not self.is_open:
            self._take_back(lent, descriptors)
            raise self.gone()
        self._outgoing.put(frame)

    def _lend(self, part: Any, size: int) -> tuple[int, int | None] | None:
        """Shows the peer a part where it lies, or copies it into a segment if there is one.

        Returns:
          The segment's number, and its descriptor if the peer has not got it yet.
        """
        if self._shows and size >= shared_arrays.LEAST:
            # What the peer has given back may be what this step is about to write to.
            releases_later.tell()
            region = shared_arrays.region_of(part)
            if region is None:
                shared_arrays.note_sent(part)
            else:
                with self._lending:
                    shown = self._lent.show(region, part)
                if shown is not None:
                    return shown
        with self._lending:
            taken = self._lent.take(size)
        if taken is None:
            return None
        number, memory, descriptor = taken
        np.copyto(memory[:size], np.frombuffer(part, np.uint8))
        return number, descriptor

    def _take_back(self, lent: Sequence[int], descriptors: Mapping[int, int]) -> None:
        with self._lending:
            for number in filter(None, lent):
                self._lent.take_back(number, number in descriptors)
        close_all(tuple(descriptors.values()))

    def gone(self) -> UnavailableError:
        """The error of what needs this lane after it was closed."""
        message = (
            f"{self.whom} cannot be reached: the connection to it is closed. Run the step once "
            "more: that opens a new one."
        )
        return UnavailableError(None, None, message)

    def resume(self) -> None:
        """Goes on sending after the socket was full."""
        self._outgoing.resume()

    def shut(self) -> None:
        """Ends the lane: the reader of each end finds its end. May be called at any time."""
        self.is_open = self._outgoing.is_open = False
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError as error:
            # The other end was quicker, or this end has closed it.
            if error.errno not in (errno.ENOTCONN, errno.EBADF):
                raise

    def close(self) -> None:
        """Frees the lane; nobody may read it any more."""
        self.is_open = False
        self._outgoing.close()
        self._incoming.close()
        with self._lending:
            self._lent.close()
        self._borrowed.close()

    def read(self) -> list[Message]:
        """The messages that have arrived in full, as far as one look at the socket shows them.

        Raises:
          EOFError: The lane is closed.
          DataLossError: What arrives is no frame of this lane; it is to be closed.
        """
        messages = []
        for head, body in self._incoming.read():
            if head.kind != Kind.MESSAGE:
                self._take_numbers(head.kind, body)
            elif head.parts == 1:
                messages.append(decode_frames((body,), self._owns))
            else:
                messages.append(decode_frames(self._parts(head, memoryview(body)), self._owns))
        return messages

    def _parts(self, head: Head, body: memoryview) -> list[memoryview]:
        """The header and the arrays of a message."""
        return [
            self._segment(segment, size) if segment else body[place : place + size]
            for segment, place, size in read_table(head, body)
        ]

    def _take_numbers(self, kind: int, body: bytes | memoryview) -> None:
        """Takes note of segments that are free, or will not be used again."""
        for (number,) in _NUMBER.iter_unpack(body[: len(body) // 8 * 8]):
            if kind == Kind.DROP:
                self._borrowed.drop(number)
            else:
                with self._lending:
                    self._lent.give_back(number)

    def _segment(self, number: int, size: int) -> memoryview:
        if not self._shares:
            raise DataLossError(None, None, "A tensor in shared memory came from another machine.")
        if not self._borrowed.has(number):
            descriptor = self._incoming.take_descriptor()
            if descriptor is not None:
                try:
                    self._borrowed.add(number, descriptor, size)
                finally:
                    os.close(descriptor)
        return self._borrowed.view(number, size)
