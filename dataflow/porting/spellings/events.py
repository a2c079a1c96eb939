"""tensorflow.python.pywrap_tensorflow and training.summary_io: writers of event files."""

from __future__ import annotations

import os
from typing import Any

from dataflow.proto.event_pb2 import Event
from dataflow.recording.writer_cache import FileWriterCache
from dataflow.records.event_file import EventFile

SummaryWriterCache = FileWriterCache


class EventsWriter:
    """Appends events to a file `PREFIX.out.tfevents.TIME.HOST`, which the first one makes."""

    def __init__(self, file_prefix: Any) -> None:
        """Makes no file yet.

        Args:
          file_prefix: Its folder, a slash and the beginning of its name, as text or bytes.
        """
        self._folder, self._stem = os.path.split(os.fsdecode(file_prefix))
        self._file = EventFile(self._folder or ".", stem=self._stem)

    def InitWithSuffix(self, suffix: Any) -> None:
        """Makes the file, its name ended by a suffix.

        Raises:
          NotFoundError: There is no such folder.
        """
        self._file = EventFile(self._folder or ".", os.fsdecode(suffix), self._stem)
        self._file.open()

    def FileName(self) -> bytes:
        """Of the file, which this makes if it is not there."""
        self._file.open()
        return os.fsencode(self._file.path)

    def _WriteSerializedEvent(self, event_str: bytes) -> None:
        self._file.write(event_str)

    def WriteEvent(self, event: Any) -> None:
        """Appends an Event.

        Raises:
          TypeError: This is none.
        """
        if not isinstance(event, Event):
            raise TypeError(f"Expected an event_pb2.Event proto,  but got {type(event)}")
        self._WriteSerializedEvent(event.SerializeToString())

    def Flush(self) -> bool:
        """Puts what waits into the file; true, for errors are raised."""
        self._file.flush()
        return True

    def Close(self) -> bool:
        """Puts what waits into the file and closes it; the next event makes another."""
        self._file.close()
        return True
