"""tf_record_iterator: the records of a file, compressed or not."""

from __future__ import annotations

import errno
import os
import stat
import weakref
import zlib
from collections.abc import Callable, Iterator
from typing import Any

from dataflow.errors import DataLossError
from dataflow.records.framing import FrameReader
from dataflow.records.options import TFRecordOptions, window_bits
from dataflow.values.system_errors import local_path, system_errors


class RecordIterator(Iterator[bytes]):
    """Iterates over the records of a file; goes on after the end if the file has grown."""

    def __init__(self, path: Any, compression: str = "") -> None:
        """Opens a file.

        Args:
          path: The file.
          compression: "ZLIB", "GZIP" or "".

        Raises:
          NotFoundError: There is no such file.
          FailedPreconditionError: It is a folder.
        """
        self._frames = FrameReader(open_bytes(path, compression), os.fsdecode(path))

    @property
    def offset(self) -> int:
        """Where the next record begins, in what is not compressed."""
        return self._frames.offset

    def __next__(self) -> bytes:
        record = self._frames.next()
        if record is None:
            raise StopIteration
        return record


def tf_record_iterator(path: Any, options: Any = None) -> Iterator[bytes]:
    """Iterates over the records of a file.

    Args:
      path: The file.
      options: A `TFRecordOptions`, `TFRecordCompressionType` or its name.

    Raises:
      NotFoundError: There is no such file.
      ValueError: There is no such compression.
      DataLossError: While iterating: the file is damaged.
    """
    return RecordIterator(path, TFRecordOptions.get_compression_type_string(options))


def open_bytes(path: Any, compression: str = "") -> Callable[[int], bytes]:
    """Opens a file; gives what returns the next bytes of it, none at the end.

    Args:
      path: The file.
      compression: "ZLIB", "GZIP" or "".

    Raises:
      NotFoundError: There is no such file.
      FailedPreconditionError: It is a folder.
    """
    name = local_path(path)
    read = _File(name).read
    return _Inflated(read, compression, name).read if compression else read


class _File:
    """A file that is read from its start, closed when nobody reads it any more."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._at = 0
        with system_errors():
            self._file = os.open(path, os.O_RDONLY)
            weakref.finalize(self, os.close, self._file)
            if stat.S_ISDIR(os.fstat(self._file).st_mode):
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)

    def read(self, count: int) -> bytes:
        try:
            data = os.pread(self._file, count, self._at)
        except OSError as error:
            error.filename = self._path
            with system_errors():
                raise
        self._at += len(data)
        return data


class _Inflated:
    """What a compressed stream held; one of gzip's may follow another."""

    def __init__(self, read: Callable[[int], bytes], compression: str, path: str) -> None:
        self._read = read
        self._bits = window_bits(compression)
        self._may_follow = compression == "GZIP"
        self._path = path
        self._stream = zlib.decompressobj(self._bits)
        self._compressed = b""

    def read(self, count: int) -> bytes:
        while True:
            self._compressed = self._compressed or self._read(count)
            if not self._compressed:
                return b""
            if self._stream.eof:
                if not self._may_follow:
                    return b""
                self._stream = zlib.decompressobj(self._bits)
            data = self._inflate(count)
            if data:
                return data

    def _inflate(self, count: int) -> bytes:
        try:
            data = self._stream.decompress(self._compressed, count)
        except zlib.error as error:
            # zlib's code, and what it says, stand around the same words each time.
            text = str(error).removeprefix("Error ").replace("while decompressing data: ", "", 1)
            code, _, why = text.partition(" ")
            raise DataLossError(
                None, None, f"{self._path}; inflate() failed with error {code}: {why}"
            ) from None
        self._compressed = self._stream.unconsumed_tail or self._stream.unused_data
        return data
