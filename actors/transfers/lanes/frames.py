"""The form of a frame: a head of fixed size, a table of arrays, a header, arrays in line."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from enum import IntEnum
from typing import Final, NamedTuple

from dataflow.errors import DataLossError, InvalidArgumentError

_HEAD: Final = struct.Struct("<4sHHIQQ")
"""Magic, kind, number of parts, bytes of the header, sequence number, bytes of the body."""
_MAGIC: Final = b"dfl1"
_ENTRY: Final = struct.Struct("<QQ")
"""Of an array: the segment it lies in, 0 if in line; its bytes."""
HEAD_BYTES: Final = _HEAD.size
_ALIGNMENT: Final = 64

MAX_HEADER: Final = 1 << 30
"""Bytes of the msgpack of a message, with its strings."""
MAX_BODY: Final = 1 << 36
"""Bytes of a frame behind its head. Memory is taken up only as they arrive."""
MAX_PARTS: Final = 1 << 15
MAX_DESCRIPTORS: Final = 128
"""Descriptors of segments that come with one frame; the kernel takes 253."""


class Kind(IntEnum):
    """What a frame carries."""

    MESSAGE = 1
    """A message of `actors.messages`, its large arrays as parts."""
    RELEASE = 2
    """Numbers of segments that the receiver of their tensors needs no more."""
    DROP = 3
    """Numbers of segments that will not be used again."""


_KINDS: Final = frozenset(Kind)


class Head(NamedTuple):
    """A frame's head; a tuple, since one is made for each frame."""

    kind: int
    """One of `Kind`."""
    parts: int
    """The header and the arrays behind it."""
    header_bytes: int
    body_bytes: int


def body_bytes(sizes: Sequence[int], segments: Sequence[int]) -> int:
    """Bytes of a frame behind its head.

    Args:
      sizes: Bytes of each part; the first one is the header.
      segments: For each part the segment it lies in, or 0.

    Raises:
      InvalidArgumentError: The frame would be larger than a receiver takes.
    """
    body = sizes[0] + _ENTRY.size * (len(sizes) - 1)
    for size, segment in zip(sizes[1:], segments[1:], strict=True):
        if not segment:
            body = padded(body) + size
    if len(sizes) > MAX_PARTS or sizes[0] > MAX_HEADER or body > MAX_BODY:
        raise InvalidArgumentError(
            None,
            None,
            f"A message of {body} bytes with {len(sizes) - 1} arrays, {sizes[0]} bytes of it "
            "strings and small arrays, is too large to be sent to another process.",
        )
    return body


def pack_head(
    kind: int, sequence: int, sizes: Sequence[int], segments: Sequence[int], body: int
) -> bytes:
    """Head and table of a frame whose body has so many bytes; `sequence` is its number."""
    head = _HEAD.pack(_MAGIC, kind, len(sizes), sizes[0], sequence, body)
    return head + b"".join(map(_ENTRY.pack, segments[1:], sizes[1:]))


def message_head(sequence: int, size: int) -> bytes:
    """The head of the frame of a message that is but a header of so many bytes."""
    return _HEAD.pack(_MAGIC, Kind.MESSAGE, 1, size, sequence, size)


def read_head(data: bytes | bytearray, place: int, sequence: int) -> Head:
    """Reads a head.

    Args:
      data: What has arrived.
      place: Where its `HEAD_BYTES` begin.
      sequence: The number it must have.

    Raises:
      DataLossError: It is none, promises too much, or is not the next one: repeated or left out.
    """
    magic, kind, parts, header, number, body = _HEAD.unpack_from(data, place)
    if magic != _MAGIC:
        raise DataLossError(None, None, f"Malformed frame: it begins with {bytes(magic)!r}.")
    if number != sequence:
        raise DataLossError(
            None,
            None,
            f"Frame {number} came where frame {sequence} was due: it was repeated or lost.",
        )
    if kind not in _KINDS or not 1 <= parts <= MAX_PARTS:
        raise DataLossError(None, None, f"Malformed frame: kind {kind} with {parts} parts.")
    if header > MAX_HEADER or body > MAX_BODY or body < header + (parts - 1) * _ENTRY.size:
        raise DataLossError(
            None, None, f"Malformed frame: a header of {header} bytes in a body of {body}."
        )
    return Head(kind, parts, header, body)


def read_table(head: Head, body: memoryview) -> list[tuple[int, int, int]]:
    """Where the parts of a frame lie: (segment, offset in the body, bytes) of each.

    Raises:
      DataLossError: The table and the body do not fit.
    """
    place = _ENTRY.size * (head.parts - 1)
    table = [(0, place, head.header_bytes)]
    place += head.header_bytes
    for number in range(head.parts - 1):
        segment, size = _ENTRY.unpack_from(body, _ENTRY.size * number)
        if segment:
            table.append((segment, 0, size))
            continue
        place = padded(place)
        if size > head.body_bytes - place:
            raise DataLossError(
                None, None, f"Malformed frame: array {number} of {size} bytes in {head.body_bytes}."
            )
        table.append((0, place, size))
        place += size
    if place != head.body_bytes:
        raise DataLossError(None, None, "Malformed frame: its parts do not add up.")
    return table


def padded(size: int) -> int:
    """The next place at which an array may begin."""
    return -(-size // _ALIGNMENT) * _ALIGNMENT
