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
Array = np.ndarray[Any, Any]


def write(image: Array, level: int) -> bytes:
    """The file of an image (height, width, channels) of 8 or 16 bits, compressed at a level."""
    height, width, channels = image.shape
    element = image.dtype.itemsize
    header = struct.pack(">IIBBBBB", width, height, 8 * element, _COLOR_TYPES[channels], 0, 0, 0)
    ordered = np.ascontiguousarray(image, image.dtype.newbyteorder(">"))
    rows = ordered.view(np.uint8).reshape(height, -1)
    packer = zlib.compressobj(level)
    packed = [packer.compress(strip) for strip in _filtered(rows, channels * element)]
    packed.append(packer.flush())
    return b"".join(
        (SIGNATURE, chunk(b"IHDR", header), chunk(b"IDAT", b"".join(packed)), chunk(b"IEND", b""))
    )


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
        best = np.argmin(costs, axis=0)
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
