"""tensorflow.contrib.testing: what tests see of summaries, in files or in a writer of theirs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

import dataflow.recording.writer_cache as _cache_module
from dataflow.porting.spellings.framework.graph_checks import assert_meta_graph_protos_equal
from dataflow.proto.summary_pb2 import Summary
from dataflow.records.events import summary_iterator

_WRITERS: Any = _cache_module
"""Where `FileWriterCache` finds the class of its writers."""
_MEASURED = "global_step/sec"
"""Differs from run to run."""


class FakeSummaryWriter:
    """Keeps what is written; once installed, `FileWriterCache` makes such writers."""

    _replaced_summary_writer: ClassVar[Any] = None

    @classmethod
    def install(cls) -> None:
        """Puts the class in place of the writer of files.

        Raises:
          ValueError: It is there.
        """
        if cls._replaced_summary_writer is not None:
            raise ValueError("FakeSummaryWriter already installed.")
        cls._replaced_summary_writer = _WRITERS.FileWriter
        _WRITERS.FileWriter = FakeSummaryWriter

    @classmethod
    def uninstall(cls) -> None:
        """Undoes `install`.

        Raises:
          ValueError: It was not called.
        """
        if cls._replaced_summary_writer is None:
            raise ValueError("FakeSummaryWriter not installed.")
        _WRITERS.FileWriter = cls._replaced_summary_writer
        cls._replaced_summary_writer = None

    def __init__(self, logdir: Any, graph: Any = None) -> None:
        """Makes a writer, and no file."""
        self._logdir, self._graph = logdir, graph
        self._graphs: list[Any] = []
        self._meta_graphs: list[Any] = []
        self._session_logs: list[Any] = []
        self._added_run_metadata: dict[str, Any] = {}
        self.summaries: dict[Any, list[Summary]] = {}

    def add_summary(self, summ: Summary | bytes, current_global_step: Any) -> None:
        """Keeps a summary, serialized or not, of a step."""
        summary = Summary.FromString(summ) if isinstance(summ, bytes) else summ
        self.summaries.setdefault(current_global_step, []).append(summary)

    def add_graph(self, graph: Any, global_step: Any = None, graph_def: Any = None) -> None:
        """Keeps a graph.

        Raises:
          ValueError: The step is negative, or there is a GraphDef.
        """
        _check_step(global_step)
        if graph_def is not None:
            raise ValueError(f"Unexpected graph_def {graph_def}.")
        self._graphs.append(graph)

    def add_meta_graph(self, meta_graph_def: Any, global_step: Any = None) -> None:
        """Keeps a MetaGraph.

        Raises:
          ValueError: The step is negative.
        """
        _check_step(global_step)
        self._meta_graphs.append(meta_graph_def)

    def add_session_log(self, session_log: Any, global_step: Any = None) -> None:
        """Keeps what a session logs."""
        self._session_logs.append(session_log)

    def add_run_metadata(self, run_metadata: Any, tag: str, global_step: Any = None) -> None:
        """Keeps what a step said of itself.

        Raises:
          ValueError: The step is negative.
        """
        _check_step(global_step)
        self._added_run_metadata[tag] = run_metadata

    def flush(self) -> None:
        """Does nothing."""

    reopen = close = flush

    def assert_summaries(
        self,
        test_case: Any,
        expected_logdir: Any = None,
        expected_graph: Any = None,
        expected_summaries: Mapping[Any, Mapping[str, float]] | None = None,
        expected_added_graphs: Any = None,
        expected_added_meta_graphs: Any = None,
        expected_session_logs: Any = None,
    ) -> None:
        """Checks what was kept; an argument that is None asks for nothing.

        Args:
          test_case: The test, whose assertions are used.
          expected_logdir: The folder given.
          expected_graph: The graph given.
          expected_summaries: For steps, the numbers by tag.
          expected_added_graphs: All graphs.
          expected_added_meta_graphs: All MetaGraphs.
          expected_session_logs: All logs.
        """
        if expected_logdir is not None:
            test_case.assertEqual(expected_logdir, self._logdir)
        if expected_graph is not None:
            test_case.assertIs(expected_graph, self._graph)
        for step, numbers in (expected_summaries or {}).items():
            test_case.assertIn(step, self.summaries)
            values = [value for summary in self.summaries[step] for value in summary.value]
            found = {value.tag: value.simple_value for value in values if value.tag != _MEASURED}
            test_case.assertEqual(numbers, found)
        if expected_added_graphs is not None:
            test_case.assertEqual(expected_added_graphs, self._graphs)
        if expected_added_meta_graphs is not None:
            test_case.assertEqual(len(expected_added_meta_graphs), len(self._meta_graphs))
            for one, other in zip(expected_added_meta_graphs, self._meta_graphs, strict=True):
                assert_meta_graph_protos_equal(test_case, one, other)
        if expected_session_logs is not None:
            test_case.assertEqual(expected_session_logs, self._session_logs)


def _check_step(step: Any) -> None:
    if step is not None and step < 0:
        raise ValueError(f"Invalid global_step {step}.")


def assert_summary(
    expected_tags: Iterable[str],
    expected_simple_values: Mapping[str, float],
    summary_proto: Summary,
) -> None:
    """Checks the tags of a summary, and some of its numbers to two decimals.

    Raises:
      ValueError: The tags are others.
      AssertionError: A number is another.
    """
    for value in summary_proto.value:
        if value.tag in expected_simple_values:
            np.testing.assert_almost_equal(
                value.simple_value, expected_simple_values[value.tag], decimal=2, err_msg=value.tag
            )
    wanted, found = set(expected_tags), {value.tag for value in summary_proto.value}
    if wanted != found:
        raise ValueError(f"Expected tags {wanted}, got {found}.")


def to_summary_proto(summary_str: bytes) -> Summary:
    """A summary from its bytes."""
    return Summary.FromString(summary_str)


def latest_event_file(base_dir: Any) -> str | None:
    """The newest event file of a folder, or None."""
    return max(map(str, Path(base_dir).glob("events.*")), default=None)


def latest_events(base_dir: Any) -> Iterable[Any]:
    """The events of the newest file of a folder."""
    path = latest_event_file(base_dir)
    return summary_iterator(path) if path else []


def latest_summaries(base_dir: Any) -> list[Any]:
    """Those of them that have summaries."""
    return [event for event in latest_events(base_dir) if event.HasField("summary")]


def simple_values_from_events(events: Iterable[Any], tags: Collection[str]) -> dict[str, float]:
    """The number of the latest step that there is of each tag.

    Raises:
      ValueError: A value of such a tag is no number.
    """
    latest: dict[str, tuple[int, float]] = {}
    for event in events:
        for value in event.summary.value:
            if value.tag not in tags:
                continue
            if not value.HasField("simple_value"):
                raise ValueError(f"Summary for {value.tag} is not a simple_value.")
            if value.tag not in latest or event.step > latest[value.tag][0]:
                latest[value.tag] = event.step, value.simple_value
    return {tag: number for tag, (_, number) in latest.items()}
