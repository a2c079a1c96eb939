"""Writers that a session holds: TensorFlow's nodes, and the events that they write."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf
from tests.conftest import SessionFactory
from tests.differentiation.both import described
from tests.oracle import open_session
from tests.recording.event_files import events, plain


def _run(library: Any, folder: Path, suffix: str | None) -> tuple[list[str], list[str]]:
    with library.Graph().as_default() as graph, open_session(library, graph) as session:
        writer = library.summary.FileWriter(
            str(folder), session=session, filename_suffix=suffix, flush_secs=3
        )
        for step in range(3):
            summary = library.Summary(value=[{"tag": "a", "simple_value": step}])
            writer.add_summary(summary, step)
        writer.flush()
        shared = library.summary.FileWriter(str(folder), session=session)
        shared.add_session_log(library.SessionLog(status=library.SessionLog.STOP), 4)
        writer.close()
        writer.close()
        writer.reopen()
        writer.add_event(library.Event(step=5, wall_time=2e9))
        writer.close()
        with (
            pytest.raises(library.errors.NotFoundError, match="does not exist"),
            pytest.warns(UserWarning, match="closed FileWriter"),
        ):
            writer.flush()
        assert len(graph.get_collection("_SUMMARY_WRITER_V2")) == 2
        nodes = described(graph.as_graph_def().SerializeToString())
    return [node.replace(str(folder), "FOLDER") for node in nodes], plain(folder)


@pytest.mark.parametrize("suffix", [None, ".end"])
def test_nodes_and_events(tmp_path: Path, suffix: str | None) -> None:
    ours, theirs = (_run(library, tmp_path / library.__name__, suffix) for library in (tf, oracle))
    assert ours[0] == theirs[0]
    assert ours[1] == theirs[1]
    assert all(path.name.endswith(suffix or ".v2") for path in (tmp_path / "dataflow").iterdir())


def test_on_either_target(tmp_path: Path, session_factory: SessionFactory) -> None:
    with tf.Graph().as_default() as graph:
        shown = tf.summary.scalar("a", tf.constant(2.0))
    with session_factory(graph) as session:
        writer = tf.summary.FileWriter(tmp_path, session=session)
        for step in range(2):
            writer.add_summary(session.run(shown), step)
        writer.close()
    _, *written = events(tmp_path)
    assert [(e.step, e.summary.value[0].simple_value) for e in written] == [(0, 2.0), (1, 2.0)]
