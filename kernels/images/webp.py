"""WebP files: their frames, by Pillow's libwebp."""

from __future__ import annotations

import io
import warnings
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.images.libraries import library
from dataflow.kernels.threads.stopping import look

_MOST: Final = 1 << 30
"""Bytes of all frames."""
Array = np.ndarray[Any, Any]


def is_webp(data: bytes) -> bool:
    """Whether a file begins as one of these does."""
    return data[:4] == b"RIFF" and data[8:12] == b"WEBP"


def read(data: bytes, channels: int) -> Array:
    """The frames, [frames, height, width, channels], with the channels of the file.

    Args:
      data: The file.
      channels: How many the file must have: 3 or 4; 0 for any.

    Raises:
      InvalidArgumentError: It is damaged or too large, or has other channels.
    """
    images, sequences = library("PIL.Image"), library("PIL.ImageSequence")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            file = images.open(io.BytesIO(data), formats=["WEBP"])
        found = 4 if file.mode == "RGBA" else 3
        if channels and channels != found:
            raise invalid("Number of channels requested does not match input")
        if file.width * file.height * found * getattr(file, "n_frames", 1) > _MOST:
            raise invalid("The frames of the WebP image are too large.")
        frames = []
        for frame in sequences.Iterator(file):
            look()
            frames.append(np.asarray(frame.convert("RGBA" if found == 4 else "RGB")))
    except (OSError, EOFError, SyntaxError, ValueError, images.DecompressionBombError):
        raise invalid("Failed to decode WebP image.") from None
    return np.stack(frames)
