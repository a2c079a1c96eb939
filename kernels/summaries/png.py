"""PNG files of 8 bits a channel."""

from __future__ import annotations

import struct
import zlib
from typing import Final

import numpy as np

_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_COLOR_TYPES: Final = {1: 0, 3: 2, 4: 6}
"""Channels -> what the format calls grey, RGB and RGBA."""


def encode_png(image: np.ndarray) -> bytes:
    """A PNG file.

    Args:
      image: Bytes, of shape (height, width, channels) with 1, 3 or 4 channels.
    """
    height, width, channels = image.shape
    header = struct.pack(">IIBBBBB", width, height, 8, _COLOR_TYPES[channels], 0, 0, 0)
    # Each row begins with the filter that was applied to it, which is none.
    rows = np.zeros((height, 1 + width * channels), np.uint8)
    rows[:, 1:] = image.reshape(height, -1)
    return b"".join(
        (
            _SIGNATURE,
            _chunk(b"IHDR", header),
            _chunk(b"IDAT", zlib.compress(rows.tobytes())),
            _chunk(b"IEND", b""),
        )
    )


def _chunk(kind: bytes, data: bytes) -> bytes:
    check = zlib.crc32(data, zlib.crc32(kind))
    return b"".join((struct.pack(">I", len(data)), kind, data, struct.pack(">I", check)))
