"""JPEG files, by libjpeg-turbo as TensorFlow reads and writes them: the same pixels and bytes."""

from __future__ import annotations

import io
import struct
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from dataflow.errors import InternalError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.images.libraries import library

START: Final = b"\xff\xd8\xff"
"""With which a file begins."""
_MOST: Final = 1 << 29
"""Bytes of an image, as in TensorFlow."""
_FRAMES: Final = frozenset((*range(0xC0, 0xC4), *range(0xC5, 0xC8), *range(0xC9, 0xCC)))
"""Markers of the header that says the size."""
_ADOBE: Final = b"Adobe"
_XMP: Final = b"http://ns.adobe.com/xap/1.0/\0"
_END: Final = b"\xff\xd9"
_SCAN: Final = b"\xff\xda"
_LARGEST: Final = 65535
"""Rows and columns that the format has numbers for."""
Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Reading:
    """How a file is read."""

    channels: int
    """1, 3, or 0 for those of the file."""
    ratio: int = 1
    """1, 2, 4 or 8: how much smaller the image is made."""
    smooth: bool = True
    """Whether chroma planes are enlarged smoothly."""
    exact: bool = False
    """Whether the cosine transform is the accurate one of two in integers."""
    recovers: bool = False
    """Whether what a cut file lacks becomes grey."""


@dataclass(frozen=True, slots=True)
class Header:
    """What the header of a file says."""

    height: int
    width: int
    channels: int
    is_adobe: bool


def header_of(data: bytes) -> Header | None:
    """What a file says before its image begins, or None where that is not whole."""
    place, is_adobe, frame = 2, False, None
    if data[:2] != START[:2]:
        return None
    while 0 <= place <= len(data) - 4:
        marker = data[place + 1]
        if data[place] != 0xFF or marker in (0, 0xFF):
            # What is no marker is passed over, as libjpeg does it.
            place = data.find(b"\xff", place + 1)
            continue
        if marker == 0x01 or 0xD0 <= marker <= 0xD8:
            place += 2
            continue
        (length,) = struct.unpack_from(">H", data, place + 2)
        body = data[place + 4 : place + 2 + length]
        if marker == 0xDA and frame is not None:
            return Header(*frame, is_adobe)
        if marker in (0xD9, 0xDA) or len(body) < length - 2 or length < 2:
            return None
        if marker in _FRAMES:
            if len(body) < 6:
                return None
            _, height, width, channels = struct.unpack_from(">BHHB", body)
            frame = (height, width, channels)
        is_adobe = is_adobe or (marker == 0xEE and body.startswith(_ADOBE))
        place += 2 + length
    return None


def size_of(data: bytes) -> tuple[int, int, int]:
    """Height, width and channels of the image in a file.

    Raises:
      InvalidArgumentError: It is none.
    """
    found = header_of(data)
    if found is None or not (found.height and found.width and found.channels in (1, 3, 4)):
        raise invalid(f"Invalid JPEG data, size {len(data)}")
    return found.height, found.width, found.channels


def read(data: bytes, way: Reading) -> Array:
    """The image in a file, (height, width, channels).

    Raises:
      InvalidArgumentError: The file is none, or damaged.
    """
    library_of_jpegs = library("simplejpeg")
    header = header_of(data)
    if header is None or not (header.height and header.width):
        raise _failed()
    has_black = header.channels == 4
    channels = way.channels or min(header.channels, 3)
    if channels not in (1, 3) or (has_black and channels == 1):
        raise _failed()
    high, wide = (-(-size // way.ratio) for size in (header.height, header.width))
    if high * wide * channels >= _MOST or (_is_cut(data) and not way.recovers):
        raise _failed()
    colors = "CMYK" if has_black else "GRAY" if channels == 1 else "RGB"
    scaling = {"min_height": high, "min_width": wide} if way.ratio > 1 else {}
    try:
        image: Array = library_of_jpegs.decode_jpeg(
            data,
            colors,
            fastdct=not way.exact,
            fastupsample=not way.smooth,
            min_factor=way.ratio,
            strict=False,
            **scaling,
        )
    except (ValueError, MemoryError, RuntimeError):
        raise _failed() from None
    if image.shape[:2] != (high, wide):
        raise _failed()
    if has_black:
        return _without_black(image, header.is_adobe)
    return image.reshape(high, wide, channels)


def _failed() -> Any:
    return invalid("jpeg::Uncompress failed. Invalid JPEG data or crop window.")


def _is_cut(data: bytes) -> bool:
    """Whether the file ends before its image does."""
    return data.rfind(_END) < data.rfind(_SCAN)


def _without_black(image: Array, is_adobe: bool) -> Array:
    """CMYK as RGB; Adobe's files hold the inverse of each number."""
    wide = image.astype(np.int32)
    inks = wide if is_adobe else 255 - wide
    return (inks[..., 3:] * inks[..., :3] // 255).astype(np.uint8)


@dataclass(frozen=True, slots=True)
class Writing:
    """How a file is written."""

    quality: int = 95
    progressive: bool = False
    optimizes: bool = False
    downsamples: bool = True
    """Whether chroma planes have half the size."""
    per_inch: bool = True
    """Whether densities are by inch, or by centimeter."""
    density: tuple[int, int] = (300, 300)
    metadata: bytes = b""


def write(image: Array, way: Writing) -> bytes:
    """The file of an image (height, width, channels) of bytes with 1 or 3 channels.

    Raises:
      InternalError: The image is empty or too large.
    """
    height, width, channels = image.shape
    if not (0 < height <= _LARGEST and 0 < width <= _LARGEST):
        raise InternalError(None, None, "JPEG encoding failed")
    made = library("PIL.Image").fromarray(image[..., 0] if channels == 1 else image)
    file = io.BytesIO()
    made.save(
        file,
        "JPEG",
        # 0 is what Pillow calls its own choice, and libjpeg 1.
        quality=max(1, way.quality),
        subsampling=2 if way.downsamples and channels == 3 else 0,
        progressive=way.progressive,
        optimize=way.optimizes,
    )
    return _with_density(file.getvalue(), way)


def _with_density(file: bytes, way: Writing) -> bytes:
    """The file with densities and metadata, which stand in its first segments."""
    across, down = (value & 0xFFFF for value in way.density)
    unit = 1 if way.per_inch else 2
    begin, rest = file[:13] + struct.pack(">BHH", unit, across, down), file[18:]
    if not way.metadata:
        return begin + rest
    segment = struct.pack(">HH", 0xFFE1, 2 + len(_XMP) + len(way.metadata)) + _XMP + way.metadata
    return begin + rest[:2] + segment + rest[2:]
