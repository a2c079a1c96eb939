"""WAV files of 16-bit samples."""

from __future__ import annotations

import math
import struct
from typing import Final

import numpy as np

from dataflow.kernels.contract.invalid import invalid

_BYTES: Final = 2
"""Of a sample."""
_HEADER: Final = struct.Struct("<4sI4s4sIHHIIHH4sI")
_AFTER_SIZE: Final = 36
"""Bytes of the header behind the size of the file."""


def encode_wav(samples: np.ndarray, rate: float) -> bytes:
    """A WAV file.

    Args:
      samples: Numbers of shape (frames, channels); what is outside of -1 to 1 is cut.
      rate: Frames a second, rounded to an integer, 1 at least.

    Raises:
      InvalidArgumentError: The format has no place for so large a rate, so many channels or
        frames.
    """
    frames, channels = samples.shape
    whole_rate = 1 << 63 if math.isinf(rate) else max(1, math.floor(rate + 0.5))
    for name, value, bits in (
        ("sample_rate", whole_rate, 32),
        ("num_channels", channels, 16),
        ("bytes", frames * channels * _BYTES + _AFTER_SIZE, 32),
    ):
        if not 0 < value < 1 << bits:
            raise invalid(f"{name} must be in (0, 2^{bits}), got: {value}")
    per_frame = channels * _BYTES
    size = frames * per_frame
    header = _HEADER.pack(
        b"RIFF",
        _AFTER_SIZE + size,
        b"WAVE",
        b"fmt ",
        16,
        1,
        channels,
        whole_rate,
        whole_rate * per_frame & 0xFFFFFFFF,
        per_frame,
        8 * _BYTES,
        b"data",
        size,
    )
    return header + _sixteen_bits(samples).tobytes()


def _sixteen_bits(samples: np.ndarray) -> np.ndarray:
    """Samples as integers: halves go away from zero, and what is no number is silence."""
    scaled = samples.astype(np.float64) * 32768
    rounded = np.trunc(scaled + np.copysign(0.5, scaled))
    result: np.ndarray = np.nan_to_num(np.clip(rounded, -32768, 32767), nan=0.0).astype("<i2")
    return result
