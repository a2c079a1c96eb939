"""Hooks that write event files: the events and traces that TensorFlow's write."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf
from tests.recording.event_files import events, plain

oracle.disable_v2_behavior()


def _train(library: Any) -> Any:
    weight = library.get_variable("weight", initializer=library.constant(8.0))
    shown = library.summary.scalar("weight", weight)
    step = library.train.get_or_create_global_step()
    loss = library.square(weight)
    with library.control_dependencies([shown, _read_before(library, step)]):
        return library.train.GradientDescentOptimizer(0.25).minimize(loss, global_step=step)


def _read_before(library: Any, step: Any) -> Any:
    """What hooks read: without an order it may be from before the update of a step or after it."""
    read = step + 0
    library.add_to_collection("global_step_read_op_cache", read)
    return read


def _loop(
    library: Any, hooks: list[Any], train: Any, scaffold: Any = None, master: str = ""
) -> None:
    creator = library.train.ChiefSessionCreator(scaffold, master=master)
    hooks = [library.train.StopAtStepHook(last_step=7), *hooks]
    with library.train.MonitoredSession(creator, hooks) as session:
        while not session.should_stop():
            session.run(train)


def _by_scaffold(library: Any, folder: str) -> None:
    train, scaffold = _train(library), library.train.Scaffold()
    hook = library.train.SummarySaverHook(save_steps=3, output_dir=folder, scaffold=scaffold)
    _loop(library, [hook], train, scaffold)


def _by_tensors(library: Any, folder: str) -> None:
    train = _train(library)
    shown = [library.summary.merge_all(), library.summary.scalar("more", 2.0)]
    writer = library.summary.FileWriter(folder)
    for summary_op in (shown, shown[1]):
        hook = library.train.SummarySaverHook(
            save_steps=2, summary_writer=writer, summary_op=summary_op
        )
        _loop(library, [hook], train)
    writer.close()


def _without_summaries(library: Any, folder: str) -> None:
    step = library.train.get_or_create_global_step()
    with library.control_dependencies([_read_before(library, step)]):
        train, scaffold = library.assign_add(step, 1), library.train.Scaffold()
    hook = library.train.SummarySaverHook(save_steps=3, output_dir=folder, scaffold=scaffold)
    _loop(library, [hook], train, scaffold)


@pytest.mark.parametrize("program", [_by_scaffold, _by_tensors, _without_summaries])
def test_summaries_of_a_loop(tmp_path: Path, program: Any) -> None:
    written = []
    for library in (tf, oracle):
        folder = tmp_path / library.__name__
        with library.Graph().as_default():
            program(library, str(folder))
        library.summary.FileWriterCache.clear()
        written.append([text for text in plain(folder) if "graph_def" not in text])
    ours, theirs = ([text for text in each if text] for each in written)
    assert ours == theirs
    assert len(ours) >= 2


def test_refusals() -> None:
    for arguments in (
        {"save_steps": 1},
        {"save_steps": 1, "scaffold": object(), "summary_op": object()},
        {"summary_op": object()},
    ):
        texts = []
        for library in (tf, oracle):
            with pytest.raises(ValueError) as caught:
                library.train.SummarySaverHook(**arguments)
            texts.append(str(caught.value))
        assert texts[0] == texts[1]
    for library in (tf, oracle):
        with library.Graph().as_default():
            hook = library.train.SummarySaverHook(save_steps=1, summary_op=object())
            with pytest.raises(RuntimeError, match="should be created to use SummarySaverHook"):
                hook.begin()


def test_traces_of_a_loop(tmp_path: Path, target: str) -> None:
    theirs = tmp_path / "theirs"
    for library, folder, master in ((oracle, theirs, ""), (tf, tmp_path, target)):
        with library.Graph().as_default():
            train = _train(library)
            hook = library.train.ProfilerHook(
                save_steps=3, output_dir=str(folder), show_memory=True
            )
            _loop(library, [hook], train, master=master)
        library.summary.FileWriterCache.clear()
    expected = sorted(path.name for path in theirs.glob("*.json"))
    assert sorted(path.name for path in tmp_path.glob("*.json")) == expected
    assert expected == ["timeline-3.json", "timeline-6.json"]
    found = [event.tagged_run_metadata for event in events(tmp_path)]
    tagged = {each.tag: each.run_metadata for each in found if each.tag}
    assert sorted(tagged) == ["step_3", "step_6"]
    metadata = oracle.RunMetadata.FromString(tagged["step_3"])
    shown = json.loads((tmp_path / "timeline-3.json").read_text())["traceEvents"]
    processes = {e["pid"]: e["args"]["name"] for e in shown if e["name"] == "process_name"}
    durations = [event for event in shown if event["ph"] == "X"]
    told = {
        (device.device, node.node_name, node.all_start_micros)
        for device in metadata.step_stats.dev_stats
        for node in device.node_stats
    }
    assert {(processes[e["pid"]], e["args"]["name"], e["ts"]) for e in durations} == told
    assert all(event["dur"] >= 1 for event in durations)
    assert any(
        "ResourceApplyGradientDescent" in e["name"] or "Apply" in e["name"] for e in durations
    )
    _assert_arrows(shown)
    assert any(event["ph"] == "C" and event["args"]["bytes"] > 0 for event in shown)


def _assert_arrows(shown: list[dict[str, Any]]) -> None:
    """Each arrow begins where a node ends and ends where one starts that takes its value."""
    starts = [event for event in shown if event["ph"] == "s"]
    ends = {event["id"]: event for event in shown if event["ph"] == "t"}
    assert starts
    durations = [event for event in shown if event["ph"] == "X"]
    for start in starts:
        end = ends[start["id"]]
        assert end["ts"] >= start["ts"]
        takers = [e for e in durations if start["name"] in e["args"].values()]
        assert any(e["pid"] == end["pid"] for e in takers)
