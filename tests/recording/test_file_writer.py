"""tf.summary.FileWriter: TensorFlow reads the events that its own would have written."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf
from dataflow.proto.meta_graph_pb2 import MetaGraphDef
from tests.recording.event_files import events, plain


def _summary(library: Any, tag: str = "a", value: float = 1.0) -> Any:
    return library.Summary(value=[{"tag": tag, "simple_value": value}])


def _all_kinds(library: Any, folder: Path) -> None:
    with library.Graph().as_default() as graph:
        library.add(library.constant(1.0, name="one"), 2.0, name="sum")
    described = library.Summary(
        value=[{"tag": "b", "metadata": {"display_name": "shown"}, "simple_value": 3}]
    )
    with library.summary.FileWriter(str(folder), graph) as writer:
        writer.add_summary(_summary(library), 7)
        writer.add_summary(_summary(library).SerializeToString(), 8.0)
        writer.add_summary(described)
        writer.add_summary(described.SerializeToString(), 9)
        log = library.SessionLog(status=library.SessionLog.CHECKPOINT, checkpoint_path="a/b")
        writer.add_session_log(log, 3)
        writer.add_graph(graph.as_graph_def(), 4)
        writer.add_run_metadata(library.RunMetadata(), "run", 5)
        writer.add_event(library.Event(wall_time=2e9, step=6))
        assert writer.get_logdir() == str(folder)


def test_all_kinds_of_events(tmp_path: Path) -> None:
    for library in (tf, oracle):
        _all_kinds(library, tmp_path / library.__name__)
    ours, theirs = (plain(tmp_path / library.__name__) for library in (tf, oracle))
    # Which attrs a node has beyond those of its op is compared where graphs are.
    graphs = [i for i, text in enumerate(theirs) if "graph_def" in text]
    assert len(graphs) == 2
    for i in graphs:
        assert "graph_def" in ours[i]
        ours[i] = theirs[i] = ""
    assert ours == theirs


def test_a_graph_is_written_with_shapes_and_as_a_meta_graph(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        tf.add(tf.zeros([2, 3], name="x"), 1.0, name="sum")
    tf.summary.FileWriter(str(tmp_path), graph=graph).close()
    _, shown, meta = events(tmp_path)
    nodes = {node.name: node for node in oracle.GraphDef.FromString(shown.graph_def).node}
    shape = nodes["sum"].attr["_output_shapes"].list.shape[0]
    assert [dim.size for dim in shape.dim] == [2, 3]
    whole = oracle.MetaGraphDef.FromString(meta.meta_graph_def)
    assert {node.name for node in whole.graph_def.node} == set(nodes)
    with oracle.Graph().as_default() as imported:
        oracle.train.import_meta_graph(whole)
        assert imported.get_tensor_by_name("sum:0").shape.as_list() == [2, 3]


def test_files_and_reopening(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    with tf.Graph().as_default():
        writer = tf.summary.FileWriter(folder, filename_suffix=".end")
    (first,) = folder.iterdir()
    assert re.fullmatch(r"events\.out\.tfevents\.\d{10}\.[^.]+.*\.end", first.name)
    writer.add_summary(_summary(tf), 1)
    writer.close()
    with pytest.warns(UserWarning, match="closed FileWriter. The operation will be a noop"):
        writer.add_summary(_summary(tf), 2)
    with pytest.warns(UserWarning, match="closed FileWriter"):
        writer.flush()
    writer.close()
    writer.reopen()
    writer.reopen()
    writer.add_summary(_summary(tf), 3)
    writer.close()
    assert len(list(folder.iterdir())) == 2
    assert [event.step for event in events(folder)] == [0, 1, 0, 3]
    without_suffix = tf.summary.FileWriter(str(tmp_path / "empty"))
    without_suffix.close()
    assert list((tmp_path / "empty").iterdir()) == []


def test_when_events_are_in_the_file(tmp_path: Path) -> None:
    """The first at once, and others after some seconds though none follows, or by `flush`."""
    with tf.summary.FileWriter(str(tmp_path), flush_secs=0.2, max_queue=1) as writer:
        for step in range(3):
            writer.add_summary(_summary(tf), step)
        end = time.monotonic() + 60
        while len(list(tmp_path.iterdir())) < 1 or len(events(tmp_path)) < 4:
            assert time.monotonic() < end
            time.sleep(0.02)
    with tf.summary.FileWriter(str(tmp_path / "slow"), flush_secs=9999) as writer:
        for step in range(50):
            writer.add_summary(_summary(tf), step)
        writer.flush()
        assert len(events(tmp_path / "slow")) == 51


def test_a_changed_message_is_written_as_it_was(tmp_path: Path) -> None:
    summary = _summary(tf)
    with tf.summary.FileWriter(str(tmp_path)) as writer:
        for step in range(20):
            summary.value[0].simple_value = step
            writer.add_summary(summary, step)
    _, *written = events(tmp_path)
    assert [event.summary.value[0].simple_value for event in written] == list(range(20))


_RECORD_AROUND: Final = 16
"""Bytes of a record beside its data: the length, and two checksums."""
_PROGRAM = """
import os, sys, time
import dataflow as tf

writer = tf.summary.FileWriter(sys.argv[1], max_queue=0, flush_secs=float(sys.argv[2]))
for step in range(3000):
    value = tf.Summary.Value(tag="a" * 500, simple_value=step)
    writer.add_summary(tf.Summary(value=[value]), step)
print("written", flush=True)
{end}
"""


def _run(folder: Path, flush_secs: str, end: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", _PROGRAM.format(end=end), str(folder), flush_secs],
        stdout=subprocess.PIPE,
    )


def test_a_program_that_forgets_to_close_loses_nothing(tmp_path: Path) -> None:
    with _run(tmp_path, "9999", "") as program:
        assert program.wait(60) == 0
    assert len(events(tmp_path)) == 3001


def test_a_killed_program_leaves_a_file_that_can_be_read(tmp_path: Path) -> None:
    with _run(tmp_path, "0", "time.sleep(60)") as program:
        assert program.stdout is not None
        assert program.stdout.readline() == b"written\n"
        program.send_signal(signal.SIGKILL)
    (path,) = tmp_path.glob("events*")
    found, whole = [], 0
    with suppress(oracle.errors.DataLossError):
        for event in oracle.train.summary_iterator(str(path)):
            found.append(event)
            whole += _RECORD_AROUND + event.ByteSize()
    assert [event.step for event in found[1:]] == list(range(len(found) - 1))
    # The system ends a long `write` anywhere when its process is killed.
    cut = path.stat().st_size - whole
    assert 0 <= cut < _RECORD_AROUND + max(event.ByteSize() for event in found)


def test_a_full_disk_is_an_error_of_the_caller(tmp_path: Path) -> None:
    """The folder is taken away before the thread makes the file."""
    folder = tmp_path / "gone"
    writer = tf.summary.FileWriter(str(folder))
    folder.rmdir()
    writer.add_summary(_summary(tf), 1)
    with pytest.raises(tf.errors.NotFoundError, match=f"{folder}.*No such file"):
        writer.flush()
    folder.mkdir()
    writer.reopen()
    writer.add_summary(_summary(tf), 2)
    writer.close()
    assert [event.step for event in events(folder)] == [0, 2]


def test_the_cache_has_one_writer_for_each_folder(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        tf.constant(1, name="only")
        first = tf.summary.FileWriterCache.get(str(tmp_path / "a"))
    assert tf.summary.FileWriterCache.get(str(tmp_path / "a")) is first
    other = tf.summary.FileWriterCache.get(str(tmp_path / "b"))
    assert other is not first
    tf.summary.FileWriterCache.clear()
    assert tf.summary.FileWriterCache.get(str(tmp_path / "a")) is not first
    tf.summary.FileWriterCache.clear()
    shown = next(event.graph_def for event in events(tmp_path / "a") if event.graph_def)
    assert len(oracle.GraphDef.FromString(shown).node) == len(graph.get_operations()) == 1


def test_refusals(tmp_path: Path) -> None:
    for call in (
        lambda writer, library: writer.add_graph("graph"),
        lambda writer, library: writer.add_graph(library.Graph(), graph_def=library.GraphDef()),
        lambda writer, library: [
            writer.add_run_metadata(library.RunMetadata(), tag) for tag in ("a", "a")
        ],
        lambda writer, library: writer.add_meta_graph("graph"),
    ):
        errors = []
        for library in (tf, oracle):
            writer = library.summary.FileWriter(str(tmp_path / library.__name__))
            with pytest.raises((TypeError, ValueError)) as caught:
                call(writer, library)
            errors.append((type(caught.value), str(caught.value)))
            writer.close()
        assert errors[0] == errors[1]
    with tf.summary.FileWriter(str(tmp_path)) as writer:
        writer.add_meta_graph(MetaGraphDef())
