"""The wire format of protobuf messages, as far as records need it.

A length that says more than there is counts as what there is, as in protobuf's own reader; so
nothing here is larger than the bytes it was read from.
"""

from __future__ import annotations

from typing import Final

DELIMITED_1: Final = 0x0A
"""The tag of a delimited field 1;"""
DELIMITED_2: Final = 0x12
"""of field 2;"""
DELIMITED_3: Final = 0x1A
"""of field 3;"""
FIXED32_1: Final = 0x0D
"""of four bytes in field 1;"""
VARINT_1: Final = 0x08
"""of a varint in field 1."""

_MOST_BYTES: Final = 10
_UINT32: Final = 0xFFFFFFFF
_WIRE_SIZES: Final = {1: 8, 5: 4}


class MalformedError(Exception):
    """The bytes are no such message."""


def varint(data: bytes, pos: int, end: int) -> tuple[int, int]:
    """The number at a place, and the place behind it.

    Raises:
      MalformedError: It does not end before `end`, or has more than ten bytes.
    """
    value = shift = 0
    stop = min(end, pos + _MOST_BYTES)
    while pos < stop:
        byte = data[pos]
        pos += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, pos
        shift += 7
    raise MalformedError


def length(data: bytes, pos: int, end: int) -> tuple[int, int]:
    """A length of 32 bits at a place, and the place behind it.

    Raises:
      MalformedError: It does not end before `end`.
    """
    if pos < end and (byte := data[pos]) < 0x80:
        return byte, pos + 1
    if pos + 1 < end and (second := data[pos + 1]) < 0x80:
        return byte & 0x7F | second << 7, pos + 2
    value, pos = varint(data, pos, end)
    return value & _UINT32, pos


def limited(data: bytes, pos: int, end: int) -> tuple[int, int]:
    """Where what follows a length begins and ends; it ends at `end` if the length says more.

    Raises:
      MalformedError: There is no length.
    """
    size, pos = length(data, pos, end)
    return pos, min(end, pos + size)


def text(data: bytes, pos: int, end: int) -> tuple[int, int]:
    """Where what follows a length begins and ends.

    Raises:
      MalformedError: There is no length, or less than it says.
    """
    size, pos = length(data, pos, end)
    stop = pos + size
    if stop > end:
        raise MalformedError
    return pos, stop


def skip(data: bytes, pos: int, end: int) -> int:
    """The place behind a field of any kind.

    Raises:
      MalformedError: It is a group, or it is cut off.
    """
    tag, pos = varint(data, pos, end)
    kind = tag & 7
    if kind == 0:
        return varint(data, pos, end)[1]
    if kind == 2:
        return limited(data, pos, end)[1]
    if kind in _WIRE_SIZES and pos + _WIRE_SIZES[kind] <= end:
        return pos + _WIRE_SIZES[kind]
    raise MalformedError


def entry(data: bytes, pos: int, end: int) -> tuple[bytes, int, int, int]:
    """The entry of a map behind its tag: the key, where its value begins and ends, where it ends.

    Raises:
      MalformedError: It is not made of a key and a value.
    """
    pos, stop = limited(data, pos, end)
    key, start, finish = b"", 0, 0
    for _ in range(2):
        tag, pos = varint(data, pos, stop)
        if tag == DELIMITED_1:
            first, pos = text(data, pos, stop)
            key = data[first:pos]
        elif tag == DELIMITED_2:
            start, finish = text(data, pos, stop)
            pos = finish
        else:
            raise MalformedError
    if pos != stop:
        raise MalformedError
    return key, start, finish, stop
