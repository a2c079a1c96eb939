"""Numbers of seven bits a byte, as tables and protobuf write them."""

from __future__ import annotations


def varint(value: int) -> bytes:
    """A number that is not negative, low bits first."""
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def read_varint(data: bytes, at: int) -> tuple[int, int]:
    """The number that starts at a place, and where it ends.

    Raises:
      ValueError: The data end within it, or it has more than 64 bits.
    """
    value = shift = 0
    while shift < 64:
        if at >= len(data):
            raise ValueError("the data end within a number")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    raise ValueError("a number has more than 64 bits")
