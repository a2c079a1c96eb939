"""DiskFile: a new file whose bytes go to the disk while more are written."""

from __future__ import annotations

import os
import threading
from typing import Any

from dataflow.checkpoints.places import settle

_PIECE = 8 << 20
"""Bytes written at a time."""
_AHEAD = 64 << 20
"""Bytes after which the disk is told to begin."""


class DiskFile:
    """Is written from its beginning to its end.

    The disk is written to while values are copied and their checksums made: waiting for it at the
    end alone would take as long again.

    Args:
      path: The file, which must not be there.

    Raises:
      OSError: It cannot be made.
    """

    def __init__(self, path: str) -> None:
        self._file = open(path, "xb")  # noqa: SIM115 - lives as long as this object
        self._waiting = 0
        self._begun = threading.Semaphore(0)
        self._is_ending = False
        self._error: OSError | None = None
        self._thread: threading.Thread | None = None

    def write(self, data: Any) -> None:
        """Appends the bytes of a buffer."""
        view = memoryview(data)
        for start in range(0, len(view), _PIECE):
            self._waiting += self._file.write(view[start : start + _PIECE])
            if self._waiting >= _AHEAD:
                self._waiting = 0
                self._begin()

    def settle(self) -> None:
        """Waits until all of it is on the disk, and closes it.

        Raises:
          OSError: The disk failed.
        """
        self._end_thread()
        settle(self._file)
        if self._error is not None:
            # It was told to that thread, and is told to nobody else.
            raise self._error

    def close(self) -> None:
        """Closes it, whatever of it is on the disk; a second time does nothing."""
        self._end_thread()
        self._file.close()

    def _begin(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._push, daemon=True)
            self._thread.start()
        self._begun.release()

    def _push(self) -> None:
        while True:
            self._begun.acquire()
            if self._is_ending:
                return
            try:
                os.fsync(self._file.fileno())
            except OSError as error:
                self._error = error
                return

    def _end_thread(self) -> None:
        if self._thread is not None:
            self._is_ending = True
            self._begun.release()
            self._thread.join()
            self._thread = None
