"""Datasets of what is in files: lines, records, records of a fixed length, and the files' names."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from dataflow.errors import DataLossError, OpError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.datasets.dataset import Dataset, Element, Stage
from dataflow.kernels.datasets.run import Run
from dataflow.records.framing import FrameReader
from dataflow.records.globs import matching_paths
from dataflow.records.reading import open_bytes
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape
from dataflow.values.system_errors import local_path, system_errors

Next = Callable[[], Any]
"""Gives what comes next in a file, or None at its end."""


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """An open file."""

    next: Next
    ahead: Callable[[int], list[bytes]] = lambda most: []
    """Takes so many at most of what comes next, as far as it is at hand."""


COMPRESSIONS: Final = ("", "ZLIB", "GZIP")
_PIECE: Final = 1 << 18
_SCALAR: Final = TensorShape(())


class FileDataset(Dataset):
    """Base of datasets of strings that are in files, one file after the other."""

    __slots__ = ("compression", "names", "starts")

    def __init__(
        self, names: Sequence[bytes], compression: bytes, starts: Sequence[int] = ()
    ) -> None:
        """Takes the files.

        Args:
          names: Their names.
          compression: How they are compressed.
          starts: Where each begins; empty for at its start.

        Raises:
          InvalidArgumentError: There is no such compression.
        """
        super().__init__((dtypes.string,), (_SCALAR,))
        self.names = names
        self.compression = compression.decode(errors="replace")
        self.starts = starts
        if self.compression not in COMPRESSIONS:
            raise invalid("Unsupported compression_type.")

    def open(self, name: bytes, start: int) -> Reading:
        """Opens a file."""
        raise NotImplementedError

    def start(self, run: Run) -> Stage:
        return FileStage(run, self)


class FileStage(Stage):
    """Reads files one after the other; one that is damaged is left at the first error."""

    __slots__ = ("_dataset", "_error", "_place", "_reading")

    def __init__(self, run: Run, dataset: FileDataset) -> None:
        """Opens no file before an element is asked for."""
        super().__init__(run)
        self.gives_many = True
        self._dataset = dataset
        self._place = 0
        self._reading: Reading | None = None
        self._error: OpError | None = None
        """Stands in the place of the next element."""

    def take(self, most: int) -> Sequence[Element]:
        first = self.next()
        if first is None:
            return ()
        taken, reading = [first], self._reading
        assert reading is not None
        try:
            while missing := most - len(taken):
                if found := reading.ahead(missing):
                    taken.extend(zip(found, strict=True))
                elif (value := reading.next()) is not None:
                    taken.append((value,))
                else:
                    break
        except OpError as error:
            self._error = error
        return taken

    def next(self) -> Element | None:
        dataset = self._dataset
        while True:
            if self._error is not None:
                error, self._error, self._reading = self._error, None, None
                raise error
            if self._reading is None:
                if self._place >= len(dataset.names):
                    return None
                self.run.check()
                name = dataset.names[self._place]
                start = dataset.starts[self._place] if dataset.starts else 0
                with system_errors():
                    self._reading = dataset.open(name, start)
                # One that cannot be opened stays the next one.
                self._place += 1
            try:
                value = self._reading.next()
            except OpError:
                self._reading = None
                raise
            if value is not None:
                return (value,)
            self._reading = None


class TextLineDataset(FileDataset):
    """The lines of text files, without what ends them."""

    kind = "TextLine"
    __slots__ = ()

    def open(self, name: bytes, start: int) -> Reading:
        lines = _Lines(open_bytes(name, self.compression))
        return Reading(lines.next, lines.ahead)


class _Lines:
    """Takes lines out of a stream of bytes."""

    def __init__(self, read: Callable[[int], bytes]) -> None:
        self._read = read
        self._lines: list[bytes] = []
        self._rest = b""
        self._over = False

    def next(self) -> bytes | None:
        while not self._lines:
            if self._over:
                return None
            pieces = [self._rest]
            while piece := self._read(_PIECE):
                pieces.append(piece)
                if b"\n" in piece:
                    break
            self._over = not piece
            lines = b"".join(pieces).replace(b"\r", b"").split(b"\n")
            self._rest = b"" if self._over and not lines[-1] else lines[-1]
            if not self._over or not self._rest:
                lines.pop()
            lines.reverse()
            self._lines = lines
        return self._lines.pop()

    def ahead(self, most: int) -> list[bytes]:
        """Takes the lines that come next, `most` or fewer, of those that were read already."""
        found = self._lines[: -most - 1 : -1]
        del self._lines[-most:]
        return found


class TFRecordDataset(FileDataset):
    """The records of files of TensorFlow's record format."""

    kind = "TFRecord"
    __slots__ = ()

    def open(self, name: bytes, start: int) -> Reading:
        read = open_bytes(name, self.compression)
        left = start
        while left > 0:
            piece = read(min(left, _PIECE))
            if not piece:
                break
            left -= len(piece)
        records = FrameReader(read, os.fsdecode(name))
        return Reading(records.next, records.ahead)


class FixedLengthRecordDataset(FileDataset):
    """Pieces of one length of files, without what stands before and behind all of them."""

    kind = "FixedLengthRecord"
    __slots__ = ("footer", "header", "size")

    def __init__(
        self, names: Sequence[bytes], compression: bytes, header: int, size: int, footer: int
    ) -> None:
        """Takes the numbers of bytes of the header, of a record and of the footer.

        Raises:
          InvalidArgumentError: One is out of range.
        """
        super().__init__(names, compression)
        if header < 0:
            raise invalid("`header_bytes` must be >= 0")
        if size <= 0:
            raise invalid("`record_bytes` must be > 0")
        if footer < 0:
            raise invalid("`footer_bytes` must be >= 0")
        self.header, self.size, self.footer = header, size, footer

    def open(self, name: bytes, start: int) -> Reading:
        read = open_bytes(name, self.compression)
        path = local_path(name)
        if self.compression:
            return Reading(_FixedRecords(read, path, self.header, self.size, self.footer).next)
        total = os.path.getsize(path)
        body = total - self.header - self.footer
        if body % self.size:
            raise invalid(
                f"Excluding the header ({self.header} bytes) and footer ({self.footer} bytes), "
                f'input file "{path}" has body length {body} bytes, which is not an exact multiple '
                f"of the record length ({self.size} bytes)."
            )
        return Reading(_FixedRecords(read, path, self.header, self.size, self.footer).next)


class _FixedRecords:
    """Takes records of one length out of a stream of bytes, and leaves the footer."""

    def __init__(
        self,
        read: Callable[[int], bytes],
        path: str,
        header: int,
        size: int,
        footer: int,
    ) -> None:
        self._read = read
        self._path = path
        self._skip = header
        self._size = size
        self._footer = footer
        self._ahead = bytearray()

    def next(self) -> bytes | None:
        if self._skip:
            if not self._has(self._skip):
                return None
            del self._ahead[: self._skip]
            self._skip = 0
        if not self._has(self._size + self._footer):
            left = len(self._ahead) - self._footer
            if left > 0:
                self._ahead.clear()
                raise DataLossError(
                    None, None, f"Excessive data at the end of {self._path}: {left} bytes"
                )
            return None
        record = bytes(memoryview(self._ahead)[: self._size])
        del self._ahead[: self._size]
        return record

    def _has(self, count: int) -> bool:
        while len(self._ahead) < count:
            piece = self._read(_PIECE)
            if not piece:
                return False
            self._ahead += piece
        return True


class MatchingFilesDataset(FileDataset):
    """The names of the files that match patterns, in order."""

    kind = "MatchingFiles"
    __slots__ = ()

    def start(self, run: Run) -> Stage:
        return _NamesStage(run, self.names)


class _NamesStage(Stage):
    __slots__ = ("_names", "_patterns")

    def __init__(self, run: Run, patterns: Sequence[bytes]) -> None:
        super().__init__(run)
        self._patterns: Sequence[bytes] | None = patterns
        self._names: list[bytes] = []

    def next(self) -> Element | None:
        if self._patterns is not None:
            patterns, self._patterns = self._patterns, None
            self._names = matching(patterns)[::-1]
        return (self._names.pop(),) if self._names else None


def matching(patterns: Sequence[bytes]) -> list[bytes]:
    """The names of the files and folders that match patterns, in order."""
    paths = [path for pattern in patterns for path in matching_paths(os.fsdecode(pattern))]
    return sorted(map(os.fsencode, paths))
