"""A writer of summaries that keeps what it is given."""

from __future__ import annotations

from typing import Any, ClassVar

import dataflow.recording.file_writer as file_writer
import dataflow.recording.writer_cache as writer_cache
from dataflow.proto.summary_pb2 import Summary

_MODULES: Any = (file_writer, writer_cache)


class FakeSummaryWriter:
    """Stands in for `tf.summary.FileWriter`: `FileWriterCache` makes it while it is installed."""

    _replaced: ClassVar[Any] = None

    @classmethod
    def install(cls) -> None:
        """Takes the place of the writer.

        Raises:
          ValueError: It has.
        """
        if cls._replaced:
            raise ValueError("FakeSummaryWriter already installed.")
        cls._replaced = file_writer.FileWriter
        for module in _MODULES:
            module.FileWriter = FakeSummaryWriter

    @classmethod
    def uninstall(cls) -> None:
        """Gives the place back.

        Raises:
          ValueError: It does not have it.
        """
        if not cls._replaced:
            raise ValueError("FakeSummaryWriter not installed.")
        for module in _MODULES:
            module.FileWriter = cls._replaced
        cls._replaced = None

    def __init__(self, logdir: Any, graph: Any = None) -> None:
        """Takes a folder and a graph, and writes neither."""
        self._logdir = logdir
        self._graph = graph
        self._summaries: dict[Any, list[Summary]] = {}
        self._added_graphs: list[Any] = []
        self._added_meta_graphs: list[Any] = []
        self._added_session_logs: list[Any] = []
        self._added_run_metadata: dict[str, Any] = {}

    @property
    def summaries(self) -> dict[Any, list[Summary]]:
        """Lists of summaries by step."""
        return self._summaries

    def assert_summaries(
        self,
        test_case: Any,
        expected_logdir: Any = None,
        expected_graph: Any = None,
        expected_summaries: Any = None,
        expected_added_graphs: Any = None,
        expected_added_meta_graphs: Any = None,
        expected_session_logs: Any = None,
    ) -> None:
        """Compares what was given with what a test expects.

        Args:
          test_case: A `unittest.TestCase`, whose methods compare.
          expected_logdir: The folder.
          expected_graph: The graph it was made with.
          expected_summaries: By step the numbers by tag; other steps may have been.
          expected_added_graphs: Graphs that were added.
          expected_added_meta_graphs: MetaGraphDefs that were added.
          expected_session_logs: SessionLogs that were added.
        """
        if expected_logdir is not None:
            test_case.assertEqual(expected_logdir, self._logdir)
        if expected_graph is not None:
            test_case.assertIs(expected_graph, self._graph)
        for step, expected in (expected_summaries or {}).items():
            message = f"Missing step {step} from {list(self._summaries)}."
            test_case.assertIn(step, self._summaries, msg=message)
            # How often steps are timed is a matter of chance.
            found = {
                value.tag: value.simple_value
                for summary in self._summaries[step]
                for value in summary.value
                if value.tag != "global_step/sec"
            }
            test_case.assertEqual(expected, found)
        for wanted, kept in (
            (expected_added_graphs, self._added_graphs),
            (expected_added_meta_graphs, self._added_meta_graphs),
            (expected_session_logs, self._added_session_logs),
        ):
            if wanted is not None:
                test_case.assertEqual(list(wanted), kept)

    def add_summary(self, summ: Any, current_global_step: Any) -> None:
        """Keeps a Summary, or the bytes of one."""
        summary = Summary.FromString(summ) if isinstance(summ, bytes) else summ
        self._summaries.setdefault(current_global_step, []).append(summary)

    def add_graph(self, graph: Any, global_step: Any = None, graph_def: Any = None) -> None:
        """Keeps a graph.

        Raises:
          ValueError: The step is negative, or there is a GraphDef.
        """
        _check(global_step)
        if graph_def is not None:
            raise ValueError(f"Unexpected graph_def {graph_def}.")
        self._added_graphs.append(graph)

    def add_meta_graph(self, meta_graph_def: Any, global_step: Any = None) -> None:
        """Keeps a MetaGraphDef.

        Raises:
          ValueError: The step is negative.
        """
        _check(global_step)
        self._added_meta_graphs.append(meta_graph_def)

    def add_session_log(self, session_log: Any, global_step: Any = None) -> None:
        """Keeps a SessionLog."""
        self._added_session_logs.append(session_log)

    def add_run_metadata(self, run_metadata: Any, tag: str, global_step: Any = None) -> None:
        """Keeps what a step cost.

        Raises:
          ValueError: The step is negative.
        """
        _check(global_step)
        self._added_run_metadata[tag] = run_metadata

    def flush(self) -> None:
        """Does nothing, as `reopen` and `close`."""

    reopen = close = flush


def _check(global_step: Any) -> None:
    if global_step is not None and global_step < 0:
        raise ValueError(f"Invalid global_step {global_step}.")
