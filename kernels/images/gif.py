"""GIF files as TensorFlow reads them: each frame is painted over the one before."""

from __future__ import annotations

import io
import struct
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.images.libraries import library
from dataflow.kernels.threads.stopping import look

START: Final = b"GIF8"
"""With which a file begins."""
_MOST: Final = 1 << 30
"""Bytes of all frames."""
_DENSEST: Final = 4096
"""How many pixels a byte can stand for, and some more."""
_IMAGE: Final = 0x2C
_EXTENSION: Final = 0x21
_CONTROL: Final = 0xF9
_END: Final = 0x3B
Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class _Frame:
    left: int
    top: int
    width: int
    height: int
    is_interlaced: bool
    palette: Array | None
    transparent: int
    """The number that lets what is below show, or -1."""
    data: bytes
    """The packed numbers of pixels, in the form of the file."""


class _Cut(Exception):
    """The file ends too early."""


class _Reader:
    """Reads a file from front to back."""

    def __init__(self, data: bytes) -> None:
        self._data, self._place = data, 0

    def take(self, count: int) -> bytes:
        """The next bytes."""
        found = self._data[self._place : self._place + count]
        if len(found) < count:
            raise _Cut
        self._place += count
        return found

    def blocks(self) -> bytes:
        """A row of blocks with their lengths, up to the empty one."""
        start = self._place
        while size := self.take(1)[0]:
            self.take(size)
        return self._data[start : self._place]

    def palette(self, flags: int) -> Array | None:
        """The colors that follow, if the flags say so."""
        if not flags & 0x80:
            return None
        count = 2 << (flags & 7)
        return np.frombuffer(self.take(3 * count), np.uint8).reshape(count, 3)


def read(data: bytes, is_animated: bool = True) -> Array:
    """The frames in a file, (frames, height, width, 3).

    Args:
      data: The file.
      is_animated: Whether all frames are read, or only the first.

    Raises:
      InvalidArgumentError: The file is none, or damaged.
    """
    frames = _frames(data)
    width = max(frame.width for frame in frames)
    height = max(frame.height for frame in frames)
    if not is_animated:
        frames = frames[:1]
    if len(frames) * width * height * 3 > _MOST:
        raise invalid(f"GIF frames too large: {len(frames)} of {width} by {height}")
    result = np.zeros((len(frames), height, width, 3), np.uint8)
    for number, frame in enumerate(frames):
        look()
        if number:
            result[number] = result[number - 1]
        _paint(frame, number, result[number])
    return result


def _frames(data: bytes) -> list[_Frame]:
    """The frames of a file; of one that is damaged later on those before."""
    reader, frames, transparent = _Reader(data), [], -1
    try:
        reader.take(6)
        _, _, flags, _, _ = struct.unpack("<HHBBB", reader.take(7))
        common = reader.palette(flags)
        while (kind := reader.take(1)[0]) != _END:
            if kind == _EXTENSION:
                label, body = reader.take(1)[0], reader.blocks()
                if label == _CONTROL and len(body) >= 6 and body[0] == 4:
                    transparent = body[4] if body[1] & 1 else -1
            elif kind == _IMAGE:
                left, top, width, height, flags = struct.unpack("<HHHHB", reader.take(9))
                palette = reader.palette(flags)
                packed = reader.take(1) + reader.blocks()
                own = common if palette is None else palette
                is_interlaced = bool(flags & 0x40)
                frames.append(
                    _Frame(left, top, width, height, is_interlaced, own, transparent, packed)
                )
                transparent = -1
            else:
                break
    except _Cut:
        if not frames:
            raise invalid(
                f"Invalid GIF data (size {len(data)}), failed to open gif file: "
                "No screen descriptor detected"
            ) from None
    if not frames or not all(frame.width and frame.height for frame in frames):
        raise invalid("gif file does not contain any image")
    return frames


def _paint(frame: _Frame, number: int, canvas: Array) -> None:
    """Paints what is not transparent of a frame."""
    if frame.palette is None:
        raise invalid(f"missing color map for frame {number}")
    pixels = _numbers(frame)
    target = canvas[frame.top : frame.top + frame.height, frame.left : frame.left + frame.width]
    pixels = pixels[: target.shape[0], : target.shape[1]]
    shown = pixels != frame.transparent
    if (pixels[shown] >= len(frame.palette)).any():
        raise invalid(
            f"found color index {pixels[shown].max()} outside of color map range "
            f"{len(frame.palette)}"
        )
    target[shown] = frame.palette[pixels[shown]]


def _numbers(frame: _Frame) -> Array:
    """The numbers of a frame's pixels, unpacked by Pillow as a file of that frame alone."""
    if frame.width * frame.height > _DENSEST * len(frame.data):
        raise invalid("Invalid GIF data, failed to read a frame")
    screen = struct.pack("<HHBBB", frame.width, frame.height, 0xF7, 0, 0)
    # Colors that are not a ramp of greys, so that numbers stay what they are.
    colors = bytes(range(255, -1, -1)) * 3
    flags = 0x40 if frame.is_interlaced else 0
    place = struct.pack("<BHHHHB", _IMAGE, 0, 0, frame.width, frame.height, flags)
    file = b"".join((b"GIF89a", screen, colors, place, frame.data, bytes((_END,))))
    try:
        image = library("PIL.GifImagePlugin").GifImageFile(io.BytesIO(file))
        found = np.asarray(image)
    except (OSError, EOFError, ValueError, IndexError, SyntaxError, MemoryError):
        raise invalid("Invalid GIF data, failed to read a frame") from None
    if found.shape != (frame.height, frame.width):
        raise invalid("Invalid GIF data, failed to read a frame")
    return found
