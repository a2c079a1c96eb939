"""`run_async`: values, errors and metadata in futures, the limit, cancelling, closing, threads."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from concurrent import futures
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow import errors
from dataflow.session import queue as session_queue
from dataflow.session.session import Session
from tests.conftest import SessionFactory
from tests.ray.actors import eventually

FOREVER = 10**8
"""Iterations of a loop that no test waits for."""


@pytest.fixture(autouse=True)
def _others() -> Iterator[None]:
    """Threads of sessions that other tests have left end by themselves."""
    _OTHERS.update(_all_async_threads())
    yield
    _OTHERS.clear()


_OTHERS: set[threading.Thread] = set()


def _all_async_threads() -> set[threading.Thread]:
    return {t for t in threading.enumerate() if t.name == "dataflow-run-async"}


def async_threads() -> set[threading.Thread]:
    return _all_async_threads() - _OTHERS


def endless() -> tuple[tf.Tensor, tf.Tensor]:
    """A placeholder of a trip count, and a loop that takes so many."""
    trips = tf.placeholder(tf.int32, [])
    return trips, tf.while_loop(lambda i: i < trips, lambda i: i + 1, [0])


def test_each_future_has_the_values_of_its_own_step(session_factory: SessionFactory) -> None:
    x = tf.placeholder(tf.float32, [None])
    y, total = x * 2.0, tf.reduce_sum(x)
    session = session_factory()
    running = [session.run_async({"y": y, "both": [total, x]}, {x: [i, i + 1]}) for i in range(60)]
    for i, future in enumerate(running):
        assert isinstance(future, futures.Future)
        found = future.result(60)
        assert found["y"].tolist() == [2 * i, 2 * i + 2]
        assert found["both"][0] == 2 * i + 1
        assert found["both"][1].tolist() == [i, i + 1]


def test_variables_and_operations(session_factory: SessionFactory) -> None:
    variable = tf.Variable(1.0)
    add = tf.assign_add(variable, 1.0)
    session = session_factory()
    assert session.run_async(variable.initializer).result(60) is None
    done, _ = futures.wait([session.run_async(add.op) for _ in range(20)], 60)
    assert [future.result() for future in done] == [None] * 20
    assert session.run(variable) == 21.0


def test_results_belong_to_the_caller(session_factory: SessionFactory) -> None:
    x = tf.constant([1.0, 2.0])
    session = session_factory()
    for _ in range(4):
        found = session.run_async(x).result(60)
        assert found.tolist() == [1.0, 2.0]
        found[:] = 0.0


def test_fed_arrays_may_be_filled_anew(session_factory: SessionFactory) -> None:
    x = tf.placeholder(tf.float32, [1000])
    y = tf.reduce_sum(x)
    session = session_factory()
    buffer, running = np.empty(1000, np.float32), []
    for i in range(30):
        buffer[:] = i
        running.append(session.run_async(y, {x: buffer}))
    assert [future.result(60) for future in running] == [1000.0 * i for i in range(30)]


def test_options_and_metadata(session_factory: SessionFactory) -> None:
    y = tf.identity(tf.constant(1.0), name="traced")
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE, output_partition_graphs=True)
    metadata = tf.RunMetadata()
    future = session_factory().run_async(y, options=options, run_metadata=metadata)
    # The options are those of the call.
    options.Clear()
    assert future.result(60) == 1.0
    assert any(n.name == "traced" for g in metadata.partition_graphs for n in g.node)
    assert metadata.step_stats.dev_stats


def test_a_timeout_arrives_in_the_future(session_factory: SessionFactory) -> None:
    trips, loop = endless()
    session = session_factory()
    options = tf.RunOptions(timeout_in_ms=50)
    late = session.run_async(loop, {trips: FOREVER}, options)
    short = session.run_async(loop, {trips: 3})
    with pytest.raises(errors.DeadlineExceededError):
        late.result(60)
    assert short.result(60) == 3


def test_errors_arrive_in_the_future(session_factory: SessionFactory) -> None:
    x = tf.placeholder(tf.float32, [2])
    size = tf.placeholder(tf.int32, [None])
    fails = tf.reshape(x, size, name="fails")
    session = session_factory()
    cases: list[tuple[type[Exception], str, Any]] = [
        (TypeError, "has invalid type", lambda: session.run_async(3.0)),
        (ValueError, "Cannot feed value of shape", lambda: session.run_async(x, {x: [1.0]})),
        (ValueError, "refers to a Tensor which does not", lambda: session.run_async("none:0")),
        (TypeError, "must be a tf.RunOptions", lambda: session.run_async(x, {x: [1, 2]}, 3)),
        (
            TypeError,
            "must be a tf.RunMetadata",
            lambda: session.run_async(x, {x: [1, 2]}, run_metadata=3),
        ),
        (
            errors.InvalidArgumentError,
            r"node fails \(defined at .*test_run_async.py",
            lambda: session.run_async(fails, {x: [1.0, 2.0], size: [3]}),
        ),
    ]
    for kind, text, call in cases:
        before = session.run_async(fails, {x: [1.0, 2.0], size: [1, 2]})
        future = call()
        with pytest.raises(kind, match=text):
            future.result(60)
        assert before.result(60).tolist() == [[1.0, 2.0]]
    assert session.run(fails, {x: [1.0, 2.0], size: [2]}).tolist() == [1.0, 2.0]


def test_a_closed_session(session_factory: SessionFactory) -> None:
    x = tf.constant(1.0)
    session = session_factory()
    session.close()
    with pytest.raises(RuntimeError, match="Attempted to use a closed Session"):
        session.run_async(x).result(60)


def test_cancel_does_nothing_to_a_step_that_has_started(session_factory: SessionFactory) -> None:
    x = tf.placeholder(tf.float32, [])
    session = session_factory()
    for i in range(20):
        future = session.run_async(x * 1.0, {x: i})
        assert not future.cancel()
        assert future.result(60) == i
        assert not future.cancelled()


def test_close_settles_all_futures(session_factory: SessionFactory) -> None:
    trips, loop = endless()
    session = session_factory()
    before = set(threading.enumerate())
    running = [session.run_async(loop, {trips: FOREVER}) for _ in range(5)]
    assert len(async_threads()) == 5
    session.close()
    for future in running:
        assert future.done()
        assert isinstance(future.exception(), errors.CancelledError)
    assert not async_threads()
    assert eventually(lambda: not set(threading.enumerate()) - before)


def test_a_call_beyond_the_limit_waits(session_factory: SessionFactory) -> None:
    trips, loop = endless()
    session = session_factory()
    session.max_steps_in_flight = 2
    running = [session.run_async(loop, {trips: FOREVER}) for _ in range(2)]
    third: list[futures.Future[Any]] = []

    def call() -> None:
        third.append(session.run_async(loop, {trips: 4}))

    waiting = threading.Thread(target=call)
    waiting.start()
    waiting.join(0.2)
    assert waiting.is_alive() and not third
    session.max_steps_in_flight = 3
    waiting.join(60)
    assert third[0].result(60) == 4
    assert not any(future.done() for future in running)
    assert len(async_threads()) == 3


def test_close_ends_the_wait_for_a_place(session_factory: SessionFactory) -> None:
    trips, loop = endless()
    session = session_factory()
    session.max_steps_in_flight = 1
    first = session.run_async(loop, {trips: FOREVER})
    second: list[futures.Future[Any]] = []
    waiting = threading.Thread(
        target=lambda: second.append(session.run_async(loop, {trips: FOREVER}))
    )
    waiting.start()
    waiting.join(0.2)
    assert waiting.is_alive()
    session.close()
    waiting.join(60)
    for future in (first, second[0]):
        assert isinstance(future.exception(60), errors.CancelledError)


def test_a_limit_that_is_none(session_factory: SessionFactory) -> None:
    session = session_factory()
    assert session.max_steps_in_flight == 16
    for limit in (0, -1):
        with pytest.raises(ValueError, match=f"must be at least 1, but got {limit}"):
            session.max_steps_in_flight = limit
    for other in (1.5, "3", None, True):
        with pytest.raises(TypeError, match="must be an int"):
            session.max_steps_in_flight = other  # type: ignore[assignment]
    assert session.max_steps_in_flight == 16


def test_a_callback_may_start_the_next_step(session_factory: SessionFactory) -> None:
    x = tf.placeholder(tf.int32, [])
    y = x + 1
    session = session_factory()
    session.max_steps_in_flight = 1
    last: futures.Future[int] = futures.Future()

    def follow(future: futures.Future[Any]) -> None:
        value = future.result()
        if value == 10:
            last.set_result(value)
        else:
            session.run_async(y, {x: value}).add_done_callback(follow)

    session.run_async(y, {x: 0}).add_done_callback(follow)
    assert last.result(60) == 10


def test_a_callback_may_close_the_session(session_factory: SessionFactory) -> None:
    trips, loop = endless()
    session = session_factory()
    closed: futures.Future[None] = futures.Future()

    def close(_: futures.Future[Any]) -> None:
        session.close()
        closed.set_result(None)

    other = session.run_async(loop, {trips: FOREVER})
    session.run_async(loop, {trips: 1}).add_done_callback(close)
    closed.result(60)
    assert isinstance(other.exception(0), errors.CancelledError)


def test_idle_threads_end(session_factory: SessionFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_queue, "IDLE_SECONDS", 0.05)
    x = tf.constant(1.0)
    session = session_factory()
    for _ in range(3):
        futures.wait([session.run_async(x) for _ in range(8)], 60)
        threads = async_threads()
        assert len(threads) <= 8
        for thread in threads:
            thread.join(60)
        assert not async_threads()


def test_a_forgotten_session_leaves_no_thread(
    target: str, session_factory: SessionFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_queue, "IDLE_SECONDS", 0.05)
    x = tf.constant(1.0) + 1.0
    future = Session(target).run_async(x)
    assert future.result(60) == 2.0
    gc.collect()
    for thread in async_threads():
        thread.join(60)
    assert not async_threads()


def test_many_threads_submit(session_factory: SessionFactory) -> None:
    x = tf.placeholder(tf.int32, [])
    y = x * 3
    session = session_factory()
    session.max_steps_in_flight = 4
    found: dict[int, list[Any]] = {}

    def work(number: int) -> None:
        running = [session.run_async(y, {x: 100 * number + i}) for i in range(30)]
        found[number] = [future.result(60) for future in running]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {n: [3 * (100 * n + i) for i in range(30)] for n in range(6)}
