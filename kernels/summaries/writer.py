"""Writers of event files that live on a device; a handle is the writer itself."""

from __future__ import annotations

import itertools
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from dataflow.errors import NotFoundError
from dataflow.proto.event_pb2 import Event
from dataflow.records.event_file import EventFile
from dataflow.values.system_errors import system_errors

_NUMBERS: Final = itertools.count()
_KIND: Final = "N10tensorflow22SummaryWriterInterfaceE"
"""What error texts of TensorFlow's call this resource."""


class SummaryWriter:
    """The writer of a name, which has an event file between `create` and `close`."""

    def __init__(self, path: str) -> None:
        """A writer without a file.

        Args:
          path: Container and name, for messages.
        """
        self._path = path
        self._lock = threading.Lock()
        self._file: EventFile | None = None
        self._waiting = 0
        self._most_waiting = 0
        self._flush_seconds = 0.0
        self._last_flush = 0.0

    def create(self, logdir: str, max_queue: int, flush_millis: int, suffix: str) -> None:
        """Makes the folder and the file, unless there is a file.

        Args:
          logdir: The folder.
          max_queue: How many events may wait for a flush.
          flush_millis: How long they may wait, if another one comes then.
          suffix: Ends the file's name.
        """
        with self._lock:
            if self._file is not None:
                return
            with system_errors():
                os.makedirs(logdir, exist_ok=True)
            file = EventFile(logdir, f".{os.getpid()}.{next(_NUMBERS)}{suffix}")
            file.open()
            self._file = file
            self._waiting, self._last_flush = 0, time.monotonic()
            self._most_waiting, self._flush_seconds = max_queue, flush_millis / 1000

    def write_event(self, event: Event) -> None:
        """Appends an event.

        Raises:
          NotFoundError: There is no file.
        """
        with self._opened() as file:
            file.write(event.SerializeToString())
            self._waiting += 1
            late = time.monotonic() - self._last_flush > self._flush_seconds
            if late or self._waiting > self._most_waiting:
                self._flush(file)

    def flush(self) -> None:
        """Puts into the file what waits.

        Raises:
          NotFoundError: There is no file.
        """
        with self._opened() as file:
            self._flush(file)

    def close(self) -> None:
        """Closes the file; `create` makes another one.

        Raises:
          NotFoundError: There is no file.
        """
        with self._opened() as file:
            self._file = None
            file.close()

    @contextmanager
    def _opened(self) -> Iterator[EventFile]:
        with self._lock:
            if self._file is None:
                raise NotFoundError(
                    None,
                    None,
                    f"Resource {self._path}/{_KIND} does not exist. CreateSummaryFileWriter makes "
                    "it, and CloseSummaryWriter ends it.",
                )
            yield self._file

    def _flush(self, file: EventFile) -> None:
        file.flush()
        self._waiting, self._last_flush = 0, time.monotonic()
