"""Traces of several steps: by the rules of the trace event format, on one clock."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import tensorflow.compat.v1 as oracle
from tensorflow.python.client import timeline as oracle_timeline

import dataflow as tf
from dataflow import errors
from dataflow.actors.run.trace import add_step_stats, aligned
from dataflow.actors.wire.messages import NodeTiming
from dataflow.porting.spellings.timeline import Timeline
from tests.conftest import SessionFactory


def assert_is_trace(text: str) -> list[dict[str, Any]]:
    """Holds a trace to the format: phases, numbers, arrows that end, rows without overlaps."""
    events: list[dict[str, Any]] = json.loads(text)["traceEvents"]
    rows: dict[tuple[int, int], list[tuple[int, int]]] = {}
    arrows: dict[str, list[dict[str, Any]]] = {"s": [], "t": []}
    for event in events:
        assert event["ph"] in "MXstC", event
        assert isinstance(event["pid"], int)
        if event["ph"] != "M":
            assert isinstance(event["ts"], int) and event["ts"] >= 0
        if event["ph"] == "X":
            assert event["dur"] > 0
            start = event["ts"]
            rows.setdefault((event["pid"], event["tid"]), []).append((start, start + event["dur"]))
        if event["ph"] in arrows:
            arrows[event["ph"]].append(event)
    for row in rows.values():
        row.sort()
        assert all(end <= start for (_, end), (start, _) in pairwise(row))
    # Chrome's viewer drops an arrow that begins where no event is, the end of one excluded.
    for arrow in arrows["s"]:
        row = rows[arrow["pid"], arrow["tid"]]
        assert any(start <= arrow["ts"] < end for start, end in row), arrow
    starts, ends = ([event["id"] for event in arrows[phase]] for phase in "st")
    assert sorted(starts) == sorted(ends) and len(set(starts)) == len(starts)
    named = {event["pid"] for event in events if event["name"] == "process_name"}
    assert named == {event["pid"] for event in events}
    return events


def test_steps_of_several_devices(session_factory: SessionFactory, tmp_path: Path) -> None:
    with tf.device("/device:CPU:0"):
        x = tf.placeholder(tf.float32, [None])
        first = tf.multiply(x, 2.0, name="first")
    with tf.device("/device:CPU:1"):
        second = tf.add(first, 1.0, name="second")
    session = session_factory(config=tf.ConfigProto(device_count={"CPU": 2}))
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    path = tmp_path / "trace.json"
    profiler = tf.profiler.Profiler(session.graph)
    with tf.profiler.TraceWriter(path, show_memory=True) as traces:
        for step in range(3):
            metadata = tf.RunMetadata()
            session.run(second, {x: [1.0] * 100}, options, metadata)
            traces.add_step(step, metadata)
            profiler.add_step(step, metadata)
        with pytest.raises(ValueError, match="Step 9 was not traced"):
            traces.add_step(9, tf.RunMetadata())
    events = assert_is_trace(path.read_text())
    processes = [e["args"]["name"] for e in events if e["name"] == "process_name"]
    assert processes[0] == "steps" and len(processes) == 3
    assert {name[-5:] for name in processes[1:]} == {"CPU:0", "CPU:1"}
    nodes = [e for e in events if e["ph"] == "X" and e["cat"] == "Op"]
    for step in range(3):
        (whole,) = (e for e in events if e["name"] == f"step {step}")
        own = [e for e in nodes if e["args"]["step"] == step]
        assert {"first", "second"} <= {e["args"]["name"] for e in own}
        assert all(whole["ts"] <= e["ts"] <= whole["ts"] + whole["dur"] for e in own)
        by_name = {e["args"]["name"]: e for e in own}
        assert by_name["first"]["ts"] <= by_name["second"]["ts"] + by_name["second"]["dur"]
    options = tf.profiler.ProfileOptionBuilder.time_and_memory()
    builder = tf.profiler.ProfileOptionBuilder(options).with_step(1)
    other = tmp_path / "other.json"
    profiler.profile_operations(builder.with_timeline_output(str(other)).build())
    assert "step 1" in {e["name"] for e in assert_is_trace(other.read_text())}
    found = profiler.profile_name_scope(builder.with_step(-1).with_empty_output().build())
    told = {child.name: child for child in found.children}
    assert told["second"].run_count == 1
    assert told["second"].output_bytes == 400
    assert "device:cpu:1" in told["second"].devices[-1]


def test_rows_of_what_overlaps() -> None:
    stats = tf.RunMetadata().step_stats
    device = stats.dev_stats.add(device="/device:CPU:0")
    for name, start, end in (("a", 10, 50), ("b", 20, 30), ("c", 30, 60), ("d", 50, 50)):
        device.node_stats.add(
            node_name=name,
            all_start_micros=start,
            op_end_rel_micros=end - start,
            all_end_rel_micros=end - start,
            timeline_label=f"{name} = Add(a)",
        )
    events = assert_is_trace(Timeline(stats).generate_chrome_trace_format())
    rows = {e["args"]["name"]: e["tid"] for e in events if e["ph"] == "X"}
    assert rows == {"a": 0, "b": 1, "c": 1, "d": 0}


def test_the_most_that_results_take() -> None:
    stats = tf.RunMetadata().step_stats
    for place in (0, 1):
        device = stats.dev_stats.add(device=f"/job:localhost/replica:0/task:0/device:CPU:{place}")
        for name, inputs, start, end, sizes in (
            (f"x{place}", "", 10, 20, [100, 40]),
            (f"y{place}", f"x{place}, x{place}:1", 20, 30, [60]),
            (f"z{place}", f"y{place}, x0", 40, 55, [7]),
            (f"late{place}", "", 70, 75, [150]),
        ):
            node = device.node_stats.add(
                node_name=name,
                all_start_micros=start + place,
                op_end_rel_micros=end - start,
                all_end_rel_micros=end - start,
                timeline_label=f"{name} = Add({inputs})",
            )
            for slot, size in enumerate(sizes):
                held = node.output.add(slot=slot).tensor_description.allocation_description
                held.requested_bytes = size
                held.allocator_name = "cpu" if slot == 0 else "other"
    found = Timeline(stats).analyze_step_stats()
    theirs = oracle.RunMetadata()
    theirs.step_stats.ParseFromString(stats.SerializeToString())
    expected = oracle_timeline.Timeline(theirs.step_stats).analyze_step_stats()
    assert found.allocator_maximums == expected.allocator_maximums
    events = assert_is_trace(found.chrome_trace.format_to_string(pretty=True))
    assert json.loads(found.chrome_trace.format_to_string())["traceEvents"] == events
    assert Timeline(stats).analyze_step_stats(show_memory=False).allocator_maximums == {}


@pytest.mark.parametrize(("device", "allocator"), [("CPU:1", "cpu"), ("GPU:1", "GPU_1_bfc")])
def test_allocators_have_tensorflows_names(device: str, allocator: str) -> None:
    stats = tf.RunMetadata().step_stats
    timing = NodeTiming("a", "Add", 1.0, 2.0, (), ((0, "float32", (2,), 8),))
    add_step_stats(stats, f"/job:worker/replica:0/task:0/device:{device}", [timing])
    assert {*Timeline(stats).analyze_step_stats().allocator_maximums} == {allocator}


def test_clocks_that_differ() -> None:
    told = (NodeTiming("a", "Add", 1000.2, 1000.3), NodeTiming("b", "Add", 1000.5, 1000.6))
    # Within the question and the answer nothing is known to be wrong.
    assert aligned(told, 1000.0, 1000.9) == told
    for wrong in (3600.0, -3600.0, 0.7):
        shifted = [replace(each, start=each.start + wrong, end=each.end + wrong) for each in told]
        right = aligned(shifted, 1000.0, 1000.8)
        assert [each.start for each in right] == pytest.approx([1000.2, 1000.5], abs=1e-6)
        assert [each.end for each in right] == pytest.approx([1000.3, 1000.6], abs=1e-6)
    assert aligned((), 1.0, 2.0) == ()


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(errors.NotFoundError):
        tf.profiler.TraceWriter(tmp_path / "no" / "trace.json").close()
