"""Reads files of images of any kind as the kind at hand wants them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.images import bmp, gif, jpeg, png_reading
from dataflow.kernels.images.jpeg import Reading

_KINDS: Final = {
    "JPEG": jpeg.START,
    "PNG": png_reading.START,
    "GIF": gif.START,
    "BMP": bmp.START,
}
Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Request:
    """What an op makes of files."""

    op: str
    channels: int
    dtype: Any
    is_animated: bool
    way: Reading
    """How JPEG files are read."""


def kind_of(data: bytes) -> str:
    """Which kind of file this is.

    Raises:
      InvalidArgumentError: It is empty or none that can be read.
    """
    if not data:
        raise invalid("Input is empty.")
    for kind, start in _KINDS.items():
        if data.startswith(start):
            return kind
    raise invalid("Unknown image file format. One of JPEG, JPEG XL, PNG, GIF, BMP, WebP required.")


def read(data: bytes, request: Request) -> Array:
    """The image in a file, or the frames.

    Raises:
      InvalidArgumentError: The file is damaged, or none that the op reads.
    """
    kind = kind_of(data)
    op, channels = request.op, request.channels
    if op == "DecodeBmp" and kind != "BMP":
        raise invalid(
            f"Trying to decode {kind} format using DecodeBmp op. Use `decode_{kind.lower()}` or "
            "`decode_image` instead."
        )
    if kind == "BMP" and op not in ("DecodeBmp", "DecodeImage"):
        raise invalid(
            "Trying to decode BMP format using a wrong op. Use `decode_bmp` or `decode_image` "
            f"instead. Op used: {op}"
        )
    if kind == "PNG":
        wide = request.dtype != np.uint8
        image = png_reading.read(data, channels, wide)
        return _framed(_scaled(image, request.dtype), op)
    if kind == "JPEG":
        if channels == 4:
            raise invalid("JPEG does not support 4 channels")
        image = jpeg.read(data, request.way)
    elif kind == "BMP":
        if channels == 1:
            raise invalid("`channels` must be 0, 3 or 4 for BMP, but got 1")
        image = bmp.read(data, channels)
    else:
        return _scaled(_frames(data, request), request.dtype)
    return _framed(_scaled(image, request.dtype), op)


def _frames(data: bytes, request: Request) -> Array:
    if request.channels not in (0, 3):
        raise invalid(f"channels must be 0 or 3 for GIF, got {request.channels}")
    if request.op == "DecodeGif":
        return gif.read(data)
    if request.op == "DecodeImage" and request.is_animated:
        return gif.read(data)
    frames = gif.read(data, request.op != "DecodeImage")
    if len(frames) != 1:
        raise invalid(
            f"Got {len(frames)} frames, but animated gifs can only be decoded by "
            "tf.io.decode_gif or tf.io.decode_image"
        )
    first: Array = frames[0]
    return first


def _framed(image: Array, op: str) -> Array:
    return image[None] if op == "DecodeGif" else image


def _scaled(image: Array, dtype: Any) -> Array:
    """Numbers of 8 or 16 bits in another type, scaled to its range."""
    if image.dtype == dtype:
        return image
    if dtype == np.uint16:
        # TensorFlow shifts bytes, but for those of PNG files.
        return image.astype(np.uint16) << np.uint16(8)
    return image.astype(np.float32) * np.float32(1 / np.iinfo(image.dtype).max)
