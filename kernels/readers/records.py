"""The records of files of each kind, with their keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from dataflow.errors import OutOfRangeError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.readers.reader import Record
from dataflow.records.reading import RecordIterator, open_bytes
from dataflow.values.system_errors import local_path, system_errors

_PIECE = 1 << 18


def whole_file(path: bytes) -> bytes:
    """What a file holds.

    Raises:
      NotFoundError: There is none, or it is a folder.
    """
    with system_errors(), open(file_name(path), "rb") as file:
        return file.read()


def file_name(path: bytes) -> str:
    """The name of a file, as Python has it.

    Raises:
      InvalidArgumentError: No file can have it.
    """
    if b"\0" in path:
        raise invalid(f"No file has a name with a zero in it: {path!r}")
    return local_path(path)


def identity_record(path: bytes) -> Iterator[Record]:
    """The name itself."""
    return iter([(path, path)])


def file_record(path: bytes) -> Iterator[Record]:
    """A file as one record."""
    return iter([(path, whole_file(path))])


def text_lines(skipped: int) -> Callable[[bytes], Iterator[Record]]:
    """The lines of a file but the first `skipped`; keys are `name:line`."""

    def open_file(path: bytes) -> Iterator[Record]:
        return lines(path + b":", open_bytes(file_name(path)))

    def lines(prefix: bytes, read: Callable[[int], bytes]) -> Iterator[Record]:
        for number, line in enumerate(_lines(read), 1):
            if number > skipped:
                yield prefix + b"%d" % number, line

    return open_file


def _lines(read: Callable[[int], bytes]) -> Iterator[bytes]:
    """The lines of a stream of bytes, without their ends; an empty one at the end is none."""
    parts: list[bytes] = []
    while piece := read(_PIECE):
        first, *rest = piece.split(b"\n")
        parts.append(first)
        if rest:
            yield b"".join(parts).removesuffix(b"\r")
            parts = [rest.pop()]
            for line in rest:
                yield line.removesuffix(b"\r")
    if last := b"".join(parts):
        yield last


class _FixedLength(Iterator[Record]):
    """Records of one length; what stands before and behind them is left out."""

    def __init__(
        self, path: bytes, header: int, record: int, footer: int, hop: int, encoding: str
    ) -> None:
        self._read = open_bytes(file_name(path), encoding)
        self._prefix = path + b":"
        self._record, self._footer, self._hop = record, footer, hop
        self._number = 0
        self._ahead = bytearray()
        if not self._has(header):
            raise OutOfRangeError(None, None, "reached end of file")
        del self._ahead[:header]

    def __next__(self) -> Record:
        if not self._has(self._record + self._footer):
            raise StopIteration
        found = self._prefix + b"%d" % self._number, bytes(self._ahead[: self._record])
        self._number += 1
        if self._has(self._hop):
            del self._ahead[: self._hop]
        else:
            self._ahead.clear()
        return found

    def _has(self, count: int) -> bool:
        while len(self._ahead) < count:
            piece = self._read(_PIECE)
            if not piece:
                return False
            self._ahead += piece
        return True


def fixed_length(
    header: int, record: int, footer: int, hop: int, encoding: str
) -> Callable[[bytes], Iterator[Record]]:
    """Records of one length, `hop` bytes from start to start; keys are `name:number`."""
    return lambda path: _FixedLength(path, header, record, footer, hop, encoding)


class _Framed(Iterator[Record]):
    """The records of a TFRecord file; where one is damaged, it stays."""

    def __init__(self, path: bytes, compression: str) -> None:
        self._prefix = path + b":"
        self._records = RecordIterator(file_name(path), compression)

    def __next__(self) -> Record:
        key = self._prefix + b"%d" % self._records.offset
        return key, next(self._records)


def framed(compression: str) -> Callable[[bytes], Iterator[Record]]:
    """The records of a TFRecord file; keys are `name:offset`."""
    return lambda path: _Framed(path, compression)
