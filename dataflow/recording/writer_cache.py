"""tf.summary.FileWriterCache: one writer for each folder, whoever asks."""

from __future__ import annotations

import threading
from typing import Any, ClassVar

from dataflow.graph.scopes import get_default_graph
from dataflow.recording.file_writer import FileWriter


class FileWriterCache:
    """The writers of a program, by folder."""

    _writers: ClassVar[dict[Any, FileWriter]] = {}
    _lock: ClassVar[Any] = threading.RLock()

    @staticmethod
    def clear() -> None:
        """Closes and forgets all writers."""
        with FileWriterCache._lock:
            for writer in FileWriterCache._writers.values():
                writer.close()
            FileWriterCache._writers.clear()

    @staticmethod
    def get(logdir: Any) -> FileWriter:
        """The writer of a folder; it begins with the default graph at the time."""
        with FileWriterCache._lock:
            if logdir not in FileWriterCache._writers:
                FileWriterCache._writers[logdir] = FileWriter(logdir, graph=get_default_graph())
            return FileWriterCache._writers[logdir]
