"""What a closed session held goes with it, and does not wait for the cycle collector."""

from __future__ import annotations

import gc
import os
import signal
import time
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import dataflow as tf
from dataflow.graph import tracebacks
from tests.conftest import SessionFactory


@pytest.fixture(autouse=True)
def _without_the_collector() -> Iterator[None]:
    """Errors show the program's frames only, as for users: with ours they hold what these hold."""
    tracebacks.enable_traceback_filtering()
    gc.collect()
    gc.disable()
    yield
    gc.enable()
    tracebacks.disable_traceback_filtering()


def _fails(session: Any, x: Any) -> None:
    try:
        session.run(tf.check_numerics(1.0 / x, "zero"), {x: 0.0})
    except tf.errors.InvalidArgumentError as error:
        assert "zero" in error.message
    else:
        pytest.fail("The step does not fail.")


def _is_interrupted(session: Any, x: Any) -> None:
    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    queue = tf.FIFOQueue(1, tf.float32, [[]])
    kept = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(KeyboardInterrupt):
            session.run(queue.dequeue() + x, {x: 1.0})
    finally:
        signal.signal(signal.SIGALRM, kept)


def _runs(session: Any, x: Any) -> None:
    assert session.run(x * 2.0, {x: 3.0}) == 6.0
    assert session.run_async(x * 2.0, {x: 4.0}).result(60) == 8.0


@pytest.mark.parametrize("use", [_runs, _fails, _is_interrupted])
def test_a_session_goes_when_it_is_dropped(
    session_factory: SessionFactory, use: Callable[[Any, Any], None]
) -> None:
    def opened() -> weakref.ref[tf.Session]:
        with tf.Graph().as_default(), tf.Session(session_factory.target) as session:
            use(session, tf.placeholder(tf.float32, []))
            return weakref.ref(session)

    dropped = opened()
    # A thread that settles a future or looks at what ended may still have it in hand.
    end = time.monotonic() + 5
    while dropped() is not None and time.monotonic() < end:
        time.sleep(0.01)
    assert dropped() is None


@pytest.mark.ray
def test_sessions_of_a_server_leave_no_descriptors_open(ray_cluster: None) -> None:
    server = tf.train.Server({"worker": ["localhost:0"]})

    def opened() -> int:
        with tf.Graph().as_default(), tf.Session(server.target) as session:
            assert session.run(tf.constant(3) + 4) == 7
        return len(os.listdir("/proc/self/fd"))

    before = opened()
    assert [opened() for _ in range(3)] == [before] * 3
