"""Event files: their names, their first record, and how they grow by whole records."""

from __future__ import annotations

import os
import socket
import time
from typing import Final

from dataflow.proto.event_pb2 import Event
from dataflow.records.framing import framed
from dataflow.values.system_errors import system_errors

_VERSION: Final = "brain.Event:2"
_WRITER: Final = "dataflow.records.event_file"
_MOST_WAITING: Final = 1 << 20
"""Bytes that wait for `flush`; more are put into the file at once."""


class EventFile:
    """Appends events to a file, which ends with a whole record even if its process is killed.

    One thread at a time may use it.
    """

    _file: int | None = None

    def __init__(self, logdir: str, suffix: str = "", stem: str = "events") -> None:
        """Makes no file yet.

        Args:
          logdir: Its folder.
          suffix: Ends its name.
          stem: Begins its name.
        """
        self.path = ""
        """Of the file, once it has been opened."""
        self._stem = stem
        self._logdir = logdir
        self._suffix = suffix
        self._waiting: list[bytes] = []
        self._waiting_bytes = 0

    def open(self) -> None:
        """Makes the file, with the event that all begin with; has no effect on one that is open.

        Raises:
          NotFoundError: There is no such folder.
        """
        if self._file is not None:
            return
        now = int(time.time())
        with system_errors():
            self._file = self._new_file(now)
        first = Event(wall_time=now, file_version=_VERSION)
        first.source_metadata.writer = _WRITER
        self.write(first.SerializeToString())
        self.flush()

    def write(self, event: bytes) -> None:
        """Appends a serialized event; it may wait for `flush`. The first one opens the file."""
        self.open()
        data = framed(event)
        self._waiting.append(data)
        self._waiting_bytes += len(data)
        if self._waiting_bytes > _MOST_WAITING:
            self.flush()

    def flush(self) -> None:
        """Puts what waits into the file.

        Raises:
          OpError: The system refuses, for one that the disk is full.
        """
        if not self._waiting or self._file is None:
            return
        data, self._waiting, self._waiting_bytes = b"".join(self._waiting), [], 0
        size = os.fstat(self._file).st_size
        with system_errors():
            try:
                while data:
                    data = data[os.write(self._file, data) :]
            except BaseException:
                # Half a record would hide all that comes after it.
                os.ftruncate(self._file, size)
                raise

    def close(self) -> None:
        """Puts what waits into the file and closes it; the next event opens another one."""
        try:
            self.flush()
        finally:
            file, self._file = self._file, None
            if file is not None:
                os.close(file)

    def __del__(self) -> None:
        self.close()

    def _new_file(self, now: int) -> int:
        """A file that was not there. Readers sort files by name: a second file of one second bears
        the next."""
        while True:
            name = f"{self._stem}.out.tfevents.{now:010d}.{socket.gethostname()}{self._suffix}"
            self.path = os.path.join(self._logdir, name)
            try:
                return os.open(
                    self.path,
                    os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL,
                    0o644,
                )
            except FileExistsError:
                now += 1
