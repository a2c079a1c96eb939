"""How records stand in a file: the length, its checksum, the data, their checksum."""

from __future__ import annotations

import functools
import struct
from collections.abc import Callable
from typing import Final

import numpy as np

from dataflow.errors import DataLossError
from dataflow.values.crc32c import crc32c, masked, masked_of, masked_of_all

_LENGTH: Final = struct.Struct("<Q")
_CRC: Final = struct.Struct("<I")
_HEAD: Final = struct.Struct("<QI")
_BETWEEN: Final = struct.Struct("<IQI")
"""The checksum of a record, and what stands before the data of the next one."""
_HEADER: Final = _LENGTH.size + _CRC.size
_PIECE: Final = 1 << 18
"""Bytes that are asked for at once: a length that was made up costs no memory."""


@functools.lru_cache(1024)
def _check_of_length(size: int) -> int:
    """The checksum that stands behind a length: many records of a file have the same."""
    return masked_of(_LENGTH.pack(size))


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
        self._ahead = b""
        self._at = 0
        """Where the next record begins in what was read ahead,"""
        self.offset = 0
        """and where in the stream."""
        self._records: list[bytes] = []
        """What has been read of the records that come next, the first one at the end."""

    def next(self) -> bytes | None:
        """The next record; None at the end, where a length may have been written in part.

        Raises:
          DataLossError: A checksum is wrong, or the file ends within the record. What comes next
            is the same record once more.
        """
        records = self._records
        if not records:
            self._records = records = self._whole_ones()
            if not records:
                return self._single()
            records.reverse()
        data = records.pop()
        self.offset += _HEADER + len(data) + _CRC.size
        return data

    def ahead(self, most: int) -> list[bytes]:
        """Takes the records that come next, `most` or fewer, of those that were read already."""
        found = self._records[: -most - 1 : -1]
        del self._records[-most:]
        self.offset += (_HEADER + _CRC.size) * len(found) + sum(map(len, found))
        return found

    def _whole_ones(self) -> list[bytes]:
        """Takes the records of what was read ahead that are undamaged and have another behind."""
        at, ahead = self._at, self._ahead
        found: list[bytes] = []
        stop = len(ahead)
        if at + _HEADER > stop:
            return found
        checks: list[int] = []
        take, check, unpack = found.append, checks.append, _BETWEEN.unpack_from
        header, between = _HEADER, _BETWEEN.size
        last = stop - between
        size, seen = _HEAD.unpack_from(ahead, at)
        begin = at + header
        while (end := begin + size) <= last and _check_of_length(size) == seen:
            take(ahead[begin:end])
            own, size, seen = unpack(ahead, end)
            check(own)
            begin = end + between
        at = begin - header
        right = masked_of_all(found) == np.array(checks, np.uint32)
        if not right.all():
            damaged = found[int(right.argmin()) :]
            at -= (_HEADER + _CRC.size) * len(damaged) + sum(map(len, damaged))
            del found[-len(damaged) :]
        self._at = at
        return found

    def _single(self) -> bytes | None:
        at, ahead = self._at, self._ahead
        if len(ahead) - at < _HEADER:
            if not self._has(_HEADER):
                return None
            at, ahead = self._at, self._ahead
        size, check = _HEAD.unpack_from(ahead, at)
        if _check_of_length(size) != check:
            doubt = "" if self.offset else " (Is this even a TFRecord file?)"
            raise self._loss(f"corrupted record at {self.offset}{doubt}")
        whole = _HEADER + size + _CRC.size
        if len(ahead) - at < whole:
            if not self._has(whole):
                raise self._loss(
                    f"truncated record at {self.offset}' failed with Read less bytes than requested"
                )
            at, ahead = self._at, self._ahead
        end = at + _HEADER + size
        data = ahead[at + _HEADER : end]
        if masked_of(data) != _CRC.unpack_from(ahead, end)[0]:
            raise self._loss(f"corrupted record at {self.offset + _HEADER}")
        self._at = at + whole
        self.offset += whole
        return data

    def _has(self, count: int) -> bool:
        """Reads on until there are so many bytes ahead; False if the stream ends before."""
        pieces = [self._ahead[self._at :]]
        missing = count - len(pieces[0])
        while missing > 0 and (piece := self._read(_PIECE)):
            pieces.append(piece)
            missing -= len(piece)
        self._ahead, self._at = b"".join(pieces), 0
        return missing <= 0

    def _loss(self, text: str) -> DataLossError:
        return DataLossError(None, None, f"{self._path}; {text}")
