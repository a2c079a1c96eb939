"""Queues between steps that run at the same time: who waits, who is let go, and what is left."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from tests.conftest import SessionFactory
from tests.ray.actors import eventually


class Running:
    """A call on another thread."""

    def __init__(self, call: Callable[[], Any]) -> None:
        self.result: Any = None
        self.error: BaseException | None = None
        self._call = call
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def waits(self) -> bool:
        """Whether it has not ended after a moment."""
        self._thread.join(0.15)
        return self._thread.is_alive()

    def end(self) -> Any:
        """Its result; its error is raised."""
        self._thread.join(20)
        assert not self._thread.is_alive()
        if self.error is not None:
            raise self.error
        return self.result

    def _run(self) -> None:
        try:
            self.result = self._call()
        except BaseException as error:
            self.error = error


def test_enqueue_waits_while_the_queue_is_full(session_factory: SessionFactory) -> None:
    with tf.Graph().as_default() as graph:
        queue = tf.FIFOQueue(2, tf.int32, shapes=[[]])
        many, item, size = queue.enqueue_many([[1, 2, 3, 4]]), queue.dequeue(), queue.size()
    with session_factory(graph) as session:
        filling = Running(lambda: session.run(many))
        assert eventually(lambda: session.run(size) == 2)
        assert filling.waits()
        assert session.run(size) == 2
        assert [session.run(item) for _ in range(2)] == [1, 2]
        filling.end()
        assert [session.run(item) for _ in range(2)] == [3, 4]


def test_dequeue_many_collects_more_than_the_queue_holds(session_factory: SessionFactory) -> None:
    with tf.Graph().as_default() as graph:
        value = tf.placeholder(tf.float32, [2])
        queue = tf.FIFOQueue(1, tf.float32, shapes=[[2]])
        put, three = queue.enqueue(value), queue.dequeue_many(3)
    with session_factory(graph) as session:
        taking = Running(lambda: session.run(three))
        assert taking.waits()
        rows = np.arange(6, dtype=np.float32).reshape(3, 2)
        for row in rows:
            session.run(put, {value: row})
        np.testing.assert_array_equal(taking.end(), rows)


def test_many_waiting_steps_hold_no_thread(session_factory: SessionFactory) -> None:
    with tf.Graph().as_default() as graph:
        queue = tf.FIFOQueue(100, tf.int32, shapes=[[]])
        value = tf.placeholder(tf.int32)
        put, item = queue.enqueue(value), queue.dequeue() * 2
    with session_factory(graph) as session:
        taking = [Running(lambda: session.run(item)) for _ in range(40)]
        assert taking[-1].waits()
        for number in range(40):
            session.run(put, {value: number})
        assert sorted(taken.end() for taken in taking) == list(range(0, 80, 2))


@pytest.mark.parametrize("cancels", [False, True])
def test_close_lets_pending_enqueues_in_or_cancels_them(
    cancels: bool, session_factory: SessionFactory
) -> None:
    with tf.Graph().as_default() as graph:
        queue = tf.FIFOQueue(1, tf.int32, shapes=[[]])
        many, item = queue.enqueue_many([[1, 2]]), queue.dequeue()
        close, late = queue.close(cancel_pending_enqueues=cancels), queue.enqueue(9)
    with session_factory(graph) as session:
        filling = Running(lambda: session.run(many))
        assert filling.waits()
        closing = Running(lambda: session.run(close))
        if cancels:
            with pytest.raises(tf.errors.CancelledError, match="Enqueue operation was cancelled"):
                filling.end()
        else:
            assert closing.waits()
        assert session.run(item) == 1
        closing.end()
        if not cancels:
            filling.end()
            assert session.run(item) == 2
        with pytest.raises(
            tf.errors.CancelledError, match=r"FIFOQueue '_\d+_fifo_queue' is closed"
        ):
            session.run(late)
        with pytest.raises(tf.errors.OutOfRangeError, match=r"requested 1, current size 0\)"):
            session.run(item)


def test_timed_out_dequeue_many_gives_back_what_it_took(session_factory: SessionFactory) -> None:
    with tf.Graph().as_default() as graph:
        queue = tf.FIFOQueue(5, tf.int32, shapes=[[]])
        many, three = queue.enqueue_many([[1, 2]]), queue.dequeue_many(3)
        two = queue.dequeue_many(2)
    with session_factory(graph) as session:
        session.run(many)
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(three, options=tf.RunOptions(timeout_in_ms=150))
        patience = tf.RunOptions(timeout_in_ms=5000)
        np.testing.assert_array_equal(session.run(two, options=patience), [1, 2])


def test_closing_the_session_ends_who_waits(session_factory: SessionFactory) -> None:
    with tf.Graph().as_default() as graph:
        item = tf.FIFOQueue(5, tf.int32).dequeue()
    session = session_factory(graph)
    taking = Running(lambda: session.run(item))
    assert taking.waits()
    session.close()
    with pytest.raises(tf.errors.CancelledError):
        taking.end()


def test_elements_are_not_what_the_user_goes_on_writing_to(
    session_factory: SessionFactory,
) -> None:
    with tf.Graph().as_default() as graph:
        value = tf.placeholder(tf.float32, [3])
        queue = tf.FIFOQueue(5, tf.float32, shapes=[[3]])
        put, item = queue.enqueue(value), queue.dequeue()
    with session_factory(graph) as session:
        array = np.ones(3, np.float32)
        session.run(put, {value: array})
        array[:] = 7
        found = session.run(item)
        np.testing.assert_array_equal(found, [1, 1, 1])
        found += 1


def test_queue_runner_fills_until_the_input_ends(session_factory: SessionFactory) -> None:
    with tf.Graph().as_default() as graph:
        counter = tf.Variable(0, name="counter")
        queue = tf.FIFOQueue(3, tf.int32, shapes=[[]])
        runner = tf.train.QueueRunner(queue, [queue.enqueue(counter.count_up_to(10))])
        tf.train.add_queue_runner(runner)
        item, initialize = queue.dequeue(), tf.global_variables_initializer()
        assert [node.name for node in graph.get_operations()][-4:-1] == [
            "fifo_queue_Close",
            "fifo_queue_Close_1",
            "fifo_queue_Dequeue",
        ]
    with session_factory(graph) as session:
        session.run(initialize)
        coordinator = tf.train.Coordinator()
        with session.as_default():
            threads = tf.train.start_queue_runners(coord=coordinator)
        assert [thread.name for thread in threads] == [
            "QueueRunnerThread-fifo_queue-fifo_queue_enqueue",
            "QueueRunnerThread-fifo_queue-close_on_stop",
        ]
        taken = []
        with pytest.raises(tf.errors.OutOfRangeError, match="insufficient elements"):
            while not coordinator.should_stop():
                taken.append(session.run(item))
        assert taken == list(range(10))
        coordinator.request_stop()
        coordinator.join(threads, stop_grace_period_secs=60)


def test_coordinator_stops_queue_runners_that_wait(session_factory: SessionFactory) -> None:
    with tf.Graph().as_default() as graph:
        queue = tf.FIFOQueue(1, tf.int32, shapes=[[]])
        runner = tf.train.QueueRunner(queue, [queue.enqueue(1), queue.enqueue(2)])
        size = queue.size()
    with session_factory(graph) as session:
        coordinator = tf.train.Coordinator()
        threads = runner.create_threads(session, coordinator, daemon=True, start=True)
        assert runner.create_threads(session, coordinator) == []
        while not session.run(size):
            time.sleep(0.01)
        coordinator.request_stop()
        with pytest.raises(tf.errors.CancelledError):
            coordinator.join(threads, stop_grace_period_secs=60)
            raise tf.errors.CancelledError(None, None, "joined without an error")
        assert not any(thread.is_alive() for thread in threads)
