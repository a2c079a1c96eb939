"""How records stand in a file: the length, its checksum, the data, their checksum."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Final

from dataflow.errors import DataLossError
from dataflow.values.crc32c import crc32c, masked

_LENGTH: Final = struct.Struct("<Q")
_CRC: Final = struct.Struct("<I")
_HEADER: Final = _LENGTH.size + _CRC.size
_PIECE: Final = 1 << 18
"""Bytes that are asked for at once: a length that was made up costs no memory."""


def framed(data: bytes) -> bytes:
    """A record as it stands in a file."""
    length = _LENGTH.pack(len(data))
    return b"".join(
        (length, _CRC.pack(masked(crc32c(length))), data, _CRC.pack(masked(crc32c(data))))
    )


class FrameReader:
    """Takes records out of a stream of bytes; may be asked again after the end, which may grow."""

    def __init__(self, read: Callable[[int], bytes], path: str) -> None:
        """Reads nothing yet.

        Args:
          read: Gives the next bytes, as many as it is asked for at most; none at the end.
          path: The file, for messages.
        """
        self._read = read
        self._path = path
        self._ahead = bytearray()
        self.offset = 0
        """Where the next record begins."""

    def next(self) -> bytes | None:
        """The next record; None at the end, where a length may have been written in part.

        Raises:
          DataLossError: A checksum is wrong, or the file ends within the record. What comes next
            is the same record once more.
        """
        if not self._has(_HEADER):
            return None
        length = bytes(self._ahead[: _LENGTH.size])
        if not self._is_sound(length, _LENGTH.size):
            doubt = "" if self.offset else " (Is this even a TFRecord file?)"
            raise self._loss(f"corrupted record at {self.offset}{doubt}")
        (size,) = _LENGTH.unpack(length)
        end = _HEADER + size
        if not self._has(end + _CRC.size):
            raise self._loss(
                f"truncated record at {self.offset}' failed with Read less bytes than requested"
            )
        data = bytes(memoryview(self._ahead)[_HEADER:end])
        if not self._is_sound(data, end):
            raise self._loss(f"corrupted record at {self.offset + _HEADER}")
        del self._ahead[: end + _CRC.size]
        self.offset += end + _CRC.size
        return data

    def _has(self, count: int) -> bool:
        """Reads on until there are so many bytes ahead; False if the stream ends before."""
        while len(self._ahead) < count:
            piece = self._read(_PIECE)
            if not piece:
                return False
            self._ahead += piece
        return True

    def _is_sound(self, data: bytes, crc_at: int) -> bool:
        (stored,) = _CRC.unpack_from(self._ahead, crc_at)
        return bool(masked(crc32c(data)) == stored)

    def _loss(self, text: str) -> DataLossError:
        return DataLossError(None, None, f"{self._path}; {text}")
