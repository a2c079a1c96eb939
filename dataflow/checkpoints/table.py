"""Sorted tables in files, read: keys and values in blocks with checksums, and an index of blocks.

Source of the format: https://github.com/google/leveldb/blob/main/doc/table_format.md.
"""

from __future__ import annotations

import bisect
import os
from collections.abc import Iterator
from typing import Final

from dataflow.checkpoints.snappy import decompress
from dataflow.checkpoints.varints import read_varint
from dataflow.errors import DataLossError
from dataflow.values.crc32c import crc32c, masked

MAGIC: Final = 0xDB4775248B80FB57.to_bytes(8, "little")
FOOTER: Final = 48
TRAILER: Final = 5
PLAIN, SNAPPY = 0, 1


class Table:
    """A table in a file; blocks are read when they are asked for.

    Args:
      path: The file.

    Raises:
      DataLossError: The file is no table, or is damaged where it is read.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._size = os.path.getsize(path)
        footer = self._bytes(self._size - FOOTER, FOOTER) if self._size >= FOOTER else b""
        if footer[-8:] != MAGIC:
            raise self.damaged("not an sstable (bad magic number)")
        try:
            _, at = _handle(footer, 0)
            (offset, size), _ = _handle(footer, at)
        except ValueError as error:
            raise self.damaged(f"footer: {error}") from None
        self._index = list(self._block(offset, size))

    def damaged(self, why: str) -> DataLossError:
        """The error that names the file."""
        return DataLossError(None, None, f"{self._path}: {why}")

    def __iter__(self) -> Iterator[tuple[bytes, bytes]]:
        """All keys, in order, with their values."""
        for _, handle in self._index:
            yield from self._block(*self._place(handle))

    def get(self, key: bytes) -> bytes | None:
        """The value of a key, or None."""
        at = bisect.bisect_left(self._index, key, key=lambda entry: entry[0])
        if at == len(self._index):
            return None
        block = self._block(*self._place(self._index[at][1]))
        return next((value for found, value in block if found == key), None)

    def _place(self, handle: bytes) -> tuple[int, int]:
        try:
            return _handle(handle, 0)[0]
        except ValueError as error:
            raise self.damaged(f"index: {error}") from None

    def _bytes(self, offset: int, size: int) -> bytes:
        with open(self._path, "rb") as file:
            file.seek(offset)
            return file.read(size)

    def _block(self, offset: int, size: int) -> Iterator[tuple[bytes, bytes]]:
        where = f"block at byte {offset}"
        if offset + size + TRAILER > self._size - FOOTER:
            raise self.damaged(f"{where}: goes past the end of the file (truncated block read)")
        data = self._bytes(offset, size + TRAILER)
        stored = int.from_bytes(data[size + 1 :], "little")
        if masked(crc32c(data[: size + 1])) != stored:
            raise self.damaged(f"{where}: block checksum mismatch")
        kind, data = data[size], data[:size]
        try:
            if kind == SNAPPY:
                data = decompress(data)
            elif kind != PLAIN:
                raise ValueError(f"unknown compression {kind}")
            yield from _entries(data)
        except ValueError as error:
            raise self.damaged(f"{where}: {error}") from None


def _handle(data: bytes, at: int) -> tuple[tuple[int, int], int]:
    offset, at = read_varint(data, at)
    size, at = read_varint(data, at)
    return (offset, size), at


def _entries(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    restarts = int.from_bytes(data[-4:], "little")
    end = len(data) - 4 * (restarts + 1)
    if end < 0:
        raise ValueError("more restart points than it has room for")
    key, at = b"", 0
    while at < end:
        shared, at = read_varint(data, at)
        own, at = read_varint(data, at)
        size, at = read_varint(data, at)
        if shared > len(key) or at + own + size > end:
            raise ValueError("an entry goes past its end")
        key = key[:shared] + data[at : at + own]
        at += own
        yield key, data[at : at + size]
        at += size
