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


def _of_subclasses(library: Any, folder: str) -> list[Any]:
    """What hooks of a program's own, which change a part of the library's, have seen."""
    seen: list[Any] = []

    class Saver(library.train.CheckpointSaverHook):  # type: ignore[misc]
        def _save(self, session: Any, step: Any) -> Any:
            seen.append(("save", int(session.run(self._global_step_tensor)), int(step)))
            return self._get_saver().save(session, self._save_path, global_step=step) is None

    class Counter(library.train.StepCounterHook):  # type: ignore[misc]
        def _log_and_record(self, elapsed_steps: Any, elapsed_time: Any, global_step: Any) -> None:
            seen.append(("speed", int(elapsed_steps), elapsed_time > 0, int(global_step)))

    class Logging(library.train.LoggingTensorHook):  # type: ignore[misc]
        def _log_tensors(self, tensor_values: Any) -> None:
            self._timer.update_last_triggered_step(self._iter_count)
            values = {tag: int(tensor_values[tag]) for tag in self._current_tensors}
            seen.append(("log", self._iter_count, values, self._tag_order))

    class Summaries(library.train.SummarySaverHook):  # type: ignore[misc]
        def _get_summary_op(self) -> Any:
            again = ("summary", bool(self._request_summary), str(self._next_step))
            seen.extend([] if again in seen else [again])
            return super()._get_summary_op()

    class Profiler(library.train.ProfilerHook):  # type: ignore[misc]
        def _save(self, step: Any, save_path: Any, step_stats: Any) -> None:
            seen.append(("trace", int(step), save_path, len(step_stats.dev_stats) > 0))

    with library.Graph().as_default():
        step = library.train.get_or_create_global_step()
        read = step + 0
        library.add_to_collection("global_step_read_op_cache", read)
        with library.control_dependencies([read]):
            train = step.assign_add(1)
        library.identity(2, name="two")
        summary = library.summary.scalar("c", library.constant(1.0))
        hooks = [
            Saver(folder, save_steps=2),
            Counter(every_n_steps=2, output_dir=folder),
            Logging({"b": "two:0", "a": library.constant(3)}, every_n_iter=2),
            Logging(["two:0"], at_end=True),
            Summaries(save_steps=2, output_dir=folder, summary_op=summary),
            Profiler(save_steps=2, output_dir=folder),
        ]
        with library.train.MonitoredSession(hooks=hooks) as session:
            for _ in range(5):
                session.run(train)
    library.summary.FileWriterCache.clear()
    kinds = ("save", "speed", "log", "summary", "trace")
    return [[each for each in seen if each[0] == kind] for kind in kinds]


def test_a_program_changes_parts_of_hooks(tmp_path: Path) -> None:
    ours, theirs = _of_subclasses(tf, str(tmp_path)), _of_subclasses(oracle, str(tmp_path))
    assert ours == theirs and all(ours)
