"""CRC-32C, the checksum of checkpoints and record files, and its masked form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import google_crc32c
import numpy as np

_MASK_DELTA = 0xA282EAD8
_PIECE = 1 << 18
"""Bytes copied at a time: the library takes `bytes` only, and this much stays in the cache."""


def crc32c(data: Any, start: int = 0) -> int:
    """The checksum of a bytes-like object.

    Args:
      data: Anything that gives a contiguous buffer.
      start: The checksum of what comes before it.
    """
    if isinstance(data, bytes):
        return int(google_crc32c.extend(start, data))
    view = memoryview(data)
    if not view.nbytes:
        return start
    view = view.cast("B")
    for at in range(0, len(view), _PIECE):
        start = google_crc32c.extend(start, bytes(view[at : at + _PIECE]))
    return start


def masked(crc: int) -> int:
    """The form in which a checksum is stored beside the data that it covers."""
    return (((crc >> 15) | (crc << 17)) + _MASK_DELTA) & 0xFFFFFFFF


def masked_of(data: bytes) -> int:
    """The stored form of the checksum of some bytes."""
    crc: int = google_crc32c.value(data)
    return (((crc >> 15) | (crc << 17)) + _MASK_DELTA) & 0xFFFFFFFF


def masked_of_all(pieces: Sequence[bytes]) -> Any:
    """The stored forms of the checksums of many pieces, as a vector of uint32."""
    crcs = np.fromiter(map(google_crc32c.value, pieces), np.uint32, len(pieces))
    return ((crcs >> 15) | (crcs << 17)) + np.uint32(_MASK_DELTA)
