"""Hooks of sessions whose runs make several steps, and what hooks ask of runs together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tensorflow.compat.v1 as oracle

import dataflow as tf
from dataflow.porting.spellings import recorded
from dataflow.proto.debug_pb2 import DebugTensorWatch
from tests.oracle import open_session


class _Saved:
    """Notes the steps that are saved."""

    def __init__(self) -> None:
        self.steps: list[int] = []

    def save(self, session: Any, path: str, global_step: int, **options: Any) -> None:
        self.steps.append(int(global_step))

    saver_def = None


def _steps(library: Any, hook: Any, per_run: int) -> None:
    with library.Graph().as_default() as graph:
        step = library.train.get_or_create_global_step()
        train = step.assign_add(per_run)
        hook._set_steps_per_run(per_run)
        hook.begin()
        with open_session(library, graph) as session:
            session.run(step.initializer)
            for _ in range(6):
                context = library.train.SessionRunContext(None, session)
                read = hook.before_run(context).fetches
                before = session.run(read)
                session.run(train)
                values = library.train.SessionRunValues(before, None, None)
                hook.after_run(context, values)


def test_runs_of_several_steps(tmp_path: Path) -> None:
    for per_run in (2, 5, 10):
        found = []
        for library in (tf, oracle):
            saver, writer = _Saved(), recorded.FakeSummaryWriter(tmp_path)
            saves = library.train.CheckpointSaverHook(str(tmp_path), save_steps=7, saver=saver)
            _steps(library, saves, per_run)
            counts = library.train.StepCounterHook(every_n_steps=7, summary_writer=writer)
            writer.add_summary = lambda value, step, w=writer: w.summaries.setdefault(step, [])  # type: ignore[method-assign, misc]
            _steps(library, counts, per_run)
            found.append((saver.steps, [int(step) for step in writer.summaries]))
        assert found[0] == found[1]


class _Watches(tf.train.SessionRunHook):
    def __init__(self, name: str) -> None:
        self.name = name
        self.seen: list[str] = []

    def before_run(self, run_context: Any) -> Any:
        options = tf.RunOptions()
        watch = DebugTensorWatch(node_name=self.name, debug_ops=["DebugIdentity"])
        options.debug_options.debug_tensor_watch_opts.append(watch)
        return tf.train.SessionRunArgs(None, options=options)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        watches = run_values.options.debug_options.debug_tensor_watch_opts
        self.seen = [watch.node_name for watch in watches]


def test_watches_of_all_hooks_come_together() -> None:
    with tf.Graph().as_default():
        value = tf.constant(42, name="value")
        hooks = [_Watches("value"), _Watches("other")]
        with tf.train.MonitoredSession(hooks=hooks) as session:
            assert session.run(value) == 42
            assert session._coordinated_creator.tf_sess is session._tf_sess()
            assert not session._is_closed()
        assert session._is_closed()
    assert [hook.seen for hook in hooks] == [["value", "other"]] * 2
