"""PNG files as TensorFlow reads them: any kind as bytes or 16-bit numbers in 1 to 4 channels."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.images.libraries import library
from dataflow.kernels.images.png_rows import unfiltered
from dataflow.kernels.images.png_writing import SIGNATURE

START: Final = SIGNATURE[:3]
"""With which a file begins."""
_LONGEST: Final = 1 << 27
"""Pixels along an axis, and"""
_MOST: Final = 1 << 29
"""in all, as in TensorFlow."""
_DENSEST: Final = 1040
"""How many bytes one byte can stand for, and a bit more."""
_CHANNELS: Final = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
"""By type of colors: grey, RGB, palette, grey with alpha, RGBA."""
_DEPTHS: Final = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
_PALETTE: Final = 3
_GRAY: Final = (9797, 19234, 3737)
"""What red, green and blue weigh in grey, of 32768, as libpng rounds 0.299 and 0.587."""
Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class _File:
    """The parts of a file."""

    width: int
    height: int
    depth: int
    colors: int
    is_interlaced: bool
    palette: Array
    transparent: bytes | None
    packed: bytes

    @property
    def row(self) -> int:
        """Bytes of a row."""
        return (self.width * self.depth * _CHANNELS[self.colors] + 7) // 8


def read(data: bytes, channels: int, wide: bool) -> Array:
    """The image in a file, (height, width, channels).

    Args:
      data: The file.
      channels: 1, 3 or 4, or 0 for those of the file.
      wide: Numbers have 16 bits, else 8.

    Raises:
      InvalidArgumentError: The file is none, or damaged.
    """
    file = _parsed(data)
    pixels = _pixels(data, file)
    is_wide = pixels.dtype == np.uint16
    alpha = _alpha(file, pixels)
    if file.colors == _PALETTE:
        if pixels.max(initial=0) >= len(file.palette):
            raise _damaged(data)
        colors = file.palette[pixels[..., 0]]
    else:
        colors = pixels[..., :3] if _CHANNELS[file.colors] >= 3 else pixels[..., :1]
    has_alpha = file.colors in (4, 6) or (file.colors == _PALETTE and alpha is not None)
    wanted = channels or colors.shape[2] + has_alpha
    if wanted < 3 and colors.shape[2] == 3:
        colors = _gray(colors, is_wide)
    elif wanted >= 3 and colors.shape[2] == 1:
        colors = np.repeat(colors, 3, axis=2)
    if wanted % 2 == 0:
        if alpha is None:
            full = np.full((file.height, file.width, 1), (1 << file.depth) - 1, pixels.dtype)
            alpha = full
        colors = np.concatenate((colors, alpha), axis=2)
    if wide:
        return colors if is_wide else colors.astype(np.uint16) * np.uint16(257)
    return (colors >> 8).astype(np.uint8) if is_wide else np.ascontiguousarray(colors)


def _damaged(data: bytes) -> Any:
    return invalid(f"Invalid PNG data, size {len(data)}")


def _parsed(data: bytes) -> _File:
    header: tuple[Any, ...] | None = None
    palette, transparent, packed = np.zeros((0, 3), np.uint8), None, []
    for kind, body in _chunks(data):
        if header is None:
            if kind != b"IHDR" or len(body) != 13:
                break
            header = struct.unpack(">IIBBBBB", body)
        elif kind == b"PLTE" and len(body) % 3 == 0:
            palette = np.frombuffer(body, np.uint8).reshape(-1, 3)
        elif kind == b"tRNS":
            transparent = body
        elif kind == b"IDAT":
            packed.append(body)
    if header is None or data[:8] != SIGNATURE:
        raise invalid("Invalid PNG. Failed to initialize decoder.")
    width, height, depth, colors, method, filters, interlace = header
    if not width or not height or depth not in _DEPTHS.get(colors, ()):
        raise invalid("Invalid PNG. Failed to initialize decoder.")
    if method or filters or interlace > 1 or (colors == _PALETTE and not len(palette)):
        raise invalid("Invalid PNG. Failed to initialize decoder.")
    if max(width, height) >= _LONGEST or width * height >= _MOST:
        raise invalid(f"PNG size too large for int: {width} by {height}")
    fields = (width, height, depth, colors, bool(interlace), palette, transparent)
    file = _File(*fields, b"".join(packed))
    if file.row * height > _DENSEST * len(file.packed):
        raise _damaged(data)
    return file


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The parts of a file up to its end, or to the first one that is damaged."""
    place = len(SIGNATURE)
    while place + 12 <= len(data):
        length, kind = struct.unpack_from(">I4s", data, place)
        body = data[place + 8 : place + 8 + length]
        check = data[place + 8 + length : place + 12 + length]
        is_whole = check == struct.pack(">I", zlib.crc32(body, zlib.crc32(kind)))
        is_needed = not kind[0] & 32
        if len(check) < 4 or (is_needed and not is_whole) or kind == b"IEND":
            return
        if is_whole:
            yield kind, body
        place += 12 + length


def _pixels(data: bytes, file: _File) -> Array:
    """The numbers of a file, (height, width, channels); those of a palette are places in it."""
    channels = _CHANNELS[file.colors]
    if file.depth == 16:
        return _wide_pixels(data, file, channels)
    images = library("PIL.PngImagePlugin")
    try:
        made = np.asarray(images.PngImageFile(io.BytesIO(data)))
    except Exception:
        # Each kind of damage has an exception of its own.
        raise _damaged(data) from None
    if made.shape[:2] != (file.height, file.width):
        raise _damaged(data)
    pixels = made.reshape(file.height, file.width, -1)
    if pixels.shape[2] != channels:
        raise _damaged(data)
    return pixels.astype(np.uint8) * 255 if pixels.dtype == bool else pixels


def _wide_pixels(data: bytes, file: _File, channels: int) -> Array:
    """Numbers of 16 bits, of which Pillow knows grey ones only."""
    expected = 8 * (file.row + 1) * (file.height + 8)
    try:
        raw = zlib.decompressobj().decompress(file.packed, expected)
    except zlib.error:
        raise _damaged(data) from None
    sizes = (file.height, file.width)
    found = unfiltered(raw, sizes, 2 * channels, file.is_interlaced)
    if found is None:
        raise _damaged(data)
    return found.view(">u2").astype(np.uint16).reshape(*sizes, channels)


def _alpha(file: _File, pixels: Array) -> Array | None:
    """The opaqueness of each pixel, if the file says something of it."""
    if file.colors in (4, 6):
        return pixels[..., -1:]
    if file.transparent is None:
        return None
    if file.colors == _PALETTE:
        table = np.full(256, 255, np.uint8)
        given = np.frombuffer(file.transparent[:256], np.uint8)
        table[: given.size] = given
        return table[pixels]
    channels = _CHANNELS[file.colors]
    if len(file.transparent) < 2 * channels:
        return None
    color = np.frombuffer(file.transparent[: 2 * channels], ">u2").astype(np.int64)
    if file.depth < 8:
        color = color * 255 // ((1 << file.depth) - 1)
    most = 65535 if pixels.dtype == np.uint16 else 255
    return np.where((pixels == color).all(-1, keepdims=True), 0, most).astype(pixels.dtype)


def _gray(colors: Array, is_wide: bool) -> Array:
    """RGB in one channel; 16-bit numbers are rounded, bytes cut off, as libpng does it."""
    total = colors.astype(np.int64) @ np.array(_GRAY)
    gray: Array = ((total + (16384 if is_wide else 0)) >> 15).astype(colors.dtype)
    return gray[..., None]
