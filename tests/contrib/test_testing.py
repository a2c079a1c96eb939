"""tf.contrib.testing: summaries that were written or kept; the names of two small parts."""

from __future__ import annotations

import unittest
from pathlib import Path

import pytest

import dataflow as tf
from dataflow.contrib import proto, quantization, testing


def summary(**values: float) -> tf.Summary:
    made = tf.Summary()
    for tag, value in values.items():
        made.value.add(tag=tag, simple_value=value)
    return made


def test_summaries_in_files(tmp_path: Path) -> None:
    assert testing.latest_event_file(tmp_path) is None
    assert testing.latest_summaries(tmp_path) == []
    with tf.summary.FileWriter(str(tmp_path)) as writer:
        for step, value in ((3, 1.5), (7, 2.5), (5, 0.5)):
            writer.add_summary(summary(a=value, b=1.0), step)
    found = testing.latest_summaries(tmp_path)
    assert [event.step for event in found] == [3, 7, 5]
    assert testing.latest_event_file(tmp_path).startswith(str(tmp_path / "events."))
    assert testing.simple_values_from_events(found, ["a", "c"]) == {"a": 2.5}
    plain = testing.to_summary_proto(summary(a=1.0).SerializeToString())
    testing.assert_summary(["a"], {"a": 1.001}, plain)
    with pytest.raises(AssertionError):
        testing.assert_summary(["a"], {"a": 1.1}, plain)
    with pytest.raises(ValueError, match=r"Expected tags \{'b'\}, got \{'a'\}"):
        testing.assert_summary(["b"], {}, plain)
    plain.value[0].tensor.SetInParent()
    event = tf.Event(summary=plain)
    with pytest.raises(ValueError, match="Summary for a is not a simple_value"):
        testing.simple_values_from_events([event], ["a"])


def test_kept_summaries() -> None:
    case = unittest.TestCase()
    with pytest.raises(ValueError, match="FakeSummaryWriter not installed"):
        testing.FakeSummaryWriter.uninstall()
    testing.FakeSummaryWriter.install()
    try:
        with pytest.raises(ValueError, match="FakeSummaryWriter already installed"):
            testing.FakeSummaryWriter.install()
        with tf.Graph().as_default() as graph:
            writer = tf.summary.FileWriterCache.get("nowhere")
            assert isinstance(writer, testing.FakeSummaryWriter)
            writer.add_summary(summary(a=1.0, **{"global_step/sec": 3.0}), 2)
            writer.add_summary(summary(b=2.0).SerializeToString(), 2)
            writer.add_graph(graph)
            writer.add_meta_graph(tf.MetaGraphDef())
            writer.add_session_log(tf.SessionLog(status=1))
            writer.add_run_metadata(tf.RunMetadata(), "run")
            writer.assert_summaries(
                case,
                expected_logdir="nowhere",
                expected_graph=graph,
                expected_summaries={2: {"a": 1.0, "b": 2.0}},
                expected_added_graphs=[graph],
                expected_added_meta_graphs=[tf.MetaGraphDef()],
                expected_session_logs=[tf.SessionLog(status=1)],
            )
            for wrong in (
                {"expected_logdir": "elsewhere"},
                {"expected_summaries": {3: {}}},
                {"expected_summaries": {2: {"a": 1.0}}},
                {"expected_added_graphs": []},
            ):
                with pytest.raises(AssertionError):
                    writer.assert_summaries(case, **wrong)
            with pytest.raises(ValueError, match="Invalid global_step -1"):
                writer.add_graph(graph, -1)
            with pytest.raises(ValueError, match="Unexpected graph_def 1"):
                writer.add_graph(graph, graph_def=1)
    finally:
        tf.summary.FileWriterCache.clear()
        testing.FakeSummaryWriter.uninstall()


def test_names_that_lie_elsewhere_too() -> None:
    assert proto.decode_proto is tf.io.decode_proto
    assert proto.encode_proto is tf.io.encode_proto
    assert quantization.dequantize is tf.quantization.dequantize
    with tf.Graph().as_default(), tf.Session() as session:
        made, _, _ = quantization.quantize_v2([0.0, 1.0], 0.0, 1.0, tf.quint8)
        assert list(session.run(tf.cast(made, tf.int32))) == [0, 255]
