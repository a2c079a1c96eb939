"""Many threads on one session."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow import errors
from tests.conftest import SessionFactory


def run_threads(work: Callable[[int], None], count: int = 8) -> None:
    """Runs `work(0)` ... in threads that start together; raises what the first to fail raised."""
    failures: list[BaseException] = []
    gate = threading.Barrier(count)

    def body(number: int) -> None:
        gate.wait()
        try:
            work(number)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=body, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def test_runs_at_once(session_factory: SessionFactory) -> None:
    x = tf.placeholder(tf.float32, [None])
    y = tf.identity(tf.identity(x))
    session = session_factory()

    def work(number: int) -> None:
        for step in range(50):
            value = np.full(3, 100 * number + step, np.float32)
            np.testing.assert_array_equal(session.run(y, {x: value}), value)

    run_threads(work)


def test_first_runs_at_once(session_factory: SessionFactory) -> None:
    x = tf.placeholder(tf.float32, [])
    fetches = [tf.identity(x) for _ in range(8)]
    session = session_factory()

    def work(number: int) -> None:
        for step in range(8):
            chosen = fetches[(number + step) % 8]
            assert session.run([chosen, x], {x: step}) == [step, step]

    run_threads(work)


def test_a_graph_grows_while_it_runs(session_factory: SessionFactory) -> None:
    graph = tf.get_default_graph()
    x = tf.placeholder(tf.float32, [])
    session = session_factory()

    def work(number: int) -> None:
        with graph.as_default():
            y = x
            for step in range(20):
                y = tf.identity(y)
                assert session.run(y, {x: step}) == step

    run_threads(work)
    assert session._link.sent == graph.version


def test_no_step_sees_half_a_gradient(session_factory: SessionFactory) -> None:
    """Gradients of loops change nodes that they have just made, as their back edges."""
    waited: list[bool] = []
    ran: list[float] = []
    other = threading.Thread(target=lambda: ran.append(session.run(one)))

    @tf.custom_gradient
    def observed(x: Any) -> Any:
        def gradient(dy: Any) -> Any:
            other.start()
            other.join(0.05)
            waited.append(other.is_alive())
            return 3.0 * dy

        return 3.0 * x, gradient

    one = tf.constant(1.0)
    x = tf.placeholder(tf.float32, [])
    _, y = tf.while_loop(lambda i, _: i < 3, lambda i, v: (i + 1, observed(v)), [0, x])
    session = session_factory()
    assert session.run(y, {x: 2.0}) == 54.0
    (slope,) = tf.gradients(y, x)
    assert session.run(slope, {x: 2.0}) == 27.0
    other.join()
    assert (waited, ran) == ([True], [1.0])


def test_gradient_functions_run_steps(session_factory: SessionFactory) -> None:
    """Nobody else does meanwhile, but the thread that builds does not wait for itself."""
    found: list[float] = []
    session = session_factory()

    @tf.custom_gradient
    def observed(x: Any) -> Any:
        def gradient(dy: Any) -> Any:
            found.append(session.run(tf.constant(3.0) + 1.0))
            return found[-1] * dy

        return 2.0 * x, gradient

    x = tf.constant(5.0)
    (slope,) = tf.gradients(observed(x), x)
    assert session.run(slope) == 4.0
    assert found == [4.0]


def test_a_step_from_within_a_loop_does_not_hang(session_factory: SessionFactory) -> None:
    """It runs, though its session has seen the loop half made then, and says so."""
    session = session_factory()
    one = tf.constant(1.0)
    found: list[float] = []

    def body(i: Any) -> Any:
        found.append(session.run(one))
        return i + 1

    whole = tf.while_loop(lambda i: i < 3, body, [0])
    assert found == [1.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="in a branch or loop"):
        session.run(whole)
    assert session_factory().run(whole) == 3


def test_callables_at_once(session_factory: SessionFactory) -> None:
    x = tf.placeholder(tf.float32, [])
    call = session_factory().make_callable([tf.identity(x)], [x])

    def work(number: int) -> None:
        for step in range(50):
            assert call(100 * number + step) == [100 * number + step]

    run_threads(work)


def test_closing_while_others_run(session_factory: SessionFactory) -> None:
    x = tf.placeholder(tf.float32, [])
    y = tf.identity(x)
    session = session_factory()
    session.run(y, {x: 1.0})

    def work(number: int) -> None:
        if number == 0:
            session.close()
            return
        # A run that has begun is cancelled or ends well; one that begins later is refused.
        with pytest.raises((RuntimeError, errors.CancelledError), match=r"closed|cancelled"):
            for _ in range(100_000):
                assert session.run(y, {x: 2.0}) == 2.0

    run_threads(work)


def test_sessions_in_threads_of_their_own(session_factory: SessionFactory) -> None:
    def work(number: int) -> None:
        with tf.Graph().as_default(), session_factory() as session:
            x = tf.placeholder(tf.float32, [])
            y = tf.identity(x)
            assert tf.get_default_session() is session
            assert y.eval({x: number}) == number

    run_threads(work)


def test_defaults_of_other_threads_are_untouched(session_factory: SessionFactory) -> None:
    seen: list[Any] = []
    with tf.Graph().as_default(), session_factory():

        def work(number: int) -> None:
            seen.append((tf.get_default_session(), tf.get_default_graph()))

        run_threads(work, 2)
        assert all(session is None for session, _ in seen)
        assert all(graph is not tf.get_default_graph() for _, graph in seen)
