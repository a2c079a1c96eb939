"""Sessions and hooks that dump each step."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from tensorflow.python.debug.lib import debug_data

import dataflow as tf
from dataflow.debugger.dump_folder import DebugDumpDir
from dataflow.debugger.hooks import DumpingDebugHook
from dataflow.debugger.sessions import (
    BaseDebugWrapperSession,
    DumpingDebugWrapperSession,
    WatchOptions,
)


def _folders(root: Path) -> list[Path]:
    return sorted(root.iterdir(), key=lambda path: int(path.name.rpartition("_")[2]))


def test_each_step_has_a_folder(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        fed = tf.placeholder(tf.float32, [], name="fed")
        total = tf.add(fed, 1.0, name="total")
        root = tmp_path / "dumps"
        with DumpingDebugWrapperSession(tf.Session(graph=graph), str(root)) as session:
            assert session.graph is graph and session.sess_str == session.session.sess_str
            assert tf.get_default_session() is session
            assert session.run(total, {fed: 1.0}) == 2.0
            assert total.eval({fed: 2.0}) == 3.0
            assert session.run([]) == []
        with pytest.raises(RuntimeError, match="closed"):
            session.run(total, {fed: 1.0})
    first, second = _folders(root)[:2]
    dump = debug_data.DebugDumpDir(str(first))
    assert dump.get_tensors("total", 0, "DebugIdentity") == [2.0]
    assert dump.run_fetches_info == repr(total)
    assert dump.run_feed_keys_info == repr({fed: 1.0}.keys())
    assert DebugDumpDir(str(first)).run_fetches_info == repr(total)
    assert DebugDumpDir(str(second)).get_tensors("total", 0, "DebugIdentity") == [3.0]


@pytest.mark.parametrize("kind", [lambda *a: WatchOptions(*a), lambda *a: a])
def test_the_program_says_what_is_dumped(tmp_path: Path, kind: Any) -> None:
    with tf.Graph().as_default() as graph:
        total = tf.add(tf.placeholder_with_default(1.0, [], name="a"), 1.0, name="total")
        doubled = tf.multiply(total, 2.0, name="doubled")
        asked = []

        def watch(fetches: Any, feeds: Any) -> Any:
            asked.append((fetches, feeds))
            return kind(["DebugIdentity"], "doubled|total", "Add")

        with tf.Session(graph=graph) as plain:
            session = DumpingDebugWrapperSession(plain, str(tmp_path), watch)
            assert session.run(doubled) == 4.0
    assert asked == [(doubled, None)]
    (folder,) = _folders(tmp_path)
    assert [d.node_name for d in DebugDumpDir(str(folder)).dumped_tensor_data] == ["total"]


def test_errors_are_kept_or_passed_on(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        bad = tf.check_numerics(tf.log(tf.placeholder_with_default(-1.0, [])), "bad")
        with tf.Session(graph=graph) as plain:
            assert DumpingDebugWrapperSession(plain, str(tmp_path / "a")).run(bad) is None
            session = DumpingDebugWrapperSession(
                plain, str(tmp_path / "b"), pass_through_operrors=True
            )
            with pytest.raises(tf.errors.InvalidArgumentError):
                session.run(bad)
    (folder,) = _folders(tmp_path / "a")
    assert DebugDumpDir(str(folder)).debug_watch_keys("Log") == ["Log:0:DebugIdentity"]


def test_options_of_the_program_stay(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        total = tf.add(tf.placeholder_with_default(1.0, []), 1.0, name="total")
        with tf.Session(graph=graph) as plain:
            session = DumpingDebugWrapperSession(plain, str(tmp_path))
            options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
            metadata = tf.RunMetadata()
            assert session.run(total, options=options, run_metadata=metadata) == 2.0
    traced = [
        node.node_name for device in metadata.step_stats.dev_stats for node in device.node_stats
    ]
    assert "total" in traced
    assert not options.debug_options.debug_tensor_watch_opts


def test_other_threads_do_not_dump(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        value = tf.constant(1) + 1
        with tf.Session(graph=graph) as plain:
            session = DumpingDebugWrapperSession(plain, str(tmp_path), thread_name_filter="seen")
            assert session.run(value) == 2 and not _folders(tmp_path)
            thread = threading.Thread(target=session.run, args=(value,), name="seen-1")
            thread.start()
            thread.join()
    assert len(_folders(tmp_path)) == 1


def test_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with tf.Session(graph=tf.Graph()) as plain:
        with pytest.raises(ValueError, match="points to a file"):
            DumpingDebugWrapperSession(plain, str(tmp_path / "file"))
        with pytest.raises(ValueError, match="points to a non-empty directory"):
            DumpingDebugWrapperSession(plain, str(tmp_path))
        session = BaseDebugWrapperSession(plain)
        with pytest.raises(NotImplementedError, match="partial_run_setup"):
            session.partial_run_setup([])
        with pytest.raises(NotImplementedError, match="partial_run is"):
            session.partial_run("", [])
        with pytest.raises(ValueError, match="should_stop"):
            session.should_stop()
    with pytest.raises(TypeError, match="Expected a session"):
        DumpingDebugWrapperSession(None, str(tmp_path / "new"))


def test_hook(tmp_path: Path) -> None:
    with tf.Graph().as_default():
        step = tf.train.get_or_create_global_step()
        more = tf.assign_add(step, 1)
        loss = tf.multiply(tf.cast(more, tf.float32), 2.0, name="loss")
        chosen = WatchOptions("DebugIdentity", "loss")
        hooks = [DumpingDebugHook(str(tmp_path), lambda fetches, feeds: chosen)]
        with tf.train.MonitoredSession(hooks=hooks) as session:
            assert [session.run(loss) for _ in range(2)] == [2.0, 4.0]
    dumps = [DebugDumpDir(str(folder)) for folder in _folders(tmp_path)]
    assert [dump.get_tensors("loss", 0, "DebugIdentity") for dump in dumps] == [[2.0], [4.0]]
