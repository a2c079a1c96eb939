"""tf.summary.FileWriter: writes summaries, graphs and what else a run shows to an event file."""

from __future__ import annotations

import time
import warnings
from types import TracebackType
from typing import TYPE_CHECKING, Any

from dataflow.graph.graph import Graph
from dataflow.proto.config_pb2 import RunMetadata
from dataflow.proto.event_pb2 import Event, SessionLog, TaggedRunMetadata
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.proto.meta_graph_pb2 import MetaGraphDef
from dataflow.proto.summary_pb2 import Summary
from dataflow.recording.event_thread import EventFileWriter
from dataflow.recording.plugin_assets import write_plugin_assets
from dataflow.recording.session_writer import SessionEventWriter
from dataflow.saving.meta_graph.export import export_meta_graph
from dataflow.session.session import Session
from dataflow.values import logging

if TYPE_CHECKING:
    from typing_extensions import Self


class FileWriter:
    """Writes events to a file of a folder, on a thread of its own; TensorBoard shows them.

    A `with` statement closes it.
    """

    def __init__(
        self,
        logdir: Any,
        graph: Graph | GraphDef | None = None,
        max_queue: int = 10,
        flush_secs: float = 120,
        graph_def: Any = None,
        filename_suffix: str | None = None,
        session: Session | None = None,
    ) -> None:
        """Makes the folder.

        Args:
          logdir: The folder; each writer has a file of its own there.
          graph: A graph to write first, and as a MetaGraph with the default graph's collections.
          max_queue: How many events may wait before methods do.
          flush_secs: After how many seconds an event is in the file at the latest.
          graph_def: Use `graph`.
          filename_suffix: Ends the file's name.
          session: Holds the writer, and has it in its graph; writers of one folder are one then.
        """
        writer: EventFileWriter | SessionEventWriter
        if session is None:
            writer = EventFileWriter(logdir, max_queue, flush_secs, filename_suffix)
        else:
            writer = SessionEventWriter(session, logdir, max_queue, flush_secs, filename_suffix)
        self._begin(writer, graph, graph_def)

    def _begin(self, event_writer: Any, graph: Any, graph_def: Any) -> None:
        self.event_writer = event_writer
        self._closed = False
        self._run_tags: set[str] = set()
        self._described_tags: set[str] = set()
        if graph is not None or graph_def is not None:
            self.add_graph(graph, graph_def=graph_def)
            shown = graph_def if graph is None else graph
            nodes = shown.as_graph_def(add_shapes=True) if isinstance(shown, Graph) else shown
            self.add_meta_graph(export_meta_graph(graph_def=nodes))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def get_logdir(self) -> Any:
        """The folder."""
        return self.event_writer.get_logdir()

    def add_summary(self, summary: Summary | bytes, global_step: Any = None) -> None:
        """Writes a summary.

        Args:
          summary: A Summary, serialized or not. Metadata is written once for each tag, and taken
            out of it after that.
          global_step: The step it is of.
        """
        if isinstance(summary, bytes):
            summary = Summary.FromString(summary)
        for value in summary.value:
            if value.tag in self._described_tags:
                value.ClearField("metadata")
            self._described_tags.add(value.tag)
        self._add(Event(summary=summary), global_step)

    def add_session_log(self, session_log: SessionLog, global_step: Any = None) -> None:
        """Writes that a session started, stopped, or wrote a checkpoint."""
        self._add(Event(session_log=session_log), global_step)

    def add_graph(
        self, graph: Graph | GraphDef | None, global_step: Any = None, graph_def: Any = None
    ) -> None:
        """Writes a graph.

        Args:
          graph: The graph.
          global_step: The step at which it is written.
          graph_def: Use `graph`.

        Raises:
          ValueError: Both are given.
          TypeError: This is no graph.
        """
        if graph is not None and graph_def is not None:
            raise ValueError("Please pass only graph, or graph_def (deprecated), but not both.")
        shown = graph_def if graph is None else graph
        if isinstance(shown, Graph):
            if graph is None:
                logging.warning(
                    "When passing a `Graph` object, please use the `graph` named argument instead "
                    "of `graph_def`."
                )
            write_plugin_assets(self.get_logdir(), shown)
            shown = shown.as_graph_def(add_shapes=True)
        elif isinstance(shown, GraphDef):
            logging.warning(
                "Passing a `GraphDef` to the SummaryWriter is deprecated. Pass a `Graph` object "
                "instead, such as `sess.graph`."
            )
        else:
            raise TypeError(
                "The passed graph must be an instance of `Graph` or the deprecated `GraphDef`"
            )
        self._add(Event(graph_def=shown.SerializeToString()), global_step)

    def add_meta_graph(self, meta_graph_def: MetaGraphDef, global_step: Any = None) -> None:
        """Writes a MetaGraph.

        Raises:
          TypeError: This is none.
        """
        if not isinstance(meta_graph_def, MetaGraphDef):
            raise TypeError(
                f"meta_graph_def must be type MetaGraphDef, saw type: {type(meta_graph_def)}"
            )
        self._add(Event(meta_graph_def=meta_graph_def.SerializeToString()), global_step)

    def add_run_metadata(
        self, run_metadata: RunMetadata, tag: str, global_step: Any = None
    ) -> None:
        """Writes what a step has told of itself.

        Args:
          run_metadata: What `run_metadata=` of `Session.run` was filled with.
          tag: Its name, one for each.
          global_step: The step it is of.

        Raises:
          ValueError: The tag was used before.
        """
        if tag in self._run_tags:
            raise ValueError("The provided tag was already used for this event type")
        self._run_tags.add(tag)
        tagged = TaggedRunMetadata(tag=tag, run_metadata=run_metadata.SerializeToString())
        self._add(Event(tagged_run_metadata=tagged), global_step)

    def add_event(self, event: Event) -> None:
        """Writes an event as it is."""
        self._warn_if_closed()
        self.event_writer.add_event(event)

    def flush(self) -> None:
        """Waits until all events are in the file."""
        self._warn_if_closed()
        self.event_writer.flush()

    def close(self) -> None:
        """Writes what waits and closes the file; later events are dropped."""
        self.event_writer.close()
        self._closed = True

    def reopen(self) -> None:
        """Goes on in another file; has no effect unless the writer is closed."""
        self.event_writer.reopen()
        self._closed = False

    def _add(self, event: Event, step: Any) -> None:
        event.wall_time = time.time()
        if step is not None:
            event.step = int(step)
        self.add_event(event)

    def _warn_if_closed(self) -> None:
        if self._closed:
            warnings.warn(
                "Attempting to use a closed FileWriter. The operation will be a noop unless the "
                "FileWriter is explicitly reopened.",
                stacklevel=3,
            )
