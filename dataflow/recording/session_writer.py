"""A writer of event files that a session holds: nodes of its graph open, write and close it."""

from __future__ import annotations

import os
from typing import Any

from dataflow.graph import scopes
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.placeholder import placeholder_with_default
from dataflow.proto.event_pb2 import Event
from dataflow.recording.resource_writer import create_file_writer, import_event
from dataflow.session.session import Session
from dataflow.values import dtypes
from dataflow.values.system_errors import system_errors


class SessionEventWriter:
    """Writes events to a file of the device on which its nodes are.

    Writers of one folder in one session are one: what is said when the first is made holds.
    """

    def __init__(
        self,
        session: Session,
        logdir: Any,
        max_queue: int = 10,
        flush_secs: float = 120,
        filename_suffix: Any = "",
    ) -> None:
        """Adds nodes to the session's graph, and makes the folder and the file.

        Args:
          session: Holds the writer.
          logdir: The folder.
          max_queue: How many events may wait.
          flush_secs: How long they may wait, if another one comes then.
          filename_suffix: Ends the file's name; ".v2" if None.
        """
        self._session = session
        self._logdir = logdir
        self._closed = False
        with system_errors():
            os.makedirs(logdir or ".", exist_ok=True)
        with session.graph.as_default(), scopes.name_scope("filewriter"):
            writer = create_file_writer(logdir, max_queue, flush_secs * 1000, filename_suffix)
            with writer.as_default():
                unused = constant("unused", dtypes.string)
                self._event = placeholder_with_default(unused, shape=[])
                self._write_op = import_event(self._event)
            self._init_op = writer.init()
            self._flush_op = writer.flush()
            self._close_op = writer.close()
        session.run(self._init_op)

    def get_logdir(self) -> Any:
        """The folder."""
        return self._logdir

    def reopen(self) -> None:
        """Goes on in another file; has no effect unless the writer is closed."""
        if self._closed:
            self._closed = False
            self._session.run(self._init_op)

    def add_event(self, event: Event) -> None:
        """Writes an event; has no effect on a writer that is closed."""
        if not self._closed:
            self._session.run(self._write_op, {self._event: event.SerializeToString()})

    def flush(self) -> None:
        """Puts what waits into the file.

        Raises:
          NotFoundError: The writer is closed.
        """
        self._session.run(self._flush_op)

    def close(self) -> None:
        """Writes what waits and closes the file; has no effect on a writer that is closed."""
        if not self._closed:
            self.flush()
            self._session.run(self._close_op)
            self._closed = True
