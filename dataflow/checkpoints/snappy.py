"""Blocks compressed by Snappy, as V1 checkpoints have them, made plain.

Source of the format: https://github.com/google/snappy/blob/main/format_description.txt.
"""

from __future__ import annotations

from dataflow.checkpoints.varints import read_varint


def decompress(data: bytes) -> bytes:
    """What was compressed.

    Raises:
      ValueError: The data are not of the format.
    """
    size, at = read_varint(data, 0)
    out = bytearray()
    end = len(data)
    while at < end:
        tag = data[at]
        at += 1
        kind, count = tag & 3, tag >> 2
        if kind == 0:
            if count >= 60:
                width = count - 59
                count = int.from_bytes(data[at : at + width], "little")
                at += width
            count += 1
            if at + count > end:
                raise ValueError("a literal goes past the end")
            out += data[at : at + count]
            at += count
            continue
        if kind == 1:
            offset = (tag >> 5) << 8 | int.from_bytes(data[at : at + 1], "little")
            count, at = (count & 7) + 4, at + 1
        else:
            width = 2 if kind == 2 else 4
            offset = int.from_bytes(data[at : at + width], "little")
            count, at = count + 1, at + width
        start = len(out) - offset
        if offset == 0 or start < 0 or at > end:
            raise ValueError("a copy starts outside of what is there")
        if offset >= count:
            out += out[start : start + count]
        else:
            out += (bytes(out[start:]) * (count // offset + 1))[:count]
    if len(out) != size:
        raise ValueError(f"{len(out)} bytes, not {size}")
    return bytes(out)
