"""What a MonitoredTrainingSession leaves in event files: kinds of events, tags, steps, graphs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf
from tests.recording.event_files import events

oracle.disable_v2_behavior()


def _train(library: Any, last_step: int, folder: Path, **arguments: Any) -> None:
    """Makes steps up to a number; what hooks read is always from before the update of a step."""
    with library.Graph().as_default():
        weight = library.get_variable("weight", initializer=library.constant(8.0))
        shown = library.summary.scalar("shown/weight", weight)
        step = library.train.get_or_create_global_step()
        before = step + 0
        library.add_to_collection("global_step_read_op_cache", before)
        with library.control_dependencies([shown, before]):
            train = library.train.GradientDescentOptimizer(0.25).minimize(
                library.square(weight), global_step=step
            )
        hooks = [library.train.StopAtStepHook(last_step=last_step)]
        with library.train.MonitoredTrainingSession(
            checkpoint_dir=str(folder / "model"), hooks=hooks, **arguments
        ) as session:
            while not session.should_stop():
                session.run(train)


def _told(folder: Path) -> list[Any]:
    """The events, without times and speeds; of graphs what a reader looks for."""
    told: list[Any] = []
    for event in events(folder):
        kind = event.WhichOneof("what")
        entry: Any = None
        if kind == "graph_def":
            entry = _nodes(oracle.GraphDef.FromString(event.graph_def))
        elif kind == "meta_graph_def":
            meta = oracle.MetaGraphDef.FromString(event.meta_graph_def)
            names = [
                value.decode() if isinstance(value, bytes) else value
                for value in (meta.saver_def.filename_tensor_name, meta.saver_def.restore_op_name)
            ]
            entry = (_nodes(meta.graph_def), sorted(meta.collection_def), names)
        elif kind == "session_log":
            log = event.session_log
            entry = (log.status, Path(log.checkpoint_path).name)
        elif kind == "summary":
            entry = [
                (
                    value.tag,
                    value.simple_value > 0 if value.tag.endswith("/sec") else value.simple_value,
                )
                for value in event.summary.value
            ]
        told.append((kind, event.step, entry))
    return told


def _nodes(graph_def: Any) -> list[tuple[str, str]]:
    return sorted((node.name, node.op) for node in graph_def.node)


_PROGRAMS: dict[str, dict[str, Any]] = {
    "steps": {"save_checkpoint_steps": 4, "save_summaries_steps": 3, "log_step_count_steps": 2},
    "defaults": {},
    "seconds": {"save_checkpoint_steps": 5, "save_summaries_secs": 1000},
    "no_summaries": {"save_summaries_steps": None, "save_summaries_secs": None},
    "no_graph": {"save_graph_def": False, "save_checkpoint_steps": 5, "log_step_count_steps": 3},
}


@pytest.mark.parametrize(
    ("program", "is_apart"), [*((name, False) for name in _PROGRAMS), ("steps", True)]
)
def test_events_are_those_of_tensorflow(tmp_path: Path, program: str, is_apart: bool) -> None:
    written = []
    for library in (tf, oracle):
        folder = tmp_path / library.__name__
        arguments = dict(_PROGRAMS[program])
        if is_apart:
            arguments["summary_dir"] = str(folder / "events")
        for last_step in (6, 9):
            _train(library, last_step, folder, **arguments)
        library.summary.FileWriterCache.clear()
        written.append((_told(folder / "model"), _told(folder / "events")))
    ours, theirs = written
    assert ours == theirs
    told = ours[0] + ours[1]
    kinds = {kind for kind, _, _ in told}
    assert {"graph_def", "meta_graph_def", "session_log"} <= kinds
    assert ("summary" in kinds) == (program != "no_summaries")
    checkpoints = [step for kind, step, log in told if kind == "session_log" and log[0] == 3]
    assert checkpoints == {"steps": [0, 4, 6, 6, 9], "defaults": [0, 6, 6, 9]}.get(
        program, checkpoints
    )


def test_a_session_without_folders_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with tf.Graph().as_default():
        step = tf.train.get_or_create_global_step()
        train = tf.assign_add(step, 1)
        with tf.train.MonitoredTrainingSession() as session:
            assert session.run(train) == 1
    assert not list(tmp_path.iterdir())
