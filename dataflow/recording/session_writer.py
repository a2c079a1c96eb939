"""A writer of event files that a session holds: nodes of its graph open, write and close it."""

from __future__ import annotations

import os
from typing import Any, Final

from dataflow.graph import scopes
from dataflow.graph.apply_op import apply_op
from dataflow.graph.operation import Operation
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.placeholder import placeholder_with_default
from dataflow.ops.basic.single import single
from dataflow.proto.event_pb2 import Event
from dataflow.session.session import Session
from dataflow.values import dtypes
from dataflow.values.system_errors import system_errors

_CPU: Final = "cpu:0"
_INIT_OPS: Final = "_SUMMARY_WRITER_V2"
"""The collection of what makes writers."""


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
            os.makedirs(logdir, exist_ok=True)
        with session.graph.as_default(), scopes.name_scope("filewriter"):
            with scopes.device(_CPU):
                if filename_suffix is None:
                    filename_suffix = constant(".v2")
                name = f"logdir:{logdir}"
                self._writer = single("SummaryWriter", shared_name=name, name="SummaryWriter")
                self._arguments = (str(logdir), max_queue, flush_secs * 1000, filename_suffix)
                scopes.add_to_collection(_INIT_OPS, self._added("CreateSummaryFileWriter"))
            unused = constant("unused", dtypes.string)
            self._event = placeholder_with_default(unused, shape=[])
            self._write_op: Operation = apply_op("ImportEvent", self._writer, self._event)
            with scopes.device(_CPU):
                apply_op("FlushSummaryWriter", self._writer)
            # Of each kind TensorFlow's graphs have one that nobody runs.
            self._init_op = self._added("CreateSummaryFileWriter")
            with scopes.device(_CPU):
                self._flush_op: Operation = apply_op("FlushSummaryWriter", self._writer)
                last_flush: Operation = apply_op("FlushSummaryWriter", self._writer)
                with scopes.control_dependencies([last_flush]):
                    self._close_op: Operation = apply_op("CloseSummaryWriter", self._writer)
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

    def _added(self, op_type: str) -> Operation:
        operation: Operation = apply_op(op_type, self._writer, *self._arguments)
        return operation
