"""Supervisors do in this library what they do in TensorFlow: files, events, threads, errors."""

from __future__ import annotations

import re
import threading
import time
from pathlib import Path
from typing import Any

import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf
from tests.recording.event_files import events

oracle.disable_v2_behavior()

BOTH = pytest.mark.parametrize("library", [oracle, tf], ids=["tensorflow", "dataflow"])


def _model(library: Any) -> Any:
    """A weight that goes from 8 to 4, 2, 1 and so on; gives a step."""
    weight = library.get_variable("weight", initializer=library.constant(8.0))
    library.summary.scalar("shown", weight)
    step = library.train.get_or_create_global_step()
    optimizer = library.train.GradientDescentOptimizer(0.25)
    return optimizer.minimize(library.square(weight), global_step=step)


def _nodes(graph: Any) -> list[str]:
    return sorted(node.name for node in graph.get_operations())


def _kinds(folder: Path) -> list[Any]:
    """What was written, in an order of its own: services write at the same time."""
    found = []
    for event in events(folder):
        kind = event.WhichOneof("what")
        shown: Any = ""
        if kind == "session_log":
            log = event.session_log
            shown = (log.status, Path(log.checkpoint_path).name)
        elif kind == "summary":
            shown = [value.tag for value in event.summary.value]
            if shown == ["shown"]:
                shown.append(event.summary.value[0].simple_value)
        found.append((kind, event.step, shown))
    return sorted(found, key=str)


def _served(library: Any, folder: str, master: str = "") -> list[Any]:
    """Trains by hand, with services that work once before the first step; then goes on."""
    log: list[Any] = []
    with library.Graph().as_default() as graph:
        train = _model(library)
        supervisor = library.train.Supervisor(logdir=folder)
        assert graph.finalized
        log += _nodes(graph)
        for already, steps in enumerate((3, 1)):
            before = set(threading.enumerate())
            _wait_for_a_new_second()
            session = supervisor.prepare_or_wait_for_session(master, start_standard_services=False)
            log += session.run(["weight:0", "global_step:0"])
            threads = supervisor.start_standard_services(session)
            names = [type(thread).__name__ for thread in threads]
            log.append(names)
            _wait_for_services(folder, supervisor, already + 1)
            for _ in range(steps):
                session.run(train)
            supervisor.summary_computed(session, session.run(supervisor.summary_op))
            supervisor.saver.save(session, supervisor.save_path, supervisor.global_step)
            supervisor.stop()
            assert not any(thread.is_alive() for thread in threads)
            session.close()
            left = set(threading.enumerate()) - before
            log.append([t.name for t in left if isinstance(t, library.train.LooperThread)])
    log.append([supervisor.is_chief, supervisor.save_model_secs, supervisor.save_summaries_secs])
    log.append(Path(supervisor.save_path).name)
    return log


def _wait_for_a_new_second() -> None:
    """TensorFlow names event files by the second, and writes over one of the same."""
    second = int(time.time())
    while int(time.time()) == second:
        time.sleep(0.01)


def _wait_for_services(folder: str, supervisor: Any, times: int) -> None:
    """Waits until each service has written so many times."""
    end = time.monotonic() + 120
    while time.monotonic() < end:
        supervisor.summary_writer.flush()
        tags = [value.tag for event in events(Path(folder)) for value in event.summary.value]
        statuses = [event.session_log.status for event in events(Path(folder))]
        if (
            tags.count("shown") >= 2 * times - 1
            and tags.count("global_step/sec") >= times
            and statuses.count(oracle.SessionLog.CHECKPOINT) >= times
        ):
            return
        time.sleep(0.01)
    raise AssertionError(f"A service did not write: {_kinds(Path(folder))}")


def _names(folder: Path) -> set[str]:
    """Names of files without what tells the time, and into how many files data was cut."""
    return {re.sub(r"(tfevents|data-).*", r"\1", path.name) for path in folder.iterdir()}


def test_services_write_what_tensorflows_write(tmp_path: Path, target: str) -> None:
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    expected = _served(oracle, str(theirs))
    assert _served(tf, str(ours), target) == expected
    assert _kinds(ours) == _kinds(theirs)
    assert _names(ours) == _names(theirs)
    assert "graph.pbtxt" in _names(ours)
    assert tf.train.latest_checkpoint(str(ours)) == str(ours / "model.ckpt-4")


def _raise(error: Exception) -> None:
    raise error


@BOTH
def test_a_managed_session_ends_clean_at_the_end_of_input(library: Any) -> None:
    with library.Graph().as_default():
        train = _model(library)
        supervisor = library.train.Supervisor()
        called = threading.Event()
        with supervisor.managed_session() as session:
            looper = supervisor.loop(0.01, lambda event: event.set(), args=(called,))
            assert called.wait(60)
            session.run(train)
            _raise(library.errors.OutOfRangeError(None, None, "at its end"))
        assert supervisor.should_stop()
        assert supervisor.coord.joined
        assert not looper.is_alive()
        with pytest.raises(RuntimeError):
            session.run(train)


@BOTH
def test_errors_of_the_block_and_of_threads_are_raised(library: Any) -> None:
    def fail() -> None:
        raise KeyError("of a thread")

    with library.Graph().as_default():
        _model(library)
        supervisor = library.train.Supervisor()
        with pytest.raises(ValueError, match="of the block"), supervisor.managed_session():
            raise ValueError("of the block")
        with pytest.raises(KeyError, match="of a thread"), supervisor.managed_session():
            supervisor.loop(None, fail)
            supervisor.wait_for_stop()


@BOTH
def test_the_basic_loop_goes_on_after_a_lost_process(library: Any) -> None:
    calls: list[Any] = []

    def step(session: Any, train: Any, limit: int) -> None:
        calls.append(session)
        if len(calls) == 2:
            raise library.errors.AbortedError(None, None, "lost")
        session.run(train)
        if len(calls) == limit:
            supervisor.request_stop()

    with library.Graph().as_default():
        train = _model(library)
        supervisor = library.train.Supervisor()
        library.train.basic_train_loop(supervisor, step, (train,), {"limit": 4})
    assert len(calls) == 4
    assert calls[0] is calls[1]
    assert calls[1] is not calls[2]
    assert calls[2] is calls[3]


def test_what_is_given_is_taken() -> None:
    for library in (tf, oracle):
        with library.Graph().as_default() as graph:
            _model(library)
            before = _nodes(graph)
            nothing = {"ready_op": None, "init_op": None, "local_init_op": None}
            made = library.train.Supervisor(
                graph, **nothing, saver=None, summary_op=None, global_step=None, init_fn=print
            )
            assert _nodes(graph) == before
        held = (made.ready_op, made.init_op, made.saver, made.summary_op, made.global_step)
        assert held == (None,) * 5
        assert (made.summary_writer, made.save_path, made.init_feed_dict) == (None,) * 3
        assert made.ready_for_local_init_op is None
        assert made.start_standard_services(None) is None


def test_refusals() -> None:
    found = []
    for library in (tf, oracle):
        texts = []
        with library.Graph().as_default(), library.device("/cpu:0"):
            _model(library)
            worker = library.train.Supervisor(is_chief=False, recovery_wait_secs=1)
            with pytest.raises(RuntimeError) as caught:
                worker.start_standard_services(None)
            texts.append(str(caught.value))
            with pytest.raises(RuntimeError) as caught:
                worker.summary_computed(None, b"")
            texts.append(str(caught.value))
            with pytest.raises(library.errors.DeadlineExceededError) as late:
                worker.prepare_or_wait_for_session(max_wait_secs=0)
            texts.append(late.value.message)
        with library.Graph().as_default():
            library.Variable(1.0, use_resource=False, name="unplaced")
            with pytest.raises(ValueError, match="must have their device set") as unplaced:
                library.train.Supervisor(is_chief=False)
            texts.append(str(unplaced.value).split(":")[0])
        found.append(texts)
    assert found[0] == found[1]
