"""BMP files without compression, of 8, 24 or 32 bits a pixel."""

from __future__ import annotations

import struct
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.invalid import invalid

START: Final = b"BM"
"""With which a file begins."""
_HEADER: Final = 32
"""Bytes that say what is needed."""
_MOST: Final = 1 << 29
"""Numbers of an image."""
Array = np.ndarray[Any, Any]


def read(data: bytes, channels: int) -> Array:
    """The image in a file, (height, width, channels).

    Args:
      data: The file.
      channels: 0 for those of the file, or how many there are to be.

    Raises:
      InvalidArgumentError: The file is none, damaged, or has other channels.
    """
    if len(data) < _HEADER:
        raise invalid(
            "Incomplete bmp content, requires at least 32 bytes to find the header size, width, "
            f"height, and bpp, got {len(data)} bytes"
        )
    (offset,) = struct.unpack_from("<i", data, 10)
    width, height = struct.unpack_from("<ii", data, 18)
    (bits,) = struct.unpack_from("<h", data, 28)
    _check(offset, width, height, bits)
    count, rows = bits // 8, abs(height)
    row = (count * width + 3) // 4 * 4
    if row * rows >= _MOST:
        raise invalid("Total possible pixel bytes must be less than 2^30")
    difference = len(data) - (offset + row * rows)
    if difference:
        raise invalid(
            "Input size should match (header_size + row_size * abs_height) but they differ by "
            f"{difference}"
        )
    numbers = np.frombuffer(data, np.uint8, row * rows, offset).reshape(rows, row)
    pixels = numbers[:, : width * count].reshape(rows, width, count)
    if height > 0:
        pixels = pixels[::-1]
    if count >= 3:
        # Blue comes first.
        pixels = pixels[..., [2, 1, 0, *range(3, count)]]
    wanted = channels or count
    if count == 1 and wanted > 1:
        pixels = np.repeat(pixels, 3, axis=2)
        count = 3
    if wanted < count:
        pixels = pixels[..., :wanted]
    elif wanted > count:
        opaque = np.full((rows, width, 1), 255, np.uint8)
        pixels = np.concatenate((pixels, opaque), axis=2)
    return np.ascontiguousarray(pixels)


def _check(offset: int, width: int, height: int, bits: int) -> None:
    if bits // 8 not in (1, 3, 4):
        raise invalid(
            f"Number of channels inherent in the image must be 1, 3 or 4, was {bits // 8}"
        )
    if width <= 0:
        raise invalid("Width must be positive")
    if not height:
        raise invalid("Height must be nonzero")
    if offset < 0:
        raise invalid("header size must be nonnegative")
