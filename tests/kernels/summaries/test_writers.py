"""What ops write to event files: the events that TensorFlow's write."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf
from tests.oracle import open_session


def _writer(library: Any, folder: Path, queue: int = 10, millis: int = 100_000) -> tuple[Any, Any]:
    writer = library.raw_ops.SummaryWriter(shared_name=str(folder))
    create = library.raw_ops.CreateSummaryFileWriter(
        writer=writer,
        logdir=str(folder),
        max_queue=queue,
        flush_millis=millis,
        filename_suffix=".end",
    )
    return writer, create


def _scalar(library: Any, writer: Any, step: int) -> Any:
    return library.raw_ops.WriteScalarSummary(writer=writer, step=step, tag="a", value=step / 2)


def _events(folder: Path) -> list[str]:
    """The events of the files of a folder as text, without what tells when and by whom."""
    found = []
    for path in sorted(folder.iterdir()):
        for event in oracle.train.summary_iterator(str(path)):
            assert event.wall_time > 1e9
            event.ClearField("wall_time")
            event.ClearField("source_metadata")
            found.append(str(event))
    return found


def _written(library: Any, folder: Path) -> list[str]:
    raw, values = library.raw_ops, np.arange(24, dtype=np.float32).reshape(1, 2, 3, 4)
    event = library.Event(step=9, wall_time=2e9, file_version="other").SerializeToString()
    summary = library.Summary(value=[{"tag": "x", "simple_value": 2}]).SerializeToString()
    metadata = library.SummaryMetadata(display_name="shown").SerializeToString()
    with library.Graph().as_default() as graph, open_session(library) as session:
        writer, create = _writer(library, folder)
        session.run(create)
        for op in (
            _scalar(library, writer, 3),
            raw.WriteScalarSummary(writer=writer, step=-1, tag="b", value=4),
            raw.WriteHistogramSummary(writer=writer, step=4, tag="b", values=values),
            raw.WriteHistogramSummary(writer=writer, step=4, tag="b", values=[True, False, True]),
            raw.WriteAudioSummary(
                writer=writer, step=5, tag="c", tensor=values[0, :, :, :2] / 24, sample_rate=9.0
            ),
            raw.WriteSummary(
                writer=writer, step=6, tensor=values, tag="d", summary_metadata=metadata
            ),
            raw.WriteSummary(
                writer=writer, step=6, tensor=["text"], tag="e", summary_metadata=metadata
            ),
            raw.WriteRawProtoSummary(writer=writer, step=7, tensor=[summary, b"", summary]),
            raw.WriteGraphSummary(writer=writer, step=8, tensor=b""),
            raw.ImportEvent(writer=writer, event=event),
            raw.CloseSummaryWriter(writer=writer),
        ):
            session.run(op)
        assert graph is session.graph
    return _events(folder)


def test_events(tmp_path: Path) -> None:
    assert _written(tf, tmp_path / "ours") == _written(oracle, tmp_path / "theirs")


def test_images(tmp_path: Path) -> None:
    batch = np.ones([1, 2, 2, 3])
    batch[0, 0, 1, 1] = np.nan
    with tf.Graph().as_default(), tf.Session() as session:
        writer, create = _writer(tf, tmp_path)
        session.run(create)
        images = tf.raw_ops.WriteImageSummary(
            writer=writer, step=2, tag="a", tensor=batch, bad_color=[1, 2, 3]
        )
        session.run(images)
        session.run(tf.raw_ops.CloseSummaryWriter(writer=writer))
    (path,) = tmp_path.iterdir()
    *_, event = oracle.train.summary_iterator(str(path))
    image = event.summary.value[0].image
    assert (event.step, event.summary.value[0].tag, image.height) == (2, "a/image/0", 2)
    with oracle.Session() as session:
        pixels = session.run(oracle.io.decode_png(image.encoded_image_string))
    assert pixels.tolist() == [[[255] * 3, [1, 2, 3]], [[255] * 3, [255] * 3]]


@pytest.mark.parametrize(("queue", "millis", "seen"), [(2, 10**8, [0, 0, 3]), (99, 0, [1, 2, 3])])
def test_flushes(tmp_path: Path, queue: int, millis: int, seen: list[int]) -> None:
    """Events wait until there are more than may wait, or have waited long enough."""
    with tf.Graph().as_default(), tf.Session() as session:
        writer, create = _writer(tf, tmp_path, queue, millis)
        session.run(create)
        (path,) = tmp_path.iterdir()
        assert path.name.split(".")[-3] == str(os.getpid())
        assert path.suffix == ".end"
        for step, count in enumerate(seen):
            session.run(_scalar(tf, writer, step))
            assert len(_events(tmp_path)) == 1 + count
        session.run(_scalar(tf, writer, 9))
        session.run(tf.raw_ops.FlushSummaryWriter(writer=writer))
        assert len(_events(tmp_path)) == 5


def test_a_session_that_ends_loses_nothing(tmp_path: Path) -> None:
    with tf.Graph().as_default():
        writer, create = _writer(tf, tmp_path)
        with tf.Session() as session:
            session.run(create)
            session.run(_scalar(tf, writer, 1))
    assert len(_events(tmp_path)) == 2


def test_refusals_name_the_node(tmp_path: Path) -> None:
    """What would end TensorFlow's process, and what the system refuses."""
    raw = tf.raw_ops
    with tf.Graph().as_default(), tf.Session() as session:
        writer, create = _writer(tf, tmp_path)
        session.run(create)
        pair = tf.placeholder_with_default(np.array([1, 2]), None)
        text = tf.placeholder_with_default(["a", "b"], None)
        for op, why in (
            (raw.ImportEvent(writer=writer, event=text), "event must be a scalar"),
            (
                raw.WriteScalarSummary(writer=writer, step=pair, tag="a", value=1),
                r"step must be a scalar, got shape \[2\]",
            ),
            (
                raw.WriteScalarSummary(writer=writer, step=1, tag="a", value=pair[:0]),
                r"value must have an element, got shape \[0\]",
            ),
            (raw.WriteScalarSummary(writer=writer, step=1, tag=text, value=1), "tag must be sca"),
            (raw.WriteGraphSummary(writer=writer, step=1, tensor=text), "tensor must be a scalar"),
        ):
            with pytest.raises(tf.errors.InvalidArgumentError, match=why) as caught:
                session.run(op)
            assert f"node {op.name}" in str(caught.value)
        file = tmp_path / "file"
        file.write_bytes(b"")
        _, create = _writer(tf, file / "below")
        with pytest.raises(tf.errors.FailedPreconditionError, match=f"{file}.*Not a directory"):
            session.run(create)


def test_handles_of_something_else() -> None:
    """A queue has a method `close`, too."""
    with tf.Graph().as_default() as graph:
        queue = tf.raw_ops.FIFOQueueV2(component_types=[tf.float32])
        ops = [
            tf.raw_ops.CloseSummaryWriter(writer=queue),
            tf.raw_ops.ImportEvent(writer=queue, event=""),
        ]
    with tf.Session(graph=graph) as session:
        for op in ops:
            with pytest.raises(tf.errors.InvalidArgumentError) as caught:
                session.run(op)
            assert (
                "refers to a Queue, and this op works with a SummaryWriter" in caught.value.message
            )
