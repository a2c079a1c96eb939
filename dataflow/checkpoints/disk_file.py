"""DiskFile: a new file whose bytes go to the disk while more are made, past the page cache.

A copy of a large checkpoint in the page cache costs more than the disk does: the system has to find
fresh memory for all of it, and what other files have there goes.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import mmap
import os
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final

from dataflow.values.crc32c import crc32c

_PIECE: Final = 8 << 20
"""Bytes written at a time, from the beginning of a page: the disk wants whole blocks."""


class DiskFile:
    """Is written from its beginning to its end.

    Args:
      path: The file, which must not be there.

    Raises:
      OSError: It cannot be made.
    """

    def __init__(self, path: str) -> None:
        self._file = open(path, "xb", buffering=0)  # noqa: SIM115 - lives as long as this object
        self._piece = mmap.mmap(-1, _PIECE)
        self._used = 0
        self._spare: mmap.mmap | None = None
        self._writer: ThreadPoolExecutor | None = None
        self._written: Future[None] | None = None

    def write(self, data: Any, crc: int = 0) -> int:
        """Appends the bytes of a buffer.

        Args:
          data: Anything that gives a contiguous buffer.
          crc: The checksum of what comes before it.

        Returns:
          The checksum with these bytes.

        Raises:
          OSError: The disk failed, maybe for what was written before.
        """
        view = memoryview(data)
        # An empty buffer of some dimensions cannot be seen as bytes.
        rest = view.cast("B") if view.nbytes else memoryview(b"")
        while rest:
            part = rest[: _PIECE - self._used]
            rest = rest[len(part) :]
            self._piece[self._used : self._used + len(part)] = part
            self._used += len(part)
            if self._used == _PIECE:
                self._hand_over()
            crc = crc32c(part, crc)
        return crc

    def settle(self) -> None:
        """Waits until all of it is on the disk, and closes it.

        Raises:
          OSError: The disk failed.
        """
        self._wait()
        self._go_direct(False)
        self._put(memoryview(self._piece)[: self._used])
        os.fsync(self._file.fileno())
        self.close()

    def close(self) -> None:
        """Closes it, whatever of it is on the disk; a second time does nothing."""
        if self._writer is not None:
            self._writer.shutdown()
        self._file.close()

    def _hand_over(self) -> None:
        """Has a thread write the piece, which is full, and goes on with another one."""
        self._wait()
        if self._writer is None:
            self._writer = ThreadPoolExecutor(1)
            self._spare = mmap.mmap(-1, _PIECE)
            self._go_direct(True)
        assert self._spare is not None
        self._written = self._writer.submit(self._put, memoryview(self._piece))
        self._piece, self._spare, self._used = self._spare, self._piece, 0

    def _wait(self) -> None:
        if self._written is not None:
            self._written.result()

    def _put(self, data: memoryview) -> None:
        while data:
            try:
                data = data[os.write(self._file.fileno(), data) :]
            except OSError as error:
                # The disk's blocks are larger than pages, or only a part of one was written.
                if error.errno != errno.EINVAL or not self._go_direct(False):
                    raise

    def _go_direct(self, wanted: bool) -> bool:
        """Has the file leave out the page cache, if its file system can, or not; whether that is
        new."""
        direct = getattr(os, "O_DIRECT", 0)
        flags = fcntl.fcntl(self._file, fcntl.F_GETFL)
        changed = flags | direct if wanted else flags & ~direct
        with contextlib.suppress(OSError):
            fcntl.fcntl(self._file, fcntl.F_SETFL, changed)
        return changed != flags
