"""PNG files of images of 8 or 16 bits a channel."""

from __future__ import annotations

import struct
import zlib
from typing import Any, Final

import numpy as np

SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_COLOR_TYPES: Final = {1: 0, 2: 4, 3: 2, 4: 6}
"""Channels -> what the format calls grey, grey with alpha, RGB and RGBA."""
_STRIP: Final = 1 << 20
"""Bytes whose rows are filtered together."""
_CHUNK: Final = 1 << 13
"""Bytes of compressed data that stand in one chunk, as libpng has it."""
Array = np.ndarray[Any, Any]


def write(image: Array, level: int) -> bytes:
    """The file of an image (height, width, channels) of 8 or 16 bits, compressed at a level."""
    height, width, channels = image.shape
    element = image.dtype.itemsize
    header = struct.pack(">IIBBBBB", width, height, 8 * element, _COLOR_TYPES[channels], 0, 0, 0)
    ordered = np.ascontiguousarray(image, image.dtype.newbyteorder(">"))
    rows = ordered.view(np.uint8).reshape(height, -1)
    packer = zlib.compressobj(level, strategy=zlib.Z_FILTERED)
    packed = [packer.compress(strip) for strip in _filtered(rows, channels * element)]
    packed.append(packer.flush())
    data = _with_least_window(b"".join(packed), rows.size + height)
    parts = [chunk(b"IDAT", data[i : i + _CHUNK]) for i in range(0, len(data), _CHUNK)]
    return b"".join((SIGNATURE, chunk(b"IHDR", header), *parts, chunk(b"IEND", b"")))


def _with_least_window(packed: bytes, size: int) -> bytes:
    """Compressed data whose header asks for no more memory than it takes, as libpng writes it.

    Args:
      packed: In zlib's format (RFC 1950), with a window of 32 KiB.
      size: Of what was compressed.
    """
    if size > 1 << 14:
        return packed
    window = max(0, (size - 1).bit_length() - 8)
    flags = packed[1] & 0xE0
    first = window << 4 | 8
    return bytes((first, flags + 31 - (first << 8 | flags) % 31)) + packed[2:]


def chunk(kind: bytes, data: bytes) -> bytes:
    """A part of a file, with its length and check sum."""
    check = zlib.crc32(data, zlib.crc32(kind))
    return b"".join((struct.pack(">I", len(data)), kind, data, struct.pack(">I", check)))


def _filtered(rows: Array, step: int) -> Any:
    """Strips of rows, each row by the filter that leaves the smallest numbers.

    Args:
      rows: The bytes of the image.
      step: Bytes of a pixel.
    """
    height, size = rows.shape
    count = max(1, _STRIP // size)
    # Libpng does not try what it has no neighbours for.
    across, down = size > step, height > 1
    needed = (True, across, down, across and down, across and down)
    tried = np.flatnonzero(needed)
    for start in range(0, height, count):
        strip = rows[start : start + count]
        above = np.zeros_like(strip)
        above[1:] = strip[:-1]
        above[0] = rows[start - 1] if start else 0
        left, corner = np.zeros_like(strip), np.zeros_like(strip)
        left[:, step:], corner[:, step:] = strip[:, :-step], above[:, :-step]
        mean = ((left.astype(np.uint16) + above) >> 1).astype(np.uint8)
        candidates = (
            strip,
            strip - left,
            strip - above,
            strip - mean,
            strip - paeth(left, above, corner),
        )
        costs = [np.abs(each.view(np.int8).astype(np.int16)).sum(1) for each in candidates]
        best = tried[np.argmin([costs[kind] for kind in tried], axis=0)]
        result = np.empty((len(strip), 1 + size), np.uint8)
        result[:, 0] = best
        for number, each in enumerate(candidates):
            chosen = best == number
            result[chosen, 1:] = each[chosen]
        yield result.tobytes()


def paeth(left: Array, above: Array, corner: Array) -> Array:
    """Of three neighbours the one nearest to left + above - corner (Paeth, 1991)."""
    a, b, c = (each.astype(np.int16) for each in (left, above, corner))
    to_left, to_above, to_corner = np.abs(b - c), np.abs(a - c), np.abs(a + b - 2 * c)
    is_left = (to_left <= to_above) & (to_left <= to_corner)
    return np.where(is_left, left, np.where(to_above <= to_corner, above, corner))
