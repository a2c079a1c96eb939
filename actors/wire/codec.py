"""Messages as bytes: msgpack with arrays as extension types. Decoding can only make plain data."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Final

import msgpack

from dataflow.actors.wire.counts import damaged
from dataflow.actors.wire.messages import Message
from dataflow.actors.wire.reader import Reader
from dataflow.actors.wire.records import MESSAGES
from dataflow.actors.wire.writer import Writer
from dataflow.errors import DataLossError, InvalidArgumentError

_ALIGNMENT: Final = 64
"""Frames start at multiples of this, so that arrays on them are aligned for vector instructions."""
_KEPT_BYTES: Final = 1 << 20
"""A writer that has written a longer header is not used again: it would keep the memory."""
_U64: Final = struct.Struct("<Q")
_REFUSALS: Final = (
    ValueError,
    TypeError,
    OverflowError,
    MemoryError,
    RecursionError,
    msgpack.exceptions.UnpackException,
)
"""What readers of bytes that are no message raise: numbers, shapes and lengths that cannot be."""
_idle_writers: Final[list[Writer]] = []


def encode(message: Message) -> bytes:
    """Writes a message as one string of bytes.

    Raises:
      InvalidArgumentError: It holds a value that cannot cross a process: a resource, an array on
        a device, a Python object.
    """
    frames = encode_frames(message)
    parts: list[bytes | memoryview] = [_U64.pack(len(frames))]
    parts += [_U64.pack(len(frame)) for frame in frames]
    for frame in frames:
        parts += (frame, bytes(-len(frame) % _ALIGNMENT))
    return b"".join(_with_padded_head(parts, len(frames)))


def decode(data: bytes | bytearray | memoryview) -> Message:
    """Reads what `encode` wrote. Large arrays are read-only views of `data`.

    Raises:
      DataLossError: The bytes are no message, or one that was damaged.
    """
    view = memoryview(data).toreadonly().cast("B")
    if len(view) < 8:
        raise damaged("no frame count")
    (count,) = _U64.unpack_from(view, 0)
    if count > len(view) // 8 - 1:
        raise damaged(f"{count} frames in {len(view)} bytes")
    place = _padded(8 * (count + 1))
    frames = []
    for number in range(count):
        (size,) = _U64.unpack_from(view, 8 * (number + 1))
        if size > len(view) - place:
            raise damaged(f"frame {number} of {size} bytes in {len(view)} bytes")
        frames.append(view[place : place + size])
        place = _padded(place + size)
    return decode_frames(frames)


def encode_frames(message: Message) -> list[bytes | memoryview]:
    """Writes a message as a header and the memory of its large arrays, which is not copied.

    Raises:
      InvalidArgumentError: It holds a value that cannot cross a process.
    """
    # Not one for each thread: the collector may close a session, and so encode, in between.
    writer = _idle_writers.pop() if _idle_writers else Writer()
    try:
        frames = writer.write(message)
    except OverflowError as error:
        raise InvalidArgumentError(None, None, f"Message is too large: {error}") from error
    if len(frames[0]) <= _KEPT_BYTES:
        _idle_writers.append(writer)
    return frames


def decode_frames(frames: Sequence[bytes | bytearray | memoryview], owned: bool = False) -> Message:
    """Reads what `encode_frames` wrote. Large arrays are views of the frames.

    Args:
      frames: The header, and the memory of the large arrays.
      owned: The arrays are the caller's to write to; otherwise they are read-only.

    Raises:
      DataLossError: The frames are no message, or one that was damaged.
    """
    if not frames:
        raise damaged("no frames")
    try:
        message = Reader(frames, owned).message()
    except DataLossError:
        raise
    except _REFUSALS as error:
        raise damaged(str(error) or type(error).__name__) from error
    if type(message) not in MESSAGES:
        raise damaged(f"a {type(message).__name__} is no message")
    return message  # type: ignore[no-any-return]


def _padded(size: int) -> int:
    return -(-size // _ALIGNMENT) * _ALIGNMENT


def _with_padded_head(parts: list[bytes | memoryview], count: int) -> list[bytes | memoryview]:
    head = 8 * (count + 1)
    parts.insert(count + 1, bytes(_padded(head) - head))
    return parts
