"""Coordinators, loopers and queue runners do in this library what they do in TensorFlow."""

from __future__ import annotations

import sys
import threading
from typing import Any

import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf

BOTH = pytest.mark.parametrize("library", [oracle, tf], ids=["tensorflow", "dataflow"])


def _failing(coordinator: Any, error: Exception) -> threading.Thread:
    """A thread that fails, and tells its coordinator."""

    def run() -> None:
        with coordinator.stop_on_exception():
            raise error

    thread = threading.Thread(target=run)
    thread.start()
    return thread


@BOTH
def test_the_first_error_is_raised_by_join(library: Any) -> None:
    coordinator = library.train.Coordinator()
    assert not coordinator.should_stop()
    assert not coordinator.wait_for_stop(0.01)
    _failing(coordinator, ValueError("first")).join()
    later = _failing(coordinator, KeyError("second"))
    with pytest.raises(ValueError, match="first"):
        coordinator.raise_requested_exception()
    with pytest.raises(ValueError, match="first"):
        coordinator.join([later])
    assert coordinator.joined
    assert coordinator.should_stop()
    with pytest.raises(KeyError, match="third"):
        try:
            raise KeyError("third")
        except KeyError:
            coordinator.request_stop(sys.exc_info())
    coordinator.clear_stop()
    assert not coordinator.joined
    assert not coordinator.should_stop()
    coordinator.request_stop()
    coordinator.join()


@BOTH
def test_the_end_of_input_is_a_clean_stop(library: Any) -> None:
    coordinator = library.train.Coordinator()
    end = library.errors.OutOfRangeError(None, None, "end")
    coordinator.join([_failing(coordinator, end)])
    assert coordinator.should_stop()
    strict = library.train.Coordinator(clean_stop_exception_types=[])
    with pytest.raises(library.errors.OutOfRangeError, match="end"):
        strict.join([_failing(strict, end)])


def test_an_error_that_is_not_handled_cannot_be_reported_alone() -> None:
    # TensorFlow fails to format this message, on some versions of Python.
    coordinator = tf.train.Coordinator()
    coordinator.request_stop(ValueError("nowhere raised"))
    with pytest.raises(ValueError, match=r"ex must be a tuple or sys\.exc_info must return"):
        coordinator.join()


@BOTH
def test_threads_that_go_on_are_named(library: Any) -> None:
    end = threading.Event()
    thread = threading.Thread(target=end.wait, name="straggler", daemon=True)
    thread.start()
    for ignores in (False, True):
        coordinator = library.train.Coordinator()
        coordinator.register_thread(thread)
        coordinator.request_stop()
        if ignores:
            coordinator.join(stop_grace_period_secs=0.05, ignore_live_threads=True)
            continue
        with pytest.raises(RuntimeError, match="with threads still running: straggler"):
            coordinator.join(stop_grace_period_secs=0.05)
    end.set()


@BOTH
@pytest.mark.parametrize("interval", [None, 0.01])
def test_looper_calls_until_it_is_stopped(library: Any, interval: float | None) -> None:
    calls: list[Any] = []
    coordinator = library.train.Coordinator()

    def work(number: int, word: str) -> None:
        calls.append((number, word))
        if len(calls) == 3:
            coordinator.request_stop()

    looper = library.train.LooperThread.loop(coordinator, interval, work, (1,), {"word": "x"})
    coordinator.join(stop_grace_period_secs=10)
    assert not looper.is_alive()
    assert calls == [(1, "x")] * 3


@BOTH
def test_looper_that_fails_stops_all(library: Any) -> None:
    log: list[str] = []

    class Looper(library.train.LooperThread):  # type: ignore[misc]
        def start_loop(self) -> None:
            log.append("start")

        def run_loop(self) -> None:
            raise ValueError("in the loop")

        def stop_loop(self) -> None:
            log.append("stop")

    coordinator = library.train.Coordinator()
    Looper(coordinator, None).start()
    with pytest.raises(ValueError, match="in the loop"):
        coordinator.join()
    assert log == ["start"]
    with pytest.raises(ValueError, match="'coord' argument must be a Coordinator: 3"):
        library.train.LooperThread(3, 1)
    with pytest.raises(ValueError, match="'args' and 'kwargs' argument require"):
        library.train.LooperThread(coordinator, 1, args=(1,))


def _runner(library: Any) -> Any:
    queue = library.FIFOQueue(10, library.int32, name="queue")
    types = (library.errors.OutOfRangeError, library.errors.CancelledError)
    enqueues = [queue.enqueue(1), queue.enqueue(2)]
    return library.train.QueueRunner(queue, enqueues, queue_closed_exception_types=types)


def test_queue_runner_proto_is_tensorflows() -> None:
    protos = []
    for library in (oracle, tf):
        with library.Graph().as_default(), library.name_scope("scope"):
            protos.append(_runner(library).to_proto())
    assert protos[1].SerializeToString() == protos[0].SerializeToString()
    with tf.Graph().as_default() as graph:
        with tf.name_scope("scope"):
            runner = _runner(tf)
        assert runner.to_proto("elsewhere") is None
        inner = runner.to_proto("scope")
        read = tf.train.QueueRunner.from_proto(inner, import_scope="scope")
        assert read.to_proto() == protos[1]
        assert read.close_op is graph.get_operation_by_name("scope/queue_Close")
        assert read.cancel_op.get_attr("cancel_pending_enqueues")


@BOTH
def test_queue_runner_refuses(library: Any) -> None:
    with library.Graph().as_default():
        queue = library.FIFOQueue(10, library.int32)
        with pytest.raises(ValueError, match=r"Must provide queue and enqueue_ops\."):
            library.train.QueueRunner(queue)
        with pytest.raises(TypeError, match=r"must be a tuple of tf\.error types, but saw: "):
            library.train.QueueRunner(
                queue, [queue.enqueue(1)], queue_closed_exception_types=[ValueError]
            )
        with pytest.raises(ValueError, match="No default session is registered"):
            library.train.start_queue_runners()
        with pytest.raises(TypeError, match=r"sess must be a `tf.Session` object\. Given class: "):
            library.train.start_queue_runners(3)


def test_errors_of_runners_without_a_coordinator_are_kept() -> None:
    with tf.Graph().as_default() as graph:
        queue = tf.FIFOQueue(10, tf.int32, shapes=[[2]])
        value = tf.placeholder(tf.int32, name="never_fed")
        runner = tf.train.QueueRunner(queue, [queue.enqueue(value)])
    with tf.Session(graph=graph) as session:
        hook, threading.excepthook = threading.excepthook, lambda arguments: None
        try:
            (thread,) = runner.create_threads(session, start=True)
            thread.join(10)
        finally:
            threading.excepthook = hook
        (error,) = runner.exceptions_raised
        assert isinstance(error, tf.errors.InvalidArgumentError)
        assert "never_fed" in str(error)
